"""Libraries that not everybody installs, and how to get them."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from sabir.errors import DeployError

__all__ = ["needing"]


@contextmanager
def needing(extra: str, subject: str) -> Generator[None]:
    """Around imports: where a library is missing, it is said what needs it and which extra brings it."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise DeployError(f"{subject} needs {error.name}: pip install 'sabir[{extra}]'") from error
