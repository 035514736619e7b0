"""The mean of the weights of networks of one form: as a rule better than any of them.

python -m reqap.train.retrieve mean --start minilm --of A B --shares 0.3 0.7 --out M
python -m reqap.train.extract mean --start gte A B --shares 0.3 0.7 --out R
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

CROSS, ENCODER, JUDGE = "cross.onnx", "encoder.onnx", "judge.npz"


def shares_of(shares: Sequence[float] | None, count: int) -> list[float]:
    """The share of each, of 1 in all."""
    shares = shares or [1.0] * count
    if len(shares) != count or min(shares) < 0 or not sum(shares):
        raise SystemExit(f"--shares: {count} numbers are needed, one for each folder")
    return [share / sum(shares) for share in shares]


def mean_of(states: Sequence[Mapping[str, Any]], shares: Sequence[float]) -> dict[str, Any]:
    """What are no numbers to be averaged (places of words) is as the first one has it."""
    return {
        name: sum(state[name] * share for state, share in zip(states, shares, strict=True))
        if first.is_floating_point() else first
        for name, first in states[0].items()
    }  # fmt: skip


def write_search_mean(
    folders: Sequence[Path], shares: Sequence[float] | None, start: Path, out: Path
) -> None:
    """Of what the first folder has of RETRIEVE: the cross-encoder, the encoder and its judge."""
    out.mkdir(parents=True, exist_ok=True)
    parts = shares_of(shares, len(folders))
    if (folders[0] / CROSS).exists():
        _cross(folders, parts, start, out)
    if (folders[0] / ENCODER).exists():
        _encoder(folders, parts, start, out)


def _cross(folders: Sequence[Path], parts: Sequence[float], start: Path, out: Path) -> None:
    from reqap.train.onnx_export import write_onnx
    from reqap.train.retrieve_models import Cross, load_start

    model = Cross(load_start(start)[1])
    model.load_state_dict(mean_of([_state(model, folder, CROSS) for folder in folders], parts))
    names = ("input_ids", "attention_mask", "token_type_ids")
    write_onnx(model.eval(), out / CROSS, names, ("logits",))


def _encoder(folders: Sequence[Path], parts: Sequence[float], start: Path, out: Path) -> None:
    import numpy as np

    from reqap.train.onnx_export import write_onnx
    from reqap.train.retrieve_models import Encoder, common_words, load_start

    tokenizer, bert = load_start(start)
    model = Encoder(bert, common_words(tokenizer))
    model.load_state_dict(mean_of([_state(model, folder, ENCODER) for folder in folders], parts))
    names = ("dense", "own", "words")
    write_onnx(model.eval(), out / ENCODER, ("input_ids", "attention_mask"), names)
    judges = [np.load(folder / JUDGE, allow_pickle=False) for folder in folders]
    mean = {name: sum(judge[name] * part for judge, part in zip(judges, parts, strict=True))
            for name in judges[0].files if name != "head"}  # fmt: skip
    np.savez(out / JUDGE, head=judges[0]["head"], **mean)


def _state(model: Any, folder: Path, name: str) -> dict[str, Any]:
    """The weights of a folder, as they were before rounding where they are kept."""
    from reqap.train.onnx_export import take_weights

    whole = (folder / name).with_suffix(".npz")
    take_weights(model, whole if whole.exists() else folder / name)
    return {key: value.clone() for key, value in model.state_dict().items()}
