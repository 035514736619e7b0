"""Writes the orders as Amazon's current data export does."""

import csv
import io
from datetime import timedelta
from pathlib import Path

from reqap.perqa.exports import pack
from reqap.perqa.exports.traces import Traces, digest
from reqap.perqa.texts import Observation

_HEADER = (
    "ASIN", "Billing Address", "Carrier Name & Tracking Number", "Currency", "Gift Message",
    "Gift Recipient Contact", "Gift Sender Name", "Item Serial Number", "Order Date", "Order ID",
    "Order Status", "Original Quantity", "Payment Method Type", "Product Condition",
    "Product Name", "Purchase Order Number", "Ship Date", "Shipment Item Subtotal",
    "Shipment Item Subtotal Tax", "Shipment Status", "Shipping Address", "Shipping Charge",
    "Shipping Option", "Total Amount", "Total Discounts", "Unit Price", "Unit Price Tax", "Website",
)  # fmt: skip
_NONE = "Not Available"


def write(traces: Traces, folder: Path) -> None:
    """`Order History.csv`, newest order first."""
    out = io.StringIO()
    writer = csv.DictWriter(out, _HEADER, restval=_NONE, lineterminator="\r\n")
    writer.writeheader()
    for order in reversed(traces.of("online_purchase")):
        writer.writerow(_row(traces, order))
    path = folder / "amazon" / "Your Amazon Orders" / "Order History.csv"
    pack.write_file(path, out.getvalue().encode("utf-8-sig"))


def _row(traces: Traces, order: Observation) -> dict[str, str]:
    told = order.data
    # Of an item, so that three of it cost three times as much.
    price, currency = str(told["price"]).split()
    quantity = int(str(told["product_quantity"]))
    home = traces.persona.home_on(order.start.date())
    address = f"{traces.persona.name} {home.what} {home.city}"
    shipped = traces.utc(order.start) + timedelta(hours=21)
    key = digest(told["order"], told["product"])
    return {
        "ASIN": f"B0{key[:8].upper()}",
        "Billing Address": address,
        "Carrier Name & Tracking Number": f"AMZN({int(key[8:18], 16)})",
        "Currency": currency,
        "Order Date": f"{traces.utc(order.start):%Y-%m-%dT%H:%M:%SZ}",
        "Order ID": str(told["order"]),
        "Order Status": "Closed",
        "Original Quantity": str(quantity),
        "Payment Method Type": "Visa - 4417",
        "Product Condition": "New",
        "Product Name": str(told["product"]),
        "Purchase Order Number": "Not Applicable",
        "Ship Date": f"{shipped:%Y-%m-%dT%H:%M:%SZ}",
        "Shipment Status": "Shipped",
        "Shipping Address": address,
        "Shipping Charge": "0",
        "Total Amount": f"{float(price) * quantity:.2f}",
        "Total Discounts": "0",
        "Unit Price": price,
        "Unit Price Tax": "0",
        "Website": "Amazon.com",
    }
