"""Decompositions to learn from: templates × wordings × values × ways to type a question, free
questions, and frames filled with things.

Values come from the lives of the train personas and from lists of titles and names, so that a model
learns to copy names it has never seen. What is typed sloppily is the question only: the steps stay
what they are.
"""

import json
import random
import re
from calendar import day_abbr, day_name, month_abbr, month_name
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from reqap.errors import PlanError
from reqap.perqa import facts
from reqap.perqa.canonical import opened
from reqap.perqa.lives import load_lives, planned_questions
from reqap.perqa.persona import load_persona, persona_ids
from reqap.perqa.slots import DOMAINS, SlotValue
from reqap.perqa.templates import Template, load_templates, replaced
from reqap.perqa.world import DATABASE
from reqap.plan import check, format_short, parse
from reqap.plan import operators as op
from reqap.plan.expressions import FunctionName
from reqap.plan.operators import Operator
from reqap.plan.rewrite import with_plans
from reqap.qud.transcript import Turn, turns_of
from reqap.train.frames import fills
from reqap.train.swaps import Swaps, first_names
from reqap.train.things import Composer, Made
from reqap.train.typing import typed

_SWAPPED = 0.7
_PEOPLE = ("friend", "buddy", "relative", "person", "colleague", "kid", "correspondent")


@dataclass(frozen=True)
class Lesson:
    """One decomposition."""

    template: str
    turns: tuple[Turn, ...]
    plan: str  # all at once, for models that do not take questions apart


def lessons(split: str, build: Path, each: int, framed: int = 0, seed: int = 1) -> Iterator[Lesson]:
    """All of a split; with noise for train, as it is for the others.

    Another seed gives other values, people and ways to type.
    """
    pools = {name: _pool(name, split, build, split == "train") for name in DOMAINS}
    more = _reworded() if split == "train" else {}
    for template in load_templates(split):
        chance = random.Random(f"{seed}:{template.id}")
        for wording in (*template.wordings, *more.get(template.id, ())):
            yield from _filled(template, wording, pools, chance, each, split == "train")
    if split == "train":
        common = _common()
        people = [value.text for value in pools["person"]]
        swaps = Swaps(first_names((*people, *_family_names())), common | _calendar_words())
        yield from _free(seed, swaps)
        made = fills(Composer(f"{seed}:framed", people), framed)
        yield from _framed(made, random.Random(f"{seed}:typed"), common)


def _reworded() -> dict[str, list[str]]:
    """More wordings of the train templates."""
    file = resources.files("reqap.perqa") / "reworded" / "train.json"
    return {it["template"]: it["wordings"] for it in json.loads(file.read_text(encoding="utf-8"))}


def _common(least: int = 8) -> frozenset[str]:
    """Words that people use in many questions."""
    counted = Counter(
        word
        for question, _, also in _pairs()
        for asked in (question, *also)
        for word in re.findall(r"[a-z]+", asked)
    )
    return frozenset(word for word, count in counted.items() if count >= least)


def _framed(
    made: Iterator[Made], chance: random.Random, common: frozenset[str]
) -> Iterator[Lesson]:
    """Half of them as people type."""
    for question, plan in made:
        asked = typed(question, chance, common) if chance.random() < 0.5 else question
        try:
            check(parse(plan))
        except PlanError:  # an attribute named `class`, say
            continue
        yield taught("framed", asked, plan)


# One way to say a thing: Mondays are 1 to 7, weekends are from 5 on, dates come first.
_SAME: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\.weekday\(\) == (\d)"), lambda m: f".isoweekday() == {int(m[1]) + 1}"),
    (re.compile(r"\.weekday\(\) in [(\[]5, 6[)\]]"), ".weekday() >= 5"),
    (re.compile(r"\.isoweekday\(\) (?:in [(\[]6, 7[)\]]|>= 6|> 5)"), ".weekday() >= 5"),
    (re.compile(r"\.isoweekday\(\) (?:<= 5|< 6)"), ".weekday() < 5"),
    (re.compile(r"lambda (\w+): len\(\1\)(?=\)$|, \")"), "len"),
)


def taught(template: str, question: str, plan: str) -> Lesson:
    """The decomposition, with one spelling for what can be said in several ways."""
    tree = each_once(parse(plan))
    turns = (Turn(turn.question, _same(turn.step)) for turn in turns_of(question, tree))
    return Lesson(template, tuple(turns), _same(format_short(tree)))


def each_once(plan: Operator) -> Operator:
    """What is joined is counted once, however many partners it has."""
    plan = with_plans(plan, each_once)
    match plan:
        case op.Apply(l=op.Join(question=str(asked)) as pairs, fct=FunctionName("len")):
            once = op.GroupBy(pairs, ("start_datetime",), question=f"{asked}, each once")
            counted = replace(plan, l=once)
            try:
                check(counted)
            except PlanError:  # pairs of groups
                return plan
            return counted
    return plan


def _same(step: str) -> str:
    for pattern, instead in _SAME:
        step = pattern.sub(instead, step)
    return step


def _free(seed: int, swaps: Swaps) -> Iterator[Lesson]:
    """Questions that people wrote with their plans: of the free lives, and others."""
    planned = ((question, plan, ()) for question, plan in planned_questions("train"))
    for number, (question, plan, also) in enumerate((*planned, *_pairs())):
        chance = random.Random(f"{seed}:{question}")
        for asked in (question, *also):
            yield _about_others(number, asked, plan, chance, swaps)
            if chance.random() < (0.25 if also else 0.5):
                in_haste = typed(asked, chance, swaps.common)
                yield _about_others(number, in_haste, plan, chance, swaps)


def _about_others(
    number: int, question: str, plan: str, chance: random.Random, swaps: Swaps
) -> Lesson:
    """The pair, most often with other people, years and numbers."""
    if chance.random() < _SWAPPED:
        other_question, other_plan = swaps.swapped(question, plan, chance)
        try:
            check(parse(other_plan))
            return taught(f"free-{number}", other_question, other_plan)
        except PlanError:  # no such day in that year
            pass
    return taught(f"free-{number}", question, plan)


def _family_names() -> Iterator[str]:
    """The people of the free lives."""
    for life in load_lives("train"):
        for key in ("name", "mother", "father", "partner"):
            if isinstance(name := life.profile.get(key), str):
                yield name
        for key in ("siblings", "kids", "friends"):
            for person in life.profile.get(key) or ():
                name = person.get("name") if isinstance(person, dict) else person
                if isinstance(name, str):
                    yield name


def _calendar_words() -> frozenset[str]:
    """Names of months and days, which are names of people as well."""
    return frozenset(
        word.casefold() for words in (month_name, month_abbr, day_name, day_abbr) for word in words
    )


def _pairs() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Questions about nobody in particular, with the plans that their writers gave them, and other
    wordings of the same questions."""
    file = resources.files("reqap.train") / "pairs.jsonl"
    for line in file.read_text(encoding="utf-8").splitlines():
        pair = json.loads(line)
        yield pair["question"], pair["plan"], tuple(pair.get("also", ()))


def _filled(
    template: Template,
    wording: str,
    pools: Mapping[str, list[SlotValue]],
    chance: random.Random,
    each: int,
    noisy: bool,
) -> Iterator[Lesson]:
    names = template.slots()
    for _ in range(each if names or noisy else 1):
        if any(not pools[_kind(name)] for name in names):
            return
        chosen = _chosen(names, pools, chance)
        asked = typed(wording, chance) if noisy and chance.random() < 0.4 else wording
        try:
            plan = replaced(template.plan, chosen, "plan")
            check(parse(plan))
            lesson = taught(template.id, replaced(asked, chosen, "text"), plan)
        except PlanError:
            continue
        yield lesson


def _kind(slot: str) -> str:
    return slot.rstrip("0123456789")


def _chosen(
    names: tuple[str, ...], pools: Mapping[str, list[SlotValue]], chance: random.Random
) -> dict[str, SlotValue]:
    found: dict[str, SlotValue] = {}
    for name in names:
        for _ in range(20):
            found[name] = chance.choice(pools[_kind(name)])
            if sum(value.text == found[name].text for value in found.values()) == 1:
                break
    return found


# -- values ----------------------------------------------------------------------------------------


def _pool(name: str, split: str, build: Path, widened: bool) -> list[SlotValue]:
    found: dict[str, SlotValue] = {}
    for persona in persona_ids():
        if persona.startswith(split):
            connection = opened(build / split / persona / DATABASE)
            for value in DOMAINS[name].values(connection):
                found.setdefault(value.text, value)
            connection.close()
    if widened and name in _PEOPLE:
        found |= {value.text: value for value in _people(name)}
    if widened and name in _TITLES:
        found |= {title: SlotValue(title, title) for title in _TITLES[name]()}
    return [found[text] for text in sorted(found)]


def _people(slot: str) -> Iterator[SlotValue]:
    """Names of people put together anew, so that none is known by heart."""
    chance = random.Random(slot)
    known = [person.name for one in persona_ids() if one.startswith("train")
             for person in load_persona(one).people]  # fmt: skip
    firsts = sorted({name.split()[0] for name in known})
    lasts = sorted({name.split()[-1] for name in known})
    for _ in range(600):
        full = f"{chance.choice(firsts)} {chance.choice(lasts)}"
        yield SlotValue(full, full.split()[0] if slot == "buddy" else full)


_TITLES = {
    "artist": lambda: {song.artists[0] for song in facts.songs()},
    "song": lambda: {song.title for song in facts.songs()},
    "movie": lambda: {movie.title for movie in facts.movies()},
    "director": lambda: {movie.director for movie in facts.movies() if movie.director},
    "series": lambda: {show.title for show in facts.series()},
    "product": lambda: {product.name for product in facts.products()},
    "category": lambda: {product.category for product in facts.products()},
    "cuisine": lambda: set(facts.dishes()),
    "dish": lambda: {dish for dishes in facts.dishes().values() for dish in dishes},
}


def write_lessons(found: Iterator[Lesson], path: Path) -> int:
    """One JSON line each; how many."""
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for lesson in found:
            turns = [[turn.question, turn.step] for turn in lesson.turns]
            told = {"template": lesson.template, "turns": turns, "plan": lesson.plan}
            file.write(json.dumps(told, ensure_ascii=False) + "\n")
            count += 1
    return count


_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')


def write_words(lessons_file: Path, out: Path, least: int = 2) -> None:
    """The words that stand in the texts of steps: what a model that learns them knows to write."""
    counted: Counter[str] = Counter()
    with lessons_file.open(encoding="utf-8") as file:
        for line in file:
            for _, step in json.loads(line)["turns"]:
                for text in _TEXT.findall(step):
                    counted.update(re.findall(r"[\w'’]+", text.casefold().replace("’", "'")))
    words = {word.removesuffix("'s") for word, count in counted.items() if count >= least}
    out.write_text("\n".join(sorted(words)) + "\n", encoding="utf-8")
