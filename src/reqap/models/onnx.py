"""ONNX networks that read texts, on this machine's own processor.

One text at a time: weights have eight bits, and how a batch is rounded would depend on its company.
Every text has one core for itself, which takes less time than sharing all of them.
"""

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from reqap.models.base import ModelMissing, ModelProblem, verified
from reqap.models.llama import cores

_THREADS = 4
_LONG = 160  # word pieces; of longer texts only one is read at a time, because of what they take up
Given = tuple[list[int], list[int] | None]
Outputs = list[npt.NDArray[np.float32]]


class Words:
    """Texts as the numbers of their word pieces, so many at most."""

    def __init__(self, path: Path, longest: int) -> None:
        self._longest = longest
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise _missing("tokenizers", error) from None
        try:
            self._one = Tokenizer.from_file(str(path))
            self._two = Tokenizer.from_file(str(path))
        except Exception as error:  # noqa: BLE001 (the library has no class of its own)
            raise ModelProblem(f"{path} cannot be read as a vocabulary: {error}") from None
        for reader, strategy in ((self._one, "longest_first"), (self._two, "only_second")):
            reader.no_padding()
            reader.enable_truncation(longest, strategy=strategy)

    def of(self, text: str) -> list[int]:
        found: list[int] = self._one.encode(text).ids
        return found

    def of_both(self, first: str, second: str) -> tuple[list[int], list[int]]:
        """A pair, and 1 where the second is."""
        found = self.encoded_both(first, second)
        return found.ids, found.type_ids

    def encoded_both(self, first: str, second: str) -> Any:
        """A pair with all that is known of it. Of the first, so much is read that both fit."""
        most = self._longest // 4
        words = self._one.encode(first, add_special_tokens=False)
        return self._two.encode(first[: words.offsets[most - 1][1]] if len(words) > most else first,
                                second)  # fmt: skip


class OnnxModel:
    """A network in a file, which must be the file that is expected."""

    def __init__(self, path: Path, sha256: str = "") -> None:
        # The runtime reports its use to its makers, unless it is told not to before it is loaded.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        try:
            import onnxruntime
        except ImportError as error:
            raise _missing("onnxruntime", error) from None
        onnxruntime.disable_telemetry_events()  # where somebody else has loaded it before
        self.sha256 = verified(path, sha256)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(
                path, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # noqa: BLE001 (the runtime has none in common)
            raise ModelProblem(f"{path} cannot be loaded as a model: {error}") from None
        self._inputs = [one.name for one in self._session.get_inputs()]
        self._pool = ThreadPoolExecutor(min(cores(), _THREADS), "network")
        self._long = Lock()

    def run_all(self, given: Iterable[Given]) -> list[Outputs]:
        """`run` for each of several texts, on all cores."""
        return list(self._pool.map(lambda one: self.run(*one), given))

    def run(self, ids: list[int], types: list[int] | None = None) -> Outputs:
        """What the network gives for one text; each without the dimension of the batch."""
        row = np.array([ids], np.int64)
        given: dict[str, Any] = {
            "input_ids": row,
            "attention_mask": np.ones_like(row),
            "token_type_ids": np.array([types], np.int64) if types else np.zeros_like(row),
        }
        with self._long if len(ids) > _LONG else nullcontext():
            found = self._session.run(None, {name: given[name] for name in self._inputs})
        return [one[0] for one in found]


def _missing(package: str, error: ImportError) -> ModelMissing:
    return ModelMissing(
        f"the search cannot be loaded ({error}); install what it needs: pip install {package}"
    )
