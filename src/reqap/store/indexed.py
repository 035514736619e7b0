"""What models have made of events, seen from the events: it must not outlive them.

Not the job of this module: making it (`reqap.retrieve.index`, `reqap.extract.kept`).
"""

import duckdb

# What models read, in a statement over `events`: the same record of several events is one. Of
# entries in a calendar and posts, the hour counts, too.
RECORD = (
    "md5_number_lower(kind || chr(0) || data || CASE WHEN kind IN ('calendar', 'social_media')"
    " THEN concat(chr(0), start_at::TIME, end_at - start_at) ELSE '' END)"
)

# The same for what is searched: there the day of an entry counts, which may be a birthday.
TOLD = (
    "md5_number_lower(kind || chr(0) || data || CASE WHEN kind = 'calendar' THEN"
    " concat(chr(0), start_at, end_at) WHEN kind = 'social_media'"
    " THEN concat(chr(0), start_at::TIME, end_at - start_at) ELSE '' END)"
)


def forget_unsaid(db: duckdb.DuckDBPyConnection) -> None:
    """Removes what was made from records that are there no more, or read differently now."""
    db.execute(
        "DELETE FROM indexed_events WHERE NOT EXISTS (SELECT 1 FROM events e"
        f" WHERE e.id = event_id AND {TOLD} = record)"
    )
    db.execute(
        "DELETE FROM indexed_texts WHERE text_id NOT IN (SELECT text_id FROM indexed_events)"
    )
    db.execute(f"DELETE FROM readings WHERE record NOT IN (SELECT {RECORD} FROM events)")


def forget_rested(db: duckdb.DuckDBPyConnection) -> None:
    """Removes answers and corrections that rest on events which are there no more."""
    db.execute(
        "DELETE FROM asked WHERE len(events) > 0 AND id IN (SELECT id FROM (SELECT id,"
        " unnest(events) AS event FROM asked) WHERE event NOT IN (SELECT id FROM events))"
    )
    db.execute(
        "DELETE FROM corrections WHERE event IS NOT NULL AND event NOT IN (SELECT id FROM events)"
    )
