"""The page over HTTP, with a worker that is scripted."""

import re
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from reqap.serve.app import app, marked
from reqap.serve.guard import Tokens
from reqap.serve.link import Link

HOST = "127.0.0.1:8765"
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\x1b[31m\u202e"
# A worker that says hostile things, waits, and dies, as it is told.
WORKER = textwrap.dedent("""
    import json, os, sys
    H = sys.argv[1]
    ENTRY = {"number": 1, "asked": H, "question": H, "today": H, "status": "ok", "text": H,
             "plan": H, "milliseconds": 1.0, "judgement": None}
    EVENT = {"id": H, "kind": H, "source": H, "start": H, "gist": H}
    NODE = {"path": "1", "operator": H, "text": H, "question": H, "shape": "events", "rows_in": 1,
            "rows_out": 1, "milliseconds": 1.0, "reused": False, "notes": [H], "inputs": [],
            "sub_plans": [], "samples": [{"values": {H: H}, "events": []}], "events": []}
    TOLD = {"columns": [H, "n"], "trace": NODE, "timings_ms": {H: 1.0},
            "values": [{H: {"value": H, "text": H}, "n": {"value": n, "text": H}} for n in (1, 2)]}
    DATED = {**TOLD, "columns": [H, "at"], "values": [
        {H: {"value": H, "text": H}, "at": {"value": f"2024-01-0{n}", "text": H}} for n in (1, 2)]}
    NAMED = {**TOLD, "columns": [H], "values": [{H: {"value": H, "text": H}}] * 2, "times": [1, 2]}
    SHAPES = {1: TOLD, 2: DATED, 3: NAMED}
    ANSWERS = {
        "examples": {"examples": [H], "empty": False},
        "answer": {**ENTRY, "told": TOLD, "event_count": 2, "others": 3, "first_events": [EVENT],
                   "kept_plan": 1,
                   "months": [{"day": "2024-01-01", "count": 1}, {"day": "2024-02-01", "count": 2}],
                   "judgements": ["correct"]},
        "node": {"number": 1, "question": H, "node": NODE, "values": [
            {**EVENT, "key": H, "type": "str", "value": H, "where": "text: '<script>'",
             "chance": .5}]},
        "event": {**EVENT, "end": H, "file": H, "position": 1, "data": {H: H}, "raw": H, "note": H,
                  "others": [EVENT]},
        "sources": {"rows": [{"source": H, "kind": H, "events": 1, "months": [
            {"day": "2024-01-01", "count": 1}]}], "imports": [{"started": H, "sources": [H]}],
            "first": "2024-01-01", "last": "2024-02-01"},
        "history": {"rows": [ENTRY], "more": True},
        "corrections": {"rows": [{"id": 1, "made": H, "sort": s, "about": H, "event": H, "value": H,
                                  "listed": EVENT} for s in ("not meant", "value", "plan")]},
        "judgements": {"tallies": {"correct": 1}, "rows": [{**ENTRY, "judgement": "correct",
                                                            "text": "=1+1"}]},
        "judge": {}, "undo": {}, "drop": {}, "fix": {}, "forget_asked": {},
        "check_plan": {},
    }
    def tell(number, **told):
        print(json.dumps({"id": number, **told}), flush=True)
    waiting = set()
    for line in sys.stdin:
        asked = json.loads(line)
        number, given = asked["id"], asked.get("with", {})
        if asked.get("stop"):
            tell(number, stopped=True)
        elif given.get("question") == "die":
            os._exit(9)
        elif given.get("question") == "wait":
            tell(number, event="began", data={})
        elif asked["do"] in ("ask", "import_", "forget", "again", "run"):
            tree = {"path": "1", "question": H, "text": H, "operator": H, "open": True, "inner": []}
            tell(number, event="tree", data=tree)
            tell(number, done={"number": 1, "again": False, "paths": given.get("paths")})
        elif given.get("judgement") == "bad":
            tell(number, failed=H)
        elif asked["do"] == "answer":
            tell(number, done={**ANSWERS["answer"], "told": SHAPES[given["number"]]})
        else:
            tell(number, done=ANSWERS[asked["do"]])
""")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    (tmp_path / "worker.py").write_text(WORKER)
    link = Link([sys.executable, str(tmp_path / "worker.py"), HOSTILE])
    tokens = Tokens("secret", "once")
    served = app(link, tokens, frozenset({HOST}), 5_000)
    with TestClient(served, base_url=f"http://{HOST}", raise_server_exceptions=False) as client:
        client.get("/?token=secret")
        client.base_url = f"http://{HOST}{tokens.root}"
        yield client


def told(client: TestClient, run: str) -> str:
    return client.get(f"/runs/{run}").text


PAGES = ["/", "/answers/1", "/answers/2", "/answers/3", "/answers/1/steps/1", "/events/x?query=y",
         "/sources", "/history", "/corrections", "/judgements"]  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_whatever_data_says_is_shown_as_text(client: TestClient, page: str) -> None:
    answer = client.get(page)
    assert answer.status_code == 200
    assert "alert(1)" in answer.text
    for bad in ("<script>alert", "<img src=x", "<mark><script", "\x1b", "\u202e"):
        assert bad not in answer.text
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(("number", "shape"), [
    (1, '<table class="bars">'), (2, '<figure class="timeline">'), (3, '<ul class="listed">'),
])  # fmt: skip
def test_an_answer_is_shown_by_its_shape(client: TestClient, number: int, shape: str) -> None:
    text = client.get(f"/answers/{number}").text
    shapes = ("bars", "timeline", "listed")
    assert [name for name in shapes if f'class="{name}"' in text] == [shapes[number - 1]]
    assert shape in text


def test_a_run_is_told_as_it_goes(client: TestClient) -> None:
    run = client.post("/ask", json={"question": "x"}).json()["run"]
    text = told(client, run)
    assert "event: tree" in text
    assert "<script>alert" not in text
    assert "event: done" in text
    assert told(client, run) == text  # whoever comes later sees all of it


def test_who_waits_asks_now_and_then(client: TestClient) -> None:
    run = client.post("/ask", json={"question": "wait"}).json()["run"]
    for _ in range(50):
        state = client.get(f"/runs/{run}/state").json()
        if state["begun"]:
            break
        time.sleep(0.05)
    assert state == {"begun": True, "ahead": 0}


def test_a_run_is_stopped(client: TestClient) -> None:
    run = client.post("/ask", json={"question": "wait"}).json()["run"]
    client.post(f"/runs/{run}/stop")
    assert "event: stopped" in told(client, run)


def test_a_worker_that_dies_is_started_again(client: TestClient) -> None:
    run = client.post("/ask", json={"question": "die"}).json()["run"]
    assert "please try once more" in told(client, run)
    for _ in range(100):
        if client.get("/history").status_code == 200:
            break
        time.sleep(0.1)
    assert client.get("/history").status_code == 200
    assert "event: done" in told(client, client.post("/ask", json={"question": "x"}).json()["run"])


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "evil.example:8765"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"cookie": "reqap=guess"},
    ],
)
def test_others_are_refused(client: TestClient, headers: dict[str, str]) -> None:
    assert client.get("/", headers=headers).status_code == 403
    assert client.post("/ask", json={"question": "x"}, headers=headers).status_code == 403


def test_the_token_is_needed_once_and_never_shown(client: TestClient) -> None:
    client.cookies.clear()
    assert client.get("/").status_code == 403
    assert client.get("/static/page.js").status_code == 403
    entry = f"http://{HOST}/?token="
    first = client.get(entry + "secret", follow_redirects=False)
    root = first.headers["location"].removesuffix("/")
    cookie = first.headers["set-cookie"].lower()
    assert "samesite=strict" in cookie
    assert "httponly" in cookie
    assert "secret" not in client.get("/").text
    assert client.get(entry + "guess").status_code == 403
    client.cookies.clear()
    assert client.get(entry + "once").status_code == 200
    assert client.get(entry + "once").status_code == 403
    client.cookies.clear()
    name = cookie.partition("=")[0]
    for guess in ("secret", "once", root, ""):
        given = {"cookie": f"{name}={guess}"}
        assert client.get("/history", headers=given).status_code == 403


def test_the_cookie_is_for_a_path_that_no_other_server_knows(client: TestClient) -> None:
    (cookie,) = client.cookies.jar
    assert cookie.path == f"{client.base_url.path.rstrip('/')}/"
    assert len(cookie.path) > 16
    given = {"cookie": f"{cookie.name}={cookie.value}"}
    assert client.get("/history", headers=given).status_code == 200
    for place in ("/history", "/", "/elsewhere/history", cookie.path[:-2]):
        assert client.get(f"http://{HOST}{place}", headers=given).status_code == 403
    typed = client.get(f"http://{HOST}{cookie.path.rstrip('/')}", follow_redirects=False)
    assert (typed.status_code, typed.headers["location"]) == (303, cookie.path)
    other = Tokens("secret")
    assert other.root not in cookie.path
    assert other.name != cookie.name


def test_every_address_on_a_page_is_below_that_path(client: TestClient) -> None:
    root = client.base_url.path.rstrip("/")
    for page in PAGES:
        for address in re.findall(r'(?:href|src)="([^"]*)"', client.get(page).text):
            assert address.startswith((f"{root}/", "#"))


def test_what_does_not_work_is_said(client: TestClient) -> None:
    bad = client.post("/answers/1/judge", json={"judgement": "bad"})
    assert bad.status_code == 400
    assert "alert(1)" in bad.json()["problem"]
    assert client.post("/ask", json={}).status_code == 400
    assert client.post("/ask", content=b"{").status_code == 400
    assert client.post("/ask", json=[1]).status_code == 400
    assert (
        client.post("/ask", content=b'{"question": "' + b"x" * 300_000 + b'"}').status_code == 413
    )
    assert client.get("/runs/77").status_code == 404
    assert client.get("/nowhere", headers={"accept": "text/html"}).status_code == 404
    assert client.get("/answers/x").status_code == 404
    assert client.get("/answers/99999999999999999999").status_code == 404
    assert client.get("/history?before=%C2%B2").status_code == 200
    assert client.get("/static/../app.py").status_code == 404


def test_files_are_taken_up_to_a_size(client: TestClient, tmp_path: Path) -> None:
    files = [("files", (name, b"a,b\n1,2\n")) for name in ("../../.evil.csv", "電" * 120 + ".csv")]
    run = client.post("/sources/import", files=files).json()["run"]
    assert "event: done" in told(client, run)
    large = client.post("/sources/import", files=[("files", ("x", b"x" * 6_000))])
    assert large.status_code == 400
    assert "reqap import" in large.json()["problem"]


def test_judgements_can_be_taken_along(client: TestClient) -> None:
    without = client.get("/judgements.csv").text
    assert "correct" in without
    assert "alert" not in without.splitlines()[0]
    assert "question" not in without
    assert "'=1+1" in client.get("/judgements.csv?questions=1").text


def test_words_are_marked() -> None:
    assert marked("had <b>carbonara</b>", "text: 'carbonara'") == (
        "had &lt;b&gt;<mark>carbonara</mark>&lt;/b&gt;"
    )
    assert marked("a < b", None) == "a &lt; b"
