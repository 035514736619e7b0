"""The page on the demo life and on a persona: how long until it is there, answers, memory, tabs.

    python benchmarks/serve.py --build perqa-lives

`reqap serve` runs as a process of its own, and is asked over HTTP the way the page does it: a
question is over when the HTML of its answer is there. Tabs are those of a real Chromium. `--few`
asks few questions, to see whether it works.
"""

import argparse
import itertools
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import NamedTuple

import httpx
from playwright.sync_api import Browser, sync_playwright

from reqap.evaluate.report import put_section
from reqap.perqa.exports import write_demo
from reqap.store import Store

PERSONA, OTHER = "dev_persona_0", "dev_persona_1"
TABS, PARTS, WAIT_MS = 20, 4, 600_000
# Asked of a day long after these lives, they would find nothing, and that fast.
_RELATIVE = re.compile(r"\b(?:last|this|past|ago|yesterday|today|recent(?:ly)?|now|so far)\b", re.I)
_MONTHS = [f"{date(2023, month, 1):%B} {year}" for year in (2023, 2024) for month in range(1, 9)]
_DEMO = (
    "How many songs did I listen to in {}?", "Which artist did I listen to most in {}?",
    "How many kilometres did I run in {}?", "What was my longest run in {}?",
    "How long did I sleep on average in {}?", "How much did I spend on online purchases in {}?",
    "What did I buy in {}?", "How many steps did I take in {}?", "Which movies did I watch in {}?",
    "Which series did I watch most in {}?", "How many mails did I get in {}?",
    "Who wrote me the most mails in {}?", "How often did I eat Italian food in {}?",
    "Where did I eat in {}?", "Who did I meet most often in {}?",
    "How many different artists did I listen to in {}?", "How far did I run on average in {}?",
    "What was the most expensive thing I bought in {}?",
    "On which day did I take the most steps in {}?",
)  # fmt: skip


class Size(NamedTuple):
    """How much is asked."""

    questions: int
    in_a_row: int
    openings: int
    tabs: int


FULL, FEW = Size(60, 200, 5, TABS), Size(4, 8, 2, 3)


class Measured(NamedTuple):
    """The cells of one life, and what is asked for of each line."""

    name: str
    cells: dict[str, str]


ASKED = {
    "events": "", "server ready": "< 3 s", "page interactive, the first time": "",
    "page interactive, median": "< 300 ms", "first question, models are loaded": "",
    "questions, median": "≤ 3 s", "questions, 95th percentile": "≤ 10 s",
    "the same again, median": "≤ 100 ms", "the same again, slowest": "≤ 100 ms",
    "in a row": "", "memory along the way": "flat", "peak memory": "< 1,500 MB",
    "tabs at once": "all answered",
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--build", type=Path, required=True, help="what `reqap perqa build` wrote")
    parser.add_argument("--few", action="store_true", help="few questions: does it work?")
    parser.add_argument("--only", choices=("demo", "persona"), help="one life only")
    parser.add_argument("--write", type=Path, help="the page whose section is written anew")
    given = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("Chromium is not installed")
    size = FEW if given.few else FULL
    lives = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        if given.only != "persona":
            db, questions = _demo(Path(folder, "demo"))
            lives.append(_measured("the demo life", db, questions, size, browser))
        if given.only != "demo":
            db, questions = _persona(Path(folder, "persona"), given.build)
            lives.append(_measured("a persona", db, questions, size, browser))
        browser.close()
    text = f"Measured on {date.today()}.\n\n{_table(lives)}"
    print(text)
    if given.write:
        put_section(given.write, "serve", text)


# -- lives -----------------------------------------------------------------------------------------


def _reqap(*command: object) -> None:
    subprocess.run([sys.executable, "-m", "reqap", *map(str, command)], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip


def _demo(folder: Path) -> tuple[Path, list[str]]:
    """The demo life; every month is asked for everything in turn."""
    write_demo(folder)
    return _imported(folder), [text.format(month) for month in _MONTHS for text in _DEMO]


def _persona(folder: Path, build: Path) -> tuple[Path, list[str]]:
    """A persona of PerQA as real exports, with its own questions first."""
    _reqap("perqa", "export", PERSONA, "--out", folder)
    questions = []
    for name in (PERSONA, OTHER):
        file = build / "dev" / name / "questions.json"
        asked = [str(one["question"]) for one in json.loads(file.read_text(encoding="utf-8"))]
        # Neighbours are alike: 60 of them are of all sorts if they are far apart.
        own = [one for one in dict.fromkeys(asked) if not _RELATIVE.search(one)]
        questions += [one for start in range(7) for one in own[start::7]]
    return _imported(folder), questions


def _imported(exports: Path) -> Path:
    db = exports.with_suffix(".duckdb")
    _reqap("import", exports, "--profile", exports / "profile.json", "--db", db)
    return db


# -- measuring -------------------------------------------------------------------------------------


def _measured(name: str, db: Path, questions: list[str], size: Size, browser: Browser) -> Measured:
    with Store.open(db, read_only=True) as store:
        cells = {"events": f"{sum(row.events for row in store.summary()):,}"}
    print(f"{name}: {cells['events']} events, {len(questions)} questions", file=sys.stderr)
    for number, (what, cell) in enumerate(_lines(db, questions, size, browser)):
        print(f"  {number + 1}. {what}: {cell}", file=sys.stderr, flush=True)
        cells[what] = cell
    return Measured(name, cells)


def _lines(
    db: Path, questions: list[str], size: Size, browser: Browser
) -> Iterator[tuple[str, str]]:
    different = iter(questions)
    with _serving(db) as (address, began, memory), httpx.Client(timeout=600) as client:
        asking = Asking(client, address)
        yield "server ready", f"{time.perf_counter() - began:.1f} s"
        opened = [_opening(browser, address) for _ in range(size.openings)]
        yield "page interactive, the first time", f"{opened[0]:.0f} ms"
        yield "page interactive, median", f"{statistics.median(opened[1:]):.0f} ms"
        yield "first question, models are loaded", f"{asking.ask(next(different)):.1f} s"
        first = list(itertools.islice(different, size.questions))
        took = sorted(asking.ask(one) for one in first)
        yield "questions, median", f"{statistics.median(took):.2f} s"
        yield "questions, 95th percentile", f"{took[int(0.95 * len(took))]:.2f} s"
        again = sorted(1000 * asking.ask(one) for one in first)
        yield "the same again, median", f"{statistics.median(again):.0f} ms"
        yield "the same again, slowest", f"{again[-1]:.0f} ms"
        asking.statuses.clear()
        along = []
        for number, one in enumerate(itertools.islice(different, size.in_a_row), 1):
            asking.ask(one)
            if number % (size.in_a_row // PARTS) == 0:
                along.append(f"{memory.now():,.0f}")
        counts = ", ".join(f"{asking.statuses.count(one)} {one.replace('_', ' ')}"
                           for one in dict.fromkeys(sorted(asking.statuses)))  # fmt: skip
        yield "in a row", f"{len(asking.statuses)}: {counts}"
        yield "memory along the way", f"{', '.join(along)} MB"
        yield "tabs at once", _tabs(browser, address, list(itertools.islice(different, size.tabs)))
        yield "peak memory", f"{memory.peak:,.0f} MB"


class Memory(threading.Thread):
    """Megabytes of a process and all that it started; pages that several share count once."""

    def __init__(self, process: int) -> None:
        super().__init__(daemon=True)
        self._process = process
        self.peak = 0.0

    def run(self) -> None:
        while self.now():
            time.sleep(0.25)

    def now(self) -> float:
        found = _megabytes(self._process)
        self.peak = max(self.peak, found)
        return found


def _megabytes(process: int) -> float:
    try:
        told = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="utf-8")
        inner = [int(child) for task in Path(f"/proc/{process}/task").iterdir()
                 for child in (task / "children").read_text(encoding="utf-8").split()]  # fmt: skip
    except OSError:  # it is over
        return 0.0
    return int(re.findall(r"Pss:\s+(\d+) kB", told)[0]) / 1000 + sum(map(_megabytes, inner))


@contextmanager
def _serving(db: Path) -> Iterator[tuple[str, float, Memory]]:
    """`reqap serve` over a store: its address, when it was started, its memory."""
    command = [sys.executable, "-m", "reqap", "serve", "--db", str(db), "--port", "0"]
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        memory = Memory(process.pid)
        memory.start()
        try:
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found is not None
            yield found[0], began, memory
        finally:
            process.terminate()


class Asking:
    """Asks as the page does: the run, whether it has begun, its events, the answer."""

    def __init__(self, client: httpx.Client, address: str) -> None:
        home = client.get(address, follow_redirects=True)  # waits until the life is open
        home.raise_for_status()
        self._client, self._home = client, str(home.url).rstrip("/")
        self.statuses: list[str] = []

    def ask(self, question: str) -> float:
        """Seconds until the answer is there."""
        began = time.perf_counter()
        run = self._client.post(f"{self._home}/ask", json={"question": question}).json()["run"]
        self._client.get(f"{self._home}/runs/{run}/state").raise_for_status()
        told = self._client.get(f"{self._home}/runs/{run}").text
        done = re.search(r"event: done\ndata: (.*)\n", told)
        if done is None:
            raise SystemExit(f"{question}: {told[-300:]}")
        place = f"{self._home}/answers/{json.loads(done[1])['number']}"
        shown = self._client.get(place, headers={"x-part": "1"}).text
        took = time.perf_counter() - began
        self.statuses += re.findall(r'data-status="(\w+)"', shown)
        return took


def _opening(browser: Browser, address: str) -> float:
    """Milliseconds from the beginning of a visit until a question can be typed."""
    page = browser.new_page()
    page.goto(address, wait_until="commit")
    took = page.evaluate("""() => new Promise((done) => {
        const look = () => {
            const box = document.getElementById("question");
            const [visit] = performance.getEntriesByType("navigation");
            if (box && document.activeElement === box && visit.domContentLoadedEventEnd) {
                done(performance.now());
            } else {
                setTimeout(look, 1);
            }
        };
        look();
    })""")
    page.close()
    return float(took)


def _tabs(browser: Browser, address: str, questions: list[str]) -> str:
    """Tabs of one window, each with a question, at once."""
    window = browser.new_context()
    pages = [window.new_page() for _ in questions]
    for page in pages:
        page.goto(address)
    began = time.perf_counter()
    for page, question in zip(pages, questions, strict=True):
        page.get_by_label("What do you want to know").fill(question)
        page.keyboard.press("Enter")
    answered = 0
    for page, question in zip(pages, questions, strict=True):
        page.locator(".answer .said").wait_for(timeout=WAIT_MS)
        answered += page.locator(".answer .question").inner_text() == question
    took = time.perf_counter() - began
    window.close()
    return f"{answered} of {len(questions)} in {took:.0f} s"


def _table(lives: list[Measured]) -> str:
    lines = [f"| | {' | '.join(life.name for life in lives)} | asked for |",
             "|---|" + "---|" * (len(lives) + 1)]  # fmt: skip
    for what, wanted in ASKED.items():
        lines.append(f"| {what} | {' | '.join(life.cells[what] for life in lives)} | {wanted} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
