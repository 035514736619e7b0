"""Writes her Markdown notes; the file times are those of her last edit."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

from reqap.demo import bank, pack
from reqap.demo.life import HOME_ZONE, utc


def write_notes(folder: Path) -> None:
    """The folder `notes`; every note but the diaries says in its front matter when it is from."""
    for block in bank.blocks("notes.txt", 2):
        name, modified = block.head[:2]
        edited = datetime.fromisoformat(modified)
        front = "" if "diary" in name else f"---\ndate: {edited:%Y-%m-%d}\n---\n\n"
        path = folder / "notes" / name
        pack.write_file(path, f"{front}{block.body}\n".encode())
        stamp = utc(edited, HOME_ZONE).timestamp()
        os.utime(path, (stamp, stamp))
