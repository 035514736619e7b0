"""Files in folders and archives, and archives that mean harm."""

import gzip
import io
import stat
import tarfile
import zipfile
from pathlib import Path
from typing import Literal

import pytest

from reqap.errors import NotFound
from reqap.sources.base import ExportFile
from reqap.sources.walk import find_files, reopen
from tests.sources.reading import write


def make_zip(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def found(path: Path) -> tuple[dict[str, bytes], dict[str, str]]:
    """Contents by name, reasons by name; names relative to the path."""
    contents, problems = {}, {}
    for item in find_files(path):
        if isinstance(item, ExportFile):
            contents[item.name.removeprefix(str(path))] = item.open().read()
        else:
            problems[item.origin.file.removeprefix(str(path))] = item.reason
    return contents, problems


def test_folders_are_walked_in_order_and_litter_is_left(tmp_path: Path) -> None:
    for name in ("b/2.json", "a/1.json", ".DS_Store", "__MACOSX/x", "b/._2.json"):
        write(tmp_path / name, name)
    contents, problems = found(tmp_path)
    assert list(contents) == ["/a/1.json", "/b/2.json"]
    assert problems == {}


def test_zips_in_zips_are_opened_twice_deep(tmp_path: Path) -> None:
    deepest = make_zip(tmp_path / "3", {"too deep": b"3"}).read_bytes()
    inner = make_zip(tmp_path / "2", {"in": b"2", "deepest.zip": deepest}).read_bytes()
    outer = make_zip(tmp_path / "all.zip", {"Orders.zip": inner, "x.csv": b"1"})
    contents, problems = found(outer)
    assert contents == {"!x.csv": b"1", "!Orders.zip!in": b"2"}
    assert problems == {"!Orders.zip!deepest.zip": "an archive inside an archive inside an archive"}


def test_a_zip_is_known_by_its_content_not_its_name(tmp_path: Path) -> None:
    renamed = make_zip(tmp_path / "export", {"a": b"1"})
    assert found(renamed)[0] == {"!a": b"1"}


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_tar_files_as_takeout_packs_them(tmp_path: Path, mode: Literal["w", "w:gz"]) -> None:
    path = tmp_path / "takeout.tgz"
    with tarfile.open(path, mode) as archive:
        for name, content in {"Takeout/a": b"1" * 70_000, "../b": b"2", "c": b"3"}.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    contents, problems = found(path)
    assert contents == {"!Takeout/a": b"1" * 70_000, "!c": b"3"}
    assert problems == {
        "!../b": "a path that leads outside the archive",
        "!link": "a link, not followed",
    }
    assert reopen(f"{path}!c").open().read() == b"3"


def test_damaged_and_explosive_gzip_files(tmp_path: Path) -> None:
    bomb = write(tmp_path / "bomb.tgz", gzip.compress(b"0" * (100 << 20)))
    assert found(bomb) == ({}, {"": "looks like a zip bomb"})
    cut = write(tmp_path / "cut.tgz", gzip.compress(b"0" * 1000)[:-9])
    assert found(cut) == ({}, {"": "damaged archive"})


def test_paths_that_lead_outside_are_refused(tmp_path: Path) -> None:
    names = ["../../etc/passwd", "/abs", "a/../../b", "C:\\x", "..\\y", "fine.json"]
    contents, problems = found(make_zip(tmp_path / "evil.zip", dict.fromkeys(names, b"x")))
    assert contents == {"!fine.json": b"x"}
    assert set(problems.values()) == {"a path that leads outside the archive"}
    assert len(problems) == 5


def test_bombs_are_not_unpacked(tmp_path: Path) -> None:
    whole = found(make_zip(tmp_path / "one.zip", {"zeros.json": b"0" * (80 << 20)}))
    assert whole == ({}, {"": "looks like a zip bomb"})
    many = {f"{n}.json": b"[" + b" " * (20 << 20) for n in range(5)}
    assert found(make_zip(tmp_path / "many.zip", many)) == ({}, {"": "looks like a zip bomb"})


def test_a_bomb_beside_honest_files_costs_only_itself(tmp_path: Path) -> None:
    import random

    noise = random.Random(1).randbytes(900_000)
    path = make_zip(tmp_path / "x.zip", {"bomb": b"0" * (80 << 20), "honest": noise})
    contents, problems = found(path)
    assert contents == {"!honest": noise}
    assert problems == {"!bomb": "looks like a zip bomb"}


def test_damaged_archives_are_issues(tmp_path: Path) -> None:
    good = make_zip(tmp_path / "a.zip", {"a": b"1" * 1000}).read_bytes()
    cut = write(tmp_path / "cut.zip", good[: len(good) // 2])
    assert found(cut) == ({}, {"": "damaged archive"})


def test_encrypted_members_are_issues(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.zip", {"secret": b"1"})
    raw = bytearray(path.read_bytes())
    raw[6] |= 1  # the flag in the local header, and in the table of contents
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(raw)
    assert found(path)[1] == {"!secret": "encrypted; unpack it with its password first"}


def test_links_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "outside/secret", "x")
    folder = tmp_path / "export"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path / "outside" / "secret")
    (folder / "folder").symlink_to(tmp_path / "outside")
    assert found(folder) == ({}, {"/link": "a link, not followed"})
    info = zipfile.ZipInfo("link")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "l.zip", "w") as archive:
        archive.writestr(info, "/etc/passwd")
    assert found(tmp_path / "l.zip")[1] == {"!link": "a link, not followed"}


def test_files_can_be_reopened_by_name(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.zip", {"x/y": b"1", "z": b"2"})
    for item in find_files(path):
        assert isinstance(item, ExportFile)
        assert reopen(item.name).open().read() == item.open().read()
        assert reopen(item.name).fingerprint() == item.fingerprint()
    with pytest.raises(NotFound, match="no longer holds"):
        reopen(f"{path}!gone")
    with pytest.raises(NotFound, match="no longer at"):
        reopen(str(tmp_path / "gone.zip") + "!x")


def test_fingerprints_follow_the_content(tmp_path: Path) -> None:
    a, b = write(tmp_path / "a", "1"), write(tmp_path / "b", "1")
    prints = {f.fingerprint() for p in (a, b) for f in find_files(p) if isinstance(f, ExportFile)}
    assert len(prints) == 1
    write(a, "2")
    assert {f.fingerprint() for f in find_files(a) if isinstance(f, ExportFile)} != prints


def test_reading_reports_how_far_it_is() -> None:
    heard: list[int] = []
    file = ExportFile("x", 600_000, lambda: io.BytesIO(b"x" * 600_000), lambda: "")
    with file.counted(heard.append).open() as stream:
        while stream.read(100_000):
            pass
    assert sum(heard) == 600_000
    assert len(heard) > 2
