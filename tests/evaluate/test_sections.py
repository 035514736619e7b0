"""The paper's tables with our numbers, and the figures."""

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from reqap.evaluate import systems, tables
from reqap.evaluate.figures import Point, bars, scatter
from reqap.evaluate.scoring import Line
from reqap.evaluate.sections import (
    Sized,
    ablation_table,
    main_table,
    size_figure,
    size_table,
    time_figure,
    time_table,
)
from reqap.evaluate.subjects import Subject
from tests.evaluate.tiny import scripted, tiny_subject


def lines(right: int, count: int = 10) -> list[Line]:
    ms = {"qud": 1000.0, "retrieve": 200.0, "extract": 300.0, "rest": 10.0, "total": 1510.0}
    return [
        {"persona": f"test_persona_{n % 2}", "question": str(n), "hit": n < right,
         "relaxed": n < right + 1, "types": ["join"], "status": "ok", "ms": ms, "warm_ms": ms,
         "operators": {"RETRIEVE": [2, 200.0]}, "peak_mb": 400.0}
        for n in range(count)
    ]  # fmt: skip


def test_the_main_table_compares_with_the_best_baseline() -> None:
    small = {"reqap": lines(9), "codegen": lines(2), "rag": lines(1)}
    page = "\n".join(main_table(small, {}, ""))
    assert "| ReQAP | 0.900 (1.00) | – | 0.380 (0.53) | 0.322 (0.46) | 0.386 (0.52) |" in page
    assert "ReQAP against CodeGen" in page
    assert "p = 0.016 (Hit@1)" in page
    assert "| test_persona_1 | 5 |" in page
    assert (
        "| join | 10 | 0.100 (0.20) | 0.200 (0.30) | 0.900 (1.00) | 0.073, 0.176, 0.236 |" in page
    )


def test_what_was_not_run_is_left_open() -> None:
    page = "\n".join(main_table({"reqap": lines(5)}, {}, ""))
    assert "| RAG | – | – | 0.029 (0.06)" in page
    assert "McNemar" not in page


def test_ablations_stand_beside_the_paper() -> None:
    page = ablation_table({"": lines(9), "keys-only": lines(1)})
    assert "| EXTRACT: keys only | 0.100 | 0.200 | 0.0078 | 0.138 (0.23) |" in page
    assert "| QUD: one shot | – | – | – | 0.356 (0.50) |" in page


def test_sizes_and_times() -> None:
    found = [Sized("shipped", 191, 180_000_000, lines(8))]
    assert "| shipped | 191 M | 0.800 (0.90) | 180 MB | 400 MB | 1.5, 1.5 |" in size_table(found)
    page = "\n".join(time_table(lines(8)))
    assert "| QUD | 1.00, 1.00, 1.00 | 1.00, 1.00, 1.00 | 0.56 |" in page
    assert "| RETRIEVE | 20 | 100.00 | 2610.00 |" in page
    for figure in (size_figure(found), time_figure(lines(8))):
        ElementTree.fromstring(figure)
        assert len(figure) < 20_000


def test_figures_say_anything() -> None:
    for figure in (
        scatter("a < b", "x", "y", {"one": [Point(5, 0.5, "<p>")]}),
        bars("t & u", "s", {"none": {}, "some": {"a": 0.0}}),
    ):
        ElementTree.fromstring(figure)


@pytest.mark.parametrize("name", ["main", "ablations", "time"])
def test_sections_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def subjects(build: Path, split: str) -> list[Subject]:
        return [tiny_subject(tmp_path / "life")]

    monkeypatch.setattr(systems, "backend", scripted)
    monkeypatch.setattr(tables, "perqa_subjects", subjects)
    page = tmp_path / "results.md"
    given = [name, "--build", tmp_path, "--split", "dev", "--limit", "1", "--write", page,
             "--results", tmp_path / "results", "--stores", tmp_path / "stores"]  # fmt: skip
    monkeypatch.setattr(sys, "argv", ["tables", *map(str, given)])
    tables.main()
    written = page.read_text()
    assert f"<!-- {name} -->" in written
    assert f"make eval-{name}" in written
    assert "commit" in written
    for target in ("time-by-stage.svg",) if name == "time" else ():
        assert (tmp_path / "pictures" / target).exists()
        assert f"pictures/{target}" in written
