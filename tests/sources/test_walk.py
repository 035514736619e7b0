"""Files in folders and archives, and archives that mean harm."""

import gzip
import io
import os
import random
import stat
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from reqap.errors import NotFound
from reqap.sources import walk
from reqap.sources.base import ExportFile
from reqap.sources.walk import find_files, path_on_disk, reopen
from tests.sources.reading import write


def make_zip(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def make_tar(path: Path, members: dict[str, bytes], mode: Literal["w", "w:gz"] = "w:gz") -> Path:
    with tarfile.open(path, mode) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
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
    members = {"Takeout/a": b"1" * 70_000, "../b": b"2", "c": b"3"}
    plain = make_tar(tmp_path / "takeout.tar", members, "w")
    with tarfile.open(plain, "a") as archive:
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        pipe = tarfile.TarInfo("pipe")
        pipe.type = tarfile.FIFOTYPE
        archive.addfile(pipe)
    packed = gzip.compress(plain.read_bytes())
    path = write(tmp_path / "takeout.tgz", packed) if mode == "w:gz" else plain
    contents, problems = found(path)
    assert contents == {"!Takeout/a": b"1" * 70_000, "!c": b"3"}
    assert problems == {
        "!../b": "a path that leads outside the archive",
        "!link": "a link, not followed",
        "!pipe": "not a regular file",
    }
    first, last = reopen(f"{path}!Takeout/a").open(), reopen(f"{path}!c").open()
    assert first.read(7) == b"1" * 7
    assert last.read() == b"3"
    assert len(first.read()) == 70_000 - 7  # each has a place of its own in the file


def test_damaged_and_explosive_gzip_files(tmp_path: Path) -> None:
    bomb = write(tmp_path / "bomb.tgz", gzip.compress(b"0" * (100 << 20)))
    assert found(bomb) == ({}, {"": "looks like a zip bomb"})
    cut = write(tmp_path / "cut.tgz", gzip.compress(b"0" * 1000)[:-9])
    assert found(cut) == ({}, {"": "damaged archive"})
    left = Path(os.environ["REQAP_SPOOL"]).iterdir()
    assert not [path for path in left if path.name.startswith("tmp")]  # nothing half unpacked


def test_a_damaged_tar_is_not_a_packed_file(tmp_path: Path) -> None:
    raw = bytearray(gzip.decompress(make_tar(tmp_path / "a.tgz", {"a": b"1"}).read_bytes()))
    raw[0] ^= 1  # the checksum of the first header no longer fits
    assert found(write(tmp_path / "a.tgz", gzip.compress(raw))) == ({}, {"": "damaged archive"})
    assert found(write(tmp_path / "a.tar", bytes(raw))) == ({}, {"": "damaged archive"})


def test_tars_of_endlessly_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_tar(tmp_path / "a.tgz", {str(number): b"" for number in range(11)})
    monkeypatch.setattr(walk, "_MAX_MEMBERS", 10)
    assert found(path) == ({}, {"": "looks like a zip bomb"})
    monkeypatch.setattr(walk, "_MAX_MEMBERS", 11)
    assert len(found(path)[0]) == 11


@pytest.mark.parametrize(
    ("name", "inner"),
    [("mail.mbox.gz", "mail.mbox"), ("Mail.GZ", "Mail"), ("x.tgz", "x"), ("mail", "mail")],
)
def test_a_single_packed_file(tmp_path: Path, name: str, inner: str) -> None:
    content = b"From x\n\nHello\n" * 100
    path = write(tmp_path / name, gzip.compress(content))
    assert found(path) == ({f"!{inner}": content}, {})
    (file,) = find_files(path)
    assert isinstance(file, ExportFile)
    assert file.size == len(content)
    assert file.fingerprint() == reopen(f"{path}!{inner}").fingerprint()


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


def test_names_that_are_not_utf8_cost_only_themselves(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path / "in")
    for name in (b"caf\xe9.json", b"good.json", b"d\xe9j\xe0/a.json", b"d\xe9j\xe0/b.json"):
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as stream:
            stream.write(b"1")
    contents, problems = found(tmp_path / "in")
    assert contents == {"/good.json": b"1"}
    assert problems == {
        "/caf\\udce9.json": "a name that is not UTF-8; rename it",
        "/d\\udce9j\\udce0": "a name that is not UTF-8; rename it",
    }
    named = Path(os.fsdecode(os.path.join(folder, b"d\xe9j\xe0")))
    assert list(found(named)[1].values()) == ["a name that is not UTF-8; rename it"]


def test_member_names_that_are_not_utf8(tmp_path: Path) -> None:
    path = make_tar(tmp_path / "a.tgz", {"caf\udce9": b"1", "good": b"2"})
    assert found(path) == (
        {"!good": b"2"},
        {"!caf\\udce9": "a name that is not UTF-8; rename it"},
    )
    raw = make_zip(tmp_path / "a.zip", {"é": b"1"}).read_bytes()  # flagged as UTF-8
    broken = write(tmp_path / "a.zip", raw.replace("é".encode(), b"\xe9x"))
    assert found(broken) == ({}, {"": "damaged archive"})
    nameless = write(tmp_path / "a.zip", raw.replace("é".encode(), b"\0\0"))
    assert found(nameless) == ({}, {"!": "a file without a name"})


def test_broken_lzma_is_an_issue(tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(5000)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a", noise)
    raw = bytearray((tmp_path / "a.zip").read_bytes())
    start = raw.index(b"a", 30) + 1
    raw[start + 2 : start + 9] = b"\xff" * 7  # the settings of the packer
    assert found(write(tmp_path / "a.zip", bytes(raw))) == ({}, {"!a": "damaged archive"})


@pytest.mark.parametrize("kind", ["zip", "tar", "tgz"])
def test_no_damage_ends_the_walk(tmp_path: Path, kind: str) -> None:
    inner = make_zip(tmp_path / "inner.zip", {"é.txt": b"1" * 50}).read_bytes()
    members = {"é/a.json": b"[1]" * 30, "b.zip": inner, "c": b"3"}
    path = tmp_path / f"a.{kind}"
    if kind == "zip":
        make_zip(path, members)
    else:
        make_tar(path, members, "w" if kind == "tar" else "w:gz")
    good = path.read_bytes()
    dice = random.Random(7)
    for _ in range(300):
        raw = bytearray(good)
        for _ in range(dice.randint(1, 4)):
            raw[dice.randrange(len(raw))] = dice.choice(
                [0, 1, 0x7F, 0x80, 0xFF, dice.randrange(256)]
            )
        del raw[dice.choice([len(raw), dice.randrange(len(raw))]) :]
        write(path, bytes(raw))
        for item in find_files(path):
            assert item.origin().file if isinstance(item, ExportFile) else item.reason


def test_an_exclamation_mark_in_a_name_is_no_archive(tmp_path: Path) -> None:
    mbox = write(tmp_path / "Hi! you" / "Yahoo! Mail.mbox", "mail")
    packed = make_zip(tmp_path / "Hi! you" / "all!.zip", {"Wow! x/y!.txt": b"1"})
    contents, _ = found(tmp_path)
    assert contents == {
        "/Hi! you/Yahoo! Mail.mbox": b"mail",
        "/Hi! you/all!.zip!Wow! x/y!.txt": b"1",
    }
    for name, content in contents.items():
        assert reopen(f"{tmp_path}{name}").open().read() == content
    assert path_on_disk(str(mbox)) == str(mbox)
    assert path_on_disk(f"{packed}!Wow! x/y!.txt") == str(packed)
    assert path_on_disk("gone/a.zip!b!c") == "gone/a.zip"
    with pytest.raises(NotFound, match="no longer holds Wow! x/gone"):
        reopen(f"{packed}!Wow! x/gone")
    reopened = reopen(f"{make_zip(tmp_path / 'l.zip', {'x!' * 300: b'2'})}!{'x!' * 300}")
    assert reopened.open().read() == b"2"  # longer than a name on disk can be


def test_folders_that_cannot_be_read_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "closed" / "a", "1")
    write(tmp_path / "open" / "b", "2")
    scandir = os.scandir

    def refuse(path: str) -> Iterator[os.DirEntry[str]]:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert found(tmp_path) == ({"/open/b": b"2"}, {"/closed": "a folder that cannot be read"})


# -- unpacking, once for all processes -------------------------------------------------------------


def in_a_process(code: str, *arguments: object, own: bool = False) -> str:
    """What a Python process prints; with `own`, one that shares nothing with this process."""
    environment = {k: v for k, v in os.environ.items() if k != "REQAP_SPOOL" or not own}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True).stdout.strip()


def packed_twice(tmp_path: Path) -> list[str]:
    """The names of a member of a packed tar and of one of a nested zip."""
    tar = make_tar(tmp_path / "a.tgz", {"x": b"1" * 1000})
    inner = make_zip(tmp_path / "in.zip", {"y": b"2"}).read_bytes()
    return [f"{tar}!x", f"{make_zip(tmp_path / 'b.zip', {'in.zip': inner})}!in.zip!y"]


def test_children_do_not_unpack_again(tmp_path: Path) -> None:
    names = packed_twice(tmp_path)
    code = """if True:
        import os, sys, tempfile
        from reqap.sources.walk import reopen
        def refuse(*args, **named): raise SystemExit("unpacked again")
        tempfile.mkstemp = refuse
        print([reopen(name).open().read()[:3] for name in sys.argv[1:]])
    """
    found(tmp_path)
    unpacked = set(Path(os.environ["REQAP_SPOOL"]).iterdir())
    assert in_a_process(code, *names) == "[b'111', b'2']"
    assert in_a_process(code, *names, own=True) == ""  # it has to, and so the test can fail
    found(tmp_path)
    assert set(Path(os.environ["REQAP_SPOOL"]).iterdir()) == unpacked


def test_a_changed_archive_is_unpacked_anew(tmp_path: Path) -> None:
    assert found(make_tar(tmp_path / "a.tgz", {"x": b"1"}))[0] == {"!x": b"1"}
    assert found(make_tar(tmp_path / "a.tgz", {"x": b"2"}))[0] == {"!x": b"2"}


def test_nested_archives_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    inner = [make_zip(tmp_path / "i", {f"{n}": b"x"}).read_bytes() for n in range(2)]
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for content in inner:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("warnings.warn", lambda *_, **__: None)
                archive.writestr("in.zip", content)
    assert list(found(tmp_path / "a.zip")[0]) == ["!in.zip!0", "!in.zip!1"]


@pytest.mark.parametrize("end", ["pass", "raise KeyboardInterrupt", "sys.exit(3)"])
def test_what_was_unpacked_is_removed_at_the_end(tmp_path: Path, end: str) -> None:
    code = f"""if True:
        import os, sys, subprocess
        from reqap.sources.walk import reopen
        reopen(sys.argv[1])
        folder = os.environ["REQAP_SPOOL"]
        child = "from reqap.sources.walk import reopen; import sys; reopen(sys.argv[1])"
        subprocess.run([sys.executable, "-c", child, sys.argv[1]])
        print(folder, oct(os.stat(folder).st_mode & 0o777), len(os.listdir(folder)), flush=True)
        {end}
    """
    folder, mode, count = in_a_process(code, packed_twice(tmp_path)[0], own=True).split()
    assert (mode, count) == ("0o700", "1")  # nobody else can look; and the child left it there
    assert not os.path.exists(folder)
