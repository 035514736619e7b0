"""The door every export comes in by: what a source is, what it is handed, what it may say.

A new source is one file with a docstring that tells a person how to get the export, a `sniff`, a
`read` that yields `Event | ImportIssue`, and a `raw` that finds a record again. It ends in one line
that makes it a `Source`; `registry.py` lists it. Nothing else knows its name.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import BinaryIO, cast

from reqap.events import Clock, Event, ImportIssue, Origin, Retraction
from reqap.values import DateOrder

HEAD_BYTES = 64 * 1024

# The reason of an issue that the user's word settles: a file whose dates can be read two ways.
UNCLEAR_ORDER = "day and month cannot be told apart"
# The reason of an issue about a page made for people where data was to be had.
HTML_FORM = "exported as HTML, which is not read"

Items = Iterator[Event | ImportIssue | Retraction]


@dataclass(frozen=True)
class ExportFile:
    """One file of an export, on disk or inside an archive. It can be opened again and again.

    `name` is for people and for finding the file again: the path, and behind "!" the member of an
    archive. `fingerprint` changes when the content does.
    """

    name: str
    size: int
    opener: Callable[[], BinaryIO] = field(repr=False, compare=False)
    fingerprinter: Callable[[], str] = field(repr=False, compare=False)

    def open(self) -> BinaryIO:
        """The content as a buffered stream from its beginning; reading it is bounded by `size`."""
        return self.opener()

    def fingerprint(self) -> str:
        """A text that is equal for equal content."""
        return self.fingerprinter()

    def counted(self, on_bytes: Callable[[int], None]) -> "ExportFile":
        """The same file; `on_bytes` hears of every stretch that is read."""
        return replace(self, opener=lambda: cast(BinaryIO, _Counted(self.opener(), on_bytes)))

    def origin(self, position: int = 0) -> Origin:
        return Origin(self.name, position)


class _Counted:
    """A stream that reports how far it has been read. Only the calls sources use."""

    def __init__(self, stream: BinaryIO, on_bytes: Callable[[int], None]) -> None:
        self._stream = stream
        self._on_bytes = on_bytes
        self._unreported = 0

    def _note(self, piece: bytes) -> bytes:
        self._unreported += len(piece)
        if self._unreported >= 1 << 18 or not piece:
            self._on_bytes(self._unreported)
            self._unreported = 0
        return piece

    def read(self, size: int = -1) -> bytes:
        return self._note(self._stream.read(size))

    def readline(self, size: int = -1) -> bytes:
        return self._note(self._stream.readline(size))

    def __enter__(self) -> "_Counted":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._on_bytes(self._unreported)
        self._unreported = 0
        self._stream.close()


@dataclass(frozen=True)
class Sample:
    """What a `sniff` sees: the beginning of a file, and its name as a hint of last resort.

    Folder and file names are localized and users rename files, so sources look at the content.
    """

    name: str
    size: int
    head: bytes

    @property
    def suffix(self) -> str:
        """The lower-case ending of the name, with its dot; empty where there is none."""
        base = re.split(r"[/\\!]", self.name)[-1]
        return f".{base.rsplit('.', 1)[1].lower()}" if "." in base else ""

    @cached_property
    def text(self) -> str:
        """The head as text. A character cut in half at the end does not matter."""
        if self.head[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return self.head.decode("utf-16", "replace")
        return self.head.decode("utf-8-sig", "replace")

    @cached_property
    def is_text(self) -> bool:
        """Whether this looks like text at all: binary formats hold many NUL bytes early on."""
        if self.head[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return True
        beginning = self.head[:4096]
        return beginning.count(0) * 100 <= len(beginning)

    @cached_property
    def json_keys(self) -> frozenset[str]:
        """The names used as keys in the head of a JSON file; empty for anything else."""
        start = self.text.lstrip()[:1]
        if start not in ("[", "{"):
            return frozenset()
        return frozenset(re.findall(r'"([^"\\\n]{1,80})"\s*:', self.text))

    @cached_property
    def is_json_array(self) -> bool:
        return self.text.lstrip()[:1] == "["

    @cached_property
    def header(self) -> tuple[str, ...]:
        """The cells of the first line read as CSV; empty where that line cannot be a header."""
        from reqap.sources.tables import split_header

        first = re.split(r"[\r\n]", self.text.lstrip("\r\n"), maxsplit=1)[0]
        return split_header(first) if self.is_text and len(first) < 20_000 else ()


@dataclass(frozen=True)
class Context:
    """What a source may know besides the file.

    `who` are the names the user goes by (services that let a household share one account mark the
    rows with a name); `date_order` is the user's word where a file's dates stay ambiguous.
    """

    clock: Clock
    who: tuple[str, ...] = ()
    date_order: DateOrder | None = None


@dataclass(frozen=True)
class Source:
    """One kind of export.

    `version` goes up when `read` would now give other events for the same file: files that were
    imported before are then read again. `stamp` adds what else the result depends on.
    A `weak` source has no signature of its own (plain text); it gets what nobody else claims, and
    not from a folder in which others found theirs. `ahead`: events may well lie in the future.
    """

    name: str
    title: str
    version: int
    sniff: Callable[[Sample], bool]
    read: Callable[[ExportFile, Context], Items]
    raw: Callable[[ExportFile, int], str]
    stamp: Callable[[Context], str] = lambda _: ""
    weak: bool = False
    ahead: bool = False
