"""A GGUF model run by llama.cpp, in this process, on this machine's own processor.

llama.cpp comes as a server; it is given a socket in a private folder instead of a port, so that
nobody else on the machine or the network can speak to it.
"""

import os
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reqap.models.base import Heard, ModelProblem, unheard

_QUIET = -1


class LlamaModel:
    """Loads a file once and continues texts; what two texts have in common is worked out once."""

    def __init__(
        self, path: Path, context: int = 3072, parallel: int = 1, threads: int | None = None
    ) -> None:
        try:
            import xllamacpp
        except ImportError as error:
            raise ModelProblem(
                f"the runtime of language models cannot be loaded ({error});"
                " install it with: pip install xllamacpp"
            ) from None
        if not path.is_file():
            raise ModelProblem(f"the model {path} is not there")
        folder = tempfile.mkdtemp(prefix="reqap-")
        given = xllamacpp.CommonParams()
        given.model.path = str(path)
        given.n_ctx = context * parallel
        given.n_parallel = parallel
        given.cache_ram_mib = 0
        given.cpuparams.n_threads = threads or usable_cores()
        given.cpuparams_batch.n_threads = threads or usable_cores()
        given.hostnames = [str(Path(folder) / "model.sock")]
        given.ui = False
        given.warmup = False
        given.verbosity = _QUIET
        try:
            self._server = xllamacpp.Server(given)
        except RuntimeError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise ModelProblem(f"{path} cannot be loaded as a model: {error}") from None
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)

    def complete(
        self,
        prompt: str,
        *,
        max_tokens: int,
        stop: Sequence[str] = (),
        temperature: float = 0.0,
        seed: int = 0,
        grammar: str = "",
        heard: Heard = unheard,
    ) -> str:
        asked: dict[str, Any] = {
            "prompt": prompt,
            "n_predict": max_tokens,
            "temperature": temperature,
            "seed": seed,
            "stop": list(stop),
            "cache_prompt": True,
            "stream": True,
        }
        if grammar:
            asked["grammar"] = grammar
        pieces: list[str] = []
        problems: list[str] = []

        def got(answer: dict[str, Any]) -> None:
            for choice in answer.get("choices", ()):
                pieces.append(choice["text"])
                heard(choice["text"])
            if "choices" not in answer:
                problems.append(str(answer.get("message") or answer)[:300])

        self._server.handle_completions(asked, got)
        if problems:
            raise ModelProblem(f"the model does not answer: {problems[0]}")
        return "".join(pieces)


def usable_cores() -> int:
    """Cores this process may use, within reason."""
    try:
        count = len(os.sched_getaffinity(0))
    except AttributeError:  # macOS, Windows
        count = os.cpu_count() or 1
    return max(1, min(count, 8))
