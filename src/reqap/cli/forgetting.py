"""`reqap forget`: taking a source or an import out of the store again."""

from pathlib import Path

import click

from reqap.cli.console import counted, db_option, json_option, out, print_json
from reqap.errors import NotFound
from reqap.store import Store


@click.command(epilog="Examples: reqap forget spotify · reqap forget 3 --yes")
@click.argument("what", metavar="SOURCE|IMPORT")
@db_option
@json_option
@click.option("--yes", is_flag=True, help="Do not ask.")
def forget(what: str, db: Path, as_json: bool, yes: bool) -> None:
    """Remove a source (by name) or an import (by number) from the store.

    What another import told too stays. The store is written anew, so that what
    was removed cannot be read in it any more. The exports are not touched.
    """
    with Store.open(db) as store:
        names = {row.source for row in store.summary()} | {
            name for past in store.imports() for name in past.sources
        }
        numbers = {str(past.id) for past in store.imports()}
        if what not in names | numbers or what == "profile":
            known = ", ".join(sorted(names - {"profile"})) or "none"
            raise NotFound(
                f"There is no source or import {what!r}. Sources: {known}. Imports: "
                f"{', '.join(sorted(numbers, key=int)) or 'none'}."
            )
        kind = "source" if what in names else "import"
        if not yes and not click.confirm(f"Remove the {kind} {what} from {db}?"):
            out().print("Nothing was changed.")
            return
        gone = store.forget_source(what) if kind == "source" else store.forget_import(int(what))
        store.compact()
    if as_json:
        print_json({"forgot": what, "events": gone})
    else:
        out().print(f"Removed {counted(gone, 'event')}.")
