"""Gold SQL, which asks what really happened, rewritten to ask what users have.

What services record is in tables of its own, under other names. What people only tell is in the
calendar, where conditions become words to look for, and values what the field that tells them says:
what somebody who knows the tables would plausibly write. Much of it gives other answers than the
gold; `codegen` counts how much.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

import sqlglot
from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from reqap.errors import ReqapError
from reqap.perqa.canonical import TABLES, WRITTEN

_TIMES = frozenset({
    "id", "start_datetime", "end_datetime", "start_date", "start_time", "end_date", "end_time",
})  # fmt: skip
_FACTS = {
    "people": {"name", "relation", "nickname", "birth_date"},
    "jobs": {"company", "role", "city", "start_date", "end_date"},
    "schools": {"school", "subject", "city", "start_date", "end_date"},
    "homes": {"street", "city", "start_date", "end_date"},
    "pets": {"name", "type", "start_date", "end_date"},
}


class Untranslatable(ReqapError):
    """SQL that asks for what no table of a user has."""


@dataclass(frozen=True)
class Recorded:
    """A table that a service keeps; columns of other names as SQL over its own."""

    name: str
    columns: Mapping[str, str] = field(default_factory=dict)


_SENDER, _RECIPIENT = "split_part(sender, ' <', 1)", "split_part(recipient, ' <', 1)"
_RECORDED = {
    "music": Recorded("music_stream", {"artists": "song_artist", "duration_seconds": "duration"}),
    "movies": Recorded("movie_stream", {"duration_minutes": "duration"}),
    "series": Recorded("tvseries_stream", {
        "series_title": "tvseries_title", "season": "tvseries_season",
        "episode": "episode_number", "duration_minutes": "duration",
    }),
    "purchases": Recorded("online_purchase", {
        "price": "CAST(split_part(price, ' ', 1) AS DOUBLE)",
        "currency": "split_part(price, ' ', 2)",
        "quantity": "product_quantity", "order_id": '"order"',
    }),
    "workouts": Recorded("workout", {
        "duration_minutes": "duration", "distance_km": "distance", "calories": "energy_burned",
    }),
    "mails": Recorded("mail", {
        "sender": _SENDER, "recipient": _RECIPIENT, "sent": f"{_SENDER} = (SELECT name FROM me)",
    }),
    "posts": Recorded("social_media"),
    "calendar_entries": Recorded("calendar"),
    "notes": Recorded("note"),
}  # fmt: skip
# What is told in words only: the words by which it is known in a calendar, if any.
_TOLD: dict[str, tuple[str, ...]] = {
    "meetings": (), "gatherings": (), "outings": (), "shared_outings": (), "milestones": (),
    "celebrations": ("birthday", "party", "celebrat", "anniversary", "christmas"),
    "doctor_appointments": ("dr.", "doctor", "dentist", "check-up"),
    "trips": ("trip", "flight", "holiday", "train to"),
    "trip_events": (),
}  # fmt: skip
_LISTED = (
    "(SELECT list(p.name) FROM people AS p WHERE contains({text}, split_part(p.name, ' ', 1)))"
)
# The field of an appointment that tells a property.
_FIELDS = {
    **dict.fromkeys(("place", "city", "destination", "country", "place_type"), "location"),
    **dict.fromkeys(("dish", "cuisine", "reason", "patient"), "description"),
    "nights": "date_diff('day', {start_date}, {end_date})",
    "participants": _LISTED,
}
# New jobs and homes are in the profile.
_MILESTONES = {
    "new job": "jobs", "new education": "schools", "new residence": "homes", "new pet": "pets",
}  # fmt: skip
_SELF = "self"
_SUPERFLUOUS = ((" AND TRUE", ""), ("WHERE TRUE AND ", "WHERE "), (" WHERE TRUE", ""))
# Properties that many sorts of things have: looking for them does not say of what sort one is.
_COMMON = frozenset({"participants", "place", "place_type", "city", "country", "cuisine", "dish"})


@cache
def _columns(table: str) -> frozenset[str]:
    if table in _FACTS:
        return frozenset(_FACTS[table])
    known = {**TABLES, **WRITTEN}
    if table in known:
        return frozenset(known[table]) | _TIMES
    if table in _TOLD:  # a view
        return frozenset(TABLES["meetings"]) - {"title"} | _TIMES
    return frozenset()


def translated(sql: str) -> str:
    """The same question to the tables of a user, in one line."""
    try:
        tree = sqlglot.parse_one(sql, read="duckdb")
        for scope in traverse_scope(tree):
            _Scope(scope).translate()
    except sqlglot.errors.SqlglotError as error:
        raise Untranslatable(str(error)) from None
    written = tree.sql("duckdb", comments=False)
    for superfluous, instead in _SUPERFLUOUS:
        written = written.replace(superfluous, instead)
    return written


class _Scope:
    """One SELECT, with the tables that it reads."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._sources = {
            name: source for name, source in scope.sources.items()
            if isinstance(source, exp.Table) and _columns(source.name)
        }  # fmt: skip
        self._known: set[str] = set()  # tables whose sort a condition names

    def translate(self) -> None:
        for column in list(self._scope.columns):
            found = self._source_of(column)
            if found is not None:
                self._column(column, *found)
        for name, table in self._sources.items():
            self._table(name, table)

    def _source_of(self, column: exp.Column) -> tuple[str, str] | None:
        """The name by which a column's table goes, and the table itself."""
        scope: Scope | None = self._scope
        while scope is not None:
            for name, source in scope.sources.items():
                known = isinstance(source, exp.Table) and _original(source)
                if known and column.table in ("", name) and column.name in _columns(str(known)):
                    return name, str(known)
            scope = scope.parent
        return None

    def _column(self, column: exp.Column, name: str, table: str) -> None:
        if table in _RECORDED and column.name in _RECORDED[table].columns:
            self._put(column, _qualified(_RECORDED[table].columns[column.name], column))
        elif table in _TOLD and column.name not in _TIMES and not self._in_profile(name):
            if self._looked_for(column):
                self._known |= set() if column.name in _COMMON else {name}
            else:
                self._read(column)

    def _looked_for(self, column: exp.Column) -> bool:
        """A condition on what is told in words becomes words to look for, where it can."""
        above = column.parent
        text = _named("text", column)
        match above:
            case exp.EQ() | exp.NEQ() if (said := _other(above, column)) is not None:
                made: exp.Expr = exp.true() if said.name == _SELF else _says(text, said)
                negated = isinstance(above, exp.NEQ) and said.name != _SELF
                above.replace(exp.Not(this=made) if negated else made)
                return said.name != _SELF
            case exp.In() if above.expressions and above.this is column:
                above.replace(exp.paren(exp.or_(*(_says(text, one) for one in above.expressions))))
                return True
            case exp.ArrayContains() if above.this is column:
                above.replace(_says(text, above.expression))
                return True
            case exp.Length() if isinstance(above.parent, exp.GT | exp.GTE):
                above.parent.replace(exp.true())
                return True
        return False

    def _read(self, column: exp.Column) -> None:
        """A value is what the field says that tells it."""
        field_ = _FIELDS.get(column.name, "summary")
        names = {name: _named(name, column).sql("duckdb")
                 for name in ("text", "start_date", "end_date")}  # fmt: skip
        written = field_.format(**names)
        is_field = written == field_
        self._put(column, _named(field_, column) if is_field
                  else sqlglot.parse_one(written, read="duckdb"))  # fmt: skip

    def _put(self, column: exp.Column, new: exp.Expr) -> None:
        """Another expression instead of a column, under its name where somebody reads it."""
        is_output = isinstance(column.parent, exp.Select) and column.arg_key == "expressions"
        if is_output and column.find_ancestor(exp.Subquery, exp.CTE) is not None:
            new = exp.alias_(new, column.name)
        column.replace(new)

    def _table(self, name: str, table: exp.Table) -> None:
        original = table.name
        if original in _FACTS:
            return
        table.set("alias", exp.TableAlias(this=exp.to_identifier(name)) if name != original
                  else None)  # fmt: skip
        table.meta["original"] = original
        kept = self._in_profile(name)
        if kept:
            table.set("this", exp.to_identifier(kept))
        elif original in _RECORDED:
            table.set("this", exp.to_identifier(_RECORDED[original].name))
        else:
            table.set("this", exp.to_identifier("calendar"))
            words = _TOLD[original]
            select = self._scope.expression
            if words and name not in self._known and isinstance(select, exp.Select):
                several = len(self._scope.sources) > 1
                text = exp.column("text", name if several and name != original else None)
                select.where(exp.paren(exp.or_(*(_like(text, word) for word in words))), copy=False)

    def _in_profile(self, name: str) -> str:
        """The table of the profile that tells these milestones, where it does."""
        source = self._sources.get(name)
        if source is None or _original(source) != "milestones":
            return ""
        for one in self._scope.find_all(exp.EQ):
            if one.this.name == "milestone" and isinstance(one.expression, exp.Literal):
                found = _MILESTONES.get(one.expression.name)
                if found:
                    one.replace(exp.true())
                    source.meta["profile"] = found
        return str(source.meta.get("profile", ""))


def _original(table: exp.Table) -> str:
    return str(table.meta.get("original", table.name))


def _other(comparison: exp.Expr, column: exp.Column) -> exp.Literal | None:
    """The text that a column is compared with."""
    for side in (comparison.this, comparison.expression):
        if side is not column and isinstance(side, exp.Literal) and side.is_string:
            return side
    return None


def _says(text: exp.Column, said: exp.Expr) -> exp.Expr:
    """Words to look for: of a name, the first, as people write."""
    if isinstance(said, exp.Literal) and said.is_string:
        words = said.name.split()
        is_name = len(words) > 1 and all(word[:1].isupper() for word in words)
        return _like(text, words[0] if is_name else said.name)
    first = exp.func("split_part", said.copy(), exp.Literal.string(" "), exp.Literal.number(1))
    return exp.func("contains", text.copy(), first, dialect="duckdb")


def _like(text: exp.Column, word: str) -> exp.Expr:
    return exp.ILike(this=text.copy(), expression=exp.Literal.string(f"%{word}%"))


def _named(name: str, like: exp.Column) -> exp.Column:
    return exp.column(name, like.table or None)


def _qualified(written: str, like: exp.Column) -> exp.Expr:
    """SQL over a table's own columns, with the name by which the table goes here."""
    made = sqlglot.parse_one(written, read="duckdb")
    if like.table:
        for one in made.find_all(exp.Column):
            if one.find_ancestor(exp.Select) is None:
                one.set("table", exp.to_identifier(like.table))
    return made
