"""The command line. No logic of its own: it reads arguments, calls the layers below, prints."""

import os
import sys

import click

from reqap.cli.asking import ask_, plan
from reqap.cli.chatting import chat
from reqap.cli.console import FAILED, INTERRUPTED, err
from reqap.cli.demo import demo
from reqap.cli.evaluating import eval_
from reqap.cli.forgetting import forget
from reqap.cli.importing import import_
from reqap.cli.looking import events, show, sources
from reqap.cli.perqa import perqa
from reqap.cli.profile import profile
from reqap.cli.running import run
from reqap.cli.searching import prepare, retrieve
from reqap.cli.serving import serve
from reqap.errors import ReqapError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="reqap")
def cli() -> None:
    """Ask questions about your own life, answered from your own data exports.

    Everything stays on this machine. Begin with `reqap demo`, or with
    `reqap import PATH…` on the exports you downloaded.
    """


for command in (
    import_, sources, events, show, forget, profile, demo, ask_, chat, serve, plan, retrieve,
    run, prepare, perqa, eval_,
):  # fmt: skip
    cli.add_command(command)


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
