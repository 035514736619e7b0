"""Which stage was at fault; oracles over the events that users have."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pytest

from reqap.errors import ReqapError
from reqap.evaluate.answering import Job, claim
from reqap.evaluate.faults import SEVERAL, UNTOLD, faults, table, typical
from reqap.evaluate.observed import Observed
from reqap.evaluate.stores import imported, opened
from reqap.evaluate.subjects import Question, Subject, perqa_subject
from reqap.evaluate.systems import Settings
from reqap.extract import PatternExtractor
from reqap.perqa.world import build_persona
from reqap.retrieve import WordRetriever
from reqap.store import Store

TODAY = datetime(2030, 1, 1)


def _line(question: str, hit: bool) -> str:
    told = {"persona": "p", "question": question, "hit": hit, "relaxed": hit, "template": question,
            "types": [], "gold": [1], "answers": [2], "status": "ok", "plan": "X()"}  # fmt: skip
    return json.dumps(told) + "\n"


def test_the_first_stage_that_mends_is_at_fault(tmp_path: Path) -> None:
    mends: dict[str, set[tuple[str, ...]]] = {
        "a": {("qud",)}, "b": {("retrieve",), ("extract",)}, "c": {("extract",)},
        "d": {("extract", "qud", "retrieve")}, "e": set(),
    }  # fmt: skip
    claim(tmp_path, Settings())
    right = _line("fine", True)
    (tmp_path / "p.jsonl").write_text(right + "".join(_line(name, False) for name in mends))

    def run(jobs: Sequence[Job]) -> None:
        for job in jobs:
            job.out.mkdir(parents=True, exist_ok=True)
            lines = [_line(one.text, job.settings.oracles in mends[one.text])
                     for one in job.questions()]  # fmt: skip
            job.path.write_text("".join(lines))

    asked = tuple(Question(name, name, (), (1,)) for name in ("fine", *mends))
    subject = Subject("p", (), "{}", TODAY, asked)
    found = {one.line["question"]: one.stage for one in faults(tmp_path, [subject], tmp_path, run)}
    assert found == {"a": "QUD", "b": "RETRIEVE", "c": "EXTRACT", "d": SEVERAL, "e": UNTOLD}
    again = faults(tmp_path, [subject], tmp_path, run)
    assert "| RETRIEVE | 1 | 20% | 1 | 28% |" in table(again)
    assert "| EXTRACT | 1 | 20% | 2 | 22% |" in table(again)
    assert any("Right: 1; given: 2." in line for line in typical(again))


def test_only_reqap_has_stages(tmp_path: Path) -> None:
    claim(tmp_path, replace(Settings(), method="rag"))
    with pytest.raises(ReqapError, match="no answers of ReQAP"):
        faults(tmp_path, [], tmp_path, list)


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Subject, Store, Observed]]:
    folder = tmp_path_factory.mktemp("build") / "dev" / "dev_persona_0"
    build_persona(folder, "dev_persona_0")
    subject = perqa_subject(folder)
    with opened(imported(subject, folder.parent / "stores")) as store:
        observed = Observed(store, folder)
        yield subject, store, observed
        observed.close()


def test_oracles_find_what_is_told_and_know_its_values(
    life: tuple[Subject, Store, Observed],
) -> None:
    _, store, observed = life
    sql = "SELECT id, workout_type AS sport, distance_km AS km FROM workouts"
    question = Question("?", "t", (), (), retrieve={"my sport": sql})
    retriever, extractor = observed.doors(
        question, ("retrieve", "extract"), WordRetriever(store), PatternExtractor(store)
    )
    found = retriever.retrieve("my sport", TODAY)
    gold = observed.connection.execute(f"SELECT count(*), sum(km) FROM ({sql})").fetchall()[0]
    assert len(set(found["happening"].to_pylist())) <= gold[0]
    assert len(set(found["happening"].to_pylist())) > 0.9 * gold[0]
    firsts = {row["happening"]: row["id"] for row in reversed(found.to_pylist())}
    ids = pa.array(list(firsts.values()))
    km = extractor.extract(ids, "km", "float", "my sport")["value"].to_pylist()
    assert sum(filter(None, km)) == pytest.approx(gold[1], rel=0.05)
    some = retriever.retrieve("my sport", TODAY, ids[:3])
    assert set(some["id"].to_pylist()) == set(ids[:3].to_pylist())


def test_what_nobody_annotated_is_left_to_the_real_ones(
    life: tuple[Subject, Store, Observed],
) -> None:
    _, store, observed = life
    words, patterns = WordRetriever(store), PatternExtractor(store)
    question = Question("?", "t", (), ())
    retriever, extractor = observed.doors(question, ("retrieve", "extract"), words, patterns)
    query = "unicorns in my notes"
    assert retriever.retrieve(query, TODAY).equals(words.retrieve(query, TODAY))
    ids = pa.array([event.id for event in store.scan(kinds=["workout"], limit=3)])
    given = extractor.extract(ids, "horn_colour", "str")["value"].to_pylist()
    assert given == patterns.extract(ids, "horn_colour", "str")["value"].to_pylist()


def test_questions_know_their_types(life: tuple[Subject, Store, Observed]) -> None:
    subject, *_ = life
    types = {name for question in subject.questions for name in question.types}
    assert types == {"ordering", "grouping", "temporal", "aggregation", "join", "multi-source"}
