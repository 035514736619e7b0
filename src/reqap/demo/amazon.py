"""Writes the orders as Amazon's current data export does: three CSV files."""

from __future__ import annotations

import csv
import io
import random
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

from reqap.demo import pack
from reqap.demo.life import Life, utc
from reqap.demo.people import postal_address
from reqap.demo.shopping import Item, Order

ORDERS = [
    "ASIN",
    "Billing Address",
    "Carrier Name & Tracking Number",
    "Currency",
    "Gift Message",
    "Gift Recipient Contact",
    "Gift Sender Name",
    "Item Serial Number",
    "Order Date",
    "Order ID",
    "Order Status",
    "Original Quantity",
    "Payment Method Type",
    "Product Condition",
    "Product Name",
    "Purchase Order Number",
    "Ship Date",
    "Shipment Item Subtotal",
    "Shipment Item Subtotal Tax",
    "Shipment Status",
    "Shipping Address",
    "Shipping Charge",
    "Shipping Option",
    "Total Amount",
    "Total Discounts",
    "Unit Price",
    "Unit Price Tax",
    "Website",
]
DIGITAL = [
    "ASIN",
    "Base Currency Code",
    "Component Type",
    "Digital Order Item ID",
    "Offer Type Code",
    "Order Date",
    "Order ID",
    "Order Status",
    "Original Quantity",
    "Payment Information",
    "Price",
    "Price Currency Code",
    "Price Tax",
    "Product Name",
    "Seller of Record",
    "Transaction Amount",
]
REFUNDS = [
    "Creation Date",
    "Currency",
    "Direct Debit Refund Amount",
    "Disbursement Type",
    "Order ID",
    "Payment Status",
    "Quantity",
    "Refund Amount",
    "Refund Date",
    "Reversal Amount State",
    "Reversal Reason",
    "Reversal Status",
    "Website",
]
NONE = "Not Available"


def write_amazon(life: Life, orders: list[Order], folder: Path) -> None:
    """The folder `amazon`, newest order first."""
    rng = life.rng("amazon")
    newest = sorted(orders, key=lambda order: order.placed, reverse=True)
    goods = [order for order in newest if not order.digital]
    rows = [_order_row(order, item, rng) for order in goods for item in order.items]
    digital = [row for order in newest if order.digital for row in _digital_rows(order)]
    refunds = [
        _refund_row(order, item, rng) for order in goods for item in order.items if item.refund
    ]
    base = folder / "amazon"
    pack.write_file(base / "Your Amazon Orders" / "Order History.csv", _csv(ORDERS, rows))
    pack.write_file(
        base / "Your Amazon Orders" / "Digital Content Orders.csv", _csv(DIGITAL, digital)
    )
    pack.write_file(base / "Your Returns & Refunds" / "Refund Details.csv", _csv(REFUNDS, refunds))


def _csv(header: list[str], rows: list[dict[str, str]]) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, header, restval=NONE, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode("utf-8-sig")


def _stamp(local: datetime, zone: str) -> str:
    return utc(local, zone).strftime("%Y-%m-%dT%H:%M:%SZ")


def _net(gross: Decimal, item: Item) -> Decimal:
    """Price before tax: books are taxed at 7 %, everything else at 19 %."""
    rate = Decimal("1.07") if item.category == "books" else Decimal("1.19")
    return (gross / rate).quantize(Decimal("0.01"), ROUND_HALF_UP)


def _order_row(order: Order, item: Item, rng: random.Random) -> dict[str, str]:
    net = _net(item.price, item)
    shipped = order.placed + timedelta(hours=rng.randint(8, 40), minutes=rng.randint(0, 59))
    parcel = f"{rng.choice(['DHL', 'AMZN_DE', 'Hermes'])}({rng.randint(10**11, 10**12)})"
    gone = order.cancelled
    address = postal_address(order.placed.date())
    return {
        "ASIN": item.asin,
        "Billing Address": address,
        "Carrier Name & Tracking Number": NONE if gone else parcel,
        "Currency": "EUR",
        "Order Date": _stamp(order.placed, order.zone),
        "Order ID": order.number,
        "Order Status": "Cancelled" if gone else "Closed",
        "Original Quantity": str(item.quantity),
        "Payment Method Type": NONE if gone else "Visa - 4417",
        "Product Condition": "New",
        "Product Name": item.name,
        "Purchase Order Number": "Not Applicable",
        "Ship Date": NONE if gone else _stamp(shipped, order.zone),
        "Shipment Item Subtotal": NONE if gone else str(net * item.quantity),
        "Shipment Item Subtotal Tax": NONE if gone else str((item.price - net) * item.quantity),
        "Shipment Status": NONE if gone else "Shipped",
        "Shipping Address": address,
        "Shipping Charge": "0",
        "Shipping Option": "premium-de",
        "Total Amount": str(item.price * item.quantity),
        "Total Discounts": "0",
        "Unit Price": str(net),
        "Unit Price Tax": str(item.price - net),
        "Website": "Amazon.de",
    }


def _digital_rows(order: Order) -> list[dict[str, str]]:
    """Digital orders come as one row per component: the price, then the tax on it."""
    item = order.items[0]
    net = _net(item.price, item)
    base = {
        "ASIN": item.asin,
        "Base Currency Code": "EUR",
        "Digital Order Item ID": f"DIG{order.number[-7:]}",
        "Offer Type Code": "Purchase",
        "Order Date": _stamp(order.placed, order.zone),
        "Order ID": order.number,
        "Order Status": "SUCCESS",
        "Original Quantity": "1",
        "Payment Information": "Payment Instrument Details Not Available",
        "Price": str(net),
        "Price Currency Code": "EUR",
        "Price Tax": str(item.price - net),
        "Product Name": item.name,
        "Seller of Record": "Amazon Media EU S.à r.l.",
    }
    return [
        {**base, "Component Type": "Price Amount", "Transaction Amount": str(net)},
        {**base, "Component Type": "Tax", "Transaction Amount": str(item.price - net)},
    ]


def _refund_row(order: Order, item: Item, rng: random.Random) -> dict[str, str]:
    asked = order.placed + timedelta(days=rng.randint(5, 8), hours=rng.randint(0, 9))
    return {
        "Creation Date": _stamp(asked, order.zone),
        "Currency": "EUR",
        "Direct Debit Refund Amount": "0",
        "Disbursement Type": "Refund",
        "Order ID": order.number,
        "Payment Status": "Completed",
        "Quantity": str(item.quantity),
        "Refund Amount": str(item.price * item.quantity),
        "Refund Date": _stamp(asked + timedelta(days=2), order.zone),
        "Reversal Amount State": "Final",
        "Reversal Reason": item.refund,
        "Reversal Status": "Completed",
        "Website": "Amazon.de",
    }
