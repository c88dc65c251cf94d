"""How deep calls may lie in one another.

The limit of the interpreter holds for the whole process, so that no evaluation may change it: an interface (the command line,
`import sabir`, a worker) does so once, when it starts.

The garbage collector, paused while much is built that cannot be garbage.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final


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


FRAMES: Final = 16_000
"""Room for 400 MuranoPL calls inside each other, each through nested instructions and expressions (25 frames, measured), and
still little enough that the stack of a thread (8 MB) ends behind it: what lies deeper is a `RecursionError`, not a crash."""


def deepen_stack() -> None:
    """Make room for the deepest evaluation; called by interfaces only."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), FRAMES))  # noqa: TID251  the one place
