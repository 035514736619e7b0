"""The program `reqap`, which is also `python -m reqap`."""

import sys


def main() -> None:
    """Ctrl-C ends it with one line also while it is still loading."""
    try:
        from reqap.cli import main as run_command

        run_command()
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted. Nothing was changed.\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
