"""What runs ReQAP elsewhere fits it: the image, the services, the door of a closed container."""

import configparser
import fnmatch
import json
import plistlib
import re
import shlex
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import click
import pytest
import uvicorn
from click.testing import CliRunner
from starlette.testclient import TestClient

from reqap.cli import cli

ROOT = Path(__file__).parent.parent
PACKAGING = ROOT / "packaging"


def instructions() -> list[tuple[str, str]]:
    """The image's instructions and what they are given."""
    lines = (ROOT / "Dockerfile").read_text().replace("\\\n", " ").splitlines()
    parts = [line.partition(" ") for line in lines if line and not line.startswith("#")]
    return [(name, rest) for name, _, rest in parts]


def given(name: str) -> list[str]:
    return [rest for instruction, rest in instructions() if instruction == name]


def copied() -> list[str]:
    """What goes into the image from here."""
    found = [rest.split() for rest in given("COPY") if not rest.startswith("--from=")]
    return [source for sources in found for source in sources[:-1]]


def is_sent(path: str) -> bool:
    """Whether .dockerignore lets a path through; the last line that fits decides."""
    sent = True
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        pattern = line.lstrip("!")
        tops = {path, path.partition("/")[0]}
        if pattern.startswith("**/"):
            tops, pattern = {Path(path).name}, pattern.removeprefix("**/")
        if not line.startswith("#") and any(fnmatch.fnmatch(top, pattern) for top in tops):
            sent = line.startswith("!")
    return sent


def check_command(words: list[str]) -> dict[str, object]:
    """What a command line gives the program; fails if there is no such command or option."""
    assert Path(words[0]).name == "reqap"
    command = cli.get_command(click.Context(cli), words[1])
    assert command is not None
    with command.make_context(words[1], words[2:]) as context:
        return dict(context.params)


def test_the_image_is_built_from_what_is_here() -> None:
    assert copied()
    for source in copied():
        assert (ROOT / source).exists(), source
        assert is_sent(source), source
    assert not is_sent("life.duckdb")
    assert not is_sent("src/life.duckdb")
    assert not is_sent(".git")
    assert is_sent("src/reqap/qud/model/qud.gguf")


def test_the_image_has_what_the_package_is_built_from() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert {project["readme"], *project["license-files"], "pyproject.toml", "src"} <= set(copied())
    version = re.fullmatch(r"python:3\.(\d+)-slim(?: AS build)?", given("FROM")[0])
    assert version is not None
    assert f"Programming Language :: Python :: 3.{version[1]}" in project["classifiers"]


def test_the_image_runs_the_page_and_not_as_root() -> None:
    assert check_command(json.loads(given("CMD")[0]))["container"] is True
    assert given("EXPOSE") == ["8765"]
    user = given("USER")[-1]
    assert user != "root"
    assert any(f" {user} " in f"{run} " and "useradd" in run for run in given("RUN"))
    (volume,) = given("VOLUME")
    assert f"REQAP_DB={volume}/" in given("ENV")[0]
    order = [name for name, _ in instructions()]
    assert order.index("USER") < order.index("CMD")


def test_the_services_run_what_there_is() -> None:
    unit = configparser.ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(PACKAGING / "reqap.service")
    agent = plistlib.loads((PACKAGING / "org.reqap.serve.plist").read_bytes())
    for words in (shlex.split(unit["Service"]["ExecStart"]), agent["ProgramArguments"]):
        assert check_command(words)["container"] is False
    assert agent["Umask"] == 0o077
    assert unit["Service"]["UMask"] == "0077"


def test_no_port_is_published_for_others() -> None:
    page = (ROOT / "docs" / "running.md").read_text()
    blocks = "\n".join(line for line in page.splitlines() if line.startswith("    "))
    compose = (PACKAGING / "compose.yaml").read_text()
    published = re.findall(r"--publish (\S+)|ports: \[\"(.+?)\"", blocks + compose)
    assert len(published) == 2
    for one, other in published:
        assert (one or other) == "127.0.0.1:8765:8765"
    data, _, door = compose.partition("  door:")
    assert "networks: [inside]" in data
    assert "ports:" not in data
    assert "/data" not in door
    assert "inside:\n    internal: true" in door


# -- the page in a container -----------------------------------------------------------------------


def served(
    container: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, TestClient, str]:
    """Where the page listens, a client of it, and what was printed."""
    found: list[tuple[uvicorn.Server, socket.socket]] = []
    monkeypatch.setattr(
        uvicorn.Server, "run", lambda self, sockets: found.append((self, sockets[0]))
    )
    command = ["serve", "--port", "0", "--db", str(tmp_path / "life.duckdb")]
    result = CliRunner().invoke(cli, command + ["--container"] * container, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    ((server, listening),) = found
    host, port = listening.getsockname()
    listening.close()
    client = TestClient(server.config.app, base_url=f"http://127.0.0.1:{port}")  # type: ignore[arg-type]
    return host, client, result.output


def signs(monkeypatch: pytest.MonkeyPatch, *paths: Path) -> None:
    monkeypatch.setattr(sys.modules["reqap.cli.serving"], "_SIGNS", paths)


def test_a_container_is_reached_from_outside_and_still_asks_for_host_and_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    signs(monkeypatch, tmp_path)
    host, client, told = served(True, tmp_path, monkeypatch)
    assert host == "0.0.0.0"
    port = client.base_url.port
    address = f"http://127.0.0.1:{port}/?token="
    assert address in told
    token = told.partition(address)[2].split()[0]
    assert client.get(f"/?token={token}", follow_redirects=False).status_code == 303
    client.cookies.clear()
    assert client.get("/").status_code == 403
    assert client.get("/?token=guess").status_code == 403
    for name in ("172.17.0.2", "0.0.0.0", "reqap", "evil.example"):
        headers = {"host": f"{name}:{port}"}
        assert client.get(f"/?token={token}", headers=headers).status_code == 403


def test_outside_a_container_nothing_listens_beyond_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert served(False, tmp_path, monkeypatch)[0] == "127.0.0.1"
    signs(monkeypatch, tmp_path / "none")
    refused = CliRunner().invoke(cli, ["serve", "--container", "--db", str(tmp_path / "x.duckdb")])
    assert refused.exit_code == click.UsageError.exit_code
    assert "this is none" in " ".join(refused.output.split())


# -- the door --------------------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture
def page(tmp_path: Path) -> Iterator[str]:
    """The address that a real page prints."""
    command = [sys.executable, "-m", "reqap", "serve", "--port", "0"]
    with subprocess.Popen(
        [*command, "--db", str(tmp_path / "life.duckdb")], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1]
        process.terminate()


def test_the_door_passes_on_what_it_does_not_look_at(page: str) -> None:
    name, _, rest = page.removeprefix("http://").partition("/")
    port = free_port()
    with subprocess.Popen([sys.executable, str(PACKAGING / "door.py"), str(port), name]) as door:
        try:
            assert asked(port, f"/{rest}", name) == 303
            assert asked(port, "/", name) == 403
            assert asked(port, f"/{rest}", f"evil.example:{port}") == 403
        finally:
            door.terminate()


def asked(port: int, path: str, host: str) -> int:
    """The status that the page behind the door answers with, once both are up."""
    for _ in range(100):
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            connection.request("GET", path, headers={"host": host})
            return connection.getresponse().status
        except OSError:
            time.sleep(0.1)
        finally:
            connection.close()
    pytest.fail("nobody answers")
