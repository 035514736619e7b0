"""The tables and figures of `tables`, out of lines of answers; the paper's numbers beside ours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reqap.evaluate import paper
from reqap.evaluate.figures import Point, bars, scatter
from reqap.evaluate.scoring import (
    Line,
    Spent,
    by_persona,
    by_type,
    compared,
    operator_times,
    share,
    times,
)

_METHODS = {"rag": "RAG", "codegen": "CodeGen", "reqap": "ReQAP"}
_NO = "–"
_VARIANTS = {
    "": "ReQAP, as shipped", "one-shot": "QUD: one shot", "sparse-only": "RETRIEVE: sparse only",
    "keys-only": "EXTRACT: keys only", "no-merging": "RETRIEVE: no merging",
    "no-grammar": "QUD: no grammar", "no-cascade": "RETRIEVE: no cascade",
}  # fmt: skip
_SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Sized:
    """A set of models, and what was answered with it."""

    name: str
    parameters: int  # millions
    disk: int  # bytes
    lines: Sequence[Line]


def _told(pair: tuple[float, float] | None) -> str:
    return f"{pair[0]:.3f} ({pair[1]:.2f})" if pair else _NO


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _head(*cells: str) -> list[str]:
    return [_row(*cells), "|" + "---|" * len(cells)]


def main_table(
    small: Mapping[str, Sequence[Line]], large: Mapping[str, Sequence[Line]], name: str
) -> list[str]:
    """Methods by models, then by persona and by type; and whether ReQAP is really better."""
    lines = _head("Hit@1 (Rlx-Hit@1)", "our small models", name or "endpoint", "paper: SFT (1B)",
                  "paper: LLaMA3.3 (70B)", "paper: GPT4o")  # fmt: skip
    for method, label in _METHODS.items():
        ours = [share(found[method]).told if method in found else _NO for found in (small, large)]
        theirs = [_told(paper.MAIN[method][model]) for model in ("SFT", "LLaMA3.3", "GPT4o")]
        lines.append(_row(label, *ours, *theirs))
    for told, found in (("our small models", small), (name, large)):
        lines += _significance(told, found)
    kept = small if len(small) > 1 or not large else large
    return [*lines, "", *_personas(kept), "", *_types(kept)]


def _significance(name: str, found: Mapping[str, Sequence[Line]]) -> list[str]:
    rivals = [method for method in found if method != "reqap"]
    if "reqap" not in found or not rivals:
        return []
    best = max(rivals, key=lambda method: share(found[method]).hit)
    test = compared(found["reqap"], found[best])
    verdict = "significant" if test.chance < _SIGNIFICANT else "not significant"
    return [
        "",
        f"ReQAP against {_METHODS[best]} ({name}), on {test.questions:,} questions: right alone"
        f" {test.only_ours} and {test.only_theirs}; McNemar p = {test.chance:.2g} (Hit@1),"
        f" {test.relaxed_chance:.2g} (Rlx-Hit@1): {verdict}.",
    ]


def _personas(found: Mapping[str, Sequence[Line]]) -> list[str]:
    lines = _head("persona", "questions", *(f"{label}" for label in _METHODS.values()),
                  "paper (SFT): RAG, CodeGen, ReQAP")  # fmt: skip
    grouped = {method: by_persona(lines_) for method, lines_ in found.items()}
    for number, (name, own) in enumerate(grouped["reqap"].items()):
        cells = [grouped[method][name].told if name in grouped.get(method, {}) else _NO
                 for method in _METHODS]  # fmt: skip
        theirs = paper.PERSONAS[number] if number < len(paper.PERSONAS) else ()
        lines.append(_row(name, own.questions, *cells, ", ".join(map(_told, theirs)) or _NO))
    return lines


def _types(found: Mapping[str, Sequence[Line]]) -> list[str]:
    lines = _head("type", "questions", *_METHODS.values(), "paper (GPT4o): RAG, CodeGen, ReQAP")
    grouped = {method: by_type(lines_) for method, lines_ in found.items()}
    for name, theirs in paper.TYPES.items():
        own = grouped["reqap"][name]
        cells = [grouped[method][name].told if method in grouped else _NO for method in _METHODS]
        lines.append(_row(name, own.questions, *cells, ", ".join(f"{one:.3f}" for one in theirs)))
    return lines


def ablation_table(found: Mapping[str, Sequence[Line]]) -> list[str]:
    """What is lost without each part."""
    lines = _head("", "Hit@1", "Rlx-Hit@1", "McNemar p, against the first", "paper (SFT)")
    for variant, label in _VARIANTS.items():
        theirs = _told(paper.ABLATIONS.get(variant))
        if variant not in found:
            lines.append(_row(label, _NO, _NO, _NO, theirs))
            continue
        own = share(found[variant])
        chance = f"{compared(found[''], found[variant]).chance:.2g}" if variant else _NO
        lines.append(_row(label, f"{own.hit:.3f}", f"{own.relaxed:.3f}", chance, theirs))
    return lines


def size_table(found: Sequence[Sized]) -> list[str]:
    """Accuracy, disk, memory and time by models; then the paper's grid."""
    lines = _head("models", "parameters", "Hit@1 (Rlx-Hit@1)", "disk", "peak memory",
                  "seconds per question: mean, median")  # fmt: skip
    for one in found:
        memory = max(line.get("peak_mb", 0) for line in one.lines)
        total = times(one.lines)["total"]
        lines.append(_row(
            one.name, f"{one.parameters} M", share(one.lines).told, f"{one.disk / 1e6:.0f} MB",
            f"{memory:.0f} MB", f"{total.mean / 1000:.1f}, {total.median / 1000:.1f}",
        ))  # fmt: skip
    sizes = [f"QUD {name} ({count} M)" for name, count in paper.QUD_SIZES.items()]
    lines += ["", *_head("paper: operators", *sizes)]
    for name, row in paper.SIZES.items():
        lines.append(_row(f"{name} ({paper.OPERATOR_SIZES[name]} M)", *map(_told, row)))
    return lines


def size_figure(found: Sequence[Sized]) -> str:
    ours = [Point(one.parameters, share(one.lines).hit, one.name) for one in found]
    theirs = [
        Point(paper.QUD_SIZES[qud] + paper.OPERATOR_SIZES[name], pair[0], f"QUD {qud}, {name}")
        for name, row in paper.SIZES.items()
        for qud, pair in zip(paper.QUD_SIZES, row, strict=True)
    ]
    title = "Accuracy by size (each on its own PerQA, dev)"
    across = "millions of parameters, all models together"
    return scatter(title, across, "Hit@1", {"ReQAP, here": ours, "paper (SFT)": theirs})


def _seconds(one: Spent) -> str:
    return f"{one.mean / 1000:.2f}, {one.median / 1000:.2f}, {one.most / 1000:.2f}"


def time_table(lines: Sequence[Line]) -> list[str]:
    """Seconds per question by stage, cold and warm; and by operator."""
    cold, warm = times(lines), times(lines, "warm_ms")
    told = _head("seconds: mean, median, 95th percentile", "cold", "warm", "paper (GPU): mean")
    names = {"qud": "QUD", "retrieve": "RETRIEVE", "extract": "EXTRACT", "rest": "the rest of OTX",
             "total": "all"}  # fmt: skip
    theirs = {
        "qud": f"{paper.SECONDS['QUD']:.2f}",
        "rest": f"OTX {paper.SECONDS['OTX']:.2f}",
        "total": f"{paper.SECONDS['total']:.2f}, median {paper.SECONDS['median']:.2f}",
    }
    for stage, label in names.items():
        told.append(_row(label, _seconds(cold[stage]), _seconds(warm[stage]),
                         theirs.get(stage, _NO)))  # fmt: skip
    slow = sum(line["ms"]["total"] > 30_000 for line in lines)
    told += ["", f"{len(lines):,} questions, each asked with nothing read before (cold) and again"
             f" (warm); {slow} took more than 30 s, when `reqap ask` gives up.", ""]  # fmt: skip
    told += _head("operator", "times", "ms each, cold", "paper (GPU): ms")
    found = operator_times(lines)
    for name, seconds in paper.OPERATORS.items():
        count, each = found.get(name, (0, 0.0))
        told.append(_row(name, f"{count:,}", f"{each:.2f}" if count else _NO,
                         f"{1000 * seconds:.2f}"))  # fmt: skip
    return told


def time_figure(lines: Sequence[Line]) -> str:
    rows: dict[str, dict[str, float]] = {}
    for label, which in (("cold", "ms"), ("warm", "warm_ms")):
        found = times(lines, which)
        rows[label] = {name: found[stage].mean / 1000
                       for stage, name in (("qud", "QUD"), ("retrieve", "RETRIEVE"),
                                           ("extract", "EXTRACT"), ("rest", "rest"))}  # fmt: skip
    rows["paper (GPU)"] = {"QUD": paper.SECONDS["QUD"], "all of OTX": paper.SECONDS["OTX"]}
    return bars("Time by stage, on average", "s", rows)
