"""A GGUF model run by llama.cpp, in this process, on this machine's own processor.

llama.cpp comes as a server; it is given a socket in a private folder instead of a port, so that
nobody else on the machine or the network can speak to it.
"""

import os
import shutil
import tempfile
import time
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
        given.cpuparams.n_threads = given.cpuparams_batch.n_threads = threads or free_cores()
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


def cores() -> int:
    """Those of this process."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS, Windows
        return os.cpu_count() or 1


def free_cores(most: int = 8) -> int:
    """The cores to use: those of this process that nobody else keeps busy just now.

    Threads of a model wait for each other at every layer. One that does not get its turn, because
    somebody else has the core, holds up all of them: fewer threads are then many times faster.
    """
    count = cores()
    before = _ticks()
    time.sleep(_LOOK if before else 0)
    after = _ticks()
    if before and after and (total := sum(after) - sum(before)) > 0:
        idle = (after[3] + after[4] - before[3] - before[4]) / total
        count = round(count * idle)
    return max(1, min(count, most))


_LOOK = 0.08
_STAT = Path("/proc/stat")


def _ticks() -> list[int]:
    """What all cores did so far: user, nice, system, idle, waiting, …; nothing where unknown."""
    try:
        return [int(word) for word in _STAT.read_text().split("\n", 1)[0].split()[1:9]]
    except (OSError, ValueError):
        return []
