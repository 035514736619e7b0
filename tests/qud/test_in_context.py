"""Examples, instruction, and a real server."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reqap.models.endpoint import Endpoint
from reqap.models.llama import free_cores
from reqap.plan import OPERATORS
from reqap.qud.decompose import Asking, Failure, decompose
from reqap.qud.in_context import SHOWN, InContext, chosen, examples, messages
from reqap.qud.transcript import Turn
from tests.models.server import said, serving


def test_the_examples_that_fit_are_shown() -> None:
    found = chosen("How much money did I spend on board games last year?")
    assert len(found) == SHOWN
    assert "board games" in found[-1][0].question
    assert len(examples()) == 40


def test_the_prompt_says_what_was_worked_out_and_what_was_refused() -> None:
    asking = Asking(
        (Turn("How many runs?", 'APPLY(QUD("my runs"), len)'),),
        "my runs",
        (Failure(" COUNT(3)", "there is no operator COUNT"),),
    )
    system, user = messages(asking)
    assert all(name in system["content"] for name in OPERATORS)
    assert 'Q: How many runs?\nA: APPLY(QUD("my runs"), len)\nQ: my runs\nA:' in user["content"]
    assert "COUNT(3)\nThis step was refused: there is no operator COUNT" in user["content"]


def test_an_endpoint_takes_the_steps() -> None:
    steps = {
        "how many runs?": 'APPLY(QUD("my runs"), len)',
        "my runs": '```\nRETRIEVE("my runs")\n```',
    }

    def answer(asked: dict[str, Any], headers: dict[str, str]) -> tuple[int, bytes]:
        question = asked["messages"][-1]["content"].rpartition("Q: ")[2].removesuffix("\nA:")
        return said(steps[question])

    with serving(answer) as url:
        found = decompose("how many runs?", InContext(Endpoint(url, "m")))
    assert found.understood


@pytest.fixture(scope="module")
def llama_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """llama.cpp's own server with the shipped model, on loopback."""
    import xllamacpp

    from reqap.qud.shipped import folder

    path = folder() / "qud.gguf"
    if not path.is_file():
        pytest.skip("the weights are not here")
    given = xllamacpp.CommonParams()
    given.model.path = str(path)
    given.n_ctx, given.n_parallel, given.port, given.verbosity = 8192, 1, 18_437, -1
    given.cpuparams.n_threads = given.cpuparams_batch.n_threads = free_cores()
    server = xllamacpp.Server(given)
    yield f"{server.listening_address}/v1"
    del server


def test_a_real_server_answers(llama_server: str) -> None:
    """The small model has not learnt to follow instructions: steps come, and are checked."""
    heard: list[str] = []
    backend = InContext(Endpoint(llama_server, "qud", timeout=300))
    text = backend.step(Asking((), "How many books did I buy in 2021?"), heard.append)
    assert heard == [text]
    assert text.strip()


def test_a_server_that_is_down_is_told(tmp_path: Path) -> None:
    from reqap.models.endpoint import EndpointProblem

    backend = InContext(Endpoint("http://127.0.0.1:9", "m", tries=1))
    with pytest.raises(EndpointProblem, match=r"127\.0\.0\.1:9"):
        decompose("how many runs?", backend)
