"""The worker's rules: one long thing at a time, what waits can be stopped, mistakes are told."""

import io
import json
import threading
import time
from typing import Any

import pytest

from reqap.errors import ReqapError, Stopped
from reqap.serve.service import Request
from reqap.serve.worker import Worker
from reqap.steps import Plain


class Slow:
    """A service whose questions take until they are stopped."""

    def __init__(self) -> None:
        self.running = 0
        self.most = 0

    def warm(self) -> None:
        pass

    def ask(self, request: Request, question: str) -> Plain:
        self.running += 1
        self.most = max(self.most, self.running)
        assert request.stop is not None
        try:
            if question == "long":
                assert request.stop.wait(10)
                raise Stopped
            if question == "huge":
                return {"number": 10**30}
        finally:
            self.running -= 1
        return {"question": question}

    def history(self, before: int = 0) -> Plain:
        if before == 1:
            raise ReqapError("no")
        if before == 2:
            raise ZeroDivisionError
        return {"rows": []}


class Told:
    """What a worker tells, by request."""

    def __init__(self, service: Any) -> None:
        self._out = io.BytesIO()
        self.worker = Worker(self._out, service)

    def do(self, number: int, name: str, **given: object) -> None:
        self.worker.take(json.dumps({"id": number, "do": name, "with": given}).encode())

    def stop(self, number: int) -> None:
        self.worker.take(json.dumps({"id": number, "stop": True}).encode())

    def of(self, number: int, name: str, tries: int = 200) -> Any:
        """What was told under a name, as soon as it is."""
        for _ in range(tries):
            for line in self._out.getvalue().splitlines():
                one = json.loads(line)
                if one["id"] == number and (name in one or one.get("event") == name):
                    return one
            time.sleep(0.02)
        return None


@pytest.fixture
def told() -> Any:
    told = Told(Slow)
    yield told
    told.worker.close()


def test_one_after_the_other_and_looking_does_not_wait(told: Told) -> None:
    told.do(1, "ask", question="long")
    told.do(2, "ask", question="b")
    assert told.of(1, "began")
    assert told.of(2, "queued")["data"] == {"ahead": 1}
    told.do(3, "history")
    assert told.of(3, "done") == {"id": 3, "done": {"rows": []}}
    told.stop(1)
    assert told.of(1, "stopped")
    assert told.of(2, "done")["done"] == {"question": "b"}


def test_what_waits_is_stopped_at_once(told: Told) -> None:
    told.do(1, "ask", question="long")
    assert told.of(1, "began")
    told.do(2, "ask", question="b")
    told.stop(2)
    assert told.of(2, "stopped")
    told.stop(1)
    told.do(3, "ask", question="c")
    assert told.of(3, "done")
    assert told.of(2, "done", tries=1) is None


def test_mistakes_are_told_and_the_worker_goes_on(told: Told) -> None:
    told.do(1, "history", before=1)
    told.do(2, "history", before=2)
    told.do(3, "unheard_of")
    told.do(4, "history", nonsense=1)
    told.do(5, "ask", question="huge")
    assert told.of(1, "failed")["failed"] == "no"
    assert "ZeroDivisionError" in told.of(2, "failed")["failed"]
    for number in (3, 4, 5):
        assert told.of(number, "failed")
    told.do(6, "history")
    assert told.of(6, "done")


def test_what_could_not_be_loaded_is_loaded_again() -> None:
    turns = iter([ReqapError("the store is in use"), ReqapError("still"), None])
    done = threading.Event()

    def load() -> Slow:
        problem = next(turns)
        if problem:
            raise problem
        done.set()
        return Slow()

    told = Told(load)
    told.do(1, "history")
    assert told.of(1, "failed") or told.of(1, "done")
    told.do(2, "history")
    told.do(3, "history")
    assert told.of(3, "done")
    assert done.is_set()
    told.worker.close()
