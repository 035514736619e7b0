"""The event store: one DuckDB file that holds a person's events, and where each came from."""

from reqap.store.ingest import Ingest, Outcome
from reqap.store.store import (
    ImportedFile,
    KnownIssue,
    PastImport,
    Store,
    StoredEvent,
    Summary,
    default_db,
)

__all__ = [
    "ImportedFile",
    "Ingest",
    "KnownIssue",
    "Outcome",
    "PastImport",
    "Store",
    "StoredEvent",
    "Summary",
    "default_db",
]
