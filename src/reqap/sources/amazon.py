"""Amazon: what was bought, and what was refunded.

How to get it: amazon.com/hz/privacy-central/data-requests/preview.html (Account → "Request your
data", on the Amazon of your country) → "Your Orders"; a link comes by mail, within hours or days.
Older exports are read as well: `Retail.OrderHistory`, its short-lived JSON form, and the "Items"
and "Refunds" reports that Amazon offered until 2023. A purchase that several of them tell counts
once. Cancelled orders are left out; postal addresses and tracking numbers are not taken over.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from decimal import Decimal
from itertools import islice

from reqap.errors import ExportProblem, ValueProblem
from reqap.events import Event, ImportIssue, Value, event_id
from reqap.sources.amazon_rows import (
    UNIT_PRICE,
    Cells,
    Customs,
    Table,
    cell,
    currency_of,
    find_table,
    is_json,
    part_key,
    quantity_of,
    read_cells,
    survey,
)
from reqap.sources.base import UNCLEAR_ORDER, Context, ExportFile, Items, Sample, Source
from reqap.sources.jsonio import raw_record
from reqap.sources.tables import raw_row
from reqap.values import Money, format_money

NAME = "amazon"

_LAST_SECOND = time(23, 59, 59)
_NOTHING_BOUGHT = ("cancel", "fail", "declin", "reject")
_COMPLETED = re.compile(r"(?<!not )\bcomplete", re.IGNORECASE)
_LOOKED_AT = 50


def sniff(sample: Sample) -> bool:
    if sample.is_json_array:
        return find_table(sample.json_keys) is not None
    return find_table(sample.header) is not None


def read(file: ExportFile, context: Context) -> Items:
    names = _names(file)
    table = find_table(names)
    if table is None and not names:
        yield from (item for item in read_cells(file) if isinstance(item, ImportIssue))
        return
    if table is None:
        raise ExportProblem(f"{file.name}: the columns are not those of an Amazon export")
    customs = survey(file, table, context)
    if customs.unclear:
        detail = "import again with `--date-order dmy` or `--date-order mdy`"
        yield ImportIssue(UNCLEAR_ORDER, file.origin(), detail, grave=True)
        return
    reader = _Reader(file, table, customs, context)
    for item in read_cells(file):
        if isinstance(item, ImportIssue):
            yield item
        elif not reader.is_told(item[1]):
            yield reader.read_row(*item)


def _names(file: ExportFile) -> set[str]:
    """The columns of a file. A JSON record may lack some."""
    looked_at = islice(read_cells(file), _LOOKED_AT)
    return {name for item in looked_at if not isinstance(item, ImportIssue) for name in item[1]}


@dataclass(frozen=True)
class _When:
    start: datetime
    end: datetime
    offset: int | None
    day: date  # as the export counts: in UTC where it knows the instant


@dataclass
class _Reader:
    """The rows of one file on their way to events."""

    file: ExportFile
    table: Table
    customs: Customs
    context: Context
    seen: Counter[tuple[str, ...]] = field(default_factory=Counter)
    told: set[int] = field(default_factory=set)

    def is_told(self, cells: Cells) -> bool:
        """Whether this row is one more part of an item that was told, its sum included."""
        return self.table.in_parts and part_key(cells, self.table) in self.told

    def read_row(self, position: int, cells: Cells) -> Event | ImportIssue:
        """The event a row tells, or why it tells none."""
        try:
            read = self._refund if self.table.is_refund else self._purchase
            item = read(position, cells)
        except (ValueProblem, OverflowError) as error:
            return ImportIssue("broken record", self.file.origin(position), str(error)[:200])
        if self.table.in_parts:
            self.told.add(part_key(cells, self.table))
        return item

    def _purchase(self, position: int, cells: Cells) -> Event | ImportIssue:
        status, shipment = cell(cells, "orderstatus"), cell(cells, "shipmentstatus")
        if any(word in status.lower() for word in _NOTHING_BOUGHT) or "cancel" in shipment.lower():
            origin, detail = self.file.origin(position), f"{status} {shipment}".strip()[:80]
            return ImportIssue("a cancelled order: nothing was bought", origin, detail)
        when = self._when(cell(cells, self.table.date))
        quantity = quantity_of(cells)
        unit = self._amount(cells, *UNIT_PRICE)
        price = self._paid(cells)
        if price is None and unit is not None:
            price = Money(unit.amount * (1 if quantity is None else quantity), unit.currency)
        if quantity == 0 and (price is None or not price.amount):
            return ImportIssue("quantity 0: nothing was bought", self.file.origin(position))
        data = _texts(
            cells,
            product=("productname", "title"),
            category=("category",),
            order=("orderid",),
            website=("website", "marketplace"),
            seller=("seller", "sellerofrecord"),
            publisher=("publisher",),
            status=("orderstatus",),
            product_condition=("productcondition", "condition"),
            payment_method=("paymentinstrumenttype", "paymentmethodtype"),
            shipping_option=("shippingoption",),
            shipping_city=("shippingaddresscity",),
            gift_message=("giftmessage",),
        )
        if price is None and "product" not in data:
            raise ValueProblem("neither a product nor a price")
        if price is not None:
            data["price"] = format_money(price)
        if unit is not None:
            data["unit_price"] = format_money(unit)
        if quantity:
            data["product_quantity"] = quantity
        if self.table.is_digital:
            data["digital"] = True
        self._add_lesser(cells, data)
        return self._event("online_purchase", position, cells, when, price, data)

    def _add_lesser(self, cells: Cells, data: dict[str, Value]) -> None:
        """What is worth having but not worth losing a purchase over when it is garbled."""
        try:
            # Two shipments in one row: "2023-05-02T… and 2023-05-04T…".
            shipped = cell(cells, "shipdate", "shipmentdate").split(" and ")[0]
            if shipped:
                data["ship_date"] = self._when(shipped).start.date().isoformat()
        except (ValueProblem, OverflowError):
            pass
        try:
            discount = self._amount(cells, "totaldiscounts")
            if discount is not None and discount.amount:
                data["total_discount"] = format_money(_positive(discount))
        except ValueProblem:
            pass

    def _refund(self, position: int, cells: Cells) -> Event | ImportIssue:
        names = ("status", "paymentstatus", "reversalstatus", "returnstatus")
        states = [text for name in names if (text := cell(cells, name))]
        if states and not any(map(_COMPLETED.search, states)):
            origin = self.file.origin(position)
            return ImportIssue("a refund that was not completed", origin, ", ".join(states)[:80])
        when = self._when(cell(cells, self.table.date))
        price = self._paid(cells)
        if price is None:
            raise ValueProblem("no amount")
        price = _positive(price)
        data = _texts(
            cells,
            product=("productname", "title"),
            category=("category",),
            order=("orderid",),
            website=("website", "marketplace"),
            seller=("seller",),
            reason=("reversalreason", "refundreason", "returnreason"),
            refund_type=("disbursementtype",),
        )
        data["price"] = format_money(price)
        if quantity := quantity_of(cells):
            data["product_quantity"] = quantity
        if self.table.is_digital:
            data["digital"] = True
        return self._event("online_refund", position, cells, when, price, data)

    def _amount(self, cells: Cells, *names: str) -> Money | None:
        return self.customs.money(cell(cells, *names), currency_of(cells))

    def _paid(self, cells: Cells) -> Money | None:
        """What was paid for the row, or for all the parts of its item."""
        texts = [cell(cells, name) for name in self.table.paid]
        if self.table.in_parts:
            texts = self.customs.parts[part_key(cells, self.table)]
        amounts = [self.customs.money(text, currency_of(cells)) for text in texts]
        known = [amount for amount in amounts if amount is not None]
        if not known:
            return None
        return Money(sum((amount.amount for amount in known), Decimal(0)), known[0].currency)

    def _when(self, text: str) -> _When:
        moment = self.customs.day_or_moment(text)
        if moment is None:
            raise ValueProblem("no date")
        if not isinstance(moment, datetime):
            start = datetime.combine(moment, time.min)
            return _When(start, datetime.combine(moment, _LAST_SECOND), None, moment)
        instant = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
        start, offset = self.context.clock.wall(instant)
        return _When(start, start, offset, instant.date())

    def _event(
        self,
        kind: str,
        position: int,
        cells: Cells,
        when: _When,
        price: Money | None,
        data: dict[str, Value],
    ) -> Event:
        order = cell(cells, "orderid")
        asin = cell(cells, "asin", "asinisbn").upper()
        if asin.isdigit():
            asin = asin.zfill(10)  # an ISBN that lost its zeros in a spreadsheet
        if not (order or asin):
            raise ValueProblem("neither an order id nor an ASIN")
        day = when.day.isoformat()
        # An order has one date, which the reports write in different zones; a refund has its own.
        dated = day if self.table.is_refund or not order else ""
        amount = "" if price is None else format_money(Money(price.amount))
        # A coarse telling must not pass for the better one, whose amount is often the same.
        precision = "coarse" if self.table.is_coarse else "fine"
        identity = (kind, precision, order, asin, dated, amount)
        self.seen[identity] += 1
        return Event(
            # The same item at the same price may be in an order twice: in two shipments.
            id=event_id(NAME, *identity, self.seen[identity]),
            source=NAME,
            kind=kind,
            start=when.start,
            end=when.end,
            offset=when.offset,
            data=data,
            origin=self.file.origin(position),
            user_zone=when.offset is not None,
            twin=_twin(kind, order, asin, day),
            coarse=self.table.is_coarse,
        )


def _twin(kind: str, order: str, asin: str, day: str) -> str:
    """What a report of days and prices per unit shares with a better one.

    Not the date, not the amount: they differ. All rows of an item give way to all of the better.
    """
    if kind == "online_refund":
        return event_id(NAME, "twin", kind, order)
    return event_id(NAME, "twin", kind, order or day, asin)


def _positive(money: Money) -> Money:
    return Money(abs(money.amount), money.currency)


def _texts(cells: Cells, **keys: tuple[str, ...]) -> dict[str, Value]:
    return {key: text for key, names in keys.items() if (text := cell(cells, *names))}


def raw(file: ExportFile, position: int) -> str:
    return raw_record(file, position) if is_json(file) else raw_row(file, position)


SOURCE = Source(NAME, "Amazon", 1, sniff, read, raw, lambda context: str(context.date_order or ""))
