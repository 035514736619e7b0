"""What the RAG baseline learns from: events found for questions of train, and the right answers.

    python -m reqap.train.rag --build perqa-lives --stores eval-stores --out lessons-rag
    python -m reqap.train.qud train --lessons lessons-rag --longest 2048 --base base.gguf \
        --out rag.gguf

The search runs on the train lives as it does when questions are answered. Lessons have the form
that `reqap.train.qud` trains on: one turn each, events and question on one line, then the answers.
"""

import argparse
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from reqap.baselines.rag import EVENTS, Searcher, put
from reqap.evaluate.report import progress_bar
from reqap.evaluate.stores import imported, opened
from reqap.evaluate.subjects import Question, Subject, perqa_subject
from reqap.retrieve.networks import Networks
from reqap.retrieve.shipped import networks

_MOST_ANSWERS = 10


class Lesson(NamedTuple):
    """One turn: what is asked, and the answer."""

    template: str
    turns: list[tuple[str, str]]
    plan: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--build", type=Path, required=True, help="what `reqap perqa build` wrote")
    parser.add_argument("--stores", type=Path, default=Path("eval-stores"))
    parser.add_argument("--out", type=Path, required=True, help="a folder for the lessons")
    parser.add_argument("--events", type=int, default=EVENTS, help="put before the model")
    parser.add_argument("--per-persona", type=int, default=150, help="questions of each life")
    parser.add_argument("--personas", type=int, help="only so many of each split")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for split, name in (("train", "train-1"), ("dev", "dev")):
        folders = sorted((given.build / split).glob(f"{split}_persona_*"))[: given.personas]
        with (given.out / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            for folder in folders:
                subject = perqa_subject(folder)
                for lesson in lessons(subject, given.stores, networks(), given.events,
                                      given.per_persona):  # fmt: skip
                    file.write(json.dumps(lesson._asdict(), ensure_ascii=False) + "\n")


def lessons(
    subject: Subject, stores: Path, models: Networks, events: int, most: int
) -> Iterator[Lesson]:
    """Some questions of a life, each with the events that are found for it."""
    chance = random.Random(subject.name)
    asked = chance.sample(subject.questions, min(most, len(subject.questions)))
    with (
        opened(imported(subject, stores, models)) as store,
        progress_bar(subject.name, len(asked)) as done,
    ):
        searcher = Searcher(store, models)
        for question in asked:
            found = searcher.find(question.text, subject.today, events)
            answer = answers(question)
            prompt = put(question.text, found, subject.today)
            yield Lesson(question.template, [(prompt, answer)], answer)
            done()


def answers(question: Question) -> str:
    """The right answers as the model is to write them."""
    return json.dumps(list(question.gold[:_MOST_ANSWERS]), ensure_ascii=False)


if __name__ == "__main__":
    main()
