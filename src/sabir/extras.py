"""Errors for missing optional libraries ("extras"), with the command that installs them."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from sabir.errors import DeployError, SabirError, UsageError

_EXTRAS: Final = {"sqlalchemy": "deploy"}
"""The extra that provides a library needed by many commands."""


def explain_missing(error: ModuleNotFoundError) -> SabirError | None:
    """Return the error for a missing library that many commands need, or None when it is another library."""
    extra = _EXTRAS.get((error.name or "").partition(".")[0])
    return None if extra is None else missing_extra(extra, "this command", error)


def missing_extra(extra: str, what_needs_it: str, error: ImportError) -> SabirError:
    """Return the error for a missing extra. A missing module of sabir itself is an internal error and raised again."""
    if error.name is None or error.name.partition(".")[0] == "sabir":
        raise error
    return UsageError(
        f"{what_needs_it} needs libraries that are not installed, {error.name} for one: pip install 'sabir[{extra}]'"
    )


@contextmanager
def require_extra(extra: str, subject: str) -> Generator[None]:
    """Wrap imports: raise a `DeployError` that names the missing library, what needs it and its extra."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise DeployError(f"{subject} needs {error.name}: pip install 'sabir[{extra}]'") from error
