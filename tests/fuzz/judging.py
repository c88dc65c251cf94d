"""What counts as a failure in every fuzzer: words of the check itself, an exception, or too much time."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable

__all__ = ["complaint"]


def complaint(check: Callable[[], str | None], *, seconds: float) -> str | None:
    """What is wrong, None when nothing is. `seconds` is the most processor time that the check may take."""
    started = time.process_time()
    try:
        problem = check()
    except Exception:  # noqa: BLE001  # finding them is what a fuzzer is for
        problem = traceback.format_exc()[-1200:]
    spent = time.process_time() - started
    return problem or (f"took {spent:.1f} s" if spent > seconds else None)
