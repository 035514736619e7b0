"""What the engine needs from RETRIEVE and EXTRACT: any class of this shape will do.

Results travel as Arrow tables, so that a million events cross the door without a Python object
each. Not the job of this module: finding or reading anything (`retrieve`, `extract`).
"""

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

import pyarrow as pa


class Retriever(Protocol):
    def retrieve(self, query: str, today: datetime, within: pa.Array | None = None) -> pa.Table:
        """The events that match, merged into happenings: one row per event.

        Columns: `happening` (int64, from 0; events that tell of the same happening share it), `id`
        (string), `start` and `end` (timestamp us, of the happening; the end is null where only the
        day is known), `why` (string). Rows are in order of the happening, the event to be read
        first in front. `within` limits the events.
        """


class Extractor(Protocol):
    def extract(
        self,
        ids: pa.Array,
        key: str,
        type_name: str,
        about: str = "",
        tick: Callable[[], object] = bool,
    ) -> pa.Table:
        """A value per event, in the order of `ids`; `about` is the query that found them, if any.
        `tick` is called now and then, and raises when time is up.

        Columns: `value` (the Arrow type of `type_name`; null where the event does not tell),
        `unit` (string; of numbers, where the data gives one), `where` (string; where the value
        stands), `chance` (float; how sure that is).
        """
