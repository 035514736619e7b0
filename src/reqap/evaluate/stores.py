"""Lives imported to be asked, each once: a second run finds them as they are.

A store is known by what went into it; one of another content is imported anew. Not the job of this
module: what a life is (`subjects`), and asking it (`answering`).
"""

import hashlib
import os
import time
from contextlib import suppress
from pathlib import Path
from zoneinfo import ZoneInfo

import duckdb

from reqap.errors import ReqapError, StoreBusy, StoreProblem
from reqap.evaluate.subjects import Subject
from reqap.events import Clock
from reqap.extract import LearnedExtractor
from reqap.importing import import_paths, machine_zone
from reqap.profile import Profile
from reqap.retrieve.encoding import Encoder
from reqap.retrieve.index import state, update
from reqap.sources.base import Context
from reqap.store import Store

_MEMORY = "1GB"
_TRIES = 60  # a second apart


def imported(subject: Subject, folder: Path, encoder: Encoder | None = None) -> Path:
    """The store of a life; it is made, and prepared for this encoder, where it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{subject.name}-{_digest(subject)}.duckdb"
    if not path.exists():
        # Made beside its place, so that a run that was stopped leaves no half of it there.
        part = folder / f"{path.stem}.{os.getpid()}.part"
        part.unlink(missing_ok=True)
        _import(subject, part)
        part.replace(path)
    if encoder is not None:
        with opened(path) as store:
            complete = state(store, encoder).complete
        if not complete:
            with Store.open(path, memory=_MEMORY) as store:
                update(store, encoder)
    return path


def _digest(subject: Subject) -> str:
    made = hashlib.sha256(f"{subject.profile}{subject.today}".encode())
    for path in subject.exports:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                made.update(file.read_bytes())
    return made.hexdigest()[:12]


def _import(subject: Subject, path: Path) -> None:
    profile = Profile.from_json(subject.profile)
    zone = profile.time_zone or machine_zone()
    with Store.open(path, memory=_MEMORY) as store:
        store.save_profile(profile.to_json(), profile.facts(subject.today.date()), zone)
        context = Context(Clock(ZoneInfo(zone)), profile.who)
        report = import_paths(subject.exports, store, context, strict=True)
    if not sum(source.new for source in report.sources):
        raise ReqapError(f"nothing of {subject.name} could be imported: {report.unrecognised}")


def opened(path: Path) -> Store:
    """The store, for reading; somebody may be keeping something in it just now."""
    for _ in range(_TRIES):
        with suppress(StoreBusy):
            return Store.open(path, read_only=True, memory=_MEMORY)
        time.sleep(1)
    return Store.open(path, read_only=True, memory=_MEMORY)


def keep_readings(path: Path, extractor: LearnedExtractor) -> None:
    """Keeps what was read from texts for later runs; where others have the store open, nothing."""
    if extractor.has_news:
        with suppress(StoreProblem, duckdb.Error), Store.open(path, memory=_MEMORY) as store:
            extractor.save(store)
