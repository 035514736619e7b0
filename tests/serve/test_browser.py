"""The page in a real browser, with the real models; needs Chromium (Debian: `chromium`)."""

import os
import re
import shutil
import signal
import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from zipfile import ZipFile

import pytest
from playwright.sync_api import Browser, Dialog, FilePayload, Locator, Page, expect, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from tests.hostile_life import HOSTILE, harmless, hostile_life
from tests.serve.serving import Serving

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="the page is not tested: chromium is not installed"
)
QUESTION = "How many kilometres did I run in each month of 2023?"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def serving(demo_db: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    db = tmp_path_factory.mktemp("page") / "life.duckdb"
    shutil.copyfile(demo_db, db)
    served = Serving(db)
    yield served
    served.end()


@pytest.fixture
def page(browser: Browser, serving: Serving) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1000, "height": 800})
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("dialog", partial(_heard, problems))
    page.goto(serving.address)
    yield page
    page.close()
    assert not [one for one in problems if not one.startswith("Forget everything")]


def _heard(said: list[str], dialog: Dialog) -> None:
    said.append(dialog.message)
    dialog.accept()


def asked(page: Page, question: str = QUESTION) -> None:
    page.get_by_label("What do you want to know").fill(question)
    page.keyboard.press("Enter")
    expect(page.locator(".answer .said")).to_be_visible(timeout=60_000)


def test_a_question_is_asked_and_looked_into(page: Page) -> None:
    asked(page)
    expect(page.locator("#examples")).to_be_hidden()
    expect(page.locator(".answer .said")).to_contain_text("km")
    assert page.locator(".bars tr").count() >= 5
    assert page.locator(".heat rect").count() > 5
    page.locator("button.step", has_text="RETRIEVE").click()
    detail = page.locator("#detail-body")
    expect(detail).to_contain_text("why it was taken")
    detail.locator("button.event").first.click()
    expect(detail).to_contain_text("The record as it was exported")
    page.get_by_role("button", name="back").press("Enter")
    expect(detail).to_contain_text("why it was taken")
    expect(page.get_by_role("button", name="back")).to_be_hidden()
    detail.locator("button.event").first.click()
    expect(page.get_by_role("button", name="back")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator("button.step", has_text="EXTRACT").click()
    expect(detail).to_contain_text("data key distance")
    page.keyboard.press("Escape")
    expect(page.locator("#detail")).not_to_be_visible()


def test_an_answer_is_judged_and_corrected(page: Page) -> None:
    asked(page)
    page.get_by_role("button", name="almost").click()
    expect(page.get_by_role("button", name="almost")).to_have_attribute("aria-pressed", "true")
    events = page.locator(".answer h2", has_text="What it rests on").inner_text()
    page.get_by_role("button", name="does not belong").first.click()
    expect(page.locator(".answer h2", has_text="What it rests on")).not_to_have_text(
        events, timeout=60_000
    )
    page.get_by_role("link", name="Corrections").click()
    expect(page.locator("main")).to_contain_text("Not found by")
    page.get_by_role("button", name="undo").first.click()
    expect(page.locator("main")).to_contain_text("Nothing yet")
    page.get_by_role("link", name="Judgements").click()
    expect(page.locator("main")).to_contain_text("almost")
    page.get_by_role("link", name="History").click()
    page.locator(".history a").first.click()
    expect(page.locator(".answer .question")).to_contain_text(QUESTION)


def test_a_plan_is_changed(page: Page) -> None:
    asked(page, "How many workouts did I do in 2023?")
    page.get_by_text("Change the plan").click()
    page.locator("textarea").fill('APPLY(RETRIEVE("my mails"), len)')
    page.get_by_role("button", name="Run it").click()
    expect(page.locator(".answer .said")).to_contain_text("167", timeout=60_000)
    page.get_by_text("Change the plan").click()
    for wrong in ("DROP TABLE events", 'SUM(RETRIEVE("my mails"), "n", "n")'):
        page.locator("textarea").fill(wrong)
        page.get_by_role("button", name="Run it").click()
        expect(page.locator(".problem")).not_to_be_empty(timeout=60_000)
        expect(page.locator(".answer .said")).to_contain_text("167")  # nothing of it is lost
        assert page.locator("textarea").input_value() == wrong
    asked(page, "How many workouts did I do in 2023?")
    expect(page.locator(".answer")).to_contain_text("By the plan that you kept")
    page.get_by_role("button", name="undo, and ask again").click()
    expect(page.locator(".answer .said")).not_to_contain_text("167", timeout=60_000)
    expect(page.locator(".answer")).not_to_contain_text("By the plan that you kept")


def test_a_value_is_corrected_and_asked_for_again(page: Page) -> None:
    asked(page)
    said = page.locator(".answer .bars").inner_text()
    page.locator("button.step", has_text="EXTRACT").click()
    page.locator("#detail-body .fix input").first.fill("4321")
    page.get_by_role("button", name="correct it").first.click()
    page.locator("#kept").get_by_role("button", name="Ask again").click()
    expect(page.locator("#detail")).not_to_be_visible()
    expect(page.locator(".answer .bars")).to_contain_text("4,3", timeout=60_000)
    page.get_by_role("link", name="Corrections").click()
    page.get_by_role("button", name="undo").first.click()
    expect(page.locator("main")).to_contain_text("Nothing yet")
    page.get_by_role("link", name="Ask").click()
    asked(page)
    expect(page.locator(".answer .bars")).to_have_text(said, use_inner_text=True)


def _count(page: Page, kind: str) -> Locator:
    return page.locator("tr", has_text="netflix").filter(has_text=kind).locator(".number")


def _imported(page: Page, kind: str) -> int:
    return int(_count(page, kind).inner_text())


def _has(page: Page, kind: str, events: int) -> None:
    """The page comes anew when it is done."""
    expect(_count(page, kind)).to_have_text(str(events), timeout=60_000)


def test_files_are_imported_and_forgotten(page: Page) -> None:
    page.get_by_role("link", name="Sources").click()
    page.wait_for_load_state()
    rows = b'Title,Date\n"The Last Lighthouse: Season 1: Fog","5/22/23"\n'
    export = FilePayload(name="NetflixViewingHistory.csv", mimeType="text/csv", buffer=rows)
    before = _imported(page, "tvseries stream")
    page.locator("#files").set_input_files([export])
    _has(page, "tvseries stream", before + 1)
    expect(page.locator("#state")).to_contain_text("1 new")
    page.get_by_role("button", name="forget mastodon").click()
    expect(page.locator("#news")).to_contain_text("forgotten", timeout=60_000)
    expect(page.get_by_role("button", name="forget mastodon")).to_have_count(0)


def test_a_zip_is_dropped_on_the_page(page: Page) -> None:
    page.get_by_role("link", name="Sources").click()
    zipped = BytesIO()
    with ZipFile(zipped, "w") as file:
        file.writestr(
            "netflix/NetflixViewingHistory.csv", 'Title,Date\n"Harbour Lights","5/23/23"\n'
        )
    carried = page.evaluate_handle(
        """(bytes) => {
            const carried = new DataTransfer();
            carried.items.add(new File([Uint8Array.from(bytes)], "export.zip"));
            return carried;
        }""",
        list(zipped.getvalue()),
    )
    before = _imported(page, "movie stream")
    page.dispatch_event("#import", "drop", {"dataTransfer": carried})
    _has(page, "movie stream", before + 1)


def test_by_keyboard_alone(page: Page) -> None:
    expect(page.locator("#question")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Ask")
    page.keyboard.press("Tab")  # the first example
    page.keyboard.press("Enter")
    expect(page.locator(".answer .said")).to_be_visible(timeout=60_000)


def test_a_question_is_followed_up_by_keyboard_alone(page: Page) -> None:
    asked(page, "How many workouts did I do in 2023?")
    box = page.get_by_role("searchbox", name="What do you want to know")
    expect(box).to_be_focused()
    expect(box).to_have_accessible_description(re.compile("Ask on with a few words"))
    page.keyboard.type("and in 2022?")  # what was asked is selected, and goes
    page.keyboard.press("Enter")
    full = "How many workouts did I do in 2022?"
    meant = page.get_by_role("status").filter(has_text="was taken to mean")
    expect(meant).to_contain_text(full)
    expect(page.locator(".answer .question")).to_have_text(full, timeout=60_000)
    expect(box).to_have_value(full)
    page.get_by_role("button", name="Ask “and in 2022?” as it was typed").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".answer .question")).to_have_text("and in 2022?", timeout=60_000)
    expect(page.locator("#meant")).to_be_empty()


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1000, "dark")])
def test_narrow_and_dark(browser: Browser, serving: Serving, width: int, scheme: str) -> None:
    page = browser.new_page(
        viewport={"width": width, "height": 800},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    page.goto(serving.address)
    home = page.url
    for place in ("", "history", "sources", "corrections", "judgements"):
        page.goto(home + place)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


def test_dates_are_a_timeline_at_any_width(page: Page) -> None:
    asked(page, "my runs in 2023")
    picture = page.get_by_role("img", name="Timeline:")
    expect(picture).to_be_visible()
    count = picture.locator("circle").count()
    assert f"{count} events" in str(picture.get_attribute("aria-label"))
    expect(page.locator(".heat")).to_have_count(0)  # the same days a second time
    heights = set()
    for width in (1000, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        whole = picture.bounding_box()
        assert whole is not None
        heights.add(whole["height"])
        names = [one.bounding_box() for one in picture.locator("text").all()]
        edges = [(box["x"], box["x"] + box["width"]) for box in names if box is not None]
        assert len(edges) >= 2
        assert edges[0][0] >= whole["x"] - 1
        assert edges[-1][1] <= whole["x"] + whole["width"] + 1
        assert all(one[1] < other[0] for one, other in pairwise(edges))  # none on another
    assert len(heights) == 1


def test_nothing_jumps_about_while_a_question_is_answered(page: Page) -> None:
    page.evaluate("""() => {
        window.jumps = 0;
        new PerformanceObserver((list) => {
            for (const one of list.getEntries()) if (!one.hadRecentInput) window.jumps += one.value;
        }).observe({ type: "layout-shift", buffered: true });
    }""")
    asked(page, "Which cities did I travel to?")
    page.keyboard.type("and in 2023?")
    page.keyboard.press("Enter")
    expect(page.locator(".answer .question")).to_contain_text("2023", timeout=60_000)
    page.wait_for_timeout(300)
    assert page.evaluate("window.jumps") < 0.1  # what browsers' makers call good


def test_places_are_a_list(page: Page) -> None:
    asked(page, "Where did I have lunch with others?")
    assert page.locator(".listed li").count() >= 2
    page.locator("button.step", has_text="EXTRACT").click()
    expect(page.locator("#detail-body mark").first).to_be_visible()  # the words of the text
    page.keyboard.press("Escape")
    expect(page.locator(".timeline")).to_have_count(0)


def test_another_server_on_this_machine_gets_no_cookie(page: Page) -> None:
    heard: list[str | None] = []

    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(self.headers["cookie"])
            self.send_response(200)
            self.send_header("set-cookie", "mine=1; Path=/")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    page.get_by_role("link", name="History").click()
    home = page.url
    with ThreadingHTTPServer(("127.0.0.1", 0), Other) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for place in ("", "history", "x"):
            page.goto(f"http://127.0.0.1:{server.server_port}/{place}")
        server.shutdown()
    assert len(heard) >= 3
    assert set(heard) <= {None, "mine=1"}
    page.goto(home)
    expect(page.locator("h1")).to_have_text("What you asked")


def test_hostile_texts_do_nothing(browser: Browser, tmp_path: Path) -> None:
    served = Serving(hostile_life(tmp_path))
    said: list[str] = []
    try:
        page = browser.new_page()
        page.on("dialog", partial(_heard, said))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(served.address)
        for question in ("my mails", "my calendar", HOSTILE):
            asked(page, question)
            page.get_by_role("button", name="wrong").click()
            _look(page)
            for button in page.locator(".answer .event, .answer .step").all():
                button.click()
                expect(page.locator("#detail")).to_be_visible()
                _look(page)
                page.keyboard.press("Escape")
        asked(page, "my calendar")
        page.get_by_role("button", name="does not belong").first.click()
        expect(page.locator("#news")).to_contain_text("Dropped")
        page.locator(".answer .said").wait_for()
        for name in ("History", "Sources", "Corrections", "Judgements"):
            page.get_by_role("link", name=name).click()
            expect(page.locator("main")).to_contain_text("alert(2)")
            _look(page)
        page.locator(".history a").first.click()
        _look(page)
    finally:
        page.close()
        served.end()
    assert not said


def _look(page: Page) -> None:
    """Nothing that data says has become a part of the page, or turns its words around."""
    harmless(page.content())
    assert page.locator("img, script:not([src]), [onerror]").count() == 0


def test_no_script_but_our_own_is_run(page: Page) -> None:
    page.evaluate("""() => {
        const script = document.createElement("script");
        script.textContent = "window.hacked = 1";
        document.body.append(script);
        document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.hacked = 1'>");
    }""")
    page.wait_for_timeout(300)
    assert page.evaluate("window.hacked") is None
    with pytest.raises(PlaywrightError, match="Failed to fetch"):
        page.evaluate("fetch('http://127.0.0.2:1/')")


SLOW = "Which restaurants did I visit?"


def test_a_question_is_stopped(page: Page, serving: Serving) -> None:
    page.get_by_label("What do you want to know").fill(SLOW)
    page.keyboard.press("Enter")
    expect(page.locator("#tree code").first).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#state")).to_have_text("Stopped.", timeout=10_000)
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()
    (worker,) = serving.workers()
    before = _processor_seconds(worker)
    page.wait_for_timeout(1_000)
    assert _processor_seconds(worker) - before < 0.3  # nobody goes on with it
    page.get_by_role("link", name="History").click()
    expect(page.locator("main")).not_to_contain_text(SLOW)


def _processor_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_worker_that_dies_is_an_error_on_the_page_and_the_next_answers(
    page: Page, serving: Serving
) -> None:
    page.get_by_label("What do you want to know").fill(SLOW)
    page.keyboard.press("Enter")
    expect(page.locator("#tree code").first).to_be_visible(timeout=60_000)
    (worker,) = serving.workers()
    os.kill(worker, signal.SIGKILL)
    expect(page.locator("#state")).to_contain_text("stopped unexpectedly")
    page.wait_for_timeout(2_000)
    asked(page, "my runs in 2023")
    assert serving.workers() != [worker]


def test_tabs_wait_for_one_another(browser: Browser, serving: Serving) -> None:
    window = browser.new_context()
    pages = [window.new_page() for _ in range(8)]  # more than a browser has connections
    for page in pages:
        page.goto(serving.address)
    for year, page in enumerate(pages, 2017):
        page.get_by_label("What do you want to know").fill(f"my runs in {year}")
        page.keyboard.press("Enter")
    for year, page in enumerate(pages, 2017):
        expect(page.locator(".answer .question")).to_have_text(
            f"my runs in {year}", timeout=120_000
        )
    window.close()
