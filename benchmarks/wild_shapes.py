"""Do strangers ask what our training questions teach? By the shape of plans.

`wild/shapes.tsv` holds, for each of 1,252 questions that strangers would ask of their own data, the
tree of operators of the plan that a reader of the plan language wrote for it without seeing our
questions. This says how many of these trees, and of their single steps, some training template has.

    python benchmarks/wild_shapes.py
"""

import csv
import re
from collections import Counter, defaultdict
from pathlib import Path

from reqap.evaluate.shapes import shape
from reqap.perqa.templates import load_templates
from reqap.plan import Operator, parse, walk_plan

SHAPES = Path(__file__).parent / "wild" / "shapes.tsv"
_UNPLANNED = ("not answerable", "no plan")


def main() -> None:
    with SHAPES.open(encoding="utf-8") as file:
        asked = [(row["life"], row["shape"]) for row in csv.DictReader(file, delimiter="\t")]
    plans = [parse(re.sub(r"\{\w+!v\}", "1", one.plan)) for one in load_templates("train")]
    shapes = Counter(map(shape, plans))
    steps = {step for plan in plans for step in _steps(plan)}
    table: dict[str, Counter[str]] = defaultdict(Counter)
    total = Counter[str]()
    for life, told in asked:
        for count in (table[life], total):
            count["asked"] += 1
            count["answerable"] += told != "not answerable"
            count["same shape"] += told in shapes
            count["all steps"] += told not in _UNPLANNED and set(_step_names(told)) <= steps
    print(f"{len(plans):,} templates of {len(shapes)} shapes; {len(steps)} different steps\n")
    print("| life | questions | answerable | same shape in train | all steps in train |")
    print("|---|---|---|---|---|")
    for row, count in (*table.items(), ("all", total)):
        shares = [f"{count[key] / count['answerable']:.1%}" for key in ("same shape", "all steps")]
        print(f"| {row} | {count['asked']} | {count['answerable']} | {' | '.join(shares)} |")


def _steps(plan: Operator) -> set[str]:
    """Each operator with the operators right below it."""
    return {
        f"{node.name}({', '.join(one.name for one in (*node.inputs(), *node.sub_plans()))})"
        for node in walk_plan(plan)
    }


def _step_names(told: str) -> list[str]:
    """The steps of a shape that is written down."""
    found: list[str] = []
    open_: list[list[str]] = [[]]
    for token in re.findall(r"\w+|[(),]", told):
        if token == "(":
            open_.append([])
        elif token == ")":
            below = open_.pop()
            found.append(f"{open_[-1][-1]}({', '.join(below)})")
        elif token != ",":
            open_[-1].append(token)
    return found


if __name__ == "__main__":
    main()
