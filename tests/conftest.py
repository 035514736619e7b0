"""Test-wide settings: hypothesis profiles, and a home that is not the user's."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, settings

from reqap.cli import cli
from reqap.perqa.exports import write_demo

settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("long", settings.get_profile("default"), max_examples=2000)
settings.load_profile("default")


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test may read or write the data of the person who runs it."""
    home = tmp_path_factory.mktemp("home")
    for name in ("HOME", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.delenv("REQAP_DB", raising=False)
    os.environ.setdefault("COLUMNS", "120")
    return home


@pytest.fixture(scope="session")
def demo_db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo life, imported once per test session. For reading only."""
    folder = tmp_path_factory.mktemp("demo_store")
    write_demo(folder / "exports")
    profile = folder / "exports" / "profile.json"
    command = ["import", str(folder / "exports"), "--profile", str(profile)]
    db = folder / "life.duckdb"
    result = CliRunner().invoke(cli, [*command, "--db", str(db)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return db
