"""Amazon: three generations of reports, and that a purchase told by several counts once."""

import itertools
import json
from datetime import datetime
from pathlib import Path

import pytest

from reqap.errors import ExportProblem
from reqap.events import Event, ImportIssue
from reqap.importing import import_paths
from reqap.sources.amazon import SOURCE
from reqap.sources.base import Context
from reqap.store import Store
from reqap.values import DateOrder
from tests.sources.reading import (
    DATA,
    apart,
    at,
    claimed_of_others,
    claims,
    context,
    files,
    read_all,
    read_path,
    reasons,
)

AMAZON = DATA / "amazon"
REPORTS = AMAZON / "Order History Reports"
ITEMS = REPORTS / "01-Jan-2020_to_31-Dec-2021.csv"
REFUNDS_1 = REPORTS / "refunds.csv"
SECOND = AMAZON / "Your Orders 2023"
RETAIL_2 = SECOND / "Retail.OrderHistory.1" / "Retail.OrderHistory.1.csv"
JSON_2 = SECOND / "Retail.OrderHistory.2" / "Retail.OrderHistory.2.json"
DIGITAL_2 = SECOND / "Digital-Ordering.1" / "Digital Items.csv"
PAYMENTS = SECOND / "Retail.OrdersReturned.Payments.1" / "Retail.OrdersReturned.Payments.1.csv"
THIRD = AMAZON / "Your Orders 2025"
RETAIL_3 = THIRD / "Your Amazon Orders" / "Order History.csv"
DIGITAL_3 = THIRD / "Your Amazon Orders" / "Digital Content Orders.csv"
RETURNS_3 = THIRD / "Your Amazon Orders" / "Digital Returns.csv"
REFUNDS_3 = THIRD / "Your Returns & Refunds" / "Refund Details.csv"
RETAIL_FILES = (ITEMS, RETAIL_2, JSON_2, RETAIL_3)
REFUND_FILES = (REFUNDS_1, PAYMENTS, REFUNDS_3)
ALL = (*RETAIL_FILES, *REFUND_FILES, DIGITAL_2, DIGITAL_3, RETURNS_3)

CANCELLED = "a cancelled order: nothing was bought"


def read_text(
    text: str | bytes, ctx: Context | None = None
) -> tuple[list[Event], list[ImportIssue]]:
    content = text if isinstance(text, bytes) else text.encode()
    return apart(read_all(SOURCE, content, "x.csv", ctx))


# --- the "Items" and "Refunds" reports ------------------------------------------------------------


def test_items_report_tells_days() -> None:
    events, issues = read_path(SOURCE, ITEMS)
    hose = at(events, 2)
    assert (hose.source, hose.kind, hose.coarse) == ("amazon", "online_purchase", True)
    assert (hose.start, hose.end) == (datetime(2020, 12, 31), datetime(2020, 12, 31, 23, 59, 59))
    assert (hose.offset, hose.user_zone) == (None, False)
    assert hose.data == {
        "product": "Garden Hose 50 ft",
        "category": "LAWN_GARDEN",
        "order": "111-0000001-0000001",
        "website": "Amazon.com",
        "seller": "Amazon.com",
        "status": "Shipped",
        "product_condition": "new",
        "payment_method": "Visa - 4242",
        "shipping_city": "Springfield",
        "price": "21.60 USD",
        "unit_price": "10.00 USD",
        "product_quantity": 2,
        "ship_date": "2021-01-03",
    }
    assert [(i.reason, i.origin.position, i.detail) for i in issues] == [
        ("broken record", 5, "'13/45/21' is not a date in MDY order"),
        (CANCELLED, 6, "Cancelled"),
    ]


def test_without_a_total_price_per_unit_times_quantity() -> None:
    events, _ = read_path(SOURCE, ITEMS)
    assert at(events, 4).data["price"] == "1234.50 USD"  # the currency is that of Amazon.com
    header = "Order Date,Order ID,Title,Category,Purchase Price Per Unit,Quantity,ASIN/ISBN\n"
    events, issues = read_text(header + "2021-02-03,1-2,Tea,GROCERY,4.35,3,B00TEA0001\n")
    assert issues == []
    assert events[0].data["price"] == "13.05"  # no currency is known
    assert events[0].data["unit_price"] == "4.35"
    events, _ = read_text(header + '2021-02-03,1-2,Tea,GROCERY,"£4,35",3,B00TEA0001\n')
    assert events[0].data["price"] == "13.05 GBP"


def test_old_refunds_hold_the_tax() -> None:
    events, issues = read_path(SOURCE, REFUNDS_1)
    assert issues == []
    refund = at(events, 2)
    assert (refund.kind, refund.start, refund.coarse) == (
        "online_refund",
        datetime(2021, 1, 20),
        True,
    )
    assert refund.data == {
        "product": "Cooking for One",
        "category": "ABIS_BOOK",
        "order": "111-0000002-0000002",
        "website": "Amazon.com",
        "seller": "Amazon.com",
        "reason": "Customer Return",
        "price": "31.50 USD",
        "product_quantity": 1,
    }


DAYS = "Order Date,Order ID,Title,Purchase Price Per Unit,Quantity,ASIN/ISBN,Website\n"


@pytest.mark.parametrize(
    ("website", "order", "day"),
    [
        ("Amazon.com", None, datetime(2021, 3, 4)),
        ("Amazon.co.uk", None, datetime(2021, 4, 3)),
        ("Amazon.com", DateOrder.DMY, datetime(2021, 4, 3)),  # the user's word
        ("", DateOrder.MDY, datetime(2021, 3, 4)),
    ],
)
def test_day_and_month_by_country(website: str, order: DateOrder | None, day: datetime) -> None:
    text = DAYS + f"03/04/2021,1-2,Tea,4.00,1,B00TEA0001,{website}\n"
    events, issues = read_text(text, context(date_order=order))
    assert issues == []
    assert events[0].start == day


def test_a_day_over_twelve_outweighs_everything() -> None:
    text = DAYS + (
        "03/04/2021,1-2,Tea,4.00,1,B00TEA0001,Amazon.com\n"
        "25/04/2021,1-3,Tea,4.00,1,B00TEA0001,Amazon.com\n"
    )
    events, _ = read_text(text, context(date_order=DateOrder.MDY))
    assert [event.start for event in events] == [datetime(2021, 4, 3), datetime(2021, 4, 25)]


def test_ambiguous_days_are_asked_about() -> None:
    events, issues = read_text(DAYS + "03/04/2021,1-2,Tea,4.00,1,B00TEA0001,\n")
    assert events == []
    assert [(i.reason, i.detail, i.skipped) for i in issues] == [
        (
            "day and month cannot be told apart",
            "import again with `--date-order dmy` or `--date-order mdy`",
            True,
        )
    ]
    assert SOURCE.stamp(context(date_order=DateOrder.DMY)) != SOURCE.stamp(context())


# --- Retail.OrderHistory --------------------------------------------------------------------------


def test_an_order_in_local_time_with_commas() -> None:
    events, _ = read_path(SOURCE, RETAIL_2)
    camera = at(events, 2)
    # Half past midnight in UTC, before the clocks go forward at one.
    assert (camera.start, camera.end) == (datetime(2023, 3, 26, 1, 30),) * 2
    assert (camera.offset, camera.user_zone, camera.coarse) == (60, True, False)
    assert camera.data == {
        "product": "Kamera Z, schwarz",
        "order": "302-0000011-0000011",
        "website": "Amazon.de",
        "status": "Closed",
        "product_condition": "New",
        "payment_method": "Visa - 4242",
        "shipping_option": "std-de",
        "price": "1232.96 EUR",
        "unit_price": "1234.56 EUR",
        "product_quantity": 1,
        "ship_date": "2023-03-28",  # 22:30 in UTC the day before
        "total_discount": "1.60 EUR",
    }
    assert at(events, 3).offset == 120


def test_addresses_are_not_taken_over() -> None:
    events, _ = read_path(SOURCE, AMAZON)
    written = json.dumps([dict(event.data) for event in events])
    for private in ("Hauptstr", "Elm St", "62701", "1Z999", "0034", "Hofer"):
        assert private not in written


def test_an_item_in_several_shipments() -> None:
    events, _ = read_path(SOURCE, RETAIL_2)
    socks = [event for event in events if event.data["order"] == "302-0000012-0000012"]
    assert [(e.data["price"], e.data["product_quantity"], e.data["ship_date"]) for e in socks] == [
        ("12.50 EUR", 1, "2023-05-02"),
        ("12.50 EUR", 1, "2023-05-04"),
        ("25.00 EUR", 2, "2023-05-05"),  # the first of "… and …"
    ]
    assert len({event.id for event in socks}) == 3


def test_missing_totals_and_gift_messages_over_two_lines() -> None:
    events, _ = read_path(SOURCE, RETAIL_2)
    tea = at(events, 8)
    assert tea.data["price"] == "12.00 EUR"  # three times four; the currency of Amazon.de
    assert tea.data["gift_message"] == "Alles Gute,\nliebe Lena!"


def test_what_is_not_imported_is_said() -> None:
    events, issues = read_path(SOURCE, RETAIL_2)
    assert [event.origin.position for event in events] == [2, 3, 4, 5, 8]
    assert [(i.reason, i.origin.position, i.detail) for i in issues] == [
        (CANCELLED, 6, "Cancelled"),
        ("quantity 0: nothing was bought", 7, ""),
        ("broken record", 10, "no date"),
        ("broken record", 11, "'viel' is not an amount of money"),
        ("broken CSV row", 12, "2 cells under 28 columns"),
    ]


def test_the_json_form() -> None:
    events, issues = read_path(SOURCE, JSON_2)
    assert [event.origin.position for event in events] == [0, 1, 2]
    tent = at(events, 2)
    assert tent.start == datetime(2021, 3, 14, 10, 59, 59)
    assert (tent.data["price"], tent.data["product_quantity"]) == ("1234.50 USD", 1)
    assert "gift_message" not in tent.data
    assert [(i.reason, i.origin.position, i.detail) for i in issues] == [
        ("not a record", 3, "'stray'"),
        ("broken record", 4, "neither a product nor a price"),
    ]


def test_numbers_of_the_json_form_are_not_taken_to_the_last_bit() -> None:
    told = json.loads(JSON_2.read_text())[:1]
    told[0]["Total Owed"] = 7.2 * 3  # 21.6 and a little more
    (event,), _ = read_text(json.dumps(told))
    assert event.data["price"] == "21.60 USD"
    assert event.id == at(read_path(SOURCE, JSON_2)[0], 0).id


@pytest.mark.parametrize("state", ["Incomplete", "Not completed", "Failed"])
def test_only_completed_refunds_count(state: str) -> None:
    text = PAYMENTS.read_bytes().replace(b"Completed", state.encode())
    events, issues = read_text(text)
    assert (events, reasons(issues)) == ([], ["a refund that was not completed"] * 3)


def test_local_time_on_the_day_the_clocks_change() -> None:
    events, _ = read_path(SOURCE, JSON_2, context(zone="America/Los_Angeles"))
    tent = at(events, 2)
    assert (tent.start, tent.offset) == (datetime(2021, 3, 14, 1, 59, 59), -480)


RETAIL = "Website,Order ID,Order Date,Currency,Unit Price,Total Owed,ASIN,Quantity,Product Name\n"


@pytest.mark.parametrize(
    ("when", "start"),
    [
        ("2023-05-01T22:30:00Z", datetime(2023, 5, 2, 0, 30)),
        ("2023-05-01T22:30:00.123Z", datetime(2023, 5, 2, 0, 30, 0, 123000)),
        ("2023-05-01 22:30:00", datetime(2023, 5, 2, 0, 30)),
        ("05/01/2023 22:30:00 UTC", datetime(2023, 5, 2, 0, 30)),
        ("2023-05-01", datetime(2023, 5, 1)),
    ],
)
def test_writings_of_the_order_date(when: str, start: datetime) -> None:
    events, issues = read_text(RETAIL + f"Amazon.com,1-2,{when},USD,1,1,B1,1,Tea\n")
    assert issues == []
    assert events[0].start == start


@pytest.mark.parametrize(
    ("amounts", "prices"),
    [
        (["1,234.50", "12"], ["1234.50 EUR", "12.00 EUR"]),
        (["1.234,56", "12,5"], ["1234.56 EUR", "12.50 EUR"]),
        (["1,234", "0,99"], ["1.234 EUR", "0.99 EUR"]),  # the second row decides
        (["1,234", "0.99"], ["1234.00 EUR", "0.99 EUR"]),
        (["'1,495'", "'-1.6'"], ["1495.00 EUR", "-1.60 EUR"]),
        (["Not Available", "EUR 3.10"], ["2.00 EUR", "3.10 EUR"]),
    ],
)
def test_writings_of_amounts(amounts: list[str], prices: list[str]) -> None:
    rows = (
        f'Amazon.de,1-{n},2023-05-01T22:30:00Z,EUR,2,"{amount}",B{n},1,Tea\n'
        for n, amount in enumerate(amounts)
    )
    events, issues = read_text(RETAIL + "".join(rows))
    assert issues == []
    assert [event.data["price"] for event in events] == prices


def test_odd_rows() -> None:
    events, issues = read_text(
        RETAIL
        + "Amazon.de,,2023-05-01T22:30:00Z,EUR,2,2,,1,Tea\n"
        + "Amazon.de,1-2,2023-05-01T22:30:00Z,EUR,2,2,B2,-1,Tea\n"
        + "Amazon.de,1-3,2023-05-01T22:30:00Z,EUR,2,2,B3,1.5,Tea\n"
        + "Amazon.de,1-4,9999-12-31T23:59:59Z,EUR,2,2,B4,1,Tea\n"
        + "Amazon.de,1-5,2023-05-01T22:30:00Z,EUR,2,99999999999999999999999999999999999,B5,1,Tea\n"
        + "Amazon.de,1-6,2023-05-01T22:30:00Z,Kreuzer,2,3,B6,1,Tea\n"
        + "panda01,1-7,2023-05-01T22:30:00Z,Not Available,2,3,B7,Not Available,Tea\n"
    )
    assert reasons(issues) == ["broken record"] * 5
    assert [issue.detail for issue in issues[:3]] == [
        "neither an order id nor an ASIN",
        "-1 is no quantity",
        "1.5 is no quantity",
    ]
    assert [event.data["price"] for event in events] == ["3.00 EUR", "3"]
    assert "product_quantity" not in events[1].data


# --- the present form -----------------------------------------------------------------------------


def test_yen_and_points_in_one_file() -> None:
    events, issues = read_path(SOURCE, RETAIL_3)
    assert issues == []
    assert at(events, 2).data["price"] == "1232.96 EUR"
    assert at(events, 2).data["total_discount"] == "1.60 EUR"
    towel = at(events, 7)
    assert towel.start == datetime(2025, 6, 29, 16, 30, 46)
    assert towel.data["price"] == "1811 JPY"
    assert "gift_message" not in towel.data


def test_digital_orders_are_the_sum_of_their_parts() -> None:
    events, issues = read_path(SOURCE, DIGITAL_3)
    assert [(e.origin.position, e.data["price"]) for e in events] == [
        (2, "7.99 EUR"),  # price, tax and coupon, rows 2, 4 and 5
        (3, "3.99 EUR"),
    ]
    assert events[0].start == datetime(2023, 2, 3, 20, 0)
    assert events[0].data == {
        "product": "Das kurze Buch",
        "order": "D01-0000021-0000021",
        "website": "Amazon.de",
        "seller": "Amazon Media EU",
        "publisher": "Kleiner Verlag",
        "status": "SUCCESS",
        "price": "7.99 EUR",
        "product_quantity": 1,
        "digital": True,
    }
    assert [(i.reason, i.origin.position) for i in issues] == [(CANCELLED, 6)]


def test_a_part_that_cannot_be_read_spoils_its_item_alone() -> None:
    text = DIGITAL_3.read_bytes().replace(b",0.65", b",gratis")
    events, issues = read_text(text)
    assert [event.data["product"] for event in events] == ["Ein Film (leihen)"]
    broken = [issue for issue in issues if issue.reason == "broken record"]
    assert [issue.origin.position for issue in broken] == [2, 4, 5]


def test_digital_items() -> None:
    events, issues = read_path(SOURCE, DIGITAL_2)
    assert issues == []
    assert (events[0].start, events[0].offset) == (datetime(2023, 2, 3, 20, 0), 60)
    assert events[0].coarse  # the list price; the present form knows what was paid
    assert events[0].data["price"] == "9.99 EUR"
    assert (events[1].start, events[1].offset) == (datetime(2023, 2, 4), None)
    assert events[1].data["price"] == "0.00 EUR"


def test_digital_items_without_order_ids() -> None:
    text = "OrderDate,Title,OurPrice,OurPriceCurrencyCode,ASIN\n" + (
        "2019-01-02,Ein Buch,5.99,EUR,B0BOOK0001\n2019-02-02,Ein Buch,5.99,EUR,B0BOOK0001\n"
    )
    events, issues = read_text(text)
    assert issues == []
    assert [event.data["product"] for event in events] == ["Ein Buch", "Ein Buch"]
    assert events[0].id != events[1].id


def test_refunds() -> None:
    events, issues = read_path(SOURCE, REFUNDS_3)
    assert [(e.start, e.kind, dict(e.data)) for e in events] == [
        (
            datetime(2023, 4, 3, 9, 0, 0, 468000),
            "online_refund",
            {
                "order": "302-0000011-0000011",
                "website": "Amazon.de",
                "reason": "Customer return",
                "refund_type": "Refund",
                "price": "100.00 EUR",
                "product_quantity": 1,
            },
        ),
        (
            datetime(2025, 7, 1, 18, 2, 6, 468000),
            "online_refund",
            {
                "order": "503-0000031-0000031",
                "website": "Amazon.co.jp",
                "reason": "Item shipped late",
                "refund_type": "Refund",
                "price": "1000 JPY",
                "product_quantity": 1,
            },
        ),
    ]
    assert [(i.reason, i.origin.position, i.detail) for i in issues] == [
        ("a refund that was not completed", 4, "Pending, Pending")
    ]


def test_refund_payments_and_digital_returns() -> None:
    events, issues = read_path(SOURCE, PAYMENTS)
    assert [(e.data["order"], e.data["price"]) for e in events] == [
        ("302-0000011-0000011", "100.00 EUR"),
        ("111-0000002-0000002", "31.50 USD"),
    ]
    assert reasons(issues) == ["a refund that was not completed"]
    events, issues = read_path(SOURCE, RETURNS_3)
    assert issues == []
    assert [dict(event.data) for event in events] == [
        {
            "product": "Das kurze Buch",
            "order": "D01-0000021-0000021",
            "reason": "Accidental purchase",
            "price": "7.99 EUR",
            "digital": True,
        }
    ]


# --- generations together -------------------------------------------------------------------------


def imported(*paths: Path) -> list[tuple[str, str, str]]:
    """Kind, order and price of everything in a store after importing the paths one by one."""
    with Store.open(None) as store:
        for path in paths:
            import_paths([path], store, context(), sources=[SOURCE])
        rows = store.connection.execute(
            "SELECT kind, data->>'order', data->>'price' FROM events ORDER BY ALL"
        ).fetchall()
    return [(str(kind), str(order), str(price)) for kind, order, price in rows]


ONCE = [
    ("online_purchase", "111-0000001-0000001", "21.60 USD"),
    ("online_purchase", "111-0000002-0000002", "35.00 USD"),
    ("online_purchase", "111-0000003-0000003", "1234.50 USD"),
    ("online_purchase", "111-0000006-0000006", "1234.50 USD"),
    ("online_purchase", "302-0000011-0000011", "1232.96 EUR"),
    ("online_purchase", "302-0000012-0000012", "12.50 EUR"),
    ("online_purchase", "302-0000012-0000012", "12.50 EUR"),
    ("online_purchase", "302-0000012-0000012", "25.00 EUR"),
    ("online_purchase", "302-0000015-0000015", "12.00 EUR"),
    ("online_purchase", "503-0000031-0000031", "1811 JPY"),
    ("online_purchase", "D01-0000021-0000021", "7.99 EUR"),
    ("online_purchase", "D01-0000022-0000022", "0.00 EUR"),
    ("online_purchase", "D01-0000023-0000023", "3.99 EUR"),
    ("online_refund", "111-0000002-0000002", "31.50 USD"),
    ("online_refund", "111-0000003-0000003", "100.00 USD"),
    ("online_refund", "302-0000011-0000011", "100.00 EUR"),
    ("online_refund", "503-0000031-0000031", "1000 JPY"),
    ("online_refund", "D01-0000021-0000021", "7.99 EUR"),
]


@pytest.mark.parametrize("order", list(itertools.permutations((REPORTS, SECOND, THIRD))))
def test_a_purchase_of_three_generations_counts_once(order: tuple[Path, ...]) -> None:
    assert imported(*order) == ONCE


def test_the_better_telling_stays() -> None:
    with Store.open(None) as store:
        for path in (RETAIL_3, ITEMS):
            import_paths([path], store, context(), sources=[SOURCE])
        row = store.connection.execute(
            "SELECT start_at, data->>'product' FROM events"
            " WHERE data->>'order' = '111-0000001-0000001'"
        ).fetchall()
    assert row == [(datetime(2021, 1, 1, 5, 30), "Garden Hose, 50 ft, Green")]


def test_reworded_products_and_other_number_formats_keep_their_ids() -> None:
    second = {event.id for event in read_path(SOURCE, RETAIL_2)[0]}
    third = {e.id for e in read_path(SOURCE, RETAIL_3)[0] if e.data["website"] == "Amazon.de"}
    assert third < second


def test_read_again_gives_the_same_events() -> None:
    first, _ = read_path(SOURCE, AMAZON)
    again, _ = read_path(SOURCE, AMAZON)
    assert first == again
    elsewhere, _ = read_path(SOURCE, AMAZON, context(zone="Asia/Tokyo"))
    assert [event.id for event in elsewhere] == [event.id for event in first]


def test_raw_finds_the_record() -> None:
    (file,) = files(RETAIL_2)
    assert "Order ID: 302-0000015-0000015" in SOURCE.raw(file, 8)
    (file,) = files(JSON_2)
    assert json.loads(SOURCE.raw(file, 2))["Product Name"] == "Tent"


# --- recognising ----------------------------------------------------------------------------------


def test_files_are_recognised_by_content() -> None:
    contents = {file.name: Path(file.name).read_bytes() for file in files(AMAZON)}
    found = {name for name, content in contents.items() if claims(SOURCE, content, "renamed")}
    assert found == {str(path) for path in ALL}


def test_other_services_are_refused() -> None:
    assert claimed_of_others(SOURCE, "amazon") == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Order ID,Order Date,Price\n1,2,3\n",
        "Order ID,Refund Date,Refund Amount\n1,2,3\n",
        '[{"Order ID": 1}]',
        '{"Website": 1}',
    ],
)
def test_sniff_refuses(text: str) -> None:
    assert not claims(SOURCE, text.encode(), "x.csv")


def test_a_foreign_file_is_an_export_problem_and_an_empty_one_is_not() -> None:
    with pytest.raises(ExportProblem, match="not those of an Amazon export"):
        read_text("a,b\n1,2\n")
    assert read_text(RETAIL) == ([], [])
