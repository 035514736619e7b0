"""What can be filled into questions: people, titles, places and times of a life."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import duckdb

Plain = str | int | float

_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


@dataclass(frozen=True)
class SlotValue:
    value: Plain
    text: str


@dataclass(frozen=True)
class Domain:
    """Values of a kind: those that a query finds in a life, or the same for everybody."""

    sql: str = ""
    fixed: tuple[SlotValue, ...] = ()
    told: Callable[[str], str] = str

    def values(self, connection: duckdb.DuckDBPyConnection) -> Iterator[SlotValue]:
        yield from self.fixed
        if self.sql:
            for row in connection.execute(self.sql).fetchall():
                if row[0] is not None:
                    yield SlotValue(row[0], self.told(str(row[-1])))


def literal_of(value: Plain, language: str) -> str:
    """A value as SQL or a plan writes it."""
    if not isinstance(value, str):
        return repr(value)
    if language == "sql":
        return "'" + value.replace("'", "''") + "'"
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def after_article(article: str, told: str) -> str:
    """A value behind the article of a text: "an apple", and not "the The Rowie Room"."""
    if article.lower() == "a " and told[:1].lower() in "aeiou":
        return f"{article[0]}n {told}"
    if article.lower() == "the " and told.lower().startswith("the "):
        return told
    if article and told.startswith("the "):
        return article + told.removeprefix("the ")
    return article + told


def _frequent(column: str, table: str, most: int = 40, least: int = 2) -> Domain:
    """The values of a column that are there a few times, the frequent ones first."""
    return Domain(
        f"SELECT {column} FROM {table} WHERE {column} IS NOT NULL GROUP BY ALL"
        f" HAVING count(*) >= {least} ORDER BY count(*) DESC, {column} LIMIT {most}"
    )


def feast(name: str) -> str:
    """A feast as it is written: New Year's Eve, Eid al-Fitr."""
    return re.sub(r"(?<![\w'])(?!al-|the )\w", lambda letter: letter[0].upper(), name)


def country(name: str) -> str:
    return f"the {name}" if name in _WITH_ARTICLE else name


_WITH_ARTICLE = frozenset(
    ["United States", "United Kingdom", "Netherlands", "Philippines", "Czech Republic",
     "Dominican Republic", "United Arab Emirates", "Maldives", "Bahamas"]
)  # fmt: skip


def doctor(kind: str) -> str:
    return "GP" if kind == "gp" else kind


_OWN_DOCTORS = "(SELECT * FROM doctor_appointments WHERE patient_relation = 'self')"
_MET = (
    "(SELECT unnest(participants) AS name FROM meetings UNION ALL"
    " SELECT unnest(participants) FROM celebrations)"
)


_CALLED = "coalesce(nickname, split_part(name, ' ', 1))"
# Sports as something one does: "playing tennis", "doing yoga", "running".
_SPORTING = """
SELECT workout_type, CASE
  WHEN workout_type IN ('football', 'badminton', 'tennis', 'basketball', 'volleyball', 'cricket',
                        'rugby', 'golf', 'table tennis') THEN 'playing ' || workout_type
  WHEN workout_type IN ('yoga', 'pilates', 'martial arts', 'weight training')
    THEN 'doing ' || workout_type
  WHEN workout_type = 'dance' THEN 'dancing'
  ELSE workout_type END
FROM workouts GROUP BY workout_type HAVING count(*) >= 10 ORDER BY count(*) DESC, workout_type
"""


def _met(condition: str) -> Domain:
    return Domain(
        f"SELECT name FROM {_MET} JOIN people USING (name) WHERE {condition}"
        " GROUP BY name HAVING count(*) >= 3 ORDER BY count(*) DESC, name LIMIT 12"
    )


# Cuisines that go before a noun: "Thai food", but not "Seafood food".
_COOKING = (
    "(SELECT * FROM outings WHERE cuisine NOT IN ('Seafood', 'Steakhouse', 'Barbecue', 'Soul food',"
    " 'Fish and chips', 'Bakery', 'Street food', 'Fast food', 'Burgers'))"
)
# Categories that are things: one orders books and tools, but not "home" or "outdoor".
_GOODS = (
    "(SELECT * FROM purchases WHERE category NOT IN ('home', 'outdoor', 'health', 'office',"
    " 'baby', 'beauty', 'sports', 'kitchen', 'garden'))"
)
_YEARS = (
    "SELECT y, y::VARCHAR FROM range(year((SELECT min(start_date) FROM music)) + 1,"
    " year(ref_date()) + 1) AS t(y) ORDER BY y DESC"
)
DOMAINS: dict[str, Domain] = {
    # people
    "friend": _met("relation = 'friend'"),
    # A friend by the name one calls them: for queries, which know who is who.
    "buddy": Domain(f"SELECT name, any_value({_CALLED}) FROM {_MET} JOIN people USING (name)"
                    " WHERE relation = 'friend' GROUP BY name HAVING count(*) >= 3"
                    " ORDER BY count(*) DESC, name LIMIT 12"),
    "relative": _met("is_family"),
    "person": _met("true"),
    "colleague": _met("relation IN ('colleague', 'boss', 'mentor')"),
    "kid": Domain("SELECT name FROM people WHERE relation IN ('daughter', 'son', 'child')"),
    "pet": Domain("SELECT name FROM pets"),
    "correspondent": _frequent("recipient", "(SELECT * FROM mails WHERE sent)", 15, 3),
    # titles and things
    "artist": _frequent("artist", "(SELECT unnest(artists) AS artist FROM music)", 40, 20),
    "song": _frequent("song_name", "music", 40, 15),
    "music_genre": _frequent("genre", "music", 8, 50),
    "movie": _frequent("movie_title", "movies", 30),
    "movie_genre": _frequent("genre", "movies", 6, 5),
    "director": _frequent("director", "movies", 20, 3),
    "series": _frequent("series_title", "series", 15, 4),
    "series_genre": _frequent("genre", "series", 6, 5),
    "product": _frequent("product", "purchases", 30),
    "category": _frequent("category", _GOODS, 8, 5),
    "sport": _frequent("workout_type", "workouts", 4, 10),
    "sporting": Domain(_SPORTING),
    # places and food
    "place": _frequent("place", "(SELECT * FROM meetings WHERE place_type <> 'home')", 15, 4),
    "restaurant": _frequent(
        "place", "(SELECT * FROM meetings WHERE place_type = 'restaurant')", 10, 4
    ),
    "place_type": _frequent("place_type", "(SELECT * FROM meetings WHERE place_type <> 'home')",
                            10, 6),
    "cuisine": _frequent("cuisine", _COOKING, 8, 4),
    "dish": _frequent("dish", "meetings", 15, 3),
    "activity": _frequent("activity", "meetings", 12, 6),
    "home_city": Domain("SELECT DISTINCT city FROM homes ORDER BY city"),
    "destination": _frequent("destination", "trips", 14, 1),
    "country": replace(_frequent("country", "trips", 10, 1), told=country),
    "purpose": _frequent("purpose", "trips", 6),
    # care and milestones
    "doctor_type": replace(_frequent("doctor_type", _OWN_DOCTORS, 8, 3), told=doctor),
    "doctor": _frequent("doctor", _OWN_DOCTORS, 8, 3),
    "occasion": replace(_frequent("occasion", "(SELECT * FROM celebrations WHERE honoree IS NULL)",
                                  8, 3), told=feast),
    "company": Domain("SELECT company FROM jobs WHERE company <> 'self-employed'"
                      " GROUP BY company HAVING count(*) = 1"
                      " AND min(start_date) > (SELECT min(start_date) FROM music)"
                      " ORDER BY min(start_date)"),
    "school": Domain("SELECT school FROM milestones WHERE milestone = 'new education'"),
    # times and numbers
    "year": Domain(_YEARS),
    "month": Domain(fixed=tuple(SlotValue(n, name) for n, name in enumerate(_MONTHS, 1))),
    "weekday": Domain(fixed=tuple(SlotValue(n, name) for n, name in enumerate(_WEEKDAYS, 1))),
    "hour": Domain(fixed=tuple(
        SlotValue(n, text)
        for n, text in ((6, "6 AM"), (8, "8 AM"), (12, "noon"), (17, "5 PM"), (18, "6 PM"),
                        (20, "8 PM"), (22, "10 PM"))
    )),
    "few": Domain(fixed=tuple(SlotValue(n, str(n)) for n in (2, 3, 4, 5, 6))),
    "some": Domain(fixed=tuple(SlotValue(n, str(n)) for n in (5, 10, 15, 20, 30, 50))),
    "many": Domain(fixed=tuple(SlotValue(n, str(n)) for n in (50, 80, 100, 150, 200, 300))),
}  # fmt: skip
