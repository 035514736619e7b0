"""No damage to a file of any source does harm: sound events, issues, or an ExportProblem.

The samples that a source recognises are damaged in their bytes and, where they are JSON, confused
in their values. A new source takes part as soon as it is in the registry and has a sample.
"""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reqap.sources.base import Context, Source
from reqap.sources.registry import BUILT_IN, all_sources, recognise
from reqap.values import DateOrder
from tests.sources.hostile import confused, damaged, survives
from tests.sources.reading import DATA, context, files

# There are many samples: a few examples of each by default, and under another profile
# (`--hypothesis-profile=long`) as many as that says.
_PROFILE = settings().max_examples
_IS_DEFAULT = settings.get_profile("default").max_examples == _PROFILE
FUZZ = settings(max_examples=40 if _IS_DEFAULT else _PROFILE, deadline=None)

SAMPLES = [
    pytest.param(source, Path(file.name), id=f"{source.name}/{Path(file.name).name}")
    for file in files(DATA)
    if (source := recognise(file, all_sources()))
]
JSON_SAMPLES = [sample for sample in SAMPLES if str(sample.id).endswith((".json", ".js"))]
CONTEXTS = st.sampled_from(
    [context(), context("Asia/Tokyo", ("Mia Keller", "Lena Hofer"), DateOrder.DMY)]
)

# These hand on what a record says as it stands, a control character or an empty list as well.
AS_TOLD = {"amazon", "perqa", "spotify"}


def test_there_is_a_sample_of_every_source() -> None:
    assert {source.name for source in BUILT_IN} <= {str(s.id).split("/")[0] for s in SAMPLES}


@pytest.mark.parametrize(("source", "path"), SAMPLES)
@FUZZ
@given(st.data(), CONTEXTS)
def test_damaged_files(source: Source, path: Path, data: st.DataObject, ctx: Context) -> None:
    do_no_harm(source, path, data.draw(damaged(path.read_bytes())), ctx)


@pytest.mark.parametrize(("source", "path"), JSON_SAMPLES)
@FUZZ
@given(st.data(), CONTEXTS)
def test_confused_records(source: Source, path: Path, data: st.DataObject, ctx: Context) -> None:
    do_no_harm(source, path, data.draw(confused(path)), ctx)


def do_no_harm(source: Source, path: Path, content: bytes, ctx: Context) -> None:
    # Under its own name, but not its path: what lies there on the disk is another content.
    events = survives(source, content, path.relative_to(DATA).as_posix(), ctx)
    if source.name not in AS_TOLD:
        for value in (value for event in events for value in event.data.values()):
            assert value not in ("", [], (), None)
            parts = value if isinstance(value, list | tuple) else [value]
            assert not any("\x00" in str(part) for part in parts)
