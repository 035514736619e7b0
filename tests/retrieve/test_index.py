"""The index: each text once, brought up to date, taken up where it stopped."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from zlib import crc32

import numpy as np
import pytest

from reqap.columns import to_arrow
from reqap.events import Data, Event, Origin
from reqap.profile import Profile
from reqap.retrieve.encoding import Encoded, encoded
from reqap.retrieve.index import Texts, state, update
from reqap.store import Store

AT = datetime(2022, 5, 1)


def word(text: str) -> int:
    return crc32(text.encode()) % 30_000


class Scripted:
    """Counts what it encodes; a word weighs one."""

    def __init__(self, version: str = "one", patience: int = 1_000_000) -> None:
        self.version = version
        self.texts: list[str] = []
        self._patience = patience

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        return [self._encoded(text) for text in texts]

    def _encoded(self, text: str) -> Encoded:
        if len(self.texts) >= self._patience:
            raise KeyboardInterrupt
        self.texts.append(text)
        vector = np.array([len(text), 1, 2, 3], np.float32)
        return encoded(vector, {word(part): 1.0 for part in text.split()})


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.open(None) as made:
        yield made


def put(store: Store, *records: tuple[str, Data], name: str = "f") -> None:
    events = [
        Event(f"{name}{n}", "diary", kind, AT + timedelta(hours=n), AT + timedelta(hours=n), None,
              data, Origin("f", n))
        for n, (kind, data) in enumerate(records)
    ]  # fmt: skip
    with store.importing([name]) as ingest:
        ingest.add(ingest.add_file("diary", name, 1, "", name), to_arrow(events))
        ingest.merge()


def play(song: str, seconds: int) -> tuple[str, Data]:
    return "music_stream", {"song_name": song, "duration": seconds}


def test_a_text_is_encoded_once(store: Store) -> None:
    put(store, play("Ran", 1), play("Ran", 2), play("Kes", 3))
    encoder = Scripted()
    assert update(store, encoder) == 2
    assert sorted(encoder.texts) == ["music stream; song name: Kes", "music stream; song name: Ran"]
    assert state(store, encoder) == (3, 3)
    assert update(store, encoder) == 0


def test_only_what_is_new_is_encoded(store: Store) -> None:
    encoder = Scripted()
    put(store, play("Ran", 1))
    update(store, encoder)
    put(store, play("Ran", 9), play("Kes", 1), name="g")
    assert not state(store, encoder).complete
    assert update(store, encoder) == 1
    assert state(store, encoder).complete


def test_what_is_forgotten_leaves_the_index(store: Store) -> None:
    put(store, play("Ran", 1))
    put(store, play("Kes", 1), name="g")
    update(store, Scripted())
    store.forget_import(store.imports()[-1].id)
    assert len(Texts(store)) == 1
    assert update(store, Scripted()) == 0


def test_another_model_or_another_name_begins_anew(store: Store) -> None:
    put(store, ("mail", {"sender": "Ada Byron", "text": "hi"}))
    update(store, Scripted())
    assert not state(store, Scripted("two")).complete
    assert update(store, Scripted("two")) == 1
    store.save_profile(Profile(name="Ada Byron").to_json(), (), "UTC")
    encoder = Scripted("two")
    assert update(store, encoder) == 1
    assert encoder.texts == ["mail; sender: me; text: hi"]


def test_what_is_interrupted_goes_on_where_it_stopped(store: Store) -> None:
    put(store, *(play(f"song {n}", n) for n in range(600)))
    with pytest.raises(KeyboardInterrupt):
        update(store, Scripted(patience=300))
    assert state(store, Scripted()).indexed == 256
    heard: list[tuple[int, int]] = []
    assert update(store, Scripted(), lambda done, total: heard.append((done, total))) == 344
    assert heard == [(256, 344), (344, 344)]
    assert len(Texts(store)) == 600


def test_scores(store: Store) -> None:
    put(store, play("Ran", 1), play("Kes Kes", 3), ("note", {"text": "Ran fast"}))
    update(store, Scripted())
    texts = Texts(store)
    scores, share = texts.sparse({word("Ran"): 2.0, word("fast"): 0.5, 1: 2.5})
    assert sorted(scores.tolist()) == [0.0, 2.0, 2.5]
    assert sorted(share.tolist()) == pytest.approx([0.0, 0.4, 0.5])
    lengths = (texts.vectors(np.arange(3)) ** 2).sum(1)
    assert lengths.tolist() == pytest.approx([1, 1, 1], abs=0.02)


def test_rare_words_count_for_more(store: Store) -> None:
    put(store, *(("note", {"text": f"lesson number{n}"}) for n in range(30)),
        ("note", {"text": "zither"}), ("note", {"text": "zither lesson"}))  # fmt: skip
    update(store, Scripted())
    texts = Texts(store)
    *least, more, most = sorted(texts.said({word("zither"): 1.0, word("lesson"): 1.0}).tolist())
    assert most == pytest.approx(1)
    assert max(least) < 0.1 < 0.9 < more < 1


def test_an_empty_store(store: Store) -> None:
    assert update(store, Scripted()) == 0
    texts = Texts(store)
    assert len(texts) == 0
    assert texts.sparse({5: 1.0})[0].tolist() == []


def test_entries_say_what_day_it_is(store: Store) -> None:
    known = {"name": "Kim Ode", "birth_date": "1981-05-01",
             "friends": [{"name": "Ana Lima", "birth_date": "1990-05-02"}]}  # fmt: skip
    profile = Profile.from_json(json.dumps(known))
    store.save_profile(profile.to_json(), (), "UTC")
    entry = ("calendar", {"summary": "table for Ana"})
    # At midnight of the 1st: a whole day; at noon of the 2nd, and in the morning.
    put(store, *[("note", {"text": "n"}) if n not in (0, 32, 36, 60) else entry for n in range(61)])
    encoder = Scripted()
    update(store, encoder)
    said = sorted(text for text in encoder.texts if text.startswith("calendar"))
    assert [text.partition("; when")[0] for text in said] == [
        "calendar; on: Ana Lima's birthday", "calendar; on: my birthday", "calendar", "calendar",
    ]  # fmt: skip
    assert state(store, encoder).complete
    assert update(store, encoder) == 0
    # What is moved to another day is told anew, and so is all when people get other names.
    store.connection.execute("UPDATE events SET start_at = start_at + INTERVAL 2 DAY,"
                             " end_at = end_at + INTERVAL 2 DAY WHERE id = 'f36'")  # fmt: skip
    assert not state(store, encoder).complete
    update(store, encoder)
    told = store.connection.execute(
        "SELECT text FROM indexed_texts JOIN indexed_events USING (text_id) WHERE event_id = 'f36'"
    ).fetchall()
    assert told == [("calendar; when: midday; summary: table for Ana",)]
    known["friends"][0]["nicknames"] = ["Nana"]  # type: ignore[index]
    store.save_profile(Profile.from_json(json.dumps(known)).to_json(), (), "UTC")
    assert not state(store, encoder).complete
