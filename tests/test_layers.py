"""Imports go downward only: the table of layers, walked with `ast`."""

import ast
from pathlib import Path

import reqap

ROOT = Path(reqap.__file__).parent

# What each part of the house may import from the rest of it.
BASE = {"errors", "events", "values", "profile"}
MAY: dict[str, set[str]] = {
    "errors": set(),
    "values": {"errors"},
    "events": {"errors"},
    "profile": {"errors", "events", "values"},
    "sources": BASE,
    "columns": {"events"},
    "parallel": {"errors"},
    "gazetteer": set(),
    "verbalize": {"errors", "events", "gazetteer", "values"},
    "notebook": {"events", "verbalize"},
    "store": BASE | {"columns"},
    "reading": BASE | {"sources", "columns"},
    "importing": BASE | {"sources", "store", "reading"},
    "raw": BASE | {"sources", "store"},
    "contacts": BASE | {"store"},
    # Gold must not depend on what it measures.
    "perqa": {"errors", "models"},
    "models": {"errors"},
    "qud": BASE | {"plan", "models"},
    # What is learnt from is what is measured on, in other lives.
    "train": BASE
    | {
        "plan",
        "qud",
        "perqa",
        "retrieve",
        "extract",
        "verbalize",
        "gazetteer",
        "store",
        "evaluate",
        "baselines",
    },
    "evaluate": BASE
    | {"perqa", "store", "plan", "execute", "answer", "qud", "models", "pipeline"}
    | {"columns", "retrieve", "extract", "verbalize", "importing", "sources", "baselines"}
    | {"parallel"},
    "baselines": BASE | {"store", "models", "retrieve", "verbalize", "qud"},
    "plan": BASE,
    "retrieve": BASE | {"store", "verbalize", "models", "gazetteer"},
    "extract": BASE | {"store", "verbalize", "models", "gazetteer"},
    # RETRIEVE and EXTRACT are handed in.
    "execute": BASE | {"plan", "store", "notebook"},
    "wording": BASE | {"plan", "execute"},
    "answer": BASE | {"plan", "store", "execute", "notebook", "wording"},
    "pipeline": BASE | {"plan", "store", "execute", "answer", "qud"},
    "corrections": BASE | {"store", "execute"},
    "life": BASE
    | {"corrections", "store", "plan", "qud", "models", "retrieve", "extract", "execute"}
    | {"pipeline", "notebook"},
    "followup": BASE,
    "steps": BASE | {"life", "plan", "verbalize", "wording"},
    "cli": BASE
    | {"sources", "store", "reading", "importing", "raw", "contacts", "qud", "pipeline"}
    | {"plan", "retrieve", "extract", "execute", "answer", "perqa", "evaluate", "models"}
    | {"life", "serve", "steps", "followup", "parallel", "verbalize", "wording"},
    "serve": BASE
    | {"life", "answer", "corrections", "execute", "importing", "plan", "qud", "raw", "sources"}
    | {"store", "steps", "followup", "wording"},
    "__main__": {"cli"},
    "__init__": BASE | {"life", "store"},
}


def part_of(path: Path) -> str:
    relative = path.relative_to(ROOT)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def imported_parts(path: Path) -> set[str]:
    """The parts of the package that a module imports, also inside functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            names = [f"{module}.{a.name}" for a in node.names] if module == "reqap" else [module]
        found |= {name.split(".")[1] for name in names if name.startswith("reqap.")}
    return found


def test_every_import_goes_downward() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {other}"
        for path in ROOT.rglob("*.py")
        for other in imported_parts(path) - {part_of(path)}
        if other not in MAY[part_of(path)]
    ]
    assert not wrong


def test_the_table_has_no_cycles_and_no_dead_rows() -> None:
    parts = {part_of(path) for path in ROOT.rglob("*.py")}
    assert parts == set(MAY)
    placed: set[str] = set()
    while ready := {part for part in MAY if part not in placed and MAY[part] - {part} <= placed}:
        placed |= ready
    assert placed == set(MAY)


def test_nothing_outside_sources_names_a_source() -> None:
    """The rest of the house treats all sources alike."""
    from reqap.sources.registry import all_sources

    names = {source.name for source in all_sources()} - {"calendar", "mail", "notes", "x"}
    for path in ROOT.rglob("*.py"):
        if part_of(path) == "sources" or "exports" in path.parts:
            continue
        texts = {
            node.value
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        assert not texts & names, path


def test_no_text_ever_reaches_an_interpreter() -> None:
    for path in ROOT.rglob("*.py"):
        tree = ast.parse(path.read_text())
        calls = {
            node.func.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert not calls & {"eval", "exec", "compile", "__import__"}, path
        assert "pickle" not in {name.split(".")[0] for name in _all_imports(tree)}, path


def _all_imports(tree: ast.AST) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found
