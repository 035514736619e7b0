"""`reqap serve` as a process of its own."""

import re
import signal
import subprocess
import sys
from pathlib import Path


class Serving:
    """The page over a store; `address` is what it prints."""

    def __init__(self, db: Path) -> None:
        command = [sys.executable, "-m", "reqap", "serve", "--db", str(db), "--port", "0"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        line = " ".join(self._process.stdout.readline().split())
        found = re.search(r"http://\S+", line)
        assert found, line
        self.address = found[0]
        self.port = int(self.address.rpartition(":")[2].partition("/")[0])

    def workers(self) -> list[int]:
        """The processes that it has started."""
        tasks = Path(f"/proc/{self._process.pid}/task").iterdir()
        return [int(one) for task in tasks for one in (task / "children").read_text().split()]

    def end(self) -> int:
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(20)
