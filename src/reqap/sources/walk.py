"""From the paths a person names to the files inside: folders, zips, zips in zips, tar files.

Nothing is unpacked to a name an archive chose: members are read as streams; a nested or a packed
tar archive goes to an unnamed temporary file. Not the job of this module: what the files are.
"""

import gzip
import io
import os
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from functools import lru_cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import IO, BinaryIO, cast

from reqap.errors import NotFound
from reqap.events import ImportIssue, Origin
from reqap.sources.base import ExportFile

Found = Iterator[ExportFile | ImportIssue]

# Text compresses 5- to 50-fold; what unpacks to much more than that is made to fill memory or disk.
_MAX_RATIO = 250
_ALWAYS_FINE = 64 << 20
_MAX_NESTING = 2
_MAX_MEMBERS = 500_000
_GZIP = b"\x1f\x8b"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_LITTER = ("__macosx", ".ds_store", "thumbs.db", "desktop.ini", ".git")

# What may go wrong when an archive or a disk gives out under a reader.
READ_ERRORS = (OSError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError)


def find_files(path: Path) -> Found:
    """All files under `path`, in a stable order; what cannot be read is an issue."""
    if not path.exists():
        raise NotFound(f"There is no file or folder {path}")
    if path.is_dir():
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if not _is_litter(name))
            for name in sorted(names):
                yield from _from_disk(Path(folder) / name)
    else:
        yield from _from_disk(path)


def reopen(name: str) -> ExportFile:
    """The file with that name, as `find_files` once gave it."""
    path = Path(name.split("!", 1)[0])
    try:
        status = path.stat()
    except OSError:
        raise NotFound(f"The export is no longer at {path}") from None
    found = _contents(path, status.st_mtime_ns).get(name)
    if found is None:
        raise NotFound(f"{path} no longer holds {name.split('!', 1)[-1]}")
    return found


@lru_cache(maxsize=4)
def _contents(path: Path, _changed: int) -> dict[str, ExportFile]:
    """The files at a path by name; kept, as members of one archive are asked for one by one."""
    return {found.name: found for found in find_files(path) if isinstance(found, ExportFile)}


def _is_litter(name: str) -> bool:
    return any(part in _LITTER or part.startswith("._") for part in name.lower().split("/"))


def _from_disk(path: Path) -> Found:
    origin = Origin(str(path), 0)
    if _is_litter(path.name):
        return
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            yield ImportIssue("a link, not followed", origin, os.readlink(path))
            return
        if not stat.S_ISREG(mode):
            yield ImportIssue("not a regular file", origin)
            return
        size = path.stat().st_size
        with path.open("rb") as stream:
            head = stream.read(512)
    except OSError as error:
        yield ImportIssue("cannot be read", origin, error.strerror or str(error))
        return
    if head[:4] in _ZIP:
        yield from _from_zip(path.open("rb"), str(path), size, 1)
    elif head[:2] == _GZIP or head[257:262] == b"ustar":
        yield from _from_tar(path, size)
    else:
        yield ExportFile(str(path), size, lambda: path.open("rb"), lambda: _digest(path.open("rb")))


def _digest(opened: BinaryIO) -> str:
    digest = blake2b(digest_size=20)
    with opened as stream:
        while piece := stream.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def _from_zip(stream: IO[bytes], name: str, size: int, depth: int) -> Found:
    """The members of an archive. It stays open for as long as one of them is held.

    One archive object serves all its members: a Takeout may hold a hundred thousand, and reading
    the table of contents anew for each would take hours.
    """
    try:
        archive = zipfile.ZipFile(stream)
    except READ_ERRORS as error:
        yield ImportIssue("damaged archive", Origin(name, 0), str(error))
        return
    members = [info for info in archive.infolist() if not info.is_dir()]
    total = sum(info.file_size for info in members)
    if len(members) > _MAX_MEMBERS or (total > _ALWAYS_FINE and total > _MAX_RATIO * size):
        detail = f"{len(members)} files, {total / 1e9:.1f} GB out of {size / 1e6:.1f} MB"
        yield ImportIssue("looks like a zip bomb", Origin(name, 0), detail)
        return
    for info in members:
        if not _is_litter(info.filename):
            yield from _from_member(archive, f"{name}!{info.filename}", info, depth)


def _from_member(archive: zipfile.ZipFile, name: str, info: zipfile.ZipInfo, depth: int) -> Found:
    if problem := _member_problem(info):
        yield ImportIssue(problem, Origin(name, 0))
        return
    try:
        with archive.open(info) as stream:
            magic = stream.read(4)
        nested = _spool(archive, info) if magic in _ZIP and depth < _MAX_NESTING else None
    except READ_ERRORS as error:
        yield ImportIssue("damaged archive", Origin(name, 0), str(error))
        return
    if nested is not None:
        yield from _from_zip(nested, name, info.file_size, depth + 1)
    elif magic in _ZIP:
        yield ImportIssue("an archive inside an archive inside an archive", Origin(name, 0))
    else:
        yield ExportFile(
            name,
            info.file_size,
            lambda: cast(BinaryIO, archive.open(info)),
            lambda: f"zip:{info.CRC:08x}:{info.file_size}",
        )


def _from_tar(path: Path, size: int) -> Found:
    """The members of a .tar or .tar.gz (Takeout offers the latter); also a single packed file."""
    origin = Origin(str(path), 0)
    try:
        with path.open("rb") as packed:
            plain = _unpacked(packed, size) if packed.read(2) == _GZIP else path.open("rb")
        if plain is None:
            yield ImportIssue("looks like a zip bomb", origin)
            return
        with tarfile.open(fileobj=plain, mode="r:") as archive:
            members = [member for member in archive if not member.isdir()]
    except (*READ_ERRORS, tarfile.TarError) as error:
        yield ImportIssue("damaged archive", origin, str(error))
        return
    for member in members:
        name = f"{path}!{member.name}"
        if problem := _name_problem(member.name) or (
            "" if member.isreg() else "a link, not followed"
        ):
            yield ImportIssue(problem, Origin(name, 0))
        elif not _is_litter(member.name):
            opener = partial(_open_stretch, plain, member.offset_data, member.size)
            yield ExportFile(name, member.size, opener, lambda o=opener: _digest(o()))  # type: ignore[misc]


def _unpacked(packed: BinaryIO, size: int) -> IO[bytes] | None:
    """The content of a gzip file in a temporary one; None where it grows beyond all measure."""
    packed.seek(0)
    spooled = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as its members
    total = 0
    with gzip.open(packed) as stream:
        while piece := stream.read(1 << 20):
            total += len(piece)
            if total > _ALWAYS_FINE and total > _MAX_RATIO * size:
                return None
            spooled.write(piece)
    spooled.seek(0)
    return spooled


class _Stretch(io.RawIOBase):
    """A part of a file, read without moving anybody else's place in it."""

    def __init__(self, whole: IO[bytes], start: int, size: int) -> None:
        self._whole, self._at, self._end = whole, start, start + size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        wanted = min(len(buffer), self._end - self._at)
        piece = os.pread(self._whole.fileno(), wanted, self._at)
        self._at += len(piece)
        buffer[: len(piece)] = piece
        return len(piece)


def _open_stretch(whole: IO[bytes], start: int, size: int) -> BinaryIO:
    return io.BufferedReader(_Stretch(whole, start, size))


def _name_problem(name: str) -> str:
    parts = name.replace("\\", "/").split("/")
    if ".." in parts or name.startswith(("/", "\\")) or parts[0].endswith(":"):
        return "a path that leads outside the archive"
    return ""


def _member_problem(info: zipfile.ZipInfo) -> str:
    if info.flag_bits & 0x1:
        return "encrypted; unpack it with its password first"
    if problem := _name_problem(info.filename):
        return problem
    if stat.S_ISLNK(info.external_attr >> 16):
        return "a link, not followed"
    if info.file_size > _ALWAYS_FINE and info.file_size > _MAX_RATIO * max(info.compress_size, 1):
        return "looks like a zip bomb"
    return ""


def _spool(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    """A nested archive needs random access: a temporary file without a name."""
    spooled = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the archive
    with archive.open(info) as stream:
        while piece := stream.read(1 << 20):
            spooled.write(piece)
    spooled.seek(0)
    return spooled
