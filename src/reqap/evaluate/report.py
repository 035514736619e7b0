"""What commands that measure share: lines to measure with, progress, and sections of a page."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress


@contextmanager
def progress_bar(what: str, total: int) -> Iterator[Callable[[], None]]:
    """Shows how far something is; the block calls what it is given after each step."""
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def put_section(page: Path, name: str, text: str) -> None:
    """Replaces what stands between the marks of a section, or adds the section at the end."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    old = page.read_text(encoding="utf-8") if page.exists() else ""
    made = f"{begin}\n{text}\n{end}"
    if begin in old and end in old:
        before, _, rest = old.partition(begin)
        new = before + made + rest.partition(end)[2]
    else:
        new = f"{old.rstrip()}\n\n{made}\n".lstrip()
    page.write_text(new, encoding="utf-8")


def kept_lines(name: str) -> list[dict[str, Any]]:
    """Lines of JSON that are kept here to measure with."""
    file = resources.files("reqap.evaluate") / f"{name}.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
