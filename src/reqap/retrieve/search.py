"""RETRIEVE by words: the events a query names or speaks of, merged into happenings.

A simple stand-in for learned models, and honest about it: an event matches when it is of a kind the
query names, or when its own words cover the query's. One pass over the events in SQL finds the few
that may hold any of the words; only these are looked at closely. Not the job of this module:
reading the query (`query`), what counts as one happening (`merge`).
"""

from datetime import datetime

import pyarrow as pa

from reqap.profile import Profile
from reqap.retrieve.kinds import asks_for_writing, kind_words
from reqap.retrieve.merge import SCHEMA, merged
from reqap.retrieve.query import Query, read_query
from reqap.retrieve.words import folded_sql, sieve, whole_words
from reqap.store import Store
from reqap.verbalize import TELLINGS, is_consumed

# An event must cover this share of the weight of the query's words, where a rare word weighs more
# than a common one: of two equally rare words one is not enough, of three two are, and next to a
# rare word a common one may be missing.
_SHARE = 0.6
# What tells about the record and not about what happened: an "Apple Watch" watches no film.
_TECHNICAL = (
    "url|device|source_name|profile_name|time_zone|language|visibility|[a-z_]*_unit|order|edited"
    "|payment_method|shipping_option|status|reason_end|sender_address|since|until|date|ship_date"
)
_STRING = r'"(?:[^"\\]|\\.)*"'
# Everything in an event's JSON that is no word of a value. A quote inside a text is escaped, so
# that a text followed by a colon is a key wherever it stands.
_NO_VALUE = (
    rf'"(?:{_TECHNICAL})":(?:{_STRING}|\[[^\]]*\]|[^,}}]*)|{_STRING}:'
    r'|https?://[^\s"\\]*|\\u[0-9a-f]{4}|\\.'
)


class WordRetriever:
    """RETRIEVE over a store, by words."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def retrieve(self, query: str, today: datetime, within: pa.Array | None = None) -> pa.Table:
        """All events that match, one row each: happening, id, start, end, why.

        A query that says nothing (no words, only stop words) finds nothing. `within` limits the
        events by id. What begins after `today` counts only if the query speaks of the future.
        """
        profile = Profile.saved(self._store.load_profile())
        with self._store.connection.cursor() as cursor:
            kinds = [
                row[0] for row in cursor.execute("SELECT DISTINCT kind FROM events").fetchall()
            ]
            asked = read_query(query, profile, kind_words(kinds))
            if not asked.targets and not asked.terms:
                return SCHEMA.empty_table()
            values = _parameters(asked, today, kinds)
            limit = ""
            if within is not None:
                cursor.register("within", pa.table({"id": within.cast(pa.string())}))
                limit = "SEMI JOIN within w ON w.id = e.id"
            found = cursor.sql(_statement(asked, limit), params=values).to_arrow_table()
            return merged(found, is_writing=asks_for_writing(query))


def _parameters(query: Query, today: datetime, kinds: list[str]) -> dict[str, object]:
    named = {target.kind for target in query.targets}
    closed = [kind for kind in kinds if is_consumed(kind) and kind not in named]
    values: dict[str, object] = {
        "anytime": query.future,
        "today": today.replace(tzinfo=None),
        "closed": closed if named or query.own else [],
        "tellings": list(TELLINGS),
    }
    for n, target in enumerate(query.targets):
        values |= {f"kind{n}": target.kind, f"mark{n}": target.mark, f"not{n}": target.unless}
    for n, term in enumerate(query.terms):
        values |= {f"word{n}": whole_words(term.phrases), f"label{n}": term.label}
    if query.terms:
        values["sieve"] = sieve(phrase for term in query.terms for phrase in term.phrases)
        values["no_value"] = _NO_VALUE
        # Without a named kind any event may match; with one, events of others must speak of it.
        values["sense"] = whole_words(query.senses) if query.targets else ""
    return values


def _statement(query: Query, limit: str) -> str:
    """The SQL of a query: it depends on how many kinds and words there are, never on which."""
    named = " OR ".join(
        f"(kind = $kind{n} AND contains(data, $mark{n})"
        f" AND ($not{n} = '' OR NOT contains(data, $not{n})))"
        for n in range(len(query.targets))
    )
    by_kind = "SELECT *, 'kind ' || kind AS why FROM eligible WHERE named"
    return f"""
        WITH eligible AS (
            SELECT e.*, ({named or "false"}) AS named FROM events e {limit}
            WHERE ($anytime OR start_at <= $today) AND NOT list_contains($closed, kind)
        ),
        found AS ({_by_words(range(len(query.terms))) if query.terms else by_kind})
        SELECT id, kind, start_at, end_at, why, coalesce(list_position($tellings, kind), 0) AS told
        FROM found ORDER BY start_at, end_at DESC, told, id
    """


def _by_words(terms: range) -> str:
    """Events that cover the words; a word weighs what BM25 gives it, by how many events have it."""
    words = folded_sql("source || ' ' || regexp_replace(data, $no_value, ' ', 'g')")
    weight = "ln(((SELECT count(*) FROM eligible) + 1) / (count(*) FILTER (has{0}) OVER () + 0.5))"
    weights = ", ".join(f"{weight.format(n)} AS weight{n}" for n in terms)
    labels = ", ".join(f"CASE WHEN has{n} THEN $label{n} END" for n in terms)
    return f"""
        WITH held AS (
            SELECT *, {words} AS words FROM eligible
            WHERE regexp_matches(data, $sieve) OR regexp_matches(source, $sieve)
        ),
        hit AS (
            SELECT id, kind, start_at, end_at, named,
                named OR regexp_matches(words, $sense) AS meant,
                {", ".join(f"regexp_matches(words, $word{n}) AS has{n}" for n in terms)}
            FROM held
        ),
        weighed AS (SELECT *, {weights} FROM hit)
        SELECT *, concat(CASE WHEN named THEN 'kind ' || kind || ', ' END, 'words ',
            concat_ws(', ', {labels})) AS why
        FROM weighed
        WHERE meant AND {" + ".join(f"has{n}::INTEGER * weight{n}" for n in terms)}
            >= {_SHARE} * ({" + ".join(f"weight{n}" for n in terms)})
    """
