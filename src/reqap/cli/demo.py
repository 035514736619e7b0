"""`reqap demo`: an invented life in real export formats, imported, shown, and asked."""

import sys
import tempfile
from pathlib import Path
from shutil import which

import click

from reqap.cli.asking import ask_all
from reqap.cli.console import err, out
from reqap.cli.importing import import_
from reqap.cli.timeline import timeline_table
from reqap.perqa.exports import write_demo
from reqap.store import Store

QUESTIONS = (
    "How many songs did I listen to in 2023?",
    "Which artist did I listen to most on weekends?",
    "How many kilometres did I run in each month of 2023?",
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
    program = "reqap" if which("reqap") else sys.argv[0]
    console.print(f"To look around: {program} events --db {db}", soft_wrap=True)
    ask_all(QUESTIONS, db)
    console.print(f"\nTo ask another: {program} ask '{QUESTIONS[0]}' --db {db}", soft_wrap=True)
    return int(code)
