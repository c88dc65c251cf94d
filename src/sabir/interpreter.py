"""Settings of the Python interpreter: recursion limit and garbage collector.

Both apply to the whole process. An evaluation must therefore not change the recursion limit: an interface (the
command line, `import sabir`, a worker) sets it once at startup. The collector may be paused while a large structure
is built that contains no garbage.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final


@contextmanager
def collector_paused() -> Generator[None]:
    """Pause the garbage collector inside a `with` block.

    Scanning objects that all stay alive takes a third of the time that building them does.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


FRAMES: Final = 16_000
"""Maximum depth of the Python stack.

It has room for 400 nested MuranoPL calls, each through nested instructions and expressions (25 frames, measured), and
is small enough that the stack of a thread (8 MB) suffices: deeper nesting is a `RecursionError`, not a crash.
"""


def deepen_stack() -> None:
    """Raise the recursion limit for the deepest evaluation; only interfaces call it."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), FRAMES))  # noqa: TID251  the one place
