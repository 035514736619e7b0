"""Docs are tested: every command has help with an example and a place in the README."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from reqap.cli import COMMANDS, cli
from reqap.sources.describe import about, sources_page
from reqap.sources.registry import all_sources

ROOT = Path(__file__).parent.parent


def commands(group: click.Group, prefix: str = "reqap") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        assert command.name == name
        yield f"{prefix} {name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{prefix} {name}")


ALL = dict(commands(cli))


@pytest.mark.parametrize("name", ALL)
def test_every_command_has_help_with_an_example(name: str) -> None:
    command = ALL[name]
    assert command.help
    assert "Example" in (command.epilog or ""), name
    used = re.findall(r"reqap (?:(?:profile|perqa) )?[a-z]+", command.epilog or "")
    assert any(example.startswith(name) for example in used), f"{name} shows {used}"
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.name}"


def test_the_readme_names_every_command() -> None:
    readme = (ROOT / "README.md").read_text()
    for name in COMMANDS:
        assert f"reqap {name}" in readme


def test_the_docs_name_only_commands_that_exist() -> None:
    for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for name in re.findall(r"`reqap ([a-z]+)", path.read_text()):
            assert name in COMMANDS, f"{path.name}: reqap {name}"


def test_links_between_the_docs_lead_somewhere() -> None:
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
            assert (path.parent / target).exists(), f"{path.name} → {target}"


def test_the_page_of_sources_is_up_to_date() -> None:
    """It is what `reqap sources --formats` prints."""
    assert (ROOT / "docs" / "sources.md").read_text() == sources_page()


def test_every_source_says_how_to_get_its_export() -> None:
    for source in all_sources():
        assert "How to get it:" in about(source), source.name


def test_the_list_of_kinds_is_complete() -> None:
    """Every kind that a source writes stands in docs/store.md."""
    listed = set(re.findall(r"`([a-z_]+)`", (ROOT / "docs" / "store.md").read_text()))
    endings = "stream|visit|search|activity|measurement|purchase|refund"
    written: set[str] = set()
    for path in (ROOT / "src" / "reqap" / "sources").glob("*.py"):
        text = path.read_text()
        written |= set(re.findall(rf'"([a-z]+_(?:{endings}))"', text))
    assert written - {"google_activity"} <= listed


def test_pictures_are_shown_and_small() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    shown = "".join(path.read_text() for path in pages)
    pictures = list((ROOT / "docs" / "pictures").iterdir())
    assert pictures
    for picture in pictures:
        assert f"pictures/{picture.name}" in shown
        assert picture.stat().st_size < 200_000
    for path in pages:
        for target in re.findall(r'<img src="([^":]+)"', path.read_text()):
            assert (path.parent / target).exists(), f"{path.name} → {target}"
