"""Which events a row rests on.

Rows carry numbers of happenings; this knows which events each happening was told by. Numbers are
given out per run.
"""

from collections.abc import Iterable

import pyarrow as pa

from reqap.execute.session import Session
from reqap.execute.tables import EVENTS, Table

OBSERVED = "observed"


class Lineage:
    """The happenings of one run."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._next = 0
        session.run(
            f"CREATE TEMP TABLE {OBSERVED} (happening BIGINT, nth BIGINT, id VARCHAR, why VARCHAR)"
        )

    def add(self, found: pa.Table) -> int:
        """Takes up what RETRIEVE gave; the number of its first happening in this run."""
        first = self._next
        if found.num_rows:
            rows = found.select(["happening", "id", "why"])
            rows = rows.append_column("nth", pa.array(range(found.num_rows), pa.int64()))
            with self._session.lending("#found", rows):
                self._session.run(
                    f'INSERT INTO {OBSERVED} SELECT happening + {first}, nth, id, why FROM "#found"'
                )
            self._next = first + int(found.column("happening")[-1].as_py()) + 1
        return first

    def all_of(self, table: Table) -> frozenset[int]:
        """Every happening a table rests on."""
        rows = self._session.run(f"SELECT DISTINCT happening FROM ({_own(table)})")
        return table.shared | {row[0] for row in rows}

    def events_of(self, table: Table, shared: bool = True) -> pa.Array:
        """The ids of all events a table rests on, each once, in order."""
        numbers = pa.array(sorted(table.shared if shared else ()), pa.int64())
        with self._session.lending("#shared", pa.table({"happening": numbers})):
            return self._session.fetch_texts(
                f"SELECT id FROM {OBSERVED}"
                f' SEMI JOIN ({_own(table)} UNION ALL SELECT happening FROM "#shared")'
                " USING (happening) GROUP BY id ORDER BY min(happening), min(nth)"
            )

    def told_by(self, happenings: Iterable[int]) -> dict[int, list[str]]:
        """For each of some happenings the events that tell of it."""
        numbers = pa.array(sorted(set(happenings)), pa.int64())
        if not len(numbers):
            return {}
        with self._session.lending("#asked", pa.table({"happening": numbers})):
            rows = self._session.run(
                f"SELECT happening, list(id ORDER BY nth) FROM {OBSERVED}"
                ' SEMI JOIN "#asked" USING (happening) GROUP BY happening'
            )
        return dict(rows)


def _own(table: Table) -> str:
    """The happenings that a table's rows name, with repetitions."""
    return " UNION ALL ".join(
        f'SELECT {_numbers(name)} AS happening FROM "{table.name}"' for name in table.lineage
    )


def _numbers(column: str) -> str:
    return f'unnest("{column}")' if column == EVENTS else f'"{column}"'
