"""Plans and gold queries agree; wordings do not leak. The full check is `make check-perqa`."""

import pytest

from reqap.evaluate.gates import agree, checked
from reqap.perqa.leaks import alike, skeleton
from reqap.perqa.persona import SPLITS
from reqap.perqa.templates import (
    Question,
    Template,
    filled,
    load_templates,
    read_template,
    templates_for,
)
from reqap.perqa.world import make_world
from reqap.plan import parse, walk_plan
from reqap.store import Store


@pytest.mark.parametrize(("persona", "every"), [("train_persona_2", 2), ("dev_persona_1", 1)])
def test_plans_give_what_the_sql_gives(persona: str, every: int) -> None:
    world = make_world(persona)
    asked = 0
    with Store.open(None) as store:
        for template in templates_for(persona)[::every]:
            for question in filled(template, persona, world.connection):
                verdict = checked(question, world.persona, world.connection, store)
                assert verdict.agrees, (template.id, question.answers, verdict.told)
                asked += 1
    assert asked > 20


def test_a_wrong_plan_is_found() -> None:
    world = make_world("dev_persona_0")
    question = Question(
        "x", "dev_persona_0", ("how many songs?",), "", 'APPLY(l=RETRIEVE(query="songs"), fct=len)',
        {"songs": "SELECT id FROM music LIMIT 5"}, ((6,),),
    )  # fmt: skip
    with Store.open(None) as store:
        verdict = checked(question, world.persona, world.connection, store)
    assert (verdict.agrees, verdict.told) == (False, "[(5,)]")


def test_answers_agree_in_any_order_and_as_a_list() -> None:
    assert agree([("a",), ("b",)], [("b",), ("a",)])
    assert agree([("a",), ("b",)], [(["b", "a"],)])
    assert not agree([("a",), ("b",)], [("a",)])
    assert agree([(1, 2.0)], [(1, 2.0000001)])


@pytest.mark.parametrize("split", SPLITS)
def test_every_step_of_every_plan_has_its_question(split: str) -> None:
    for template in load_templates(split):
        assert len(template.wordings) >= 2, template.id
        plan = parse(_with_samples(template.plan))
        for node in walk_plan(plan):
            assert node is plan or node.question, (template.id, node.name)


def _with_samples(plan: str) -> str:
    numbers = ("year", "month", "weekday", "hour", "few", "some", "many")
    for name in numbers:
        for number in ("", "2", "3"):
            plan = plan.replace(f"{{{name}{number}!v}}", "3")
    while "!v}" in plan:
        start = plan.rindex("{", 0, plan.index("!v}"))
        plan = plan[:start] + '"x"' + plan[plan.index("!v}") + 3 :]
    return plan


def test_no_wording_is_in_two_templates() -> None:
    templates = [(split, template) for split in SPLITS for template in load_templates(split)]
    assert list(alike(templates)) == []


def test_alike_wordings_are_found() -> None:
    def template(name: str, wording: str) -> tuple[str, Template]:
        raw = {"id": name, "wordings": [wording], "sql": "", "plan": "", "retrieve": {}}
        return "train", read_template(raw)

    long = "How many different songs by {artist} have I heard since I moved to {home_city}"
    found = list(alike([template("a", f"{long}?"), template("b", long), template("c", "what now")]))
    assert len(found) == 1
    more = f"{long} and how often was that in the evening"
    near = list(alike([template("a", f"{more}?"), template("b", f"{more}, roughly?")]))
    assert len(near) == 1
    assert skeleton("When did I see {friend2}?") == ("when", "did", "i", "see", "slot")
