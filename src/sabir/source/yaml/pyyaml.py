"""PyYAML, imported without the patterns that its C parser never asks.

While it is imported it compiles a dozen regular expressions for its parser and its dumper in Python; the one that knows every
printable character costs more than all the rest of the package. Here they become patterns that compile themselves when they
are first used: dumping asks a few, reading with the C parser none. (Instructions for `import yaml`: 98 million, so 30.)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from sabir.patterns import LatePattern

__all__ = ["yaml"]


@contextmanager
def _late_patterns() -> Generator[None]:
    compile_now: Any = re.compile
    # For as long as one import takes; another thread might compile a pattern of its own in that time.
    if len(sys._current_frames()) == 1:
        re.compile = LatePattern  # type: ignore[assignment]
    try:
        yield
    finally:
        re.compile = compile_now


with _late_patterns():
    import yaml
