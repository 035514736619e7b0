"""Plans in another order that mean the same."""

import pytest

from reqap.plan import format_plan, parse
from reqap.plan.rewrite import filters_first

READ = 'EXTRACT(l={below}, attr_names=["who"], attr_types=[list])'
RUNS = 'RETRIEVE(query="I met people")'
YEAR = 'e["start_date"].year == 2021'
WHO = '"Ana" in e["who"]'


def filtered(below: str, condition: str) -> str:
    return f"FILTER(l={below}, filter=lambda e: {condition})"


READ_ALL = READ.format(below=RUNS)


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (filtered(READ_ALL, YEAR), READ.format(below=filtered(RUNS, YEAR))),
        (filtered(READ_ALL, WHO), filtered(READ_ALL, WHO)),
        (
            filtered(READ_ALL, f"{YEAR} and {WHO}"),
            filtered(READ.format(below=filtered(RUNS, YEAR)), WHO),
        ),
        (filtered(READ_ALL, f"{YEAR} or {WHO}"), filtered(READ_ALL, f"{YEAR} or {WHO}")),
        (
            filtered(READ.format(below=READ_ALL.replace("who", "where")), YEAR),
            READ.format(below=READ_ALL.replace("who", "where").replace(RUNS, filtered(RUNS, YEAR))),
        ),
        (
            f"APPLY(l={filtered(READ_ALL, YEAR)}, fct=len)",
            f"APPLY(l={READ.format(below=filtered(RUNS, YEAR))}, fct=len)",
        ),
    ],
)
def test_what_needs_no_reading_is_filtered_before(plan: str, expected: str) -> None:
    assert format_plan(filters_first(parse(plan))) == format_plan(parse(expected))
    assert filters_first(parse(expected)) == parse(expected)
