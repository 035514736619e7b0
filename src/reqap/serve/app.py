"""The page: routes, and how what the worker tells becomes HTML.

No data is touched here. Everything that is shown is escaped by the templates.
"""

import asyncio
import csv
import io
import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.applications import Starlette
from starlette.convertors import Convertor, register_url_convertor
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from reqap.serve.charts import heat, pictures, sparks
from reqap.serve.guard import Guard, Tokens
from reqap.serve.link import Link, Run, WorkerFailed
from reqap.wording import heading


class _Few(Convertor[int]):
    """Numbers of answers and corrections."""

    regex = "[0-9]{1,9}"

    def convert(self, value: str) -> int:
        return int(value)

    def to_string(self, value: int) -> str:
        return str(value)


register_url_convertor("few", _Few())
_MOST_RUNS = 200
_MOST_BODY = 200_000
_PART = 1024 * 1024
_PIECE = re.compile(r"'([^']+)'")
# What would turn the order of words around, or command a terminal that a text is copied to.
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
Handler = Callable[[Request], Awaitable[Response]]


class Pages:
    """All routes over one worker."""

    def __init__(self, link: Link, root: str, most_upload: int) -> None:
        self._link, self._most_upload = link, most_upload
        self._runs: dict[str, Run] = {}
        self._number = 0
        loader = PackageLoader("reqap.serve", "templates")
        self._templates = Environment(
            loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True,
            lstrip_blocks=True,
        )  # fmt: skip
        self._templates.filters |= {"marked": marked, "heading": heading}
        self._templates.globals |= {
            "pictures": pictures, "heat": heat, "sparks": sparks, "root": root,
        }  # fmt: skip

    def routes(self) -> list[Route | Mount]:
        pages: list[tuple[str, str, Handler]] = [
            ("/", "GET", self.home), ("/answers/{number:few}", "GET", self.answer),
            ("/answers/{number:few}/steps/{path}", "GET", self.step),
            ("/answers/{number:few}/judge", "POST", self.judge),
            ("/answers/{number:few}/drop", "POST", self.drop),
            ("/answers/{number:few}/forget", "POST", self.forget_asked),
            ("/events/{event}", "GET", self.event), ("/values", "POST", self.fix),
            ("/ask", "POST", self.ask), ("/run", "POST", self.run_plan),
            ("/answers/{number:few}/again", "POST", self.again),
            ("/runs/{run}", "GET", self.run), ("/runs/{run}/state", "GET", self.state),
            ("/runs/{run}/stop", "POST", self.stop),
            ("/sources", "GET", self.sources), ("/sources/import", "POST", self.upload),
            ("/sources/forget", "POST", self.forget),
            ("/history", "GET", self.history), ("/corrections", "GET", self.corrections),
            ("/corrections/{number:few}/undo", "POST", self.undo),
            ("/judgements", "GET", self.judgements),
            ("/judgements.csv", "GET", self.export),
        ]  # fmt: skip
        static = StaticFiles(packages=[("reqap.serve", "static")])
        return [
            *(Route(path, handler, methods=[method]) for path, method, handler in pages),
            Mount("/static", static),
        ]

    # -- pages -------------------------------------------------------------------------------------

    async def home(self, request: Request) -> Response:
        return self._page("ask.html", await self._link.do("examples"), request)

    async def answer(self, request: Request) -> Response:
        found = await self._link.do("answer", number=request.path_params["number"])
        whole = request.headers.get("x-part") is None
        return self._page("answer_page.html" if whole else "answer.html", found, request)

    async def step(self, request: Request) -> Response:
        found = await self._link.do("node", **request.path_params)
        return self._page("step.html", found, request)

    async def event(self, request: Request) -> Response:
        query, number = request.query_params.get("query", ""), request.query_params.get("of", "0")
        found = await self._link.do(
            "event", prefix=request.path_params["event"], query=query[:1_000],
            number=_int(number),
        )  # fmt: skip
        return self._page("event.html", found, request)

    async def sources(self, request: Request) -> Response:
        found = await self._link.do("sources")
        return self._page("sources.html", found, request)

    async def history(self, request: Request) -> Response:
        before = request.query_params.get("before", "0")
        found = await self._link.do("history", before=_int(before))
        return self._page("history.html", found, request)

    async def corrections(self, request: Request) -> Response:
        return self._page("corrections.html", await self._link.do("corrections"), request)

    async def judgements(self, request: Request) -> Response:
        return self._page("judgements.html", await self._link.do("judgements"), request)

    async def export(self, request: Request) -> Response:
        """Judgements as a table, with or without what was asked."""
        found = await self._link.do("judgements")
        with_questions = request.query_params.get("questions") == "1"
        names = ["asked", "status", "judgement", "milliseconds"]
        names += ["question", "plan", "text"] if with_questions else []
        out = io.StringIO()
        table = csv.writer(out)
        table.writerow(names)
        for row in found["rows"]:
            table.writerow([_cell(row[name]) for name in names])
        name = {"Content-Disposition": 'attachment; filename="judgements.csv"'}
        return Response(out.getvalue(), media_type="text/csv; charset=utf-8", headers=name)

    # -- what is done ------------------------------------------------------------------------------

    async def judge(self, request: Request) -> Response:
        given = await _form(request)
        number = request.path_params["number"]
        return _done(await self._link.do("judge", number=number, judgement=given["judgement"]))

    async def drop(self, request: Request) -> Response:
        given = await _form(request)
        number = request.path_params["number"]
        return _done(await self._link.do("drop", number=number, event=given["event"]))

    async def fix(self, request: Request) -> Response:
        given = await _form(request)
        names = ("event", "key", "type_name", "value")
        return _done(await self._link.do("fix", **{name: given[name] for name in names}))

    async def undo(self, request: Request) -> Response:
        return _done(await self._link.do("undo", number=request.path_params["number"]))

    async def forget_asked(self, request: Request) -> Response:
        return _done(await self._link.do("forget_asked", number=request.path_params["number"]))

    async def ask(self, request: Request) -> Response:
        given = await _form(request)
        after = _int(given.get("after", ""))
        return self._begun("ask", question=given["question"], after=after)

    async def run_plan(self, request: Request) -> Response:
        given = await _form(request)
        await self._link.do("check_plan", plan=given["plan"])
        return self._begun("run", plan=given["plan"], question=given["question"])

    async def again(self, request: Request) -> Response:
        return self._begun("again", number=request.path_params["number"])

    async def forget(self, request: Request) -> Response:
        given = await _form(request)
        return self._begun("forget", source=given["source"])

    async def upload(self, request: Request) -> Response:
        """Takes files up to a size, and has them imported; they do not stay."""
        length = request.headers.get("content-length", "")
        if not length.isdigit() or int(length) > self._most_upload:
            size = self._most_upload // 1_000_000
            raise WorkerFailed(f"At most {size:,} MB at once; larger ones: `reqap import`.")
        folder = Path(tempfile.mkdtemp(prefix="reqap-import-"))
        try:
            async with request.form(max_files=100, max_fields=5) as form:
                for number, one in enumerate(form.getlist("files")):
                    if isinstance(one, UploadFile):
                        await _saved(one, folder / str(number))
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        answer = self._begun("import_", paths=[str(folder)])
        asyncio.get_running_loop().create_task(self._remove_after(self._last, folder))
        return answer

    async def _remove_after(self, run: Run, folder: Path) -> None:
        try:
            async for _ in run.told():
                pass
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    # -- what takes long ---------------------------------------------------------------------------

    def _begun(self, name: str, **given: object) -> Response:
        self._number += 1
        self._last = self._runs[str(self._number)] = self._link.begin(name, **given)
        over = [number for number, run in self._runs.items() if run.is_over]
        for number in over[: max(0, len(self._runs) - _MOST_RUNS)]:
            del self._runs[number]
        return JSONResponse({"run": str(self._number)})

    async def run(self, request: Request) -> Response:
        """What happens in a run, as server-sent events."""
        run = self._run(request)

        async def lines() -> AsyncIterator[bytes]:
            async for one in run.told():
                name, data = self._event(one)
                yield b"event: %s\ndata: %s\n\n" % (name.encode(), orjson.dumps(data))

        return StreamingResponse(lines(), media_type="text/event-stream")

    def _event(self, one: dict[str, Any]) -> tuple[str, Any]:
        if "failed" in one:
            return "failed", {"text": one["failed"]}
        if "stopped" in one:
            return "stopped", {}
        if "done" in one:
            return "done", one["done"]
        if one["event"] == "tree":
            return "tree", {"html": self._render("tree.html", {"tree": one["data"]})}
        return one["event"], one["data"]

    async def state(self, request: Request) -> Response:
        """Whether a run has begun. Browsers keep few connections: those who wait hold none."""
        run = self._run(request)
        return JSONResponse({"begun": run.has_begun, "ahead": run.ahead})

    async def stop(self, request: Request) -> Response:
        self._run(request).stop()
        return _done({})

    def _run(self, request: Request) -> Run:
        run = self._runs.get(request.path_params["run"])
        if run is None:
            raise HTTPException(404, "There is no such run")
        return run

    # -- HTML --------------------------------------------------------------------------------------

    def _page(self, name: str, found: dict[str, Any], request: Request) -> Response:
        return HTMLResponse(self._render(name, {**found, "path": request.url.path}))

    def _render(self, name: str, found: dict[str, Any]) -> str:
        return _UNSEEN.sub("·", self._templates.get_template(name).render(found))

    async def failed(self, request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 400
        text = error.detail if isinstance(error, HTTPException) else str(error)
        if "text/html" in request.headers.get("accept", "") and "x-part" not in request.headers:
            page = self._render("problem.html", {"text": text, "path": request.url.path})
            return HTMLResponse(page, status)
        return JSONResponse({"problem": text}, status)


def app(link: Link, tokens: Tokens, hosts: frozenset[str], most_upload: int) -> Guard:
    """The whole server."""
    pages = Pages(link, tokens.root, most_upload)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        await link.start()
        try:
            yield
        finally:
            await link.close()

    starlette = Starlette(
        routes=pages.routes(), lifespan=lifespan,
        exception_handlers={WorkerFailed: pages.failed, HTTPException: pages.failed},
    )  # fmt: skip
    return Guard(starlette, tokens, hosts)


def marked(text: str, where: str | None) -> Markup:
    """A text with the words marked that a value was read from."""
    pieces = sorted(set(_PIECE.findall(where or "")), key=len, reverse=True)
    if not pieces:
        return escape(text)
    found = re.split("(" + "|".join(map(re.escape, pieces)) + ")", text)
    return Markup("").join(
        Markup("<mark>{}</mark>").format(part) if part in pieces else escape(part) for part in found
    )


def _int(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else 0


def _cell(value: object) -> str:
    """Programs that show tables must not take a text for a formula."""
    text = "" if value is None else str(value)
    return "'" + text if text.startswith(_FORMULA) else text


def _done(found: dict[str, Any]) -> Response:
    return JSONResponse(found)


async def _form(request: Request) -> dict[str, str]:
    """What a form or a script sends: JSON with texts."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > _MOST_BODY:
            raise HTTPException(413, "This is too long")
    try:
        given = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise HTTPException(400, "This is not JSON") from None
    if not isinstance(given, dict):
        raise HTTPException(400, "This is not JSON with names")
    return _Given({str(name): str(value) for name, value in given.items()})


class _Given(dict[str, str]):
    def __missing__(self, name: str) -> str:
        raise HTTPException(400, f"{name} is missing")


async def _saved(one: UploadFile, folder: Path) -> None:
    """Under its own name, which programs look at, but in a folder of ours."""
    folder.mkdir()
    name = "".join(c for c in one.filename or "" if c.isprintable()).replace("\\", "/")
    path = Path(Path(name).name.lstrip(".") or "file")
    stem = path.stem.encode()[:150].decode(errors="ignore")
    name = stem + path.suffix[:20]
    with (folder / name).open("wb") as file:
        while part := await one.read(_PART):
            file.write(part)
