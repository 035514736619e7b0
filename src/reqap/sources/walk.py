"""From the paths a person names to the files inside: folders, zips, zips in zips, tar, gzip.

Nothing is unpacked to a name an archive chose: members are read as streams. What needs random
access (a nested or a packed archive) is unpacked once, into a private folder that this process
shares with its children and removes at its end. Not the job of this module: what the files are.
"""

import atexit
import gzip
import io
import lzma
import os
import shutil
import stat
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple, cast

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
_GZIP_ENDINGS = (".gz", ".gzip", ".tgz")
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_LITTER = ("__macosx", ".ds_store", "thumbs.db", "desktop.ini", ".git")
_SPOOL = "REQAP_SPOOL"  # the environment variable that tells children where things are unpacked

# What may go wrong when an archive or a disk gives out under a reader.
READ_ERRORS = (
    OSError,
    EOFError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    NotImplementedError,
)

# What else the table of contents of a damaged archive makes the standard library raise.
ARCHIVE_ERRORS = (
    *READ_ERRORS,
    tarfile.TarError,
    struct.error,
    ValueError,
    IndexError,
    OverflowError,
    RuntimeError,
)


class _TooLarge(Exception):
    """An archive that holds more than any export would."""


class _Archive(NamedTuple):
    """An archive by its name; `stamp` changes with the file on disk that it is, or lies in."""

    name: str
    size: int
    stamp: str
    depth: int = 1


def find_files(path: Path) -> Found:
    """All files under `path`, in a stable order; what cannot be read is an issue."""
    if not path.exists():
        raise NotFound(f"There is no file or folder {_printable(str(path))}")
    if not _is_utf8(str(path)):
        yield _bad_name(str(path))
    elif path.is_dir():
        yield from _from_folder(path)
    else:
        yield from _from_disk(path)


def reopen(name: str) -> ExportFile:
    """The file with that name, as `find_files` once gave it."""
    path = Path(path_on_disk(name))
    try:
        status = path.stat()
    except (OSError, ValueError):
        raise NotFound(f"The export is no longer at {path}") from None
    found = _contents(path, status.st_mtime_ns).get(name)
    if found is None:
        raise NotFound(f"{path} no longer holds {name[len(str(path)) + 1 :]}")
    return found


def path_on_disk(name: str) -> str:
    """The file on disk that a name leads to: itself, or the archive it is a member of.

    People put "!" in names too, so the longest beginning that is a file is the one.
    """
    rest = name
    while not os.path.isfile(rest):
        rest, mark, _ = rest.rpartition("!")
        if not mark:
            return name.split("!", 1)[0]
    return rest


@lru_cache(maxsize=4)
def _contents(path: Path, _changed: int) -> dict[str, ExportFile]:
    """The files at a path by name; kept, as members of one archive are asked for one by one."""
    return {found.name: found for found in find_files(path) if isinstance(found, ExportFile)}


def _is_litter(name: str) -> bool:
    return any(part in _LITTER or part.startswith("._") for part in name.lower().split("/"))


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _printable(name: str) -> str:
    """The name with bytes that are not UTF-8 written out, which no terminal or store would take."""
    return name.encode("utf-8", "backslashreplace").decode()


def _bad_name(name: str) -> ImportIssue:
    return ImportIssue("a name that is not UTF-8; rename it", Origin(_printable(name), 0))


def _from_folder(path: Path) -> Found:
    unreadable: list[OSError] = []
    for folder, folders, names in os.walk(path, onerror=unreadable.append):
        for name in folders:
            if not _is_utf8(name):
                yield _bad_name(os.path.join(folder, name))
        folders[:] = sorted(name for name in folders if _is_utf8(name) and not _is_litter(name))
        for name in sorted(names):
            yield from _from_disk(Path(folder) / name)
    for error in unreadable:
        detail = error.strerror or type(error).__name__
        yield ImportIssue("a folder that cannot be read", Origin(str(error.filename), 0), detail)


def _from_disk(path: Path) -> Found:
    origin = Origin(str(path), 0)
    if _is_litter(path.name):
        return
    if not _is_utf8(path.name):
        yield _bad_name(str(path))
        return
    try:
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            yield ImportIssue("a link, not followed", origin, _printable(os.readlink(path)))
            return
        if not stat.S_ISREG(status.st_mode):
            yield ImportIssue("not a regular file", origin)
            return
        with path.open("rb") as stream:
            head = stream.read(512)
    except OSError as error:
        yield ImportIssue("cannot be read", origin, error.strerror or str(error))
        return
    size = status.st_size
    stamp = f"{status.st_ino}:{status.st_mtime_ns}:{size}"
    if head[:4] in _ZIP:
        yield from _from_zip(path, _Archive(str(path), size, stamp))
    elif head[:2] == _GZIP or _is_tar(head):
        yield from _from_tar(path, _Archive(str(path), size, stamp), packed=head[:2] == _GZIP)
    else:
        yield _plain_file(str(path), path, 0, size)


def _plain_file(name: str, path: Path, start: int, size: int) -> ExportFile:
    """A file on disk, or a stretch of one."""
    opener = partial(_open_stretch, path, start, size) if start else lambda: path.open("rb")
    return ExportFile(name, size, opener, lambda: _digest(opener()))


def _digest(opened: BinaryIO) -> str:
    digest = blake2b(digest_size=20)
    with opened as stream:
        while piece := stream.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def _from_zip(path: Path, outer: _Archive) -> Found:
    """The members of an archive. It stays open for as long as one of them is held.

    One archive object serves all its members: a Takeout may hold a hundred thousand, and reading
    the table of contents anew for each would take hours.
    """
    origin = Origin(outer.name, 0)
    try:
        archive = zipfile.ZipFile(path)
    except ARCHIVE_ERRORS as error:
        yield ImportIssue("damaged archive", origin, str(error))
        return
    members = [info for info in archive.infolist() if not info.filename.endswith("/")]
    total = sum(info.file_size for info in members)
    if len(members) > _MAX_MEMBERS or (total > _ALWAYS_FINE and total > _MAX_RATIO * outer.size):
        detail = f"{len(members)} files, {total / 1e9:.1f} GB out of {outer.size / 1e6:.1f} MB"
        yield ImportIssue("looks like a zip bomb", origin, detail)
        return
    for info in members:
        if not _is_litter(info.filename):
            yield from _from_member(archive, info, outer)


def _from_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, outer: _Archive) -> Found:
    name = f"{outer.name}!{info.filename}"
    if problem := _member_problem(info):
        yield ImportIssue(problem, Origin(name, 0))
        return
    stamp = f"{outer.stamp}:{info.header_offset}"
    nested = None
    try:
        with archive.open(info) as stream:
            magic = stream.read(4)
        if magic in _ZIP and outer.depth < _MAX_NESTING:
            nested = _unpacked(f"{name}:{stamp}", lambda: archive.open(info), info.file_size)
    except ARCHIVE_ERRORS as error:
        yield ImportIssue("damaged archive", Origin(name, 0), str(error))
        return
    if nested is not None:
        yield from _from_zip(nested, _Archive(name, info.file_size, stamp, outer.depth + 1))
    elif magic in _ZIP:
        yield ImportIssue("an archive inside an archive inside an archive", Origin(name, 0))
    else:
        yield ExportFile(
            name,
            info.file_size,
            lambda: cast(BinaryIO, archive.open(info)),
            lambda: f"zip:{info.CRC:08x}:{info.file_size}",
        )


def _from_tar(path: Path, outer: _Archive, *, packed: bool) -> Found:
    """The members of a .tar or .tar.gz (Takeout offers the latter); also a single packed file."""
    origin = Origin(outer.name, 0)
    limit = max(_ALWAYS_FINE, _MAX_RATIO * outer.size)
    try:
        plain = path
        if packed:
            opener = partial(cast(Callable[[Path], IO[bytes]], gzip.GzipFile), path)
            plain = _unpacked(f"{outer.name}:{outer.stamp}", opener, limit)
        members = _tar_members(plain)
        size = plain.stat().st_size
    except _TooLarge:
        yield ImportIssue("looks like a zip bomb", origin)
        return
    except ARCHIVE_ERRORS as error:
        yield ImportIssue("damaged archive", origin, str(error))
        return
    if members is None:
        inner = path.stem if path.suffix.lower() in _GZIP_ENDINGS else path.name
        yield _plain_file(f"{outer.name}!{inner}", plain, 0, size)
        return
    for member in members:
        name = f"{outer.name}!{member.name}"
        if not _is_utf8(name):
            yield _bad_name(name)
        elif problem := _name_problem(member.name) or _tar_problem(member):
            yield ImportIssue(problem, Origin(name, 0))
        elif not _is_litter(member.name):
            yield _plain_file(name, plain, member.offset_data, member.size)


def _tar_members(path: Path) -> list[tarfile.TarInfo] | None:
    """What a tar file holds besides folders; None where it is no tar file."""
    try:
        archive = tarfile.open(path, "r:")  # noqa: SIM115 - it is closed below
    except tarfile.ReadError:
        with path.open("rb") as stream:
            if _is_tar(stream.read(512)):
                raise
        return None
    members = []
    with archive:
        for count, member in enumerate(archive):
            if count >= _MAX_MEMBERS:
                raise _TooLarge
            if member.size < 0:
                raise tarfile.ReadError("a file of negative size")
            if not member.isdir():
                members.append(member)
    return members


def _is_tar(head: bytes) -> bool:
    return head[257:262] == b"ustar"


# -- unpacking -------------------------------------------------------------------------------------


def _spool_folder() -> Path:
    """The private folder for what is unpacked; the process that made it removes it at its end."""
    inherited = os.environ.get(_SPOOL, "")
    if os.path.isdir(inherited):
        return Path(inherited)
    made = tempfile.mkdtemp(prefix="reqap-")
    os.environ[_SPOOL] = made
    atexit.register(_remove_spool, made, os.getpid())
    return Path(made)


def _remove_spool(folder: str, maker: int) -> None:
    if os.getpid() == maker:  # not in a fork of it
        shutil.rmtree(folder, ignore_errors=True)


def _unpacked(key: str, opener: Callable[[], IO[bytes]], limit: int) -> Path:
    """The content in a file of its own, unpacked unless a process of this family has done so.

    `key` names the content. What grows beyond `limit` bytes is too large.
    """
    folder = _spool_folder()
    path = folder / blake2b(key.encode(), digest_size=20).hexdigest()
    if path.exists():
        return path
    descriptor, part = tempfile.mkstemp(dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as target, opener() as stream:
            while piece := stream.read(1 << 20):
                if target.tell() + len(piece) > limit:
                    raise _TooLarge
                target.write(piece)
        os.replace(part, path)  # whole or not at all: another process may look for it
    except BaseException:
        os.unlink(part)
        raise
    return path


class _Stretch(io.RawIOBase):
    """A part of a file."""

    def __init__(self, path: Path, start: int, size: int) -> None:
        self._file = path.open("rb", buffering=0)
        self._file.seek(start)
        self._left = size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        piece = self._file.read(min(len(buffer), self._left))
        self._left -= len(piece)
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        self._file.close()
        super().close()


def _open_stretch(path: Path, start: int, size: int) -> BinaryIO:
    return io.BufferedReader(_Stretch(path, start, size))


# -- what is not touched ---------------------------------------------------------------------------


def _name_problem(name: str) -> str:
    if not name:
        return "a file without a name"
    parts = name.replace("\\", "/").split("/")
    if ".." in parts or name.startswith(("/", "\\")) or parts[0].endswith(":"):
        return "a path that leads outside the archive"
    return ""


def _tar_problem(member: tarfile.TarInfo) -> str:
    if member.issym() or member.islnk():
        return "a link, not followed"
    return "" if member.isreg() and not member.issparse() else "not a regular file"


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
