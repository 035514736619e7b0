"""Which texts match a query: cheap scores for all, the cross-encoder for what they leave open.

The steps of the paper: a pool by learnt sparse and dense scores; patterns in it (each kind, and
values that many share), which the cross-encoder settles as a whole; then single texts, the least
certain first, each of which says something about those like it (`beliefs`). Every decision says
what it rests on. Not the job of this module: events, and which of them are one happening
(`learned`, `happenings`).
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from reqap.retrieve.beliefs import EXPECTED, Beliefs, Spread
from reqap.retrieve.index import Texts
from reqap.retrieve.named import OWNED
from reqap.retrieve.networks import Asked
from reqap.verbalize import ALL_OF, IRRELEVANT, RELEVANT, TELLINGS, is_consumed

Floats = npt.NDArray[np.float32]
_AT_ONCE = 1 << 11  # texts whose vectors are spread out: more take no less time, but room
_UNREAD, _READ = "likeness", "read"
_ALL_WITH = "all with "
_ME = ": me"  # as values tell of the user
_OWN_MAIL = re.compile(r"(mail; .*?)subject: .*?; sender: me; .*?(?=text: )")
_SHORT_MAIL = 500  # characters
_WORD = re.compile(r"[^\W_]{2,}")
# Words that name nothing.
_LITTLE = frozenset(
    {"the", "and", "of", "to", "in", "at", "by", "or", "my", "on", "for", "with", "an", "our"}
)
_UNCERTAIN, _UNLIKELY = 0.5, 0.3
_SOME = 0.5  # as much of a query as the text that says most of it
# So many of a pool, the likeliest, may be read and have their patterns settled.
_NEAR = 1 << 12


class Reader(Protocol):
    """What `Networks` offers."""

    def asked(self, query: str) -> Asked: ...

    def judged(self, asked: Asked, vectors: Floats, sparse: Floats, share: Floats) -> Floats: ...

    def read(self, query: str, texts: Sequence[str]) -> Floats: ...


@dataclass(frozen=True)
class Care:
    """How sure each step must be, and how much is read at most. Chosen on the dev lives."""

    pool: float = 0.1  # below, nothing is looked at again
    said: float = 0.95  # what says so much of the query, by how rare its words are, is looked at
    nearest: int = 8  # so many texts that say most of it are looked at, too
    first: int = 3  # of these, so many are read before all others
    whole: float = 0.8  # everything of a kind is meant
    pattern: float = 0.9  # a pattern is settled as a whole, or a kind ruled out
    patterns: int = 8  # read at most, beside the kinds
    shared: int = 5  # texts that a value must have in common to be a pattern
    reads: int = 80  # single texts read at most
    at_once: int = 4  # before what they say is looked at
    sure: float = 1.5  # deviations from doubt, at which nothing more is read
    keep: float = 0.66  # what is likelier than this matches
    trust: float = 0.9  # how much a reading counts beside the cheap score
    spread: Spread = EXPECTED


USUAL = Care()


class Decision(NamedTuple):
    """Whether a text matches; `why` names what decided, with its score."""

    kept: bool
    chance: float
    why: str


class Known(Protocol):
    """What is known of texts, by row."""

    def describe(self, rows: Sequence[int]) -> list[tuple[str, list[str]]]:
        """Each text and its patterns, the kind first."""

    def having(self, pattern: str) -> Sequence[int]:
        """All texts of a pattern, also those that nobody has looked at."""

    def facts(self, query: str) -> Sequence[int]:
        """Those facts of the profile for which alone a query asks: "our moves"."""

    def measuring(self, query: str) -> Collection[str]:
        """The kinds of records that count or measure just what a query asks for: "my steps"."""

    def silent(self, query: str) -> Collection[str]:
        """The kinds of records that only count something of which a query names a part."""

    def plainly(self, query: str) -> Sequence[int]:
        """What people tell in the very words of a query, the shortest first."""

    def named(self, query: str) -> Mapping[int, str]:
        """The records that say all that a query names, and the value that is just that, if any."""


def decide(
    query: str, reader: Reader, texts: Texts, known: Known, care: Care = USUAL
) -> dict[int, Decision]:
    """A decision for every text of the pool, by row."""
    chances, nearest = _chances(query, reader, texts, care)
    named = known.named(query)
    saying = np.array(list(named), np.int64)
    chances[saying] = np.maximum(chances[saying], np.float32(_UNCERTAIN))
    chances[np.isin(texts.kinds, list(known.silent(query)))] = 0
    found: dict[int, Decision] = {}
    for row in known.facts(query):
        found[row] = Decision(True, 1.0, "a fact of the profile")
    settled = frozenset(() if found else known.measuring(query))
    for row in np.flatnonzero(np.isin(texts.kinds, list(settled))).tolist():
        found[row] = Decision(True, 1.0, _every(texts.kinds[row]))
    if not found:
        by_name = frozenset(texts.kinds[row] for row, one in named.items() if one)
        settled = _settled_kinds(query, reader, texts, chances, by_name, care, found)
    pool = [int(row) for row in np.flatnonzero(chances >= care.pool)
            if texts.kinds[row] not in settled and row not in found]  # fmt: skip
    if found:  # who asks for everything of a kind means nothing else
        whole = next(iter(found.values())).why
        found.update((row, Decision(False, float(chances[row]), f"beside {whole}")) for row in pool)
        return found
    pool.sort(key=lambda row: (-float(chances[row]), row))
    near = pool[:_NEAR]
    described = dict(zip(near, known.describe(near), strict=True))
    found.update((row, Decision(True, 1.0, _ALL_WITH + one)) for row, one in named.items() if one)
    _settle_patterns(query, reader, texts, described, known, care, found)
    left = {row: described[row][0] for row in near if row not in found}
    far = [row for row in pool[_NEAR:] if row not in found]
    first = [*[*named][: care.first], *nearest[: care.first]]
    first = [row for row in first if row in left]
    first = list(dict.fromkeys(first))
    beliefs = _settle_single(query, reader, texts, left, first, chances, care, found)
    for begin in range(0, len(far), _AT_ONCE):
        rows = np.array(far[begin : begin + _AT_ONCE])
        odds = beliefs.expected(_odds(chances[rows]), texts.vectors(rows))
        for row, chance in zip(rows.tolist(), _chance(odds).tolist(), strict=True):
            found[row] = Decision(chance >= care.keep, chance, _UNREAD)
    _settle_plain(query, reader, known, care, found)
    if not any(one.kept for one in found.values()):
        return {row: one._replace(kept=False) for row, one in found.items()}
    return found


def _settle_plain(
    query: str, reader: Reader, known: Known, care: Care, found: dict[int, Decision]
) -> None:
    """Reads what says the very words of a query and was not read like that: a cheap score knows
    little of plain sentences. What it finds says nothing of others."""
    plain = [row for row in known.plainly(query) if row not in found or not found[row].kept]
    texts = {row: (text, without_head(text))
             for row, (text, _) in zip(plain, known.describe(plain), strict=True)}  # fmt: skip
    rows = [row for row, (text, bare) in texts.items()
            if row not in found or found[row].why == _UNREAD or text != bare]  # fmt: skip
    for row, said in zip(rows, reader.read(query, [texts[row][1] for row in rows]), strict=True):
        chance = float(said[RELEVANT] / (said[RELEVANT] + said[IRRELEVANT] + 1e-9))
        found[row] = Decision(chance >= care.keep, chance, _READ)


def without_head(text: str) -> str:
    """A short mail of the user's own as what it says, without whom it was written to: what is said
    to all is said like that."""
    head = _OWN_MAIL.match(text)
    return f"{head[1]}{text[head.end() :]}" if head and len(text) <= _SHORT_MAIL else text


def _chances(query: str, reader: Reader, texts: Texts, care: Care) -> tuple[Floats, list[int]]:
    """The cheap score of every text, some at a time: vectors are kept in eight bits.

    What says the very words of the query is at least uncertain: names and odd things are beyond
    what an encoder has learnt. Also which texts say most of them.
    """
    asked = reader.asked(query)
    sparse, share = texts.sparse(asked.words)
    found = np.zeros(len(texts), np.float32)
    for begin in range(0, len(texts), _AT_ONCE):
        rows = np.arange(begin, min(begin + _AT_ONCE, len(texts)))
        found[rows] = reader.judged(asked, texts.vectors(rows), sparse[rows], share[rows])
    said = texts.said(asked.words)
    nearest = np.argsort(-said, kind="stable")[: care.nearest]
    nearest = nearest[said[nearest] > _SOME * said.max(initial=0)]
    found[nearest] = np.maximum(found[nearest], np.float32(_UNLIKELY))
    found[said >= care.said] = np.maximum(found[said >= care.said], np.float32(_UNCERTAIN))
    return found, nearest.tolist()


def _settled_kinds(
    query: str,
    reader: Reader,
    texts: Texts,
    chances: Floats,
    by_name: frozenset[str],
    care: Care,
    found: dict[int, Decision],
) -> frozenset[str]:
    """Kinds of which all or nothing matches; "songs I listened to" is every play, exactly. Where
    some have what is named (`by_name` are their kinds), nothing else matches as a whole."""
    kinds = np.array(texts.kinds)
    settled = set()
    pool = sorted({texts.kinds[row] for row in np.flatnonzero(chances >= care.pool)})
    read = reader.read(query, [ALL_OF + kind.replace("_", " ") for kind in pool])
    for kind, said in zip(pool, read, strict=True):
        verdict = _verdict(said, care.whole, care.pattern)
        # Whatever happens may be told in a mail: of tellings, nothing is ruled out as a whole.
        if verdict is None or (not verdict and kind in TELLINGS):
            continue
        if (verdict and by_name) or kind in by_name:
            continue
        settled.add(kind)
        if verdict:
            chance = float(said[RELEVANT])
            for row in np.flatnonzero(kinds == kind):
                found[int(row)] = Decision(True, chance, _every(kind))
    return frozenset(settled)


def _every(kind: str) -> str:
    return f"every {kind.replace('_', ' ')}"


def _settle_patterns(
    query: str,
    reader: Reader,
    texts: Texts,
    described: dict[int, tuple[str, list[str]]],
    known: Known,
    care: Care,
    found: dict[int, Decision],
) -> None:
    """What matches as a whole is complete: also texts that no score has brought into the pool. Of
    records of which the query names a value, those that share no word with it do not match."""
    named = {texts.kinds[row].replace("_", " "): one.why.removeprefix(_ALL_WITH)
             for row, one in found.items()}  # fmt: skip
    frequent = _frequent(query, (patterns[1:] for _, patterns in described.values()), care)
    read = reader.read(query, [ALL_OF + pattern for pattern in frequent])
    by_name = frozenset(named)
    for pattern, said in zip(frequent, read, strict=True):
        verdict = _verdict(said, care.pattern, care.pattern)
        kind, _, value = pattern.partition("; ")
        if verdict is None or (kind in named and not _shared(query, value)):
            continue
        # "Yesterday by the Beatles" is not all of theirs, nor every series.
        if verdict and (kind in by_name or (by_name and not _shared(query, value))):
            continue
        # What people tell has little in common for lying in one place; who they are may have.
        told = kind.replace(" ", "_") in TELLINGS and not value.endswith(_ME)
        if verdict and told and not _shared(query, value):
            continue
        chance = float(said[RELEVANT])
        rows = [row for row, (_, patterns) in described.items() if pattern in patterns]
        for row in (*rows, *(known.having(pattern) if verdict else ())):
            open_to_all = not verdict and texts.kinds[row] in TELLINGS
            if row not in found and not open_to_all:
                found[row] = Decision(verdict, chance, _ALL_WITH + pattern)
        if verdict and _is_named(query, value):
            named[kind] = pattern
    for row, (_, patterns) in described.items():
        kind = texts.kinds[row].replace("_", " ")
        other = row not in found and kind in named and texts.kinds[row] not in TELLINGS
        only = kind in by_name and texts.kinds[row] != OWNED and is_consumed(texts.kinds[row])
        if other and (only or not any(_shared(query, one.partition("; ")[2]) for one in patterns)):
            found[row] = Decision(False, 0.0, f"beside all with {named[kind]}")


def _is_named(query: str, value: str) -> bool:
    """Whether a query has all words of a value, as `song artist: Queen` has it."""
    words = _words(value.partition(": ")[2])
    return bool(words) and words <= _words(query)


def _shared(query: str, value: str) -> int:
    """How many words of a value a query has."""
    return len(_words(value.partition(": ")[2]) & _words(query))


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold())) - _LITTLE


def _settle_single(
    query: str,
    reader: Reader,
    texts: Texts,
    left: dict[int, str],
    first: Sequence[int],
    chances: Floats,
    care: Care,
    found: dict[int, Decision],
) -> Beliefs:
    """Reads some texts first, then the least certain; of the others, believes what those like them
    tell."""
    rows = np.array(list(left), np.int64)
    cheap = _odds(chances[rows])
    beliefs = Beliefs(cheap, texts.vectors(rows), care.spread)
    read: dict[int, float] = {}
    places = {int(row): place for place, row in enumerate(rows)}
    chosen = [places[row] for row in first][: care.reads]
    for place in chosen:
        beliefs.choose(place)
    most = min(care.reads, len(rows))
    while True:
        while len(chosen) < min(care.at_once, most - len(read)):
            place, sure = beliefs.least_certain()
            if sure > care.sure:
                break
            beliefs.choose(place)
            chosen.append(place)
        if not chosen:
            break
        said = reader.read(query, [left[int(rows[place])] for place in chosen])
        seen = _odds(said[:, RELEVANT] / (said[:, RELEVANT] + said[:, IRRELEVANT] + 1e-9))
        odds = (care.trust * seen + (1 - care.trust) * cheap[chosen]).tolist()
        beliefs.learn(odds)
        read.update(zip(chosen, odds, strict=True))
        chosen = []
    believed = beliefs.odds.copy()
    believed[list(read)] = list(read.values())
    for place, (row, chance) in enumerate(zip(left, _chance(believed).tolist(), strict=True)):
        found[row] = Decision(chance >= care.keep, chance, _READ if place in read else _UNREAD)
    return beliefs


def _frequent(query: str, patterns: Iterable[list[str]], care: Care) -> list[str]:
    """Values that several texts share: first those that the query names, then the commonest."""
    counted = Counter(pattern for one in patterns for pattern in one)
    ranked = [(-_shared(query, pattern.partition("; ")[2]), -count, pattern)
              for pattern, count in counted.items() if count >= care.shared]  # fmt: skip
    return [pattern for _, _, pattern in sorted(ranked)[: care.patterns]]


def _odds(chances: Floats) -> Floats:
    """As logarithms; nothing is certain."""
    found: Floats = np.log((chances + 1e-3) / (1 - chances + 1e-3))
    return found


def _chance(odds: Floats) -> Floats:
    return (1 / (1 + np.exp(-odds))).astype(np.float32)


def _verdict(said: Floats, all_: float, nothing: float) -> bool | None:
    """All, nothing, or neither, where it is as sure as that."""
    if said[RELEVANT] >= all_:
        return True
    return False if said[IRRELEVANT] >= nothing else None
