"""The reference of the plan language: every plan in it is read, checked and run."""

import re
from datetime import datetime
from pathlib import Path

import pytest

from reqap.answer import answer
from reqap.execute import Engine
from reqap.extract import PatternExtractor
from reqap.plan import Functions, check, format_plan, from_json, parse, to_json
from reqap.plan.operators import ATTRIBUTE_TYPES, OPERATORS
from reqap.plan.vocabulary import FUNCTIONS, METHODS, PARTS
from reqap.retrieve import LearnedRetriever
from reqap.retrieve.shipped import networks
from reqap.store import Store
from tests.plan.paper_plans import COMPLETE

PAGE = (Path(__file__).parent.parent / "docs" / "plan-language.md").read_text()
PLANS = re.findall(r"```plan\n(.*?)```", PAGE, re.DOTALL)


def test_there_are_plans_to_test() -> None:
    assert len(PLANS) >= 10


@pytest.mark.parametrize("text", PLANS, ids=range(len(PLANS)))
def test_a_plan_of_the_page_is_sound_and_prints_back(text: str) -> None:
    plan = parse(text)
    check(plan)
    assert parse(format_plan(plan)) == plan
    assert from_json(to_json(plan)) == plan


def test_the_plans_of_the_page_run(demo_db: Path) -> None:
    with Store.open(demo_db, read_only=True) as store:
        engine = Engine(
            store, LearnedRetriever(store, networks()), PatternExtractor(store), Functions()
        )
        for text in PLANS:
            plan = parse(text)
            found = answer(plan, engine.execute(plan, today=datetime(2026, 1, 1)), store)
            assert found.status == "ok", text
            assert found.evidence, text


def test_the_plans_of_the_paper_run(demo_db: Path) -> None:
    """On a life that the paper does not know: what is not in it is no data, never a failure."""
    statuses = set()
    with Store.open(demo_db, read_only=True) as store:
        engine = Engine(
            store, LearnedRetriever(store, networks()), PatternExtractor(store), Functions()
        )
        for text in COMPLETE.values():
            plan = parse(text)
            found = answer(plan, engine.execute(plan, today=datetime(2026, 1, 1)), store)
            statuses.add(found.status)
    assert statuses == {"ok", "no_data"}


@pytest.mark.parametrize("name", sorted(OPERATORS) + sorted(ATTRIBUTE_TYPES.values()))
def test_the_page_names_every_operator_and_type(name: str) -> None:
    assert re.search(rf"\b{re.escape(name)}(?!\w)", PAGE)


@pytest.mark.parametrize("name", sorted(FUNCTIONS | METHODS | PARTS))
def test_the_page_names_everything_expressions_can_use(name: str) -> None:
    assert re.search(rf"\b{re.escape(name)}\b", PAGE)
