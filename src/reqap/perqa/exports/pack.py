"""Writes files and zips so that the same input always gives the same bytes."""

import json
import zipfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path


def write_file(path: Path, content: bytes) -> None:
    """Write bytes, making the folders above."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def write_zip(path: Path, members: Mapping[str, bytes], exported: datetime) -> None:
    """A zip whose members carry the moment of the export, never the moment of the build."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, exported.timetuple()[:6])
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, content)


def to_json(value: object, *, indent: int | None = None, ascii_only: bool = False) -> bytes:
    """JSON as the vendors write it: UTF-8, unless `ascii_only` asks for escapes."""
    return json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode("utf-8")
