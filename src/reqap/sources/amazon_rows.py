"""The tables of Amazon's exports, and their rows whatever the table calls its columns.

Three generations of reports name the same things differently and write amounts and dates by the
customs of the country. Not the job of this module: what a row means (`amazon`).
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import NamedTuple

from reqap.errors import ValueProblem
from reqap.events import ImportIssue
from reqap.sources.base import Context, ExportFile
from reqap.sources.jsonio import read_records
from reqap.sources.tables import read_rows
from reqap.sources.textio import open_utf8
from reqap.values import (
    DateOrder,
    DecimalMark,
    Money,
    OrderEvidence,
    currency_code,
    is_missing,
    parse_date,
    parse_datetime,
    parse_money,
    parse_number,
    vote_date_order,
    vote_decimal,
)

Cells = dict[str, str]  # by the name of the column: small letters and digits only

_MOST_OF_AN_ITEM = 100_000
_MOST_MONEY = 10**12
_MAX_NAME = 80
_ENOUGH_AMOUNTS = 100_000
UNIT_PRICE = ("unitprice", "purchasepriceperunit")
_CURRENCIES = {
    "com": "USD", "ca": "CAD", "commx": "MXN", "combr": "BRL", "couk": "GBP", "de": "EUR",
    "fr": "EUR", "it": "EUR", "es": "EUR", "nl": "EUR", "ie": "EUR", "combe": "EUR", "se": "SEK",
    "pl": "PLN", "comtr": "TRY", "cojp": "JPY", "in": "INR", "comau": "AUD", "sg": "SGD",
    "ae": "AED", "sa": "SAR", "eg": "EGP", "coza": "ZAR", "cn": "CNY",
}  # fmt: skip


class Table(NamedTuple):
    """One kind of file: the columns that give it away, and those that differ between the kinds."""

    needs: frozenset[str]
    date: str
    paid: tuple[str, ...]  # what the row cost in all; their sum
    is_refund: bool = False
    is_digital: bool = False
    # Only the day, or the list price: gives way to the same purchase in a better table.
    is_coarse: bool = False
    # A row is only a component of an item (price, tax, coupon): rows of one item are summed up.
    in_parts: bool = False


def _columns(names: str) -> frozenset[str]:
    return frozenset(names.split())


# The first that fits is taken.
TABLES = (
    # "Items" and "Refunds", the order history reports until 2023
    Table(
        _columns("orderdate orderid title asinisbn purchasepriceperunit quantity"),
        "orderdate",
        ("itemtotal",),
        is_coarse=True,
    ),
    Table(
        _columns("orderid title asinisbn refunddate refundamount"),
        "refunddate",
        ("refundamount", "refundtaxamount"),
        is_refund=True,
        is_coarse=True,
    ),
    # Digital Content Orders.csv, Digital Returns.csv
    Table(
        _columns("orderid orderdate asin productname digitalorderitemid transactionamount"),
        "orderdate",
        ("transactionamount",),
        is_digital=True,
        in_parts=True,
    ),
    Table(
        _columns("orderid returndate digitalorderitemid transactionamount"),
        "returndate",
        ("transactionamount",),
        is_refund=True,
        is_digital=True,
        in_parts=True,
    ),
    # Digital-Ordering.N/Digital Items.csv, in two versions
    Table(
        _columns("asin orderdate ourprice ourpricecurrencycode title"),
        "orderdate",
        ("ourprice",),
        is_digital=True,
        is_coarse=True,
    ),
    Table(
        _columns("asin orderdate ourprice ourpricecurrencycode productname"),
        "orderdate",
        ("ourprice",),
        is_digital=True,
        is_coarse=True,
    ),
    # Retail.OrderHistory.N.csv (and .json), Your Amazon Orders/Order History.csv
    Table(
        _columns("website orderid orderdate asin productname totalowed"),
        "orderdate",
        ("totalowed",),
    ),
    Table(
        _columns("website orderid orderdate asin productname totalamount"),
        "orderdate",
        ("totalamount",),
    ),
    # Retail.OrdersReturned.Payments.N.csv, Your Returns & Refunds/Refund Details.csv
    Table(
        _columns("orderid reversalid refundcompletiondate amountrefunded"),
        "refundcompletiondate",
        ("amountrefunded",),
        is_refund=True,
    ),
    Table(
        _columns("orderid creationdate refunddate refundamount website"),
        "refunddate",
        ("refundamount",),
        is_refund=True,
    ),
)


class _Names(dict[str, str]):
    """The names of columns as this module writes them: "Order ID" and "OrderId" are "orderid"."""

    def __missing__(self, name: str) -> str:
        self[name] = column_name(name)
        return self[name]


def column_name(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name[:_MAX_NAME].lower())


def find_table(names: Iterable[str]) -> Table | None:
    there = {column_name(name) for name in names}
    return next((table for table in TABLES if there >= table.needs), None)


def is_json(file: ExportFile) -> bool:
    with open_utf8(file) as stream:
        return stream.read(256).lstrip()[:1] == b"["


def read_cells(file: ExportFile) -> Iterator[tuple[int, Cells] | ImportIssue]:
    """Position and cells of every row of a CSV file or of its JSON form."""
    if is_json(file):
        for record in read_records(file):
            if isinstance(record, ImportIssue):
                yield record
            else:
                yield record[0], {column_name(k): _text(v) for k, v in record[1].items()}
        return
    names = _Names()
    for row in read_rows(file):
        if isinstance(row, ImportIssue):
            yield row
        else:
            yield row[0], {names[name]: text for name, text in row[1].items()}


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return repr(round(value, 4))  # 21.599999999999998 was 21.6
    return repr(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def cell(cells: Cells, *names: str) -> str:
    """The first of the named cells that says something ("Not Available" does not)."""
    for name in names:
        text = cells.get(name, "").strip()
        if not is_missing(text):
            return text
    return ""


@dataclass
class Customs:
    """How a file writes dates and amounts, and what its rows sum up to where they are parts."""

    order: DateOrder | None = None
    unclear: bool = False
    decimal: DecimalMark | None = None
    parts: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))

    def money(self, text: str, currency: str | None) -> Money | None:
        """The amount in a cell. Amazon puts some into apostrophes, so that Excel lets them be."""
        if len(text) > 1 and text[0] == text[-1] == "'":
            text = text[1:-1]
        money = parse_money(text, currency, self.decimal)
        if money is not None and abs(money.amount) >= _MOST_MONEY:
            raise ValueProblem(f"{text[:60]} is no price that anyone pays")
        return money

    def day_or_moment(self, text: str) -> date | datetime | None:
        """A `datetime` where the text holds a time, else a `date`."""
        return parse_datetime(text, self.order) if ":" in text else parse_date(text, self.order)


def survey(file: ExportFile, table: Table, context: Context) -> Customs:
    """The customs of a whole file: single rows may be ambiguous."""
    customs = Customs()
    websites: set[str] = set()
    amounts: set[str] = set()
    vote = vote_date_order(_dates(file, table, customs, websites, amounts))
    habits = {_habit(website) for website in websites}
    habit = habits.pop() if len(habits) == 1 else None
    if vote.evidence in (OrderEvidence.IMPOSSIBLE, OrderEvidence.YEAR_FIRST):
        customs.order = vote.order
    else:
        customs.order = context.date_order or habit or vote.order
    customs.unclear = customs.order is None and vote.ambiguous
    customs.decimal = vote_decimal(amounts)
    return customs


def _dates(
    file: ExportFile, table: Table, customs: Customs, websites: set[str], amounts: set[str]
) -> Iterator[str]:
    """The dates of a file, in its order; what else is to be known is noted on the way."""
    for item in read_cells(file):
        if isinstance(item, ImportIssue):
            continue
        cells = item[1]
        if len(websites) < 100 and (website := _domain(cells)):
            websites.add(website)
        if len(amounts) < _ENOUGH_AMOUNTS:
            texts = (cells.get(name, "")[:60].strip(" '") for name in (*table.paid, *UNIT_PRICE))
            amounts.update(text for text in texts if text)
        if table.in_parts:
            customs.parts[part_key(cells, table)].append(cell(cells, *table.paid))
        yield cell(cells, table.date)


def part_key(cells: Cells, table: Table) -> int:
    """What the parts of one item share."""
    names = ("orderid", "digitalorderitemid", "asin", table.date)
    return hash(tuple(cell(cells, name) for name in names))


def _domain(cells: Cells) -> str:
    """ "Amazon.co.uk" as "couk"; empty where the row does not say."""
    website = cell(cells, "website", "marketplace")[:50].lower().removeprefix("www.")
    return column_name(website.removeprefix("amazon")) if website.startswith("amazon.") else ""


def _habit(domain: str) -> DateOrder | None:
    if domain in ("com", "ca"):
        return DateOrder.MDY if domain == "com" else None
    return DateOrder.YMD if domain in ("cojp", "cn") else DateOrder.DMY


def currency_of(cells: Cells) -> str | None:
    """The currency of a row: as it says, else that of the country's Amazon."""
    named = cell(
        cells,
        "currency",
        "ourpricecurrencycode",
        "basecurrencycode",
        "basecurrency",
        "pricecurrencycode",
    )
    try:
        code = currency_code(named)
    except ValueProblem:
        code = None
    return code or _CURRENCIES.get(_domain(cells))


def quantity_of(cells: Cells) -> int | None:
    number = parse_number(cell(cells, "quantity", "originalquantity", "quantityordered"))
    if number is not None and (number != int(number) or not 0 <= number <= _MOST_OF_AN_ITEM):
        raise ValueProblem(f"{number} is no quantity")
    return None if number is None else int(number)
