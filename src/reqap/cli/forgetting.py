"""`reqap forget`: taking a source or an import out of the store again."""

from pathlib import Path

import click

from reqap.cli.console import db_option, json_option, out, print_json
from reqap.errors import NotFound
from reqap.store import Store


@click.command(epilog="Examples: reqap forget spotify · reqap forget 3 --yes")
@click.argument("what", metavar="SOURCE|IMPORT")
@db_option
@json_option
@click.option("--yes", is_flag=True, help="Do not ask.")
def forget(what: str, db: Path, as_json: bool, yes: bool) -> None:
    """Remove a source (by name) or an import (by number) from the store.

    What another import told too stays. The exports themselves are not touched.
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
        if not yes:
            click.confirm(f"Remove {what} from {db}?", abort=True)
        gone = store.forget_source(what) if what in names else store.forget_import(int(what))
    if as_json:
        print_json({"forgot": what, "events": gone})
    else:
        out().print(f"Removed {gone:,} events.")
