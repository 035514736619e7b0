"""The command line. No logic of its own: it reads arguments, calls the layers below, prints."""

import os
import sys
from importlib import import_module

import click

from reqap.cli.console import FAILED, INTERRUPTED, err
from reqap.errors import ReqapError

# Where each command is. Its module is loaded when it is called: all of them take a second.
_PLACES = (
    "importing.import_", "looking.sources", "looking.events", "looking.show", "forgetting.forget",
    "profile.profile", "demo.demo", "asking.ask_", "chatting.chat", "serving.serve", "asking.plan",
    "searching.retrieve", "running.run", "searching.prepare", "perqa.perqa",
    "evaluating.eval_",
)  # fmt: skip
COMMANDS = {place.partition(".")[2].rstrip("_"): place for place in _PLACES}


class _Commands(click.Group):
    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        module, _, command = COMMANDS.get(name, "").partition(".")
        if not module:
            return None
        found = getattr(import_module(f"reqap.cli.{module}"), command)
        assert isinstance(found, click.Command)
        return found


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="reqap")
def cli() -> None:
    """Ask questions about your own life, answered from your own data exports.

    Everything stays on this machine. Begin with `reqap demo`, or with
    `reqap import PATH…` on the exports you downloaded.
    """


def main() -> None:
    """The program `reqap`: errors become one line and an exit code."""
    os.umask(0o077)  # what is written here is nobody else's business
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.Abort:
        err().print("Interrupted. Nothing was changed.")
        sys.exit(INTERRUPTED)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except ReqapError as error:
        err().print(f"[red]Error:[/red] {_escape(str(error))}", soft_wrap=True)
        sys.exit(FAILED)
    sys.exit(code if isinstance(code, int) else 0)


def _escape(text: str) -> str:
    from rich.markup import escape

    return escape("".join(c if c.isprintable() or c == "\n" else "�" for c in text))
