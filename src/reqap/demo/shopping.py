"""What she orders: every line of the product table becomes an item of an order."""

from __future__ import annotations

import calendar
import random
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal

from reqap.demo import bank
from reqap.demo.life import HOME_ZONE, Life, moment


@dataclass(frozen=True)
class Item:
    asin: str
    name: str
    category: str
    price: Decimal
    quantity: int
    refund: str = ""


@dataclass
class Order:
    """One order with its items; times are Hamburg wall time."""

    number: str
    placed: datetime
    items: list[Item] = field(default_factory=list)
    digital: bool = False
    cancelled: bool = False
    mailed: bool = False

    zone: str = HOME_ZONE

    @property
    def total(self) -> Decimal:
        return sum((item.price * item.quantity for item in self.items), Decimal(0))


def shop(life: Life) -> list[Order]:
    """All orders, in time order."""
    rng = life.rng("shopping")
    orders: list[Order] = []
    asins: dict[str, str] = {}
    category = ""
    for line in bank.raw("products.txt").splitlines():
        if line.startswith("["):
            category = line.strip("[]")
        elif line and not line.startswith("#"):
            _add(bank.cells(line, 5), category, orders, asins, life, rng)
    return sorted(orders, key=lambda order: order.placed)


def _add(
    row: list[str],
    category: str,
    orders: list[Order],
    asins: dict[str, str],
    life: Life,
    rng: random.Random,
) -> None:
    when, name, price, quantity, flag_text = row[:5]
    words, _, reason = flag_text.partition("refund:")
    flags = words.split()
    asin = asins.setdefault(
        name, "B0" + "".join(rng.choices("ABCDFGHJKLMNPQRSTVWXYZ0123456789", k=8))
    )
    item = Item(asin, name, category, Decimal(price), int(quantity), reason)
    if "with" in flags:
        same_day = [order for order in orders if order.placed.date().isoformat() == when]
        same_day[-1].items.append(item)
        return
    orders.append(
        Order(
            _number("digital" in flags, rng),
            _placed(when, life, rng),
            [item],
            "digital" in flags,
            "cancelled" in flags,
            "mail" in flags,
        )
    )


def _number(digital: bool, rng: random.Random) -> str:
    prefix = "D01" if digital else rng.choice(["302", "303", "304", "305", "306", "028"])
    return f"{prefix}-{rng.randint(0, 9999999):07d}-{rng.randint(0, 9999999):07d}"


def _placed(when: str, life: Life, rng: random.Random) -> datetime:
    """The written day, or some day of the written month that she spends at home."""
    if len(when) == 10:
        day = date.fromisoformat(when)
    else:
        year, month = map(int, when.split("-"))
        length = calendar.monthrange(year, month)[1]
        options = [date(year, month, number) for number in range(1, length + 1)]
        day = rng.choice([option for option in options if not life.trip_on(option)])
    while True:
        hour = rng.choice([7, 8, 12, 13, 14, 17, 20, 21, 21, 22])
        start = moment(day, hour, rng.randint(0, 55), rng.randint(0, 59))
        if life.is_free(start, start + timedelta(minutes=4)):
            return start
