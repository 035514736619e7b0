"""No damage to a file of any source does harm: sound events, issues, or an ExportProblem.

The samples that a source recognises are damaged in their bytes and, where they are JSON, confused
in their values. A new source takes part as soon as it is in the registry and has a sample.
"""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reqap.errors import ExportProblem
from reqap.events import Event
from reqap.sources.base import Context, ExportFile, Source
from reqap.sources.registry import BUILT_IN, all_sources, recognise
from reqap.values import DateOrder
from tests.sources.hostile import confused, damaged, survives
from tests.sources.reading import DATA, context, files

# By default a few examples of two samples of each source, those that ask most of its reader; under
# another profile (`--hypothesis-profile=long`) all samples, and as many examples as it says.
LONG = settings().max_examples != settings.get_profile("default").max_examples
FUZZ = settings(deadline=None) if LONG else settings(max_examples=40, deadline=None)

CONTEXTS = st.sampled_from(
    [context(), context("Asia/Tokyo", ("Mia Keller", "Lena Hofer"), DateOrder.DMY)]
)


def _by_source() -> dict[Source, list[ExportFile]]:
    """All samples that a source takes for its own."""
    samples: dict[Source, list[ExportFile]] = {}
    for file in files(DATA):
        if source := recognise(file, all_sources()):
            samples.setdefault(source, []).append(file)
    return samples


def _asked(source: Source, file: ExportFile) -> set[object]:
    """What a file asks of its reader: kinds with their fields, and reasons for issues."""
    asked: set[object] = set()
    with suppress(ExportProblem):
        for item in source.read(file, context(date_order=DateOrder.DMY)):
            if isinstance(item, Event):
                asked.update((item.kind, name) for name in item.data)
            else:
                asked.add(item.reason)
    return asked


def _most_telling(source: Source, samples: list[ExportFile]) -> list[ExportFile]:
    """At most two: the one that asks most, and the one that adds most; the smaller of equals."""
    chosen: list[ExportFile] = []
    known: set[object] = set()
    asked = {file: _asked(source, file) for file in samples}
    for _ in range(2):
        best = max(samples, key=lambda file: (len(asked[file] - known), -file.size), default=None)
        if best and (asked[best] - known or not chosen):
            chosen.append(best)
            known |= asked[best]
    return chosen


def _chosen(*suffixes: str) -> list[object]:
    return [
        pytest.param(source, Path(file.name), id=f"{source.name}/{Path(file.name).name}")
        for source, samples in _by_source().items()
        for fitting in [[f for f in samples if not suffixes or f.name.endswith(suffixes)]]
        for file in (fitting if LONG else _most_telling(source, fitting))
    ]


def _name(path: Path) -> str:
    """Not the path itself: what lies on the disk there is another content."""
    return path.relative_to(DATA).as_posix()


def test_there_is_a_sample_of_every_source() -> None:
    assert {source.name for source in _by_source()} >= {source.name for source in BUILT_IN}


@pytest.mark.parametrize(("source", "path"), _chosen())
@FUZZ
@given(st.data(), CONTEXTS)
def test_damaged_files(source: Source, path: Path, data: st.DataObject, ctx: Context) -> None:
    survives(source, data.draw(damaged(path.read_bytes())), _name(path), ctx)


@pytest.mark.parametrize(("source", "path"), _chosen(".json", ".js"))
@FUZZ
@given(st.data(), CONTEXTS)
def test_confused_records(source: Source, path: Path, data: st.DataObject, ctx: Context) -> None:
    survives(source, data.draw(confused(path)), _name(path), ctx)
