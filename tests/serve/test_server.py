"""The real server, without a browser: who reaches it, and how it ends."""

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile

import pytest

from reqap.cli.serving import listening_socket
from tests.serve.serving import Serving


@pytest.fixture(scope="module")
def serving(demo_db: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    db = tmp_path_factory.mktemp("server") / "life.duckdb"
    copyfile(demo_db, db)
    served = Serving(db)
    yield served
    served.end()


def test_only_this_machine_reaches_it(serving: Serving) -> None:
    """All of 127.0.0.0/8 is this machine, on Linux: that another one of them is refused shows that
    it listens on one address, and not on all."""
    with socket.create_connection(("127.0.0.1", serving.port), 5):
        pass
    for other in ("127.0.0.2", socket.gethostbyname(socket.gethostname())):
        if other != "127.0.0.1":
            with pytest.raises(OSError), socket.create_connection((other, serving.port), 2):  # noqa: PT011
                pass


def test_what_is_sent_does_not_wait() -> None:
    """asyncio switches off the pauses of TCP for sockets that say that they are of TCP."""
    with listening_socket("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP


def test_it_ends_in_time(demo_db: Path, tmp_path: Path) -> None:
    copyfile(demo_db, tmp_path / "life.duckdb")
    served = Serving(tmp_path / "life.duckdb")
    began = time.monotonic()
    served.end()
    assert time.monotonic() - began < 15
    with pytest.raises(OSError), socket.create_connection(("127.0.0.1", served.port), 2):  # noqa: PT011
        pass
