"""Lessons of RETRIEVE from texts and queries that were written one by one.

The free lives (each text judged by its writer); near misses written for one query each, most of
them clever (`tellings.jsonl`) or quite plain (`sentences.jsonl`); queries written for one text each
(`asked.jsonl`); ways to ask for all that a service has recorded (`whole_kinds.jsonl`), or half of
it (`halves.jsonl`); what nobody's life can answer (`nothing.jsonl`). And pairs of which nothing is
known but what a teacher will say: the queries of plans, with texts that an encoder finds near.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from reqap.evaluate.finding import plain
from reqap.evaluate.sentences import named
from reqap.perqa.lives import FreeLife, load_lives
from reqap.perqa.structured import STRUCTURED
from reqap.profile import Profile
from reqap.retrieve.index import Owner, in_words
from reqap.retrieve.people import with_names
from reqap.train.retrieve_lesson import UNKNOWN, Amount, Lesson, some, words, written
from reqap.verbalize import IRRELEVANT, PARTIAL, RELEVANT, TELLINGS, explained, told, when

_SERVICES = frozenset(STRUCTURED.values())
_RETRIEVE = re.compile(r'RETRIEVE\("((?:[^"\\]|\\.)*)"')
_SPAN = ("start", "end")
_BOTH = ("sender", "recipient")
_ADDRESS = re.compile(r"\s*<[^<>]*>")
_LEAST, _NEARLY_ALL = 2, 0.8  # mails and chats that are with the same person, who is the owner then
_NEAR = 24  # texts that are nearest to a query, of which some are drawn


def of_life(life: FreeLife, amount: Amount, chance: random.Random) -> Iterator[Lesson]:
    """The queries of a free life; whatever its writer did not name does not match."""
    profile = Profile.from_json(json.dumps(life.profile))
    owner = Owner.of(profile)
    texts = {one.id: in_words(one.kind, one.said, *one.span, owner) for one in life.texts}
    known = {name: set(words(text)) for name, text in texts.items()}
    for query in life.queries:
        good = [texts[name] for name in query.relevant]
        asked_for = set(words(with_names(query.text, profile)))
        bad = [name for name in texts if name not in query.relevant]
        bad.sort(key=lambda name: -len(known[name] & asked_for))
        near = bad[: amount.alike]
        rest = some(bad[amount.alike :], amount.neighbours, chance)
        labels = [(text, RELEVANT) for text in some(good, 2 * amount.positives, chance)]
        labels += [(texts[name], IRRELEVANT) for name in (*near, *rest)]
        kinds = [(one.kind, one.id in query.relevant) for one in life.texts]
        yield Lesson(
            with_names(query.text, profile), life.name, tuple(dict.fromkeys(labels)),
            _kinds(kinds, chance),
        )  # fmt: skip


def tellings(chance: random.Random) -> Iterator[Lesson]:
    """Queries with texts that were written for them: what matches, and what nearly does."""
    records = [{**with_owner(one), "plain": name == "sentences"}
               for name in ("tellings", "sentences") for one in written(name)]  # fmt: skip
    heads = [it for one in records if one["plain"] for it in (*one["yes"], *one["no"])
             if it["kind"] == "mail" and it["sender"] == "me"]  # fmt: skip
    strangers = [record(it) for one in records for it in one["no"]]
    for one in records:
        texts = [(record(it), RELEVANT) for it in one["yes"]]
        texts += [(record(it), IRRELEVANT) for it in one["no"]]
        if one["plain"]:
            texts += [(record(retold(it, heads, chance)), RELEVANT) for it in one["yes"]]
            texts += [(record(retold(it, heads, chance)), IRRELEVANT) for it in one["no"]]
        texts += [(text, IRRELEVANT) for text in chance.sample(strangers, 3)]
        kinds = [(it["kind"], side == "yes") for side in ("yes", "no") for it in one[side]]
        for query in one["queries"]:
            yield Lesson(
                named(query, one["people"]), "tellings", tuple(dict.fromkeys(texts)),
                _kinds(kinds, chance),
            )  # fmt: skip


def asked() -> Iterator[Lesson]:
    """Texts with queries that were written for them: which it matches, and which nearly."""
    for number, one in enumerate(written("asked")):
        text = record(one["text"])
        for side, label in (("yes", RELEVANT), ("no", IRRELEVANT)):
            for query in one[side]:
                yield Lesson(
                    named(query, one["people"]), "asked", ((text, label),), unit=f"asked {number}"
                )


def retold(it: dict[str, Any], heads: Sequence[dict[str, Any]], chance: random.Random) -> Any:
    """What the owner says in a note or a post, in a chat or a mail: the same, in another kind."""
    if "text" not in it or it.get("sender", "me") != "me":
        return it
    head = chance.choice(heads)
    to = _ADDRESS.sub("", head["recipient"]).split()[0]
    ways = {
        "note": {}, "social_media": {}, "chat": {"sender": "me", "recipient": to},
        "mail": {name: head[name] for name in ("subject", *_BOTH)},
    }  # fmt: skip
    kind = chance.choice([kind for kind in ways if kind != it["kind"]])
    return {"kind": kind, **ways[kind], "text": it["text"]}


def with_owner(one: dict[str, Any]) -> dict[str, Any]:
    """A set of records in which whose they are is "me", as in everybody's index: who has to do
    with nearly all of its mails and chats, and is nobody that is asked for."""
    texts = [it for side in ("yes", "no") for it in one[side] if it.keys() >= set(_BOTH)]
    names = [{_ADDRESS.sub("", str(it[side])).strip() for side in _BOTH} for it in texts]
    counted = Counter(name for both in names for name in both)
    asked = {name for some in one["people"].values() for name in some}
    (most, times), *others = counted.most_common(2) or [("", 0)]
    is_owner = times >= max(_LEAST, _NEARLY_ALL * len(texts)) and most not in asked
    if not is_owner or "me" in counted or (others and others[0][1] == times):
        return one
    told_of = {side: [_of_owner(it, most) for it in one[side]] for side in ("yes", "no")}
    return {**one, **told_of}


def _of_owner(it: dict[str, Any], owner: str) -> dict[str, Any]:
    mine = {side: "me" for side in _BOTH if _ADDRESS.sub("", str(it.get(side))).strip() == owner}
    return {**it, **mine}


def whole_kinds(chance: random.Random) -> Iterator[Lesson]:
    """Queries that ask for everything of a kind, and nothing else."""
    by_kind: dict[str, list[str]] = {}
    for one in written("tellings"):
        for it in (*one["yes"], *one["no"]):
            by_kind.setdefault(it["kind"], []).append(record(it))
    groups = written("whole_kinds")
    usual = sorted({kind for one in groups for kind in one["kinds"]})
    rare = sorted(by_kind.keys() - set(usual))
    for one in groups:
        kinds = frozenset(one["kinds"])
        others = [kind for kind in usual if kind not in kinds and kind not in TELLINGS]
        writings = [kind for kind in TELLINGS if kind not in kinds]
        for query in one["queries"]:
            chosen = some(others, 5, chance) + some(rare, 1, chance)
            # Whoever asks for songs or workouts may also mean what a mail tells of them; whoever
            # asks for mails does not mean notes.
            partly = [] if kinds <= set(TELLINGS) else writings
            chosen += [] if partly else writings
            patterns = [(told(kind, {}), RELEVANT) for kind in sorted(kinds)]
            patterns += [(told(kind, {}), IRRELEVANT) for kind in chosen]
            patterns += [(told(kind, {}), PARTIAL) for kind in some(partly, 2, chance)]
            good = [text for kind in sorted(kinds) for text in by_kind.get(kind, ())]
            bad = [text for kind in chosen for text in some(by_kind.get(kind, ()), 2, chance)]
            texts = [(text, RELEVANT) for text in some(good, 6, chance)]
            texts += [(text, IRRELEVANT) for text in bad]
            yield Lesson(query, "whole kinds", tuple(dict.fromkeys(texts)), tuple(patterns))


def halves(chance: random.Random) -> Iterator[Lesson]:
    """Queries that ask for what has one value of a kind: what I wrote is not what I got."""
    mails = [it for one in written("tellings") for it in (*one["yes"], *one["no"])]
    for one in written("halves"):
        (kind,) = one["kinds"]
        texts = [record(it) for it in mails if it["kind"] == kind]
        good = [text for text in texts if one["all"] in text]
        bad = [text for text in texts if one["none"] in text and one["all"] not in text]
        patterns = ((told(kind, {}), PARTIAL), (f"{told(kind, {})}; {one['all']}", RELEVANT),
                    (f"{told(kind, {})}; {one['none']}", IRRELEVANT))  # fmt: skip
        for query in one["queries"]:
            chosen = [(text, RELEVANT) for text in some(good, 6, chance)]
            chosen += [(text, IRRELEVANT) for text in some(bad, 6, chance)]
            yield Lesson(query, "halves", tuple(dict.fromkeys(chosen)), patterns)


def nothing(chance: random.Random) -> Iterator[Lesson]:
    """Queries that no life can answer, with texts that share words with them, and others."""
    texts = all_texts()
    by_word: dict[str, list[str]] = {}
    for text in texts:
        for word in set(words(text)):
            by_word.setdefault(word, []).append(text)
    for one in written("nothing"):
        near = [text for word in words(one["query"]) for text in by_word.get(word, ())]
        chosen = dict.fromkeys((*some(near, 14, chance), *some(texts, 6, chance)))
        kinds = some(sorted(_SERVICES), 3, chance)
        yield Lesson(
            one["query"], "nothing", tuple((text, IRRELEVANT) for text in chosen),
            tuple((told(kind, {}), IRRELEVANT) for kind in kinds),
        )  # fmt: skip


def all_texts() -> list[str]:
    """Every text that was written one by one, as it is put to the networks."""
    records = [it for one in written("tellings") for it in (*one["yes"], *one["no"])]
    records += [one["text"] for one in written("asked")]
    found = [explained(record(it)) for it in records]
    for life in load_lives("train"):
        profile = Profile.from_json(json.dumps(life.profile))
        owner = Owner.of(profile)
        found += [in_words(one.kind, one.said, *one.span, owner) for one in life.texts]
    return list(dict.fromkeys(found))


class Vectors(Protocol):
    """What `Networks` offers."""

    def vector(self, text: str) -> npt.NDArray[np.float32]: ...


def unknown(
    models: Vectors, amount: Amount, left_out: frozenset[str], chance: random.Random
) -> Iterator[Lesson]:
    """Queries of all plans, with texts that an encoder finds near, and one that it does not."""
    texts = all_texts()
    vectors = np.stack([models.vector(text) for text in texts])
    plans = (one["plan"] for one in written("pairs"))
    queries = dict.fromkeys(query for plan in plans for query in _RETRIEVE.findall(plan))
    for said in some(list(queries), amount.queries, chance):
        query = said.replace('\\"', '"')
        if plain(query) and plain(query) not in left_out:
            near = np.argpartition(vectors @ models.vector(query), -_NEAR)[-_NEAR:]
            drawn = some(sorted(near.tolist()), amount.unknown - 1, chance)
            drawn.append(chance.randrange(len(texts)))
            yield Lesson(query, "unknown", tuple((texts[n], UNKNOWN) for n in drawn))


def _kinds(texts: Sequence[tuple[str, bool]], chance: random.Random) -> tuple[tuple[str, int], ...]:
    """How much of a kind matches, from texts and whether they do.

    Few texts cannot show that nothing of a kind would match, or everything: what is known is that
    a kind matches in part, and that records of services which nobody thought of do not.
    """
    matching = sorted({kind for kind, good in texts if good})
    none = sorted(_SERVICES - {kind for kind, _ in texts})
    found = [(kind, PARTIAL) for kind in matching] + [
        (kind, IRRELEVANT) for kind in some(none, 2, chance)
    ]
    return tuple((told(kind, {}), label) for kind, label in found)


def record(it: Mapping[str, Any]) -> str:
    """A record that somebody wrote; entries of a calendar may say when they lie."""
    kind, data = str(it["kind"]), {key: value for key, value in it.items() if key != "kind"}
    if kind == "calendar" and data.keys() >= set(_SPAN):
        start, end = (datetime.fromisoformat(data.pop(name)) for name in _SPAN)
        return told(kind, data, at=when(kind, start, end))
    return told(kind, data)
