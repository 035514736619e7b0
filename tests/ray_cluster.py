"""A real Ray cluster for tests, where Ray is installed."""

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

needs_ray = pytest.mark.skipif(
    find_spec("ray") is None, reason="Ray is not installed: pip install 'reqap[ray]'"
)


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a real Ray of two workers, which trusts who knows its token."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_AUTH_MODE", "token")
        patch.setenv("RAY_AUTH_TOKEN", "0123456789abcdef" * 4)
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block",
                   "--port=0", "--num-cpus=2", "--include-dashboard=false",
                   "--disable-usage-stats"]  # fmt: skip
        head = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert head.stdout is not None
        address = None
        for line in head.stdout:
            if address := re.search(r"--address='([\d.:]+)'", line):
                break
        assert address is not None
        yield address[1]
        head.terminate()
        head.wait()
