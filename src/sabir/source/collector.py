"""The garbage collector, paused while much is built that cannot be garbage."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager

__all__ = ["collector_paused"]


@contextmanager
def collector_paused() -> Generator[None]:
    """Looking for garbage among things that are all kept takes a third of the time that building them does."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
