"""Facts that lives are made of: songs, films, series, products, feasts.

Tables in `facts/`, one record a line, cells split by tabs; lines that begin with # are comments.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class Song:
    artists: tuple[str, ...]
    title: str
    genre: str
    seconds: int


@dataclass(frozen=True)
class Movie:
    title: str
    year: int
    genre: str
    minutes: int
    director: str | None


@dataclass(frozen=True)
class Series:
    title: str
    genre: str
    minutes: int
    seasons: tuple[int, ...]  # episodes per season


@dataclass(frozen=True)
class Product:
    category: str
    name: str
    price: float  # in euros


@cache
def songs() -> tuple[Song, ...]:
    found: dict[tuple[str, str], Song] = {}
    for artists, title, genre, length in (*_table("songs_1", 4), *_table("songs_2", 4)):
        minutes, seconds = length.split(":")
        total = int(minutes) * 60 + int(seconds)
        song = Song(tuple(artists.split("; ")), title, genre, total)
        found.setdefault((song.artists[0], title), song)
    return tuple(found.values())


@cache
def movies() -> tuple[Movie, ...]:
    return tuple(
        Movie(title, int(year), genre, int(minutes or 104), director or None)
        for title, year, genre, minutes, director in (
            *_table("movies", 5),
            *_table("movies_more", 5),
        )
    )


@cache
def series() -> tuple[Series, ...]:
    return tuple(
        Series(title, genre, int(minutes), tuple(map(int, seasons.split(","))))
        for title, genre, minutes, seasons in _table("series", 4)
    )


@cache
def products() -> tuple[Product, ...]:
    found: dict[str, Product] = {}
    for category, name, price in _table("products", 3):
        # Sizes and colours are for catalogues.
        plain = name if category == "books" else name.partition(",")[0]
        found.setdefault(plain, Product(category, plain, float(price)))
    return tuple(found.values())


@cache
def feasts() -> dict[str, tuple[date, ...]]:
    """When feasts are: by name, a day per year."""
    return {name: tuple(_days(days)) for name, days in _table("feasts", 2)}


def _days(text: str) -> Iterator[date]:
    for day in text.split():
        years = [""] if len(day) > 5 else [f"{year}-" for year in range(2015, 2027)]
        yield from (date.fromisoformat(year + day) for year in years)


@cache
def cuisines() -> dict[str, str | None]:
    """What a kitchen is called in questions: "sushi" is Japanese; a bakery has no cuisine."""
    return {name: None if known == "-" else known for name, known in _table("cuisines", 2)}


@cache
def dishes() -> dict[str, tuple[str, ...]]:
    """Dishes by cuisine."""
    found: dict[str, list[str]] = defaultdict(list)
    for cuisine, dish in _table("dishes", 2):
        found[cuisine].append(dish)
    return {cuisine: tuple(names) for cuisine, names in found.items()}


def decimals(currency: str) -> int:
    """Where a coffee costs hundreds, nobody counts hundredths."""
    return 2 if exchange_rates()[currency] < 90 else 0


@dataclass(frozen=True)
class Habit:
    """When and where something people do together is done."""

    at_home: bool
    hours: tuple[float, ...]
    weekday: int | None
    months: tuple[int, ...]

    def suits(self, day: date) -> bool:
        return not self.months or day.month in self.months


@cache
def habits() -> dict[str, Habit]:
    """Of what is not just an afternoon or evening at home, by activity."""
    return {
        name: Habit(
            where == "h",
            tuple(map(float, hours.split())),
            None if weekday == "-" else int(weekday),
            () if months == "-" else tuple(map(int, months.split())),
        )
        for name, where, hours, weekday, months in _table("activities", 5)
    }


@cache
def exchange_rates() -> dict[str, float]:
    """What a euro is worth, roughly."""
    return {currency: float(rate) for currency, rate in _table("currencies", 2)}


def _table(name: str, width: int) -> list[list[str]]:
    file = resources.files("reqap.perqa") / "facts" / f"{name}.tsv"
    rows = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            cells = [cell.strip() for cell in line.split("\t")]
            if len(cells) != width:
                raise ValueError(f"{name}.tsv, line {number}: {len(cells)} cells, not {width}")
            rows.append(cells)
    return rows
