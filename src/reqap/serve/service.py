"""What the page can ask of a life, as plain data: the side of the worker.

Not the job of this module: HTTP and HTML (`app`), processes (`worker`, `link`).
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Event as Signal

import orjson
import pyarrow as pa

from reqap.corrections import drop_event, plain, set_plan, set_value
from reqap.errors import NotFound, ReqapError
from reqap.events import Clock
from reqap.execute import TraceNode
from reqap.followup import HANGS, follow_up, hangs_on_answer
from reqap.importing import Progress, import_paths, user_zone
from reqap.life import Hearing, Life, Reply
from reqap.plan import Operator, Qud, check, format_step, parse
from reqap.plan import operators as op
from reqap.profile import Profile
from reqap.qud.decompose import Step
from reqap.raw import raw_record
from reqap.sources.base import Context
from reqap.steps import (
    MOST_VALUES,
    Plain,
    found_by,
    listed,
    operator_at,
    places,
    read_by,
    told_value,
    values_of,
)
from reqap.store.months import months_of
from reqap.store.remembered import (
    JUDGEMENTS,
    PLAN,
    Remembered,
    corrections,
    forget_asked,
    history,
    judge,
    remembered,
    undo,
)

Say = Callable[[str, Plain], object]
_SHOWN = 200
_NOT_SHOWN = ("events", "evidence", "steps")  # long, and told by what stands beside it
_CLOCK = re.compile(r"datetime\.(now|today)\b")


@dataclass(frozen=True)
class Request:
    """Something that takes a while: who hears of it, and how it is stopped."""

    say: Say = lambda name, data: None
    stop: Signal | None = None


class Service:
    """All that the page does with an open life. What takes long is done one after the other."""

    def __init__(self, life: Life) -> None:
        self._life = life
        self._answered: dict[tuple[str, str], tuple[object, int]] = {}

    def warm(self) -> None:
        """Loads what understands questions, which is else loaded with the first of them."""
        self._life.backend  # noqa: B018

    # -- asking ------------------------------------------------------------------------------------

    def ask(self, request: Request, question: str, after: int = 0) -> Plain:
        """Answers a question; the same one of the same day again only if something has changed.

        `after` is the answer that it may follow up on: what is meant in full is told.
        """
        today = datetime.now()
        if (meant := self._meant(question, after)) is not None:
            request.say("meant", {"typed": question, "question": meant})
            question = meant
        elif after and hangs_on_answer(question):
            raise ReqapError(HANGS)
        known = self._answered.get((plain(question), f"{today:%Y-%m-%d}"))
        if known and known[0] == self._stamp():
            return {"number": known[1], "again": True}
        stamp = self._stamp()
        return self._done(self._life.ask(question, today, hearing=self._hearing(request)), stamp)

    def _meant(self, line: str, after: int) -> str | None:
        """The full question that a line means after an answer; None if it is one of its own."""
        if not after:
            return None
        try:
            last = remembered(self._life.store, after)
        except NotFound:  # it was forgotten meanwhile
            return None
        profile = Profile.saved(self._life.store.load_profile())
        return follow_up(line, last.question or None, lambda name: bool(profile.people_named(name)))

    def check_plan(self, plan: str) -> Plain:
        """PlanError if it is none that can be carried out."""
        check(parse(plan))
        return {}

    def run(self, request: Request, plan: str, question: str) -> Plain:
        """Carries out a plan that the user wrote; it is the question's from then on."""
        tree, stamp = parse(plan), self._stamp()
        reply = self._life.run(tree, question, hearing=self._hearing(request))
        if question and reply.status in ("ok", "no_data"):
            set_plan(self._life.store, question, plan)
        return self._done(reply, stamp)

    def again(self, request: Request, number: int) -> Plain:
        """Asks a question of the history of today's data."""
        question = remembered(self._life.store, number).question
        stamp = self._stamp()
        return self._done(self._life.ask(question, hearing=self._hearing(request)), stamp)

    def _hearing(self, request: Request) -> Hearing:
        def step(_: Step, plan: Operator) -> None:
            request.say("tree", tree_of(plan))

        def ran(node: TraceNode) -> None:
            request.say("ran", {"path": node.path, "rows": node.rows_out,
                                "milliseconds": round(node.milliseconds, 1)})  # fmt: skip

        return Hearing(lambda text: request.say("words", {"text": text}), step, ran, request.stop)

    def _done(self, reply: Reply, stamp: object) -> Plain:
        """`stamp` is how things were when it was asked."""
        number = reply.id or 0
        if reply.status in ("ok", "no_data") and not _CLOCK.search(reply.plan or ""):
            key = (plain(reply.question), f"{reply.asked.today:%Y-%m-%d}")
            self._answered[key] = (stamp, number)
        return {"number": number, "again": False}

    def _stamp(self) -> object:
        """Changes when events, the profile or corrections do."""
        with self._life.store.connection.cursor() as cursor:
            return cursor.execute(
                "SELECT (SELECT (count(*), max(rowid), sum(revision)) FROM events),"
                " (SELECT max(saved) FROM profile), (SELECT (count(*), max(made)) FROM corrections)"
            ).fetchall()

    # -- an answer ---------------------------------------------------------------------------------

    def answer(self, number: int) -> Plain:
        """An answer of the history, with the first events that it rests on."""
        one = remembered(self._life.store, number)
        kept: Plain = orjson.loads(one.answer)
        every = kept.get("events", [])
        ids = every[: kept.get("own_events") or None]
        told = {name: value for name, value in kept.items() if name not in _NOT_SHOWN}
        return {**_entry(one), "told": told, "event_count": len(ids),
                "others": len(every) - len(ids), "first_events": self._listed(ids, _SHOWN),
                "kept_plan": self._kept_plan(one) if kept.get("own_plan") else 0,
                "months": self._months(ids), "judgements": list(JUDGEMENTS)}  # fmt: skip

    def _kept_plan(self, one: Remembered) -> int:
        """The number of the correction that gives a question its plan; 0 if there is none."""
        about = plain(one.question)
        kept = corrections(self._life.store, PLAN)
        return next((it.id for it in kept if about and it.about == about), 0)

    def node(self, number: int, path: str) -> Plain:
        """A step of an answer: what went in and came out, and why."""
        one = remembered(self._life.store, number)
        kept: Plain = orjson.loads(one.answer)
        node = _node_at(kept.get("trace"), path)
        found: Plain = {"number": number, "node": node, "question": one.question}
        operator = operator_at(parse(one.plan), path)
        if isinstance(operator, op.Retrieve):
            found["found"] = found_by(self._life, operator.query, one.today)
        elif isinstance(operator, op.Extract):
            shown = [event for row in node["samples"] for event in row["events"]]
            ids = read_by(self._life, operator, one.today, [*shown, *kept["events"]])
            found["values"] = values_of(self._life, operator, ids)
            found["more"] = max(0, len(ids) - MOST_VALUES)
        else:
            found["events"] = self._listed(node["events"])
        return found

    def event(self, prefix: str, query: str = "", number: int = 0) -> Plain:
        """An event: its data, its raw record, and what else tells of the same happening."""
        stored = self._life.store.find(prefix)
        try:
            raw, note = raw_record(self._life.store, stored)
        except NotFound as error:
            raw, note = "", str(error)
        others = self._listed(self._told_beside(stored.event.id, query, number))
        data = {name: value if isinstance(value, str) else told_value(value)
                for name, value in stored.event.data.items()}  # fmt: skip
        return {**listed(stored.event), "end": f"{stored.event.end:%Y-%m-%d %H:%M}",
                "file": stored.event.origin.file, "position": stored.event.origin.position,
                "data": data, "raw": raw, "note": note, "others": others}  # fmt: skip

    def _told_beside(self, event: str, query: str, number: int) -> list[str]:
        """What tells of the same happening, as a query has put it together; if none is given, the
        first of the answer's that found the event."""
        one = remembered(self._life.store, number) if number else None
        plan = parse(one.plan) if one and one.plan and not query else None
        steps = op.walk_plan(plan) if plan else ()
        queries = [query] if query else [it.query for it in steps if isinstance(it, op.Retrieve)]
        for asked in dict.fromkeys(queries):
            rows = self._life.retrieve(asked, one.today if one else None).to_pylist()
            mine = {row["happening"] for row in rows if row["id"] == event}
            if mine:
                same = [row["id"] for row in rows if row["happening"] in mine]
                return [found for found in same if found != event]
        return []

    def _listed(self, ids: Sequence[str], limit: int | None = None) -> list[Plain]:
        return [listed(event) for event in self._life.events(ids, limit)]

    def _months(self, ids: Sequence[str]) -> list[Plain]:
        """How many of these events there are, day by day."""
        with self._life.store.connection.cursor() as cursor:
            cursor.register("wanted", pa.table({"id": pa.array(ids, pa.string())}))
            rows = cursor.execute(
                "SELECT start_at::DATE AS day, count(*) FROM events SEMI JOIN wanted USING (id)"
                " GROUP BY day ORDER BY day"
            ).fetchall()
        return [{"day": day.isoformat(), "count": count} for day, count in rows]

    # -- what the user says to it ------------------------------------------------------------------

    def judge(self, number: int, judgement: str) -> Plain:
        judge(self._life.store, number, judgement or None)
        return {}

    def drop(self, number: int, event: str) -> Plain:
        """An event does not belong to an answer: it is dropped from the queries that found it."""
        one = remembered(self._life.store, number)
        queries = [step.query for step in op.walk_plan(parse(one.plan))
                   if isinstance(step, op.Retrieve)]  # fmt: skip
        found_by = [
            query for query in dict.fromkeys(queries)
            if event in self._life.retrieve(query, one.today)["id"].to_pylist()
        ]  # fmt: skip
        if not found_by:
            raise NotFound("No step of this answer has found that event")
        for query in found_by:
            drop_event(self._life.store, query, event)
        self._life.correct_anew()
        return {"queries": found_by}

    def fix(self, event: str, key: str, type_name: str, value: str) -> Plain:
        """The value of a key of an event."""
        found = self._life.store.find(event).event.id
        set_value(self._life.store, found, key, type_name, value)
        self._life.correct_anew()
        return {}

    def undo(self, number: int) -> Plain:
        undo(self._life.store, number)
        self._life.correct_anew()
        return {}

    def corrections(self) -> Plain:
        rows = []
        for one in corrections(self._life.store):
            events = self._listed([one.event]) if one.event else []
            rows.append({**one._asdict(), "made": f"{one.made:%Y-%m-%d %H:%M}",
                         "listed": events[0] if events else None})  # fmt: skip
        return {"rows": rows}

    # -- what was asked ----------------------------------------------------------------------------

    def history(self, before: int = 0) -> Plain:
        rows = history(self._life.store, 51, before or None)
        return {"rows": [_entry(one) for one in rows[:50]], "more": len(rows) > 50}

    def forget_asked(self, number: int) -> Plain:
        forget_asked(self._life.store, number)
        self._answered.clear()
        return {}

    def judgements(self) -> Plain:
        """All that were judged, and how many of each."""
        rows = [one for one in history(self._life.store, 1_000_000) if one.judgement]
        tallies = {name: sum(one.judgement == name for one in rows) for name in JUDGEMENTS}
        return {"tallies": tallies, "rows": [_entry(one) for one in rows]}

    # -- sources -----------------------------------------------------------------------------------

    def sources(self) -> Plain:
        """What is imported, per source and kind, with a count for every month."""
        found: dict[tuple[str, str], Plain] = {}
        summary = self._life.store.summary()
        months = months_of(summary)
        for row in summary:
            one = found.setdefault((row.source, row.kind), {
                "source": row.source, "kind": row.kind, "events": 0, "months": [],
            })  # fmt: skip
            one["events"] += row.events
            one["months"].append({"day": f"{row.month:%Y-%m-%d}", "count": row.events})
        imports = [{"id": past.id, "started": f"{past.started:%Y-%m-%d %H:%M}",
                    "paths": list(past.paths), "sources": list(past.sources)}
                   for past in self._life.store.imports()]  # fmt: skip
        ends = [f"{month:%Y-%m-%d}" for month in (months[0], months[-1])] if months else ["", ""]
        return {"rows": list(found.values()), "imports": imports, "first": ends[0],
                "last": ends[1]}  # fmt: skip

    def examples(self) -> Plain:
        """Questions that this life has something to say to."""
        years: dict[str, Counter[int]] = {}
        for row in self._life.store.summary():
            years.setdefault(row.kind, Counter())[row.month.year] += row.events
        fullest = {kind: found.most_common(1)[0][0] for kind, found in years.items()}
        found = [text.format(fullest[kind]) for kind, text in _EXAMPLES if kind in fullest]
        return {"examples": found[:6], "empty": not years}

    def import_(self, request: Request, paths: Sequence[str]) -> Plain:
        """Imports files, and prepares the search."""

        def progress(step: Progress) -> None:
            if request.stop is not None and request.stop.is_set():
                raise ReqapError("The import was stopped; nothing was changed.")
            request.say("import", {"done": step.done_bytes, "total": step.total_bytes,
                                   "events": step.events})  # fmt: skip

        def advance(done: int, total: int) -> None:
            request.say("index", {"done": done, "total": total})

        store = self._life.store
        profile = Profile.saved(store.load_profile())
        context = Context(Clock(user_zone(store, profile.time_zone)), profile.who)
        report = import_paths([Path(one) for one in paths], store, context, keep_copies=True,
                              on_progress=progress)  # fmt: skip
        self._life.refresh(advance)
        return {
            "sources": [{"title": one.title, "new": one.new, "updated": one.updated,
                         "known": one.known, "skipped": one.skipped.total()}
                        for one in report.sources],
            "unrecognised": [Path(name).name for name in report.unrecognised[:20]],
            "problems": [f"{Path(one.origin.file).name}: {one.reason}" for one in report.problems],
        }  # fmt: skip

    def forget(self, request: Request, source: str) -> Plain:
        """Forgets all events of a source, and whatever was made from them."""
        gone = self._life.store.forget_source(source)
        self._life.store.compact()
        self._life.refresh()
        self._answered.clear()
        return {"gone": gone}


# What a life with events of a kind may be asked, in the year that has most of them; the most
# telling kinds first.
_EXAMPLES = (
    ("music_stream", "Which artist did I listen to most in {}?"),
    ("workout", "How many kilometres did I run in each month of {}?"),
    ("calendar", "How often did I eat Italian food after playing football?"),
    ("online_purchase", "How much did I spend on online purchases in each year?"),
    ("movie_stream", "When did I last watch a movie?"),
    ("tvseries_stream", "Which series did I watch most on weekends?"),
    ("mail", "Who wrote me the most mails?"),
    ("social_media", "How many posts did I write in each month?"),
    ("note", "How many notes did I write in {}?"),
    ("sleep", "How long did I sleep on average on weekends?"),
    ("daily_activity", "On which day did I take the most steps?"),
)


def _entry(one: Remembered) -> Plain:
    return {"number": one.id, "asked": f"{one.asked:%Y-%m-%d %H:%M}", "question": one.question,
            "today": one.today.isoformat(), "status": one.status, "text": one.text,
            "plan": one.plan, "milliseconds": one.milliseconds,
            "judgement": one.judgement}  # fmt: skip


def tree_of(plan: Operator, path: str = "1") -> Plain:
    """A plan as the page draws it; paths are those of the trace."""
    inner = enumerate((*plan.inputs(), *plan.sub_plans()), 1)
    is_open = isinstance(plan, Qud)
    return {
        "path": path,
        "question": plan.text if isinstance(plan, Qud) else plan.question or "",
        "text": "" if is_open else format_step(plan),
        "operator": plan.name,
        "open": is_open,
        "inner": [tree_of(one, f"{path}.{number}") for number, one in inner],
    }


def _node_at(trace: Plain | None, path: str) -> Plain:
    if trace is None:
        raise NotFound("This answer has no steps")
    for number in places(path):
        inner = [*trace["inputs"], *trace["sub_plans"]]
        if not 1 <= number <= len(inner):
            raise NotFound(f"There is no step {path[:40]!r}")
        trace = inner[number - 1]
    return trace
