"""The endpoint: answers, patience, and what it says when something is wrong."""

import socket
from typing import Any

import pytest

from reqap.models.endpoint import Endpoint, EndpointProblem, user
from tests.models.server import Answer, said, serving


def test_it_asks_and_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQAP_LLM_KEY", "secret")
    seen: list[tuple[dict[str, Any], dict[str, str]]] = []

    def answer(asked: dict[str, Any], headers: dict[str, str]) -> Answer:
        seen.append((asked, headers))
        return said("hello")

    with serving(answer) as url:
        assert Endpoint(url, "small").chat([user("hi")], max_tokens=7, stop=["\n"]) == "hello"
    asked, headers = seen[0]
    assert asked["messages"] == [{"role": "user", "content": "hi"}]
    assert (asked["model"], asked["max_tokens"], asked["stop"]) == ("small", 7, ["\n"])
    assert headers["Authorization"] == "Bearer secret"


def test_a_busy_server_is_asked_again_more_and_more_patiently() -> None:
    answers = iter([(503, b"busy"), (429, b"slow down"), said("there you are")])
    waited: list[float] = []
    with serving(lambda *_: next(answers)) as url:
        endpoint = Endpoint(url, "m", sleep=waited.append)
        assert endpoint.chat([user("hi")]) == "there you are"
    assert waited == [1.0, 2.0]


def test_a_refusal_is_told_at_once_and_without_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQAP_LLM_KEY", "secret-key")
    asked = []

    def answer(*_: object) -> Answer:
        asked.append(1)
        return 401, b'{"error": {"message": "no such key"}}'

    with serving(answer) as url, pytest.raises(EndpointProblem) as told:
        Endpoint(url, "m").chat([user("hi")])
    assert "no such key" in str(told.value)
    assert "cannot be reached" not in str(told.value)
    assert "secret-key" not in str(told.value)
    assert len(asked) == 1


def test_a_server_that_is_down() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with pytest.raises(EndpointProblem, match=r"cannot be reached.*refused.*Is the server running"):
        Endpoint(f"http://127.0.0.1:{port}/v1", "m", tries=2, wait=0).chat([user("hi")])


def test_a_server_that_never_answers() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        with pytest.raises(EndpointProblem, match=r"no answer within 0\.2 s"):
            Endpoint(url, "m", timeout=0.2, tries=1).chat([user("hi")])


@pytest.mark.parametrize(
    "answer",
    [(200, b"<html>"), (200, b"[]"), (200, b'{"choices": []}'), said(None), said(["x"]),
     (200, b"[" * 100_000)],
)  # fmt: skip
def test_answers_of_another_kind(answer: Answer) -> None:
    with serving(lambda *_: answer) as url, pytest.raises(EndpointProblem):
        Endpoint(url, "m").chat([user("hi")])


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://host/x", "localhost:8080", "",
                                 "http://[::1/v1", "http://host/v 1"])  # fmt: skip
def test_only_web_addresses(url: str) -> None:
    with pytest.raises(EndpointProblem, match="not the address"):
        Endpoint(url, "m")


def test_neither_key_nor_question_goes_to_another_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQAP_LLM_KEY", "secret")
    elsewhere: list[dict[str, str]] = []

    def other(_: object, headers: dict[str, str]) -> Answer:
        elsewhere.append(headers)
        return said("hello")

    with (
        serving(other) as target,
        serving(lambda *_: (302, target.encode())) as url,
        pytest.raises(EndpointProblem, match="302"),
    ):
        Endpoint(url, "m", tries=1).chat([user("hi")])
    assert elsewhere == []


@pytest.mark.parametrize("key", ["bad\nkey", "5 €"])
def test_a_key_that_is_none_is_not_shown(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("REQAP_LLM_KEY", key)
    with pytest.raises(EndpointProblem, match="no key") as told:
        Endpoint("http://127.0.0.1:9/v1", "m").chat([user("hi")])
    assert key not in str(told.value)
