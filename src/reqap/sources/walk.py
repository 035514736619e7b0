"""From the paths a person names to the files inside: folders, zips, zips in zips.

Nothing is unpacked to a name an archive chose: members are read as streams, a nested archive goes
to an unnamed temporary file. Not the job of this module: what the files are.
"""

import os
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from functools import lru_cache
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
            magic = stream.read(4)
    except OSError as error:
        yield ImportIssue("cannot be read", origin, error.strerror or str(error))
        return
    if magic in _ZIP:
        yield from _from_zip(path.open("rb"), str(path), size, 1)
    else:
        yield ExportFile(str(path), size, lambda: path.open("rb"), lambda: _digest(path))


def _digest(path: Path) -> str:
    digest = blake2b(digest_size=20)
    with path.open("rb") as stream:
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


def _member_problem(info: zipfile.ZipInfo) -> str:
    parts = info.filename.replace("\\", "/").split("/")
    if info.flag_bits & 0x1:
        return "encrypted; unpack it with its password first"
    if ".." in parts or info.filename.startswith(("/", "\\")) or parts[0].endswith(":"):
        return "a path that leads outside the archive"
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
