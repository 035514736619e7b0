"""The demo life, built once per test session."""

from __future__ import annotations

import json
import mailbox
import zipfile
from email.message import Message
from pathlib import Path
from xml.etree import ElementTree

import pytest

from reqap.demo import build_demo_life
from reqap.demo.life import Life, load_life
from reqap.demo.sport import add_workouts
from tests.demo.exports import TAKEOUT, member


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    build_demo_life(folder)
    return folder


@pytest.fixture(scope="session")
def life() -> Life:
    found = load_life(7)
    add_workouts(found)
    return found


@pytest.fixture(scope="session")
def workouts(built: Path) -> list[ElementTree.Element]:
    xml = member(built, "apple_health_export.zip", "apple_health_export/export.xml")
    return ElementTree.fromstring(xml).findall("Workout")


@pytest.fixture(scope="session")
def extended(built: Path) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    with zipfile.ZipFile(built / "my_spotify_data.zip") as archive:
        for name in sorted(archive.namelist()):
            rows += json.loads(archive.read(name))
    return rows


@pytest.fixture(scope="session")
def messages(built: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Message]:
    path = tmp_path_factory.mktemp("mail") / "all.mbox"
    path.write_bytes(member(built, TAKEOUT, "Takeout/Mail/All mail Including Spam and Trash.mbox"))
    return list(mailbox.mbox(path))
