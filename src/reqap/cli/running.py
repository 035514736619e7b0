"""`reqap run`: a plan, carried out over the store."""

import importlib.util
import inspect
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import click
import orjson
from rich.table import Table
from rich.tree import Tree

from reqap.answer import Answer, answer
from reqap.cli.console import (
    MOMENT,
    counted,
    db_option,
    json_option,
    moment,
    out,
    print_json,
)
from reqap.cli.looking import events_table
from reqap.cli.searching import opened
from reqap.cli.timeline import printable
from reqap.errors import PlanError, ReqapError
from reqap.execute import TraceNode
from reqap.plan import Functions, Operator, format_plan, from_json, parse
from reqap.store import Store
from reqap.wording import MOST_SAID, heading, say

_SHOWN = 50
_THINGS = {"events": "row", "groups": "group", "one value": "value"}


@click.command(epilog="Example: echo 'APPLY(l=RETRIEVE(query=\"I went running\"), fct=len)' | "
               "reqap run -")  # fmt: skip
@click.argument("plan")
@db_option
@json_option
@click.option("--today", type=MOMENT, help="When the question is asked (default: now).")
@click.option("--explain", is_flag=True, help="Show the tree with the SQL of each step.")
@click.option("--trace", is_flag=True, help="Show the tree with rows, times and sample rows.")
@click.option("--events", "with_events", is_flag=True, help="List the events the answer rests on.")
@click.option("--check", "only_check", is_flag=True, help="Only check the plan, and print it.")
@click.option(
    "--functions",
    "function_files",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A Python file with typed functions that the plan calls; it is run with your rights.",
)
@click.option("--seconds", default=30.0, show_default=True, type=click.FloatRange(min=0.1),
              help="Give up after so many seconds.")  # fmt: skip
def run(
    plan: str,
    db: Path,
    as_json: bool,
    today: datetime | None,
    explain: bool,
    trace: bool,
    with_events: bool,
    only_check: bool,
    function_files: tuple[Path, ...],
    seconds: float,
) -> None:
    """Carry out a plan over your data.

    PLAN is a file, - for standard input, or the plan itself. The language is
    described in docs/plan-language.md.
    """
    functions = _functions(function_files)
    tree = _plan(plan, functions)
    if only_check:
        _print_checked(tree, functions, as_json)
        return
    with opened(db, as_json, functions=functions) as life:
        result = life.engine(seconds=seconds).execute(tree, today=moment(today))
        found = answer(tree, result, life.store)
        if as_json:
            print_json({"plan": format_plan(tree), **found.to_json()})
        else:
            print_found(found, life.store, with_events, explain, trace)


def _plan(given: str, functions: Functions) -> Operator:
    """The plan from a file, from standard input, or from the argument itself."""
    if given == "-":
        text = sys.stdin.read()
    elif given.lstrip().startswith("{") or ("(" in given and not _is_file(given)):
        text = given
    else:
        try:
            text = Path(given).read_text(encoding="utf-8")
        except OSError as error:
            told = f"{given or 'an empty text'}: {error.strerror}"
            raise click.UsageError(f"{told}; PLAN is a file, - or a plan") from None
        except UnicodeDecodeError:
            raise PlanError(f"{given} is not a text in UTF-8") from None
    if not text.lstrip().startswith("{") or text.lstrip().startswith("{{"):
        return parse(text, functions)
    try:
        return from_json(orjson.loads(text), functions)
    except orjson.JSONDecodeError as error:
        raise PlanError(f"this is not JSON ({error})") from None


def _is_file(given: str) -> bool:
    try:
        return Path(given).exists()
    except OSError:  # too long for a name
        return False


def _functions(files: tuple[Path, ...]) -> Functions:
    """The public functions of the user's own files."""
    functions = Functions()
    for number, path in enumerate(files):
        spec = importlib.util.spec_from_file_location(f"reqap_functions_{number}", path)
        if spec is None or spec.loader is None:
            raise ReqapError(f"{path} is not a Python file")
        module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except Exception as error:  # noqa: BLE001 (whatever the user's file does wrong)
            raise ReqapError(f"{path} cannot be run: {type(error).__name__}: {error}") from None
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__ and not name.startswith("_"):
                functions.register(function)
    return functions


def _print_checked(tree: Operator, functions: Functions, as_json: bool) -> None:
    from reqap.plan import check, to_json

    check(tree, functions)
    if as_json:
        print_json(to_json(tree))
    else:
        click.echo(format_plan(tree))


def print_found(found: Answer, store: Store, with_events: bool, explain: bool, trace: bool) -> None:
    """The answer, the events where they are the answer or wanted, and where they come from."""
    console = out()
    own = found.own or found.events
    wanted = own if with_events else own[:_SHOWN] if found.is_bare else ()
    listed = list(store.scan(ids=wanted))
    console.print(f"[bold]{printable(found.text)}[/bold]", soft_wrap=True)
    rows = found.table
    says_more = len(rows) > MOST_SAID or len(found.columns) > 1 or max(found.times, default=1) > 1
    if len(rows) > 1 and says_more and not found.is_bare:
        console.print(_answers(found, rows[:_SHOWN]))
        if len(rows) > _SHOWN:
            console.print(f"… {len(rows) - _SHOWN:,} more; --json has all")
    if listed:
        console.print(events_table(listed))
        if with_events and (others := found.events[len(own) :]):
            console.print("[bold]Held against[/bold]")
            console.print(events_table(store.scan(ids=others)))
        elif len(listed) < len(found.events):
            console.print(f"… {len(found.events) - len(listed):,} more; --events shows all")
    for part in found.evidence:
        told = f"{part.source}: {counted(len(part.events), 'event')}"
        console.print(f"[dim]{printable(told)}[/dim]", soft_wrap=True)
    if explain or trace:
        console.print(trace_tree(found.trace, explain, trace))


def _answers(found: Answer, rows: Sequence[Sequence[str]]) -> Table:
    """The answers, and how often each was given where some were given several times."""
    repeated = any(times > 1 for times in found.times)
    names = [*(printable(heading(name)) for name in found.columns), *["times"] * repeated]
    table = Table(*names, show_edge=False)
    for number, row in enumerate(rows):
        table.add_row(*map(printable, row), *([str(found.times[number])] if repeated else []))
    return table


def trace_tree(
    node: TraceNode, explain: bool = False, samples: bool = False, parent: Tree | None = None
) -> Tree:
    """The steps of an answer, with rows and times; with their SQL or sample rows, if wanted."""
    asked = f"{printable(node.question)}\n" if node.question else ""
    label = f"[bold]{node.path}[/bold] {asked}[cyan]{printable(node.text)}[/cyan]\n"
    took = "as above" if node.reused else f"{node.milliseconds:.1f} ms"
    label += f"{counted(node.rows_out, _THINGS[node.shape])} [dim]{took}[/dim]"
    for note in node.notes:
        label += f"\n[dim]{printable(note)}[/dim]"
    for statement in node.statements if explain else ():
        label += f"\n[green]{printable(statement.sql)}[/green]"
        for name, value in statement.parameters.items():
            label += f"\n  [green]${name} = {printable(repr(value))}[/green]"
    for sample in node.samples[:3] if samples else ():
        told = ", ".join(f"{n.lstrip('#')}={say(v)}" for n, v in sample.values.items())
        told = f"{told[:300]} ← {' '.join(sample.events[:3])}".lstrip()
        label += f"\n[dim]· {printable(told)}[/dim]"
    tree = parent.add(label) if parent else Tree(label)
    for inner in (*node.inputs, *node.sub_plans):
        trace_tree(inner, explain, samples, tree)
    return tree
