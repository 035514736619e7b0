"""`reqap ask` and `reqap plan`: a question becomes a plan, and the plan an answer."""

import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

import click
import orjson
from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from reqap.cli.console import (
    FAILED,
    MOMENT,
    PROBLEMS,
    db_option,
    err,
    json_option,
    moment,
    out,
    print_json,
)
from reqap.cli.looking import events_table
from reqap.cli.running import print_found, trace_tree
from reqap.cli.searching import opened
from reqap.cli.timeline import printable
from reqap.errors import NotFound, ReqapError
from reqap.execute import TraceNode
from reqap.life import Hearing, Life
from reqap.models.endpoint import Endpoint
from reqap.pipeline import Asked, steps_json
from reqap.plan import Operator, Qud, format_plan, format_step
from reqap.plan.operators import Extract, Retrieve
from reqap.qud.decompose import Backend, Decomposition, Step, decompose
from reqap.qud.decompose import Limits as Patience
from reqap.steps import Plain, found_by, operator_at, read_by, values_of
from reqap.store import Store

_EVIDENCE = 3  # events that are shown unasked
_OWN_PLAN = "By the plan that you kept for this question; the page lists and undoes such plans."
_STATUS = {"ok": 0, "no_data": 0, "not_understood": PROBLEMS, "failed": FAILED}


def llm_options(command: Any) -> Any:
    """`--llm` and `--model`: another model than the one that comes with the package."""
    for option in (
        click.option("--model", help="The model's name at that endpoint."),
        click.option("--llm", metavar="URL",
                     help="Let a model behind an OpenAI-compatible endpoint understand questions;"
                     " it sees the question, never your data. A key is read from $REQAP_LLM_KEY or"
                     " $OPENAI_API_KEY."),
    ):  # fmt: skip
        command = option(command)
    return command


def backend(llm: str | None, model: str | None) -> Callable[[], Backend]:
    """What understands questions: the shipped model, or the one the user names."""
    if llm is None:
        if model is not None:
            raise click.UsageError("--model names a model at an endpoint: --llm URL is missing")
        from reqap.qud.shipped import shipped

        return shipped
    if model is None:
        raise click.UsageError("--llm needs --model NAME")
    from reqap.qud.in_context import InContext

    return partial(InContext, Endpoint(llm, model))


def patience_with(llm: str | None) -> Patience:
    """A large model on a small machine takes minutes; the shipped one never does."""
    return Patience() if llm is None else Patience(seconds=600)


@click.command(epilog='Example: reqap plan "How often did I go running in 2023?"')
@click.argument("question")
@json_option
@llm_options
def plan(question: str, as_json: bool, llm: str | None, model: str | None) -> int:
    """Show how a question is understood: the tree of operators, as it grows.

    Nothing is looked up: the plan can be carried out with `reqap run`.
    """
    understands = backend(llm, model)()
    if as_json:
        found = decompose(question, understands, limits=patience_with(llm))
        print_json(_plan_json(found))
    else:
        with Growing() as growing:
            found = decompose(
                question,
                understands,
                limits=patience_with(llm),
                listener=growing.hearing.listener(),
            )
        _print_plan(found)
    return 0 if found.understood else PROBLEMS


def _plan_json(found: Decomposition) -> dict[str, object]:
    return {
        "question": found.question,
        "plan": format_plan(found.plan) if found.plan else None,
        "steps": steps_json(found),
        "status": "ok" if found.understood else "not_understood",
        "problem": found.problem or None,
        "timings_ms": {
            "first_text": None if found.first_text_ms is None else round(found.first_text_ms, 1),
            "total": round(found.milliseconds, 1),
        },
    }


def _print_plan(found: Decomposition) -> None:
    console = out()
    if found.plan is not None:
        console.print(tree_of(found.plan))
    if found.understood and found.plan is not None:
        click.echo(format_plan(found.plan))
        return
    told = f"I could not understand the question: {found.problem}."
    err().print(f"[red]{printable(told)}[/red]", soft_wrap=True)


def tree_of(
    node: Operator,
    parent: Tree | None = None,
    path: str = "1",
    ran: Mapping[str, TraceNode] = MappingProxyType({}),
) -> Tree:
    """A plan as a tree of sub-questions and operators; open questions end in …

    `ran` are the steps that were carried out so far, by their paths.
    """
    label = Text()
    if isinstance(node, Qud):
        label.append(f"{node.text} …", style="yellow")
    else:
        if node.question:
            label.append(f"{node.question}\n", style="bold")
        label.append(format_step(node), style="cyan")
    if (done := ran.get(path)) is not None:
        label.append(f"\n{done.rows_out:,} · {done.milliseconds:.0f} ms", style="dim")
    tree = parent.add(label) if parent else Tree(label)
    for number, inner in enumerate((*node.inputs(), *node.sub_plans()), 1):
        tree_of(inner, tree, f"{path}.{number}", ran)
    return tree


class Growing:
    """Shows the tree while it grows and is carried out, where somebody watches."""

    def __init__(self) -> None:
        self._live = Live(console=err(), transient=True, refresh_per_second=8)
        self._plan: Operator | None = None
        self._ran: dict[str, TraceNode] = {}
        self._text = ""
        self.hearing = Hearing(words=self._hear, step=self._step, ran=self._done)

    def __enter__(self) -> "Growing":
        if err().is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def _hear(self, piece: str) -> None:
        self._text += piece
        self._show()

    def _step(self, step: Step, plan: Operator) -> None:
        self._text = ""
        self._plan = plan
        self._show()

    def _done(self, node: TraceNode) -> None:
        self._ran[node.path] = node
        self._show()

    def _show(self) -> None:
        if not self._live.is_started:
            return
        rest = Text(self._text.strip(), style="dim")
        tree = [] if self._plan is None else [tree_of(self._plan, ran=self._ran)]
        self._live.update(Group(*tree, rest))


@click.command(name="ask", epilog='Example: reqap ask "How often did I go running in 2023?"')
@click.argument("question", required=False)
@db_option
@json_option
@click.option("--today", type=MOMENT, help="When the question is asked (default: now).")
@click.option("--batch", type=click.File("rb"), metavar="FILE.jsonl",
              help='Answer one question per line, {"question": …, "today": …}, each as a JSON line;'
              " - is standard input.")  # fmt: skip
@click.option("--events", "with_events", is_flag=True, help="List the events the answer rests on.")
@click.option("--trace", is_flag=True, help="Show the tree with rows, times and sample rows.")
@click.option("--why", metavar="STEP",
              help="Look into a step of the tree, such as 1.2: why events were taken, or where"
              " values come from.")  # fmt: skip
@click.option("--seconds", default=30.0, show_default=True, type=click.FloatRange(min=0.1),
              help="Give up on the search after so many seconds.")  # fmt: skip
@llm_options
def ask_(
    question: str | None,
    db: Path,
    as_json: bool,
    today: datetime | None,
    batch: IO[bytes] | None,
    with_events: bool,
    trace: bool,
    why: str | None,
    seconds: float,
    llm: str | None,
    model: str | None,
) -> int:
    """Ask a question about your own life.

    The answer comes with the plan that led to it and the events it rests on.
    """
    if (question is None) == (batch is None):
        raise click.UsageError("give one QUESTION, or --batch FILE.jsonl")
    quiet = as_json or batch is not None
    with opened(db, quiet, backend(llm, model), patience_with(llm)) as life:
        if batch is not None:
            return _batch(batch, life, moment(today), seconds)
        assert question is not None
        if as_json:
            reply = life.ask(question, moment(today), seconds=seconds)
            print_json(reply.to_json())
        else:
            with Growing() as growing:
                reply = life.ask(question, moment(today), hearing=growing.hearing, seconds=seconds)
            print_asked(reply.asked, life.store, with_events, trace)
            if reply.is_own_plan:
                out().print(f"[dim]{_OWN_PLAN}[/dim]")
            if why is not None:
                print_step(reply.asked, life, why)
    return _STATUS[reply.status]


def ask_all(questions: Sequence[str], db: Path) -> None:
    """Answers questions one after the other, with one load of the model."""
    with opened(db) as life:
        for question in questions:
            out().print(f"\n[bold]{printable(question)}[/bold]")
            found = life.ask(question).asked
            print_asked(found, life.store, with_events=False, trace=False)


def print_asked(found: Asked, store: Store, with_events: bool, trace: bool) -> None:
    """The answer, the first events that it rests on, and the tree with rows and times."""
    console = out()
    if found.answer is None:
        console.print(f"[bold]{printable(found.text)}[/bold]", soft_wrap=True)
        if found.plan is not None:
            console.print(tree_of(found.plan))
    else:
        print_found(found.answer, store, with_events, False, False)
        if not with_events and not found.answer.is_bare and found.answer.events:
            first = found.answer.own or found.answer.events
            console.print(events_table(store.scan(ids=first[:_EVIDENCE])))
            if (more := len(found.answer.events) - len(first[:_EVIDENCE])) > 0:
                console.print(f"… {more:,} more; --events shows all")
        console.print(trace_tree(found.answer.trace, samples=trace))
    told = ", ".join(f"{name} {value / 1000:.1f} s" for name, value in found.timings_ms.items())
    console.print(f"[dim]{told}[/dim]")


def print_step(found: Asked, life: Life, path: str) -> None:
    """One step of an answer: its events and why they were taken, or its values and where from."""
    if found.plan is None or found.answer is None:
        raise NotFound("There is no step to look into")
    operator = operator_at(found.plan, path)
    node = next(one for one in found.answer.trace.walk() if one.path == path)
    console = out()
    console.print(f"\n[bold]{path} {printable(node.text)}[/bold]", soft_wrap=True)
    if isinstance(operator, Retrieve):
        told = found_by(life, operator.query, found.today)
        console.print(_rows(told["rows"], ("happening", "start", "kind", "gist", "why")))
        if told["misses"]:
            console.print("[bold]Nearly taken[/bold]")
            console.print(_rows(told["misses"], ("start", "kind", "gist", "why")))
    elif isinstance(operator, Extract):
        ids = read_by(life, operator, found.today, [*node.events, *found.answer.events])
        values = values_of(life, operator, ids)
        console.print(_rows(values, ("key", "value", "where", "start", "gist")))
    else:
        console.print(f"{node.rows_in:,} in, {node.rows_out:,} out")
        console.print(events_table(life.events(node.events)))


def _rows(rows: Sequence[Plain], names: Sequence[str]) -> Table:
    table = Table(*(printable(name) for name in names), show_edge=False)
    for row in rows:
        cells = ("" if row[name] is None else str(row[name])[:80] for name in names)
        table.add_row(*map(printable, cells))
    return table


def _batch(file: IO[bytes], life: Life, today: datetime, seconds: float) -> int:
    """One JSON line per question, as it goes; a line that is no question gets a line as well."""
    code = 0
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            asked, at = _asked(line, today)
        except ReqapError as error:
            told: dict[str, object] = {"line": number, "status": "failed", "text": str(error)}
            code = PROBLEMS
        else:
            told = life.ask(asked, at, seconds=seconds).to_json()
        sys.stdout.write(orjson.dumps(told, default=str).decode() + "\n")
        sys.stdout.flush()
    return code


def _asked(line: bytes, today: datetime) -> tuple[str, datetime]:
    try:
        raw = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise ReqapError(f"this line is not JSON ({error})") from None
    question = raw.get("question") if isinstance(raw, dict) else None
    if not isinstance(question, str):
        raise ReqapError('a line looks like {"question": "How often did I go running?"}')
    if raw.get("today") is None:
        return question, today
    try:
        return question, moment(datetime.fromisoformat(str(raw["today"])))
    except ValueError:
        raise ReqapError(
            f"{str(raw['today'])[:40]!r} is no date; one looks like 2024-05-31"
        ) from None
