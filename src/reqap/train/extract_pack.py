"""Lessons of EXTRACT as numbers, in one small file: to be made here and learnt from elsewhere.

Not the job of this module: what the lessons are (`extract_data`), and learning (`extract`).
"""

import json
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from reqap.evaluate.told import TIMES, spellings
from reqap.extract.reader import BEGINS, GOES_ON, LONGEST, OUTSIDE, put
from reqap.extract.told import IMPLIED, NOTHING, SAID, Span
from reqap.train.extract_lesson import Lesson
from reqap.train.laid import Laid, Numbers, lay

UNKNOWN = 3  # a sort of answer: nobody has said which
_LEAST = 3  # texts that imply a value, for it to be learnt
_MEASURED = 8_000  # lessons of dev
_MOST_WORDS = 1 << 16  # of a tokenizer, whose numbers are packed in 16 bits
_PACKED, _VALUES, _DEV = "packed.npz", "values.json", "dev.jsonl"
# Of some of the lessons: keys of most of them, which are drawn less, and what is drawn more.
_OFTEN, _LESS, _MORE = (*TIMES, "participants"), 3.0, 0.1


class Packed(NamedTuple):
    """What is learnt from: the words, which sort of answer each lesson has, and which of the
    values is meant, or -1."""

    laid: Laid
    sorts: Numbers
    meant: Numbers
    values: list[str]


def pack(learn: Sequence[Lesson], tokenizer: Any, some: int | None = None) -> Packed:
    values = known_values(learn)
    place = {value.casefold(): n for n, value in enumerate(values)}
    learn = [one for one in learn if not one.implied or one.implied.casefold() in place]
    learn = drawn(learn, some, random.Random(1)) if some else learn
    pairs = [(put(one.key, one.about), one.text) for one in learn]
    laid = lay(cutting(tokenizer), pairs, lambda n, found: marks(learn[n].spans, found))
    meant = [place.get((one.implied or one.side).casefold(), -1) for one in learn]
    return Packed(laid, np.array([sort_of(one) for one in learn]), np.array(meant), values)


def sort_of(lesson: Lesson) -> int:
    if lesson.is_unknown:
        return UNKNOWN
    return IMPLIED if lesson.implied else SAID if lesson.spans else NOTHING


def cutting(tokenizer: Any) -> Any:
    """A tokenizer that cuts as readers do."""
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST, strategy="only_second")
    return tokenizer


def write_packed(lessons: Path, tokenizer: Any, out: Path, some: int | None = None) -> None:
    """What lies in a folder of lessons, in a smaller one."""
    found = pack(read_lessons(lessons / "train.jsonl"), tokenizer, some)
    if tokenizer.get_vocab_size() > _MOST_WORDS:
        raise SystemExit(f"only tokenizers of up to {_MOST_WORDS:,} words can be packed")
    out.mkdir(parents=True, exist_ok=True)
    small = {name: one.astype(np.uint16) for name, one in found.laid._asdict().items()}
    small |= {"marks": found.laid.marks, "sorts": found.sorts.astype(np.uint8),
              "meant": found.meant.astype(np.int16)}  # fmt: skip
    np.savez_compressed(out / _PACKED, **small)
    write_values(found.values, out)
    with (lessons / _DEV).open(encoding="utf-8", newline="\n") as file:
        lines = list(file)
    (out / _DEV).write_text("".join(lines[:: _step(lines)]), encoding="utf-8")


def read_packed(folder: Path, tokenizer: Any, some: int | None = None) -> Packed:
    """What a folder of lessons has, packed or not."""
    if not (folder / _PACKED).exists():
        return pack(read_lessons(folder / "train.jsonl"), tokenizer, some)
    if some:
        raise SystemExit("--some goes with `pack`: what is packed is learnt from as it is")
    with np.load(folder / _PACKED) as file:
        found = {name: file[name] for name in file.files}
    laid = Laid(*(found[name] for name in Laid._fields))
    return Packed(laid, found["sorts"].astype(int), found["meant"].astype(int), values_of(folder))


def dev_lessons(folder: Path) -> list[Lesson]:
    """Those that are measured."""
    found = read_lessons(folder / _DEV)
    return found[:: _step(found)]


def _step(lessons: Sequence[object]) -> int:
    return max(1, len(lessons) // _MEASURED)


def read_lessons(path: Path) -> list[Lesson]:
    with path.open(encoding="utf-8") as file:
        found = [json.loads(line) for line in file]
    return [Lesson(**{**it, "spans": tuple(map(tuple, it["spans"]))}) for it in found]


def values_of(folder: Path) -> list[str]:
    """The values that a reader knows by name."""
    found: list[str] = json.loads((folder / _VALUES).read_text(encoding="utf-8"))
    return found


def write_values(values: Sequence[str], folder: Path) -> None:
    text = json.dumps(values, ensure_ascii=False, indent=0) + "\n"
    (folder / _VALUES).write_text(text, encoding="utf-8")


def known_values(lessons: Iterable[Lesson]) -> list[str]:
    """Values that several texts imply, each as it is mostly written."""
    texts: dict[str, set[str]] = {}
    spelled: dict[str, Counter[str]] = {}
    for one in lessons:
        if value := one.implied or one.side:
            texts.setdefault(value.casefold(), set()).add(one.text)
            spelled.setdefault(value.casefold(), Counter())[value] += 1
    known = sorted(value for value, seen in texts.items() if len(seen) >= _LEAST)
    return [spelled[value].most_common(1)[0][0] for value in known]


def drawn(lessons: Sequence[Lesson], count: int, chance: random.Random) -> list[Lesson]:
    """Some of the lessons; of what is told most often, fewer, and most of what people wrote."""
    often = {key for name in _OFTEN for key in spellings()[name]}
    by_chance = [
        chance.random() ** (_MORE if one.is_written else _LESS if one.key in often else 1)
        for one in lessons
    ]
    order = sorted(range(len(lessons)), key=by_chance.__getitem__, reverse=True)
    return [lessons[n] for n in sorted(order[:count])]


def marks(spans: Sequence[Span], found: Any) -> list[int]:
    """For every word piece of a pair, whether a telling piece begins or goes on there."""
    told = [OUTSIDE] * len(found.ids)
    if not spans:
        return told
    offsets, types = found.offsets, found.type_ids
    for begin, end in spans:
        first = True
        for n, (start, stop) in enumerate(offsets):
            if types[n] == 1 and start < end and stop > begin and stop > start:
                told[n] = BEGINS if first else GOES_ON
                first = False
    return told
