"""Measures how questions become plans, and writes it down.

    python -m reqap.evaluate.qud --build perqa-lives --write docs/results.md

Runs the shipped model on PerQA's dev questions (unseen lives, unseen templates), with and without
its grammar, on the same questions as other people would type them, on questions of strangers where
their files are given, and against the clock. Takes about an hour on two cores.
"""

import argparse
import json
import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from reqap.evaluate.planning import Case, Outcome, cases, evaluated, reworded, understood
from reqap.evaluate.report import kept_lines, progress_bar, put_section
from reqap.evaluate.shapes import TYPES, shape
from reqap.models.endpoint import Endpoint
from reqap.models.llama import LlamaModel
from reqap.plan import format_plan, format_short, parse
from reqap.qud.decompose import Backend, Decomposition, decompose
from reqap.qud.grammar import grammar
from reqap.qud.in_context import InContext
from reqap.qud.shipped import folder, shipped_scope
from reqap.qud.trained import Trained
from reqap.qud.whole import Whole

_TIMED = 120
_PARTS = (
    "dev", "plain", "unquantized", "whole", "llm", "reworded", "held", "scope", "wild", "speed",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--build", type=Path, required=True, help="what `reqap perqa build` wrote")
    parser.add_argument("--model", type=Path, default=folder() / "qud.gguf", help="a GGUF file")
    parser.add_argument("--unquantized", type=Path, help="the same model before quantization")
    parser.add_argument("--whole", type=Path, help="a model that writes whole plans at once")
    parser.add_argument("--llm", nargs=2, metavar=("URL", "NAME"), help="a model at an endpoint")
    parser.add_argument("--wild", type=Path, help="a folder of strangers' questions")
    parser.add_argument("--parts", nargs="+", choices=_PARTS, help="only some of it")
    parser.add_argument("--out", type=Path, help="a folder for every plan and verdict")
    parser.add_argument("--again", type=Path, help="score the plans in such a folder again")
    parser.add_argument("--write", type=Path, help="the page whose section is written anew")
    given = parser.parse_args()
    measured = _Measured(given)
    for name in _PARTS:
        if given.parts is None or name in given.parts:
            getattr(measured, name)()
    page = "\n".join(measured.lines)
    print(page)
    if given.write:
        put_section(given.write, "qud", page)


class _Measured:
    """The parts of the evaluation; each adds its lines."""

    def __init__(self, given: argparse.Namespace) -> None:
        self._given = given
        if given.out:
            given.out.mkdir(parents=True, exist_ok=True)
        self._cases = cases(given.build)
        self.lines: list[str] = []
        self._dev: list[Outcome] = []

    def _run(
        self, name: str, asked: Sequence[Case], backend: Callable[[], Backend], at_once: int = 8
    ) -> list[Outcome]:
        found = self._before(name, asked)
        if found is None:
            with progress_bar(name, len(asked)) as done:
                found = understood([case.question for case in asked], backend(), at_once, done)
        outcomes = evaluated(asked, found, self._given.build)
        self._keep(name, outcomes)
        return outcomes

    def _before(self, name: str, asked: Sequence[Case]) -> list[Decomposition] | None:
        """The plans of an earlier run, to be scored again."""
        if self._given.again is None:
            return None
        known = {}
        for line in (self._given.again / f"{name}.jsonl").read_text("utf-8").splitlines():
            it = json.loads(line)
            plan = parse(it["plan"]) if it["plan"] else None
            problem = "" if plan else str(it["told"])
            known[it["question"]] = Decomposition(it["question"], plan, (), problem, 0.0, None)
        return [known[case.question] for case in asked]

    def _keep(self, name: str, outcomes: Sequence[Outcome]) -> None:
        if self._given.out is None:
            return
        with (self._given.out / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            for one in outcomes:
                told = {
                    "question": one.case.question,
                    "verdict": one.verdict,
                    "told": one.told,
                    "plan": format_plan(one.plan) if one.plan else None,
                    "gold": [str(value) for value in one.case.answers[:6]],
                    "template": one.case.template,
                    "persona": one.case.persona,
                }
                file.write(json.dumps(told, ensure_ascii=False) + "\n")

    def _trained(self, path: Path, constrained: bool = True) -> Backend:
        grammar_ = grammar() if constrained else ""
        return Trained(LlamaModel(path, parallel=8), grammar_, shipped_scope())

    def dev(self) -> None:
        self._dev = self._run("dev", self._cases, lambda: self._trained(self._given.model))
        self._table("shipped model", self._dev)
        self.lines += ["", "| type | questions | right |", "|---|---|---|"]
        for kind in TYPES[:-1]:
            of_kind = [one for one in self._dev if kind in one.types()]
            self.lines.append(f"| {kind} | {len(of_kind)} | {_share(of_kind)} |")
        self.lines.append("")

    def _table(self, name: str, outcomes: Sequence[Outcome]) -> None:
        verdicts = Counter(one.verdict for one in outcomes)
        self.lines += [
            f"**{name}**, {len(outcomes)} questions of dev: valid plans {_valid(outcomes)}, right"
            f" {_share(outcomes)}, same tree as the gold plan {_same(outcomes)}; "
            + ", ".join(f"{name} {count}" for name, count in verdicts.most_common()),
        ]

    def _row(self, name: str, outcomes: Sequence[Outcome]) -> None:
        self.lines.append(
            f"- {name}: valid {_valid(outcomes)}, right {_share(outcomes)},"
            f" same tree {_same(outcomes)}"
        )

    def plain(self) -> None:
        found = self._run("plain", self._cases, lambda: self._trained(self._given.model, False))
        self._row("without the grammar", found)

    def unquantized(self) -> None:
        if self._given.unquantized:
            path = self._given.unquantized
            found = self._run("unquantized", self._cases, lambda: self._trained(path))
            self._row("before quantization", found)

    def whole(self) -> None:
        if self._given.whole:
            path = self._given.whole
            found = self._run("whole", self._cases, lambda: Whole(LlamaModel(path, parallel=8)))
            self._row("one shot, no recursion", found)

    def llm(self) -> None:
        if self._given.llm:
            url, name = self._given.llm
            found = self._run("llm", self._cases, lambda: InContext(Endpoint(url, name)), 1)
            self._row(f"{name}, in context", found)

    def reworded(self) -> None:
        pairs = list(reworded(self._cases, self._given.build))
        asked = [other for _, other in pairs]
        changed = self._run("reworded", asked, lambda: self._trained(self._given.model))
        known = {one.case.question: one for one in self._dev}
        before = [known[case.question] for case, _ in pairs if case.question in known]
        self.lines += ["", f"Reworded: {len(pairs)} questions, right {_share(changed)};"
                       f" the same questions as they were: {_share(before)}."]  # fmt: skip

    def held(self) -> None:
        """Questions that are kept back, by their trees: what their queries mean nobody wrote."""
        pairs = kept_lines("held_out")
        backend = self._trained(self._given.model)
        with progress_bar("held", len(pairs)) as done:
            found = understood([pair["question"] for pair in pairs], backend, 8, done)
        for of_life, whose in ((False, "nobody in particular"), (True, "two invented people")):
            same = [
                one.plan is not None
                and one.understood
                and shape(one.plan) == shape(parse(it["plan"]))
                for one, it in zip(found, pairs, strict=True)
                if it.get("life", False) is of_life
            ]
            share = f"{sum(same) / len(same):.3f}"
            self.lines += ["", f"Of {len(same)} hand-written questions of {whose} that are never"
                           f" taught, {share} get the tree of their writer."]  # fmt: skip

    def scope(self) -> None:
        """What is no question about the asker's past, by a writer that training has not seen."""
        scope, turned = shipped_scope(), Counter[str]()
        lines = kept_lines("scope")
        turned.update(line["about"] for line in lines if not scope.covers(line["text"]))
        counts = Counter(line["about"] for line in lines)
        caught = ", ".join(f"{about} {turned[about]} of {counts[about]}"
                           for about in counts if about != "mine")  # fmt: skip
        self.lines += ["", f"Turned away, of lines that are no questions about the asker's past:"
                       f" {caught}; of proper questions, by mistake, {turned['mine']} of"
                       f" {counts['mine']}."]  # fmt: skip

    def wild(self) -> None:
        if not self._given.wild:
            return
        asked = [
            question
            for file in sorted(self._given.wild.glob("*.json"))
            for question in json.loads(file.read_text(encoding="utf-8"))["questions"]
        ]
        found = self._wild_before(asked)
        if found is None:
            backend = self._trained(self._given.model)
            with progress_bar("wild", len(asked)) as done:
                found = understood(asked, backend, 8, done)
        valid = sum(one.understood for one in found)
        self.lines += ["", f"Strangers' questions: {valid} of {len(asked)} give a complete, valid"
                       f" plan ({valid / len(asked):.1%})."]  # fmt: skip
        if self._given.out:
            with (self._given.out / "wild.tsv").open("w", encoding="utf-8") as file:
                for one in found:
                    plan = format_short(one.plan) if one.plan else ""
                    file.write(f"{one.question}\t{one.problem}\t{plan}\n")

    def _wild_before(self, asked: Sequence[str]) -> list[Decomposition] | None:
        file = self._given.again / "wild.tsv" if self._given.again else None
        if file is None or not file.is_file():
            return None
        known = {}
        for line in file.read_text(encoding="utf-8").splitlines():
            question, problem, plan = line.split("\t")
            tree = parse(plan) if plan else None
            known[question] = Decomposition(question, tree, (), problem, 0.0, None)
        return [known[" ".join(question.split())] for question in asked]

    def speed(self) -> None:
        began = time.perf_counter()
        backend = Trained(LlamaModel(self._given.model), grammar(), shipped_scope())
        ready = time.perf_counter() - began
        found = [decompose(case.question, backend) for case in self._cases[:_TIMED]]
        times = sorted(one.milliseconds / 1000 for one in found)
        first = sorted((one.first_text_ms or 0) / 1000 for one in found)
        most = int(len(times) * 0.95)
        self.lines += [
            "",
            f"Speed, one question after the other ({len(found)}): median"
            f" {statistics.median(times):.1f} s, 95th percentile {times[most]:.1f} s; first words"
            f" of the tree after {first[most]:.2f} s (95th percentile); ready after {ready:.1f} s.",
        ]


def _share(outcomes: Sequence[Outcome]) -> str:
    return f"{sum(one.right for one in outcomes) / max(1, len(outcomes)):.3f}"


def _valid(outcomes: Sequence[Outcome]) -> str:
    return f"{sum(one.plan is not None for one in outcomes) / max(1, len(outcomes)):.1%}"


def _same(outcomes: Sequence[Outcome]) -> str:
    return f"{sum(one.same_tree for one in outcomes) / max(1, len(outcomes)):.3f}"


if __name__ == "__main__":
    main()
