"""The pictures of the page in the docs, of the demo life; needs Chromium (Debian: `chromium`).

    python docs/screenshots.py [--demo FOLDER]

`FOLDER` is one that `reqap demo --folder` has filled; without it a demo life is built first.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from playwright.sync_api import Browser, sync_playwright

OUT = Path(__file__).parent / "pictures"
MOST_BYTES = 200_000
WAIT_MS = 120_000


class Picture(NamedTuple):
    """One file: what is asked, and the screen that shows it."""

    name: str
    question: str
    width: int
    height: int
    scheme: Literal["light", "dark"]


RUNS = "How many kilometres did I run in each month of 2023?"
PICTURES = (
    Picture("bars-light", RUNS, 900, 960, "light"),
    Picture("timeline-dark", "my runs in 2023", 900, 800, "dark"),
    Picture("places-light", "Which cities did I travel to?", 900, 760, "light"),
    Picture(
        "timeline-phone", "On which dates did I buy something online in 2023?", 390, 800, "light"
    ),
    Picture("bars-phone-dark", RUNS, 390, 800, "dark"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--demo", type=Path, help="a demo life that is there already")
    given: Path | None = parser.parse_args().demo
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("Chromium is not installed")
    OUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "life.duckdb")
        if given is None:
            _reqap("demo", "--folder", folder).check_returncode()
        else:
            shutil.copyfile(given / "life.duckdb", store)
        with _serving(store) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            for picture in PICTURES:
                _take(browser, address, picture)
            browser.close()


def _reqap(*command: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "reqap", *command], check=False)


@contextmanager
def _serving(store: Path) -> Iterator[str]:
    """The page over a store; gives its address."""
    command = [sys.executable, "-m", "reqap", "serve", "--db", str(store), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            found = re.search(r"http://\S+", process.stdout.readline())
            if found is None:
                sys.exit("The page did not start")
            yield found[0]
        finally:
            process.terminate()


def _take(browser: Browser, address: str, picture: Picture) -> None:
    """Asks, as a person would, and keeps what the screen then shows."""
    screen = browser.new_context(
        viewport={"width": picture.width, "height": picture.height},
        color_scheme=picture.scheme,
        device_scale_factor=2 if picture.width < 600 else 1.5,
    )
    page = screen.new_page()
    page.goto(address)
    page.get_by_label("What do you want to know").fill(picture.question)
    page.keyboard.press("Enter")
    page.locator(".answer .said").wait_for(timeout=WAIT_MS)
    file = OUT / f"{picture.name}.png"
    page.screenshot(path=file)
    screen.close()
    size = file.stat().st_size
    print(f"{file.name}: {size:,} bytes")
    if size > MOST_BYTES:
        sys.exit(f"{file.name} is larger than {MOST_BYTES:,} bytes")


if __name__ == "__main__":
    main()
