"""The runtime of the networks, as it is on this machine."""

import os
import subprocess
import sys
from pathlib import Path

LOAD = "from reqap.retrieve.shipped import networks; networks(); print('loaded')"


def test_the_runtime_keeps_no_book_on_its_user(tmp_path: Path) -> None:
    """It would send reports to its makers, and begin by writing a number for this machine."""
    homes = {name: str(tmp_path) for name in ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA")}
    environment = {**os.environ, **homes}
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    told = subprocess.run(
        [sys.executable, "-c", LOAD], env=environment, capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == "loaded"
    assert list(tmp_path.iterdir()) == []
