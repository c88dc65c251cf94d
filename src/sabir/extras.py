"""Commands that need libraries which not everybody installs.

Libraries that not everybody installs, and how to get them.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from sabir.errors import DeployError, SabirError, UsageError

_EXTRAS: Final = {"sqlalchemy": "deploy"}
"""The extra of a library that many commands need."""


def explain_missing(error: ModuleNotFoundError) -> SabirError | None:
    """What to tell somebody who lacks a library that many commands need; None: it is not one of them."""
    extra = _EXTRAS.get((error.name or "").partition(".")[0])
    return None if extra is None else missing_extra(extra, "this command", error)


def missing_extra(extra: str, what_needs_it: str, error: ImportError) -> SabirError:
    """What to tell somebody who called a command without its extra. A module of sabir itself that is missing is a fault."""
    if error.name is None or error.name.partition(".")[0] == "sabir":
        raise error
    return UsageError(
        f"{what_needs_it} needs libraries that are not installed, {error.name} for one: pip install 'sabir[{extra}]'"
    )


@contextmanager
def require_extra(extra: str, subject: str) -> Generator[None]:
    """Around imports: where a library is missing, it is said what needs it and which extra brings it."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise DeployError(f"{subject} needs {error.name}: pip install 'sabir[{extra}]'") from error
