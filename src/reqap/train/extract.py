"""Trains the model of EXTRACT.

    python -m reqap.train.extract data  --build perqa-lives --out lessons             (here)
    python -m reqap.train.extract pack  --lessons lessons --start gte --out packed    (here)
    python -m reqap.train.extract train --lessons packed --start gte --out reader     (accelerator)

The folder gets the ONNX file with 8-bit weights, the values that the model knows by name, and the
scores on dev. A larger network can be trained as a teacher first (`--pupil`), and then be listened
to (`--teacher`).
"""

import argparse
import copy
import json
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import Any

from reqap.extract.reader import pieces_of, put
from reqap.extract.told import IMPLIED, NOTHING
from reqap.train.extract_lesson import Lesson, in_portions
from reqap.train.extract_pack import (
    UNKNOWN,
    Packed,
    cutting,
    dev_lessons,
    read_packed,
    sort_of,
    values_of,
    write_packed,
    write_values,
)
from reqap.train.means import mean_of, shares_of

_SPREAD = 12
_SORTS = ("nothing", "said", "implied", "unknown")  # of answers, by number
_TEACHER = "teacher.pt"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    data = commands.add_parser("data", help="derive keys with records")
    data.add_argument("--build", type=Path, required=True, help="what `reqap perqa build` wrote")
    data.add_argument("--out", type=Path, required=True)
    small = commands.add_parser("pack", help="write lessons as numbers, small and quickly read")
    small.add_argument("--lessons", type=Path, required=True, help="the folder of `data`")
    small.add_argument("--start", type=Path, required=True, help="whose tokenizer cuts texts")
    small.add_argument("--out", type=Path, required=True)
    small.add_argument("--some", type=int, help="only so many, drawn anew")
    train = commands.add_parser("train", help="train the reader")
    train.add_argument(
        "--lessons", type=Path, required=True, help="the folder of `data` or of `pack`"
    )
    train.add_argument("--start", type=Path, required=True, help="a BERT encoder to start from")
    train.add_argument("--onward", type=Path, help="go on from the weights of this folder")
    train.add_argument("--pupil", type=Path, help="train a teacher, whose pupil starts from this")
    train.add_argument(
        "--teacher", type=Path, nargs=2, metavar=("OUT", "START"), help="listen to this one"
    )
    train.add_argument("--out", type=Path, required=True)
    train.add_argument("--epochs", type=float, default=3)
    train.add_argument("--some", type=int, help="learn from so many lessons, drawn anew")
    train.add_argument("--keep", type=int, default=0, help="so many lowest layers do not learn")
    train.add_argument("--no-drop", action="store_true", help="no dropout but in front of heads")
    train.add_argument("--half", action="store_true", help="count in 16 bits without accelerator")
    train.add_argument("--rate", type=float, default=1e-4)
    train.add_argument("--batch", type=int, default=32_000, help="tokens at a time")
    train.add_argument("--steps", type=int, help="stop after so many: for trying it out")
    train.add_argument("--seconds", type=float, help="stop after so many; the rate knows it")
    mean = commands.add_parser("mean", help="write the mean of the weights of trained readers")
    mean.add_argument("of", type=Path, nargs="+", help="their folders; values are the last one's")
    mean.add_argument("--shares", type=float, nargs="+", help="of each in it; else all the same")
    mean.add_argument("--start", type=Path, required=True, help="the encoder they started from")
    mean.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    if given.command == "data":
        _data(given)
    elif given.command == "pack":
        write_packed(given.lessons, _tokenizer(given.start), given.out, given.some)
    elif given.command == "mean":
        write_mean(given.of, given.shares, given.start, given.out)
    else:
        train_reader(given)


def _data(given: argparse.Namespace) -> None:
    from reqap.train.extract_data import (
        life_lessons,
        perqa_lessons,
        record_lessons,
        unknown_lessons,
        written_lessons,
    )
    from reqap.train.hints import extract_lessons

    given.out.mkdir(parents=True, exist_ok=True)
    for split in ("train", "dev"):
        chance = random.Random(1)
        folders = sorted((given.build / split).iterdir())
        one_by_one = chain(
            written_lessons(chance),
            written_lessons(chance, again=True),
            written_lessons(chance, again=True),
            record_lessons(),
            extract_lessons(chance),
            unknown_lessons(chance),
        )
        found = chain(
            one_by_one if split == "train" else (),
            life_lessons(split, chance),
            chain.from_iterable(perqa_lessons(folder, chance) for folder in folders),
        )  # fmt: skip
        read = (part for one in found for part in in_portions(one, chance))
        counts = _write(read, given.out / f"{split}.jsonl")
        print(split, dict(counts), flush=True)


def _write(lessons: Iterable[Lesson], path: Path) -> Counter[str]:
    counts: Counter[str] = Counter()
    with path.open("w", encoding="utf-8") as file:
        for one in lessons:
            file.write(json.dumps(asdict(one), ensure_ascii=False) + "\n")
            counts[_SORTS[sort_of(one)]] += 1
    return counts


def _tokenizer(start: Path) -> Any:
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(start / "tokenizer.json"))


def train_reader(given: argparse.Namespace) -> None:
    import torch

    from reqap.train.extract_models import Reader, renumbered
    from reqap.train.extract_teacher import Heard
    from reqap.train.fast import made_fast
    from reqap.train.retrieve_models import load_start
    from reqap.train.rows import Rows

    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(1)
    own, encoder = load_start(given.start)
    tokenizer = cutting(_tokenizer(given.pupil) if given.pupil else own)
    learn = read_packed(given.lessons, tokenizer, given.some)
    values = learn.values
    print(f"{len(learn.sorts):,} lessons, {len(values):,} values", flush=True)
    model = Reader(encoder, len(values), renumbered(tokenizer, own) if given.pupil else None)
    if given.onward:
        _go_on(model, given.onward, values)
    rows, heard = Rows(learn.laid, device), None
    if given.teacher:
        words, larger = load_start(given.teacher[1])
        teacher = Reader(larger, len(values), renumbered(tokenizer, words))
        teacher.load_state_dict(torch.load(given.teacher[0] / _TEACHER))
        heard = Heard(teacher, rows, given.batch, device)
        del teacher
    model.to(device)
    if given.no_drop:
        for part in model.encoder.modules():
            if isinstance(part, torch.nn.Dropout):
                part.p = 0.0
    if given.keep:
        model.encoder.embeddings.requires_grad_(False)
        model.encoder.encoder.layer[: given.keep].requires_grad_(False)
    with made_fast(model.encoder.encoder.layer, device):
        fit(model, heard, learn, rows, given, device)
    given.out.mkdir(parents=True, exist_ok=True)
    found = scores(model, dev_lessons(given.lessons), values, tokenizer, device)
    print({name: round(value, 4) for name, value in found.items()}, flush=True)
    (given.out / "scores.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if given.pupil:
        torch.save(model.state_dict(), given.out / _TEACHER)
    else:
        _write_reader(model, values, given.out)


def _write_reader(model: Any, values: Sequence[str], folder: Path) -> None:
    from reqap.train.onnx_export import write_onnx

    folder.mkdir(parents=True, exist_ok=True)
    write_values(values, folder)
    write_onnx(
        model.cpu().eval(), folder / "reader.onnx",
        ("input_ids", "attention_mask", "token_type_ids"), ("sort", "marks", "values"),
    )  # fmt: skip


def _go_on(model: Any, folder: Path, values: Sequence[str]) -> None:
    """Takes the weights of a trained network; those of values that it did not know stay."""
    import torch

    from reqap.train.extract_models import Reader
    from reqap.train.onnx_export import take_onnx

    before = values_of(folder)
    old = Reader(copy.deepcopy(model.encoder), len(before))
    take_onnx(old, folder / "reader.onnx")
    place = {value.casefold(): n for n, value in enumerate(before)}
    both = [(n, place[value.casefold()]) for n, value in enumerate(values)
            if value.casefold() in place]  # fmt: skip
    here, there = (torch.tensor(side) for side in zip(*both, strict=True))
    with torch.no_grad():
        for name in ("weight", "bias"):
            getattr(model.values, name)[here] = getattr(old.values, name)[there]
    weights = {name: value for name, value in old.state_dict().items()
               if not name.startswith("values.")}  # fmt: skip
    model.load_state_dict(weights, strict=False)


def write_mean(
    folders: Sequence[Path], shares: Sequence[float] | None, start: Path, out: Path
) -> None:
    """What one of them does not know (values) is as the last one knows it."""
    parts = shares_of(shares, len(folders))
    from reqap.train.extract_models import Reader
    from reqap.train.retrieve_models import load_start

    values = values_of(folders[-1])
    model = Reader(load_start(start)[1], len(values))
    found = []
    for folder in reversed(folders):
        _go_on(model, folder, values)
        found.append({name: one.clone() for name, one in model.state_dict().items()})
    model.load_state_dict(mean_of(found, parts[::-1]))
    _write_reader(model, values, out)


def fit(
    model: Any, heard: Any, learn: Packed, rows: Any, given: argparse.Namespace, device: str
) -> None:
    import torch
    from torch.nn import functional

    from reqap.train.batching import batches
    from reqap.train.retrieve import Climb, steps_of

    sorts, meant = (torch.tensor(one, device=device) for one in (learn.sorts, learn.meant))
    # Where nobody has said what is told, there is nothing to learn without a teacher.
    used = [n for n, one in enumerate(learn.sorts) if heard is not None or one != UNKNOWN]
    lengths = [rows.lengths[n] for n in used]
    chance = random.Random(1)
    total = steps_of(given, len(batches(lengths, given.batch, chance, _SPREAD)))
    climb = Climb([model], given.rate, total, device, given.seconds)
    model.train()
    while True:
        for places in batches(lengths, given.batch, chance, _SPREAD):
            batch = [used[place] for place in places]
            ids, mask, types = rows.inputs(batch)
            with torch.autocast(
                device, dtype=torch.bfloat16, enabled=device == "cuda" or given.half
            ):
                sort, words, named = said = [one.float() for one in model(ids, mask, types)]
            labelled, known = sorts[batch] != UNKNOWN, meant[batch] >= 0
            loss = _mean(functional.cross_entropy(
                sort, sorts[batch], label_smoothing=0.02, ignore_index=UNKNOWN, reduction="none"
            ), labelled)  # fmt: skip
            something = labelled & (sorts[batch] != NOTHING)
            wanted = rows.marks(batch).masked_fill(types == 0, -1)
            wanted = wanted.masked_fill(~something.unsqueeze(1), -1)
            loss = loss + _mean(functional.cross_entropy(
                words.transpose(1, 2), wanted, ignore_index=-1, reduction="none"
            ), wanted != -1)  # fmt: skip
            loss = loss + 0.5 * _mean(functional.cross_entropy(
                named, meant[batch].clamp(min=0), reduction="none"
            ), known)  # fmt: skip
            if heard is not None:
                further = ~labelled & heard.something(batch)
                something, known = something | further, known | further
                apart = heard.distance(said, batch)
                loss = 0.5 * loss + apart[0].mean()
                loss = loss + _mean(apart[1], (types == 1) & something.unsqueeze(1))
                loss = loss + 0.5 * _mean(apart[2], known)
            if climb.step(loss):
                return


def _mean(losses: Any, counted: Any) -> Any:
    return (losses * counted).sum() / counted.sum().clamp(min=1)


def scores(
    model: Any, dev: Sequence[Lesson], values: Sequence[str], tokenizer: Any, device: str
) -> dict[str, float]:
    """How often what is told is told right, and how often something is told that is not there."""
    import torch

    from reqap.train.laid import lay
    from reqap.train.rows import Rows

    right: Counter[str] = Counter()
    count: Counter[str] = Counter()
    pairs = [(put(one.key, one.about), one.text) for one in dev]
    rows = Rows(lay(tokenizer, pairs), device)
    model.eval()
    order = sorted(range(len(dev)), key=lambda n: rows.lengths[n])
    with torch.no_grad():
        for begin in range(0, len(order), 64):
            batch = order[begin : begin + 64]
            sort, words, named = (one.cpu() for one in model(*rows.inputs(batch)))
            for at, n in enumerate(batch):
                one, said = dev[n], int(sort[at].argmax())
                name = _SORTS[sort_of(one)]
                count[name] += 1
                if name == "nothing" or said == NOTHING:
                    right[name] += name == "nothing" and said == NOTHING
                elif said == IMPLIED:
                    guess = values[int(named[at].argmax())]
                    right[name] += guess.casefold() == one.implied.casefold()
                else:
                    encoding = tokenizer.encode(*pairs[n])
                    said_there = words[at].argmax(-1).tolist()[: len(encoding.ids)]
                    pieces = pieces_of(said_there, encoding.offsets, encoding.type_ids, one.text)
                    told, gold = (
                        {one.text[begin:end].casefold() for begin, end, *_ in some}
                        for some in (pieces, one.spans)
                    )
                    right[name] += not one.implied and told == gold
    model.train()
    return {name: right[name] / max(1, count[name]) for name in _SORTS[:UNKNOWN]}


if __name__ == "__main__":
    main()
