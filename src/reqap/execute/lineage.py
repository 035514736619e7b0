"""Which events a row rests on.

Rows carry numbers of happenings; this knows which events each happening was told by. Numbers are
given out per run.
"""

from collections.abc import Iterable

import pyarrow as pa
from sqlglot import exp

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
            self._session.cursor.register("#found", rows)
            self._session.run(
                f'INSERT INTO {OBSERVED} SELECT happening + {first}, nth, id, why FROM "#found"'
            )
            self._session.cursor.unregister("#found")
            self._next = first + int(found.column("happening")[-1].as_py()) + 1
        return first

    def all_of(self, table: Table) -> frozenset[int]:
        """Every happening a table rests on."""
        return self.own_of(table) | table.shared

    def own_of(self, table: Table) -> frozenset[int]:
        """Those that its rows name."""
        numbers: set[int] = set()
        for name in table.lineage:
            column = exp.column(name, quoted=True)
            values = exp.func("unnest", column) if name == EVENTS else column
            query = exp.select(values).distinct().from_(exp.to_table(table.name, quoted=True))
            numbers.update(row[0] for row in self._session.fetch(query))
        return frozenset(numbers)

    def events(self, happenings: Iterable[int]) -> list[str]:
        """The ids of the events that tell of the happenings, each once, in order."""
        numbers = pa.table({"happening": pa.array(sorted(set(happenings)), pa.int64())})
        if not numbers.num_rows:
            return []
        self._session.cursor.register("#asked", numbers)
        rows = self._session.run(
            f'SELECT id FROM {OBSERVED} SEMI JOIN "#asked" USING (happening)'
            " GROUP BY id ORDER BY min(happening), min(nth)"
        )
        self._session.cursor.unregister("#asked")
        return [row[0] for row in rows]
