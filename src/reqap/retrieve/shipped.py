"""The models of RETRIEVE that come with the package."""

from functools import cache
from importlib import resources
from pathlib import Path

from reqap.retrieve.networks import Networks


def folder() -> Path:
    return Path(str(resources.files("reqap.retrieve") / "model"))


@cache
def networks() -> Networks:
    """Loaded once; raises ModelProblem where they, or what they need, are not installed."""
    return Networks(folder())
