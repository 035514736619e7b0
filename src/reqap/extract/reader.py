"""The network that reads a record for a key, and what it says of it.

In one pass it says whether the record tells the value, which pieces of the text tell it, or, where
the value is only implied ("carbonara": Italian), which of the values that it knows. Not the job of
this module: what the pieces mean (`telling`).
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reqap import gazetteer
from reqap.extract.columns import DURATION, put_columns, put_key
from reqap.extract.portions import portions_of, surest
from reqap.extract.times import word_set
from reqap.extract.told import IMPLIED, NOTHING, SAID, Span, Told
from reqap.models.base import checksums, verified
from reqap.models.onnx import OnnxModel, Outputs, Words
from reqap.verbalize import RELEVANT, SPELLED

Chances = npt.NDArray[np.float32]
OUTSIDE, BEGINS, GOES_ON = range(3)
# Beside words that tell a day, whether it lies ahead: "Thursday" may be over, or to come.
AHEAD, BACK = "@ahead", "@back"
OF = " of: "
UNDERSTOOD = 4  # goes up when something else is made of what the network says
LONGEST = 256  # word pieces of a text that are read
_LETTERS = re.compile(r"\w")
# Between words of one name: "San Pedro de Atacama", "Hanoi on Quinpool", "O'Brien".
_JOINT = re.compile(
    r"[ '’-]|[ -](?:de|del|de la|da|do|di|du|des|le|la|of|of the|on|in the|the|van|von|with) "
)
_LITTLE = word_set("a an the at in on of to for with and or by from as is was my our")
_OWNERS = re.compile(r"\w?['’]s (?=\w)")
_MOST_SPANS = 20
# How much likelier a value is when the text names something that implies it; and how likely the
# network must find that any value of such a list is asked for.
_KNOWN, _THOUGHT_OF = 3000.0, 0.1
_LISTS = ((gazetteer.hints, gazetteer.is_cuisine), (gazetteer.doctors, gazetteer.is_doctor))
# How likely it may be that nothing is told, and how likely a value must be that no words tell.
_MOST_NOTHING, _LEAST_VALUE = 0.13, 0.5
_COLUMNS = "columns.onnx"
_LEAST_COLUMN = 0.5  # how likely a column must be


class Reader:
    """Loaded once from a folder with a card of checksums."""

    def __init__(self, folder: Path) -> None:
        known = checksums(folder, "model that reads values")
        self._folder, self._known = folder, known
        names = ("tokenizer.json", "values.json")
        self._known_by = ".".join(verified(folder / n, known.get(n, ""))[:8] for n in names)
        self._words = Words(folder / "tokenizer.json", LONGEST)
        self._values: list[str] = json.loads((folder / "values.json").read_text(encoding="utf-8"))
        if _COLUMNS in known:
            verified(folder / _COLUMNS, known[_COLUMNS])
        self._numbers = {value: number for number, value in enumerate(self._values)}
        self._listed = [
            (find, np.array([n for n, value in enumerate(self._values) if is_listed(value)], int))
            for find, is_listed in _LISTS
        ]
        self._network = OnnxModel(folder / "reader.onnx", known["reader.onnx"])

    @property
    def version(self) -> str:
        """Of the network, of what it knows, of the words that it is given, and of what is made of
        what it says."""
        network = f"{self._network.sha256[:16]}.{self._known_by}"
        return f"{network}.{SPELLED}.{gazetteer.VERSION}.{UNDERSTOOD}"

    def read(self, asked: str, texts: Sequence[str]) -> list[Told]:
        """What each text tells; `asked` is a key as `put` puts it."""
        portions = [portions_of(text) for text in texts]
        read = [one.text for some in portions for one in some]
        found = [self._words.encoded_both(asked, text) for text in read]
        outputs = self._network.run_all((one.ids, one.type_ids) for one in found)
        told = map(self._told, read, found, outputs)
        return [surest([one.placed(next(told)) for one in some]) for some in portions]

    def column(
        self, key: str, type_name: str, kind: str, data: Mapping[str, object]
    ) -> tuple[str, float] | None:
        """The column of a record that answers a key, or one of its own times (`columns`), and how
        likely that is."""
        if self._columns is None:
            return None
        texts = put_columns(data)
        asked = put_key(key, type_name, kind)
        said = self._columns.run_all(self._words.of_both(asked, text) for text in texts.values())
        likely = {name: _chances(one[0]) for name, one in zip(texts, said, strict=True)}
        chances = {name: float(one[RELEVANT]) for name, one in likely.items()}
        possible = [name for name, chance in chances.items() if chance >= _LEAST_COLUMN]
        # Every event took some time: a column that may be asked for says more.
        best = max(possible, key=lambda name: (name != DURATION, chances[name]), default=None)
        return (best, chances[best]) if best else None

    @cached_property
    def _columns(self) -> OnnxModel | None:
        """None where a folder was made without it."""
        known = self._known.get(_COLUMNS)
        return OnnxModel(self._folder / _COLUMNS, known) if known else None

    def _told(self, text: str, found: Any, outputs: Outputs) -> Told:
        sort, marks, values = outputs
        chances, told = _chances(sort), _chances(values)
        hints = [hint for find, listed in self._listed if told[listed].sum() >= _THOUGHT_OF
                 for hint in find(text)]  # fmt: skip
        if hints:
            chances, told = self._with_hints(chances, told, hints)
        nothing = float(chances[NOTHING])
        if nothing > _MOST_NOTHING:
            return Told(NOTHING, nothing)
        best = int(told.argmax())
        by_word = _chances(marks)
        pieces = pieces_of(by_word.argmax(-1).tolist(), found.offsets, found.type_ids, text)
        inside = 1 - by_word[:, OUTSIDE]
        certain = tuple(float(inside[one.first : one.last + 1].mean()) for one in pieces)
        # That something is told is one thing, and what it is another.
        if chances[IMPLIED] * told[best] > chances[SAID] * max(certain, default=0.0):
            if told[best] < _LEAST_VALUE:
                return Told(NOTHING, nothing)
            value = self._values[best]
            spans = tuple((one.begin, one.end) for one in hints if value in one.values)
            return Told(IMPLIED, (1 - nothing) * float(told[best]), spans, value)
        if not pieces:
            return Told(NOTHING, nothing)
        spans = tuple((one.begin, one.end) for one in pieces)
        return Told(SAID, 1 - nothing, spans, self._side(values), certain)

    def _side(self, values: Chances) -> str:
        ahead, back = (self._numbers.get(side) for side in (AHEAD, BACK))
        if ahead is None or back is None:
            return ""
        return AHEAD if values[ahead] > values[back] else BACK

    def _with_hints(
        self, sorts: Chances, values: Chances, hints: Sequence[gazetteer.Hint]
    ) -> tuple[Chances, Chances]:
        """What dishes and doctors imply is likelier than the network thinks."""
        weights = np.ones_like(values)
        for hint in hints:
            for value in hint.values:
                if (number := self._numbers.get(value)) is not None:
                    weights[number] = max(weights[number], _KNOWN / len(hint.values))
        weighted = values * weights
        total = float(weighted.sum())
        sorts = sorts.copy()
        sorts[IMPLIED] *= total
        return sorts / sorts.sum(), weighted / total


def put(key: str, about: str = "") -> str:
    """How a key is put to the network; `about` says of what it is asked."""
    words = key.replace("_", " ")
    return f"{words}{OF}{about}" if about else words


class Piece(NamedTuple):
    """A piece of a text, and the first and last of its words' numbers."""

    begin: int
    end: int
    first: int
    last: int


def pieces_of(
    marks: Sequence[int], offsets: Sequence[Span], types: Sequence[int], text: str
) -> list[Piece]:
    """The pieces of the text that marks tell, as whole words; what a name is made of is one."""
    found: list[Piece] = []
    for n, mark in enumerate(marks):
        start, stop = offsets[n]
        if mark == OUTSIDE or types[n] != 1 or start == stop:
            continue
        begin, end = _whole(text, start, stop)
        last = found[-1] if found else None
        goes_on = last is not None and (
            begin < last.end
            or (last.last == n - 1 and mark == GOES_ON)
            or _JOINT.fullmatch(text, last.end, begin) is not None
        )
        if last is not None and goes_on:
            found[-1] = Piece(last.begin, max(end, last.end), last.first, n)
        else:
            found.append(Piece(begin, end, n, n))
    return [_trimmed(one, text) for one in found if _says(text[one.begin : one.end])][:_MOST_SPANS]


def _says(piece: str) -> bool:
    """Whether it has more than little words."""
    return not _LITTLE.issuperset(piece.casefold().split())


def _trimmed(piece: Piece, text: str) -> Piece:
    """Without the end of the word before: of "Ana's birthday", "birthday"."""
    rest = _OWNERS.match(text, piece.begin - 1, piece.end) if piece.begin else None
    return piece._replace(begin=rest.end()) if rest else piece


def _whole(text: str, start: int, stop: int) -> Span:
    """A piece up to where its words end."""
    while start > 0 and _LETTERS.match(text[start - 1]) and _LETTERS.match(text[start]):
        start -= 1
    while stop < len(text) and _LETTERS.match(text[stop]) and _LETTERS.match(text[stop - 1]):
        stop += 1
    return start, stop


def _chances(logits: Chances) -> Chances:
    raised = np.exp(logits - logits.max(-1, keepdims=True))
    chances: npt.NDArray[np.float32] = raised / raised.sum(-1, keepdims=True)
    return chances


def folder() -> Path:
    return Path(str(resources.files("reqap.extract") / "model"))


@cache
def reader() -> Reader:
    """The one that comes with the package; raises ModelProblem where it is not installed."""
    return Reader(folder())
