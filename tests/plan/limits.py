"""What is not done in time fails, instead of stopping all other tests."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raises TimeoutError after so many seconds, where the platform can."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: object) -> NoReturn:
        raise TimeoutError(f"more than {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
