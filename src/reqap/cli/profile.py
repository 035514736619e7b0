"""`reqap profile`: who you are, shown and changed."""

import json
from datetime import datetime
from pathlib import Path
from typing import IO

import click
from click.core import ParameterSource
from rich.table import Table

from reqap.cli.console import db_option, json_option, out, print_json
from reqap.cli.timeline import printable
from reqap.contacts import count_contacts
from reqap.errors import ProfileProblem
from reqap.importing import user_zone
from reqap.profile import (
    Item,
    Json,
    Person,
    Profile,
    Suggestion,
    add,
    field_named,
    read_profile,
    remove,
    set_field,
    suggest_people,
)
from reqap.store import Store

_HINT = 'No profile yet. Begin with: reqap profile set name "Your Name"'
# What NAME means where a thing has no name of its own.
_NAME_FIELD = {"job": "company", "home": "city", "milestone": "event"}


@click.group(
    invoke_without_command=True, epilog='Example: reqap profile set time_zone "Europe/Paris"'
)
@db_option
@json_option
@click.pass_context
def profile(context: click.Context, db: Path, as_json: bool) -> None:
    """Show or change who you are: names, family, friends, time zone, jobs, homes.

    ReQAP needs it to know whom "my sister" means and which time your clocks
    showed. Everything is optional, and nothing is ever added by itself.
    """
    if context.get_parameter_source("db") is ParameterSource.COMMANDLINE:
        context.obj = db
    if context.invoked_subcommand is None:
        _show(_load_for_reading(db), as_json)


def _data_file(context: click.Context, db: Path) -> Path:
    """`--db` may stand before or behind the name of the command."""
    given = context.get_parameter_source("db") is ParameterSource.COMMANDLINE
    return db if given or context.obj is None else Path(context.obj)


def _load_for_reading(db: Path) -> Profile:
    if not db.exists():
        return Profile()
    with Store.open(db, read_only=True) as store:
        return _load(store)


def _load(store: Store) -> Profile:
    return Profile.saved(store.load_profile())


def _save(store: Store, changed: Profile) -> int:
    """Saves a profile and its facts; how many events moved with the time zone."""
    zone = user_zone(store, changed.time_zone)
    today = datetime.now(zone).date()
    return store.save_profile(changed.to_json(), changed.facts(today), zone.key)


def _report(
    said: str, changed: Profile, moved: int, as_json: bool, notes: tuple[str, ...] = ()
) -> None:
    if as_json:
        print_json(
            {"profile": json.loads(changed.to_json()), "moved_events": moved, "notes": notes}
        )
        return
    console = out()
    console.print(said, soft_wrap=True)
    if moved:
        console.print(
            f"{moved:,} imported events were placed by the old time zone and have been moved to"
            f" {changed.time_zone}.",
            soft_wrap=True,
        )
    for note in notes:
        console.print(f"[yellow]![/yellow] {printable(note)}", soft_wrap=True)


@profile.command("set", epilog='Example: reqap profile set time_zone "Europe/Berlin"')
@click.argument("field")
@click.argument("value")
@db_option
@json_option
@click.pass_context
def set_(context: click.Context, field: str, value: str, db: Path, as_json: bool) -> None:
    """Set FIELD to VALUE; an empty VALUE ("") clears it.

    Fields: name, nicknames, gender, birth_date, birth_place, time_zone, emails.
    Several nicknames or emails are separated by commas.
    """
    with Store.open(_data_file(context, db)) as store:
        changed = set_field(_load(store), field, value)
        moved = _save(store, changed)
    now = json.loads(changed.to_json()).get(field_named(field), value)
    text = ", ".join(now) if isinstance(now, list) else str(now)
    said = f"is now {printable(text)}" if value else "is cleared"
    done = f"{printable(field)} {said}."
    _report(done, changed, moved, as_json)


@profile.command("add", epilog='Example: reqap profile add friend "Tom Baker" --nickname Tommy')
@click.argument("kind")
@click.argument("name")
@click.option("--relation", help="In your own words: twin brother, boss, …")
@click.option("--nickname", "nicknames", multiple=True, help="May be given several times.")
@click.option("--email", "emails", multiple=True, help="May be given several times.")
@click.option("--birth-date", help="2019-08-17, or less precisely 2019-08 or 2019.")
@click.option("--since", help="When it began: 2019-08-17, 2019-08 or 2019.")
@click.option("--until", help="When it ended; leave it out while it lasts.")
@click.option("--city", help="Where it is.")
@click.option("--address", help="Of a home.")
@click.option("--role", help="Of a job.")
@click.option("--degree", help="Of a school.")
@click.option("--type", help="Of a pet: dog, cat, …")
@click.option("--person", help="Of a milestone: whom you married, …")
@click.option("--note", help="Anything else, in your own words.")
@db_option
@json_option
@click.pass_context
def add_(
    context: click.Context,
    /,
    kind: str,
    name: str,
    db: Path,
    as_json: bool,
    **values: str | tuple[str, ...] | None,
) -> None:
    """Add somebody or something to your profile.

    KIND is a relation (friend, mother, partner, son, boss, …), or one of person,
    pet, job, school, home, milestone. NAME is the name; of a job it is the
    company, of a home the city, of a milestone what happened ("married").
    """
    given: dict[str, Json] = {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in values.items()
        if value
    }
    field = _NAME_FIELD.get(kind.casefold().rstrip("s"), "name")
    with Store.open(_data_file(context, db)) as store:
        changed = add(_load(store), kind, {field: name, **given})
        moved = _save(store, changed)
    _report(f"Added {printable(kind)} {printable(name)}.", changed, moved, as_json)


@profile.command("remove", epilog='Example: reqap profile remove friend "Tom Baker"')
@click.argument("kind")
@click.argument("name")
@db_option
@json_option
@click.pass_context
def remove_(context: click.Context, kind: str, name: str, db: Path, as_json: bool) -> None:
    """Remove somebody or something from your profile.

    Where several have the NAME (two stays in one city), add when it began:
    "Berlin 2015".
    """
    with Store.open(_data_file(context, db)) as store:
        changed = remove(_load(store), kind, name)
        moved = _save(store, changed)
    _report(f"Removed {printable(kind)} {printable(name)}.", changed, moved, as_json)


@profile.command("load", epilog="Example: reqap profile load me.json")
@click.argument("file", type=click.File("r", encoding="utf-8-sig", errors="replace"))
@click.option("--yes", is_flag=True, help="Do not ask before replacing a profile.")
@db_option
@json_option
@click.pass_context
def load_(context: click.Context, file: IO[str], yes: bool, db: Path, as_json: bool) -> None:
    """Take the profile from a JSON FILE ("-": standard input), in place of the present one.

    Many spellings are understood. What is not understood is kept and told.
    """
    found, notes = read_profile(file.read())
    with Store.open(_data_file(context, db)) as store:
        present = _load(store)
        if present not in (Profile(), found) and not yes:
            click.confirm(
                f"Replace the profile of {present.name or 'nobody in particular'}?", abort=True
            )
        moved = _save(store, found)
    _report(
        f"This is now the profile of {printable(found.name or 'you')}.",
        found,
        moved,
        as_json,
        notes,
    )


@profile.command("export", epilog="Example: reqap profile export me.json")
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Overwrite a FILE that is there.")
@db_option
@click.pass_context
def export_(context: click.Context, file: Path | None, force: bool, db: Path) -> None:
    """Write the profile as JSON to FILE, or to standard output."""
    text = _load_for_reading(_data_file(context, db)).to_json()
    if file is None:
        click.echo(text)
        return
    if file.exists() and not force:
        raise ProfileProblem(f"{file} is there already; write over it with --force")
    file.write_text(text + "\n", encoding="utf-8")
    out().print(f"Written to {printable(str(file))}.", soft_wrap=True)


@profile.command("suggest", epilog="Example: reqap profile suggest --add 2 --relation friend")
@click.option("--add", "chosen", type=click.IntRange(min=1), help="Add the one with this number.")
@click.option("--relation", default="", help="What the added person is to you.")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(min=1),
              help="At most so many.")  # fmt: skip
@db_option
@json_option
@click.pass_context
def suggest(
    context: click.Context, chosen: int | None, relation: str, limit: int, db: Path, as_json: bool
) -> None:
    """List whom you write to and meet most and who is not in your profile.

    Nobody is added unless you say so, with --add and the number in the list.
    """
    with Store.open(_data_file(context, db), read_only=chosen is None) as store:
        present = _load(store)
        found = suggest_people(count_contacts(store, present), present)
        if chosen is not None:
            if chosen > len(found):
                raise ProfileProblem(f"There is no number {chosen}; there are {len(found)}")
            who = found[chosen - 1]
            values: dict[str, Json] = {"name": who.name, "relation": relation}
            values["emails"] = list(who.addresses)
            changed = add(present, "person", values)
            moved = _save(store, changed)
            _report(f"Added {printable(who.name)}.", changed, moved, as_json)
            return
    if as_json:
        print_json([{"number": n, **s._asdict()} for n, s in enumerate(found[:limit], 1)])
    else:
        _print_suggestions(found, limit)


def _print_suggestions(found: list[Suggestion], limit: int) -> None:
    if not found:
        out().print("Nobody to suggest: import mails or a calendar first.")
        return
    table = Table("no.", "name", "address", "mails", "meetings", show_edge=False)
    for number, who in enumerate(found[:limit], 1):
        table.add_row(
            str(number), printable(who.name), printable(", ".join(who.addresses)),
            f"{who.mails:,}", f"{who.meetings:,}",
        )  # fmt: skip
    out().print(table)
    out().print("[dim]Add one with: reqap profile suggest --add NO. --relation friend[/dim]")


def _show(shown: Profile, as_json: bool) -> None:
    if as_json:
        print_json(json.loads(shown.to_json()))
        return
    console = out()
    if shown == Profile():
        console.print(_HINT)
        return
    console.print(f"[bold]{printable(shown.name or 'You')}[/bold]")
    born = " in ".join(filter(None, (_date(shown.birth_date), shown.birth_place)))
    for label, text in (
        ("also called", ", ".join(shown.nicknames)),
        ("born", born),
        ("gender", shown.gender),
        ("time zone", shown.time_zone),
        ("e-mail", ", ".join(shown.emails)),
    ):
        if text:
            console.print(f"  [dim]{label}[/dim] {printable(text)}", soft_wrap=True)
    for title, items in (
        ("People", shown.people), ("Pets", shown.pets), ("Jobs", shown.jobs),
        ("Schools", shown.schools), ("Homes", shown.homes), ("Milestones", shown.milestones),
    ):  # fmt: skip
        if items:
            console.print(f"\n[bold]{title}[/bold]")
            console.print(_grid(items))
    if shown.other:
        keys = printable(", ".join(shown.other))
        console.print(f"\n[dim]Kept, but not used: {keys}[/dim]", soft_wrap=True)


def _grid(items: tuple[Item, ...]) -> Table:
    """One line per item: what it is, its details, and when."""
    table = Table.grid(padding=(0, 2))
    for item in items:
        record = item.record()
        shown = ("relation", "role", "degree", "type", "city", "person", "note")
        details = [
            str(record[key]) for key in shown if record.get(key) and record[key] != item.title
        ]
        if isinstance(item, Person):
            details += [f"“{name}”" for name in item.nicknames]
            details += item.emails
            when = f"born {item.birth_date.text}" if item.birth_date else ""
        else:
            first, last = _date(item.since), _date(item.until)
            lasts = item.label != "milestone" and first
            when = " – ".join(filter(None, (first, last or ("now" if lasts else ""))))
        table.add_row("", printable(item.title), printable(" · ".join(details)), printable(when))
    return table


def _date(when: object) -> str:
    return str(getattr(when, "text", ""))
