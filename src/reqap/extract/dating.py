"""Which day a text tells of a thing: EXTRACT, as a function for those who only want that."""

from collections.abc import Mapping, Sequence
from datetime import date

import pyarrow as pa

from reqap.extract.extractor import PatternExtractor

_READ = "text"  # how the places begin where words tell


def told_dates(extractor: PatternExtractor, ids: Sequence[str], about: str) -> Mapping[str, date]:
    """By event, where its words tell the day on which that began of which is asked."""
    found = extractor.extract(pa.array(ids, pa.string()), "start_date", "date", about)
    told = zip(ids, found["value"].to_pylist(), found["where"].to_pylist(), strict=True)
    return {event: day for event, day, where in told if day and where.startswith(_READ)}
