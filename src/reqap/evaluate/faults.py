"""Which stage was at fault: wrong answers, asked again with an oracle in the place of each stage.

The first stage, in the order in which they work, whose oracle alone makes an answer right was at
fault; where no oracle alone does, several were; where all together do not, nothing tells of what
is asked for, or not so that it can be known.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from reqap.errors import ReqapError
from reqap.evaluate.answering import Job, Line, read_results, read_settings
from reqap.evaluate.subjects import Subject
from reqap.evaluate.systems import ORACLES, Settings

_FOLDER = "faults"
_PAIR, _ALL = ("qud", "retrieve"), ORACLES
SEVERAL, UNTOLD = "several stages", "none of them"
STAGES = {"qud": "QUD", "retrieve": "RETRIEVE", "extract": "EXTRACT"}
# What the paper says of 50 wrong answers.
PAPER = {"QUD": 0.50, "RETRIEVE": 0.28, "EXTRACT": 0.22}
_SHOWN = 5


@dataclass(frozen=True)
class Fault:
    """A wrong answer, the stage at fault, and all stages whose oracle alone mends it."""

    line: Line
    stage: str
    mended_by: tuple[str, ...]


def faults(
    out: Path, subjects: Iterable[Subject], stores: Path, run: Callable[[Sequence[Job]], object]
) -> list[Fault]:
    """Asks what was answered wrongly again; `run` carries out jobs."""
    settings = read_settings(out)
    if settings.method != "reqap" or settings.oracles:
        raise ReqapError(f"{out} holds no answers of ReQAP with all stages of its own")
    wrong = {_which(line): line for line in read_results(out) if not line["hit"]}
    asked = list(subjects)
    right = {
        stage: _mended(out, (stage,), asked, wrong.keys(), settings, stores, run)
        for stage in ORACLES
    }
    left = wrong.keys() - frozenset[tuple[str, str]]().union(*right.values())
    both = _mended(out, _PAIR, asked, left, settings, stores, run)
    several = both | _mended(out, _ALL, asked, left - both, settings, stores, run)
    found = []
    for which, line in wrong.items():
        mended = tuple(STAGES[stage] for stage in ORACLES if which in right[stage])
        otherwise = SEVERAL if which in several else UNTOLD
        found.append(Fault(line, mended[0] if mended else otherwise, mended))
    return found


def _mended(
    out: Path,
    oracles: Sequence[str],
    subjects: Sequence[Subject],
    wrong: Iterable[tuple[str, str]],
    settings: Settings,
    stores: Path,
    run: Callable[[Sequence[Job]], object],
) -> frozenset[tuple[str, str]]:
    """Which of these are answered rightly with oracles."""
    asked = frozenset(wrong)
    folder = out / _FOLDER / "-".join(oracles)
    knowing = replace(settings, oracles=tuple(sorted(oracles)), timed=False)
    jobs = []
    for subject in subjects:
        questions = tuple(one for one in subject.questions if (subject.name, one.text) in asked)
        if questions:
            jobs.append(Job(replace(subject, questions=questions), knowing, folder, stores))
    run(jobs)
    lines = read_results(folder) if jobs else []
    return frozenset(_which(line) for line in lines if line["hit"]) & asked


def _which(line: Line) -> tuple[str, str]:
    return line["persona"], line["question"]


def table(found: Sequence[Fault]) -> list[str]:
    """How often each stage was at fault, beside the paper."""
    first = Counter(one.stage for one in found)
    alone = Counter(stage for one in found for stage in one.mended_by)
    lines = ["| at fault | answers | share | mended by its oracle alone | paper |",
             "|---|---|---|---|---|"]  # fmt: skip
    for stage in (*STAGES.values(), SEVERAL, UNTOLD):
        part = f"{first[stage] / max(1, len(found)):.0%}"
        paper = f"{PAPER[stage]:.0%}" if stage in PAPER else "–"
        mended = alone[stage] if stage in PAPER else "–"
        lines.append(f"| {stage} | {first[stage]} | {part} | {mended} | {paper} |")
    return lines


def typical(found: Sequence[Fault]) -> list[str]:
    """Some failures of each stage, one of a template."""
    lines: list[str] = []
    for stage in (*STAGES.values(), SEVERAL, UNTOLD):
        kept: dict[str, Fault] = {}
        for one in found:
            if one.stage == stage:
                kept.setdefault(one.line["template"], one)
        if kept:
            lines += ["", f"**{stage}**", ""]
        for one in list(kept.values())[:_SHOWN]:
            lines.append(_told(one.line))
    return lines[1:]


def _told(line: Line) -> str:
    gold, given = (_shortly(line[name]) for name in ("gold", "answers"))
    answer = given if line["answers"] else f"{line['status'].replace('_', ' ')}"
    plan = " ".join(line["plan"].split())
    return f"- {line['question']} Right: {gold}; given: {answer}.\n  `{plan[:400] or 'no plan'}`"


def _shortly(answers: Sequence[object]) -> str:
    told = ", ".join(map(str, answers[:4]))
    return f"{told}, …" if len(answers) > 4 else told
