"""`reqap serve`: the page, on this machine only.

In a container, 127.0.0.1 is the container's own, and nobody could open the page. There it listens
on all addresses of the container, if that is asked for; which of them the machine's own browser can
reach is decided by whoever publishes the port. Who may speak to the page stays the same: the host
names of this machine only, and the token.
"""

import os
import socket
import webbrowser
from pathlib import Path

import click

from reqap.cli.console import db_option, out
from reqap.errors import ReqapError
from reqap.store import Store

_HOST = "127.0.0.1"
_ALL = "0.0.0.0"
# What Docker and Podman leave in their containers.
_SIGNS = (Path("/.dockerenv"), Path("/run/.containerenv"))


@click.command(epilog="Example: reqap serve --open")
@db_option
@click.option("--port", default=8765, show_default=True, type=click.IntRange(0, 65535),
              help="Where to listen; 0 takes any free one.")  # fmt: skip
@click.option("--open", "opens", is_flag=True, help="Open the page in your browser.")
@click.option("--upload", default=2_000, show_default=True, type=click.IntRange(1),
              help="How many megabytes may be imported at once through the page.")  # fmt: skip
@click.option("--container", is_flag=True,
              help="Inside a container: listen on all of its addresses. Publish the port for"
              " 127.0.0.1 only, under the same number (docs/running.md).")  # fmt: skip
def serve(db: Path, port: int, opens: bool, upload: int, container: bool) -> None:
    """Ask in your browser: a page that only this machine can open.

    Nothing listens beyond 127.0.0.1, and the page opens only with the address
    that is printed here: it has a token in it.
    """
    if container and not any(sign.exists() for sign in _SIGNS):
        raise click.UsageError(
            "--container is for containers (Docker, Podman), and this is none: others in your"
            " network could reach the page. Leave it out."
        )
    import uvicorn

    from reqap.serve.app import app
    from reqap.serve.guard import Tokens, new_token
    from reqap.serve.link import Link, worker_of

    with Store.open(db):  # whatever is wrong with it is said here
        pass
    listening = listening_socket(_ALL if container else _HOST, port)
    port = listening.getsockname()[1]
    token = new_token()
    hosts = frozenset({f"{_HOST}:{port}", f"localhost:{port}"})
    address = f"http://{_HOST}:{port}/?token="
    out().print(f"The page is at {address}{token}", soft_wrap=True)
    out().print("Ctrl-C ends it.")
    once = new_token()
    if opens:  # others can see what a browser is started with: good for one time only
        webbrowser.open(address + once)
    served = app(Link(worker_of(db)), Tokens(token, once), hosts, upload * 1_000_000)
    config = uvicorn.Config(served, log_level="error", access_log=False, server_header=False,
                            timeout_graceful_shutdown=2)  # fmt: skip
    uvicorn.Server(config).run(sockets=[listening])


def listening_socket(host: str, port: int) -> socket.socket:
    # Where TCP is named, asyncio sends at once (TCP_NODELAY); else every request takes 40 ms more.
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name == "posix":
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen(128)
    except OSError as error:
        raise ReqapError(
            f"Port {port} cannot be used ({error.strerror}); another one: --port 0"
        ) from None
    return found
