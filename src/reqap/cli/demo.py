"""`reqap demo`: an invented life in real export formats, imported, shown, and asked."""

import sys
import tempfile
from pathlib import Path
from shlex import quote
from shutil import which

import click

from reqap.cli.asking import ask_all
from reqap.cli.console import err, out
from reqap.cli.importing import import_
from reqap.cli.timeline import timeline_table
from reqap.perqa.exports import write_demo
from reqap.store import Store

# Each harder than the one before: a count, a ranking, sums by month, two sources that are brought
# together by time, and two of which one stands in texts only.
QUESTIONS = (
    "How many songs did I listen to in 2023?",
    "Which artist did I listen to most on weekends?",
    "How many kilometres did I run in each month of 2023?",
    "Which artist did I listen to most while running?",
    "How often did I eat Italian food after playing football?",
)


@click.command(epilog="Example: reqap demo --folder my-demo")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where to put the exports and the store (default: a temporary folder).",
)
@click.pass_context
def demo(context: click.Context, folder: Path | None) -> int:
    """Build a small invented life, import it, show what was imported, and ask.

    The life is written in the formats real services export, and imported the
    way yours would be. Your own data is not touched.
    """
    folder = folder or Path(tempfile.mkdtemp(prefix="reqap-demo-"))
    exports, db = folder / "exports", folder / "life.duckdb"
    err().print(f"Building a demo life in {exports} …")
    write_demo(exports)
    code = context.invoke(
        import_, paths=(exports,), db=db, profile_file=exports / "profile.json", as_json=False,
        dry_run=False, mappings=(), keep=False, strict=False, who=(), date_order=None,
        no_index=False,
    )  # fmt: skip
    console = out()
    with Store.open(db, read_only=True) as store:
        console.print(timeline_table(store.summary(), console.width))
    console.print(f"The exports are in {exports}", soft_wrap=True)
    ask_all(QUESTIONS, db)
    console.print(
        "\nNot every answer is right: the tree and the events show how each came about, and the"
        " page lets you correct it.",
        soft_wrap=True,
    )
    program, where = _program(), quote(str(db))
    for what, command in (
        ("In your browser, on this very store", f"serve --open --db {where}"),
        ("To ask another", f"ask {quote(QUESTIONS[0])} --db {where}"),
        ("To look around", f"events --db {where}"),
    ):
        console.print(f"{what}: {program} {command}", soft_wrap=True, markup=False)
    return int(code)


def _program() -> str:
    """How this program is called from where the user is."""
    if which("reqap"):
        return "reqap"
    is_module = Path(sys.argv[0]).name == "__main__.py"
    return f"{quote(sys.executable)} -m reqap" if is_module else quote(sys.argv[0])
