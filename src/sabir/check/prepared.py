"""A check that only needs to be called."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from sabir.diagnostics.finding import Finding

__all__ = ["PreparedCheck", "guarded"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedCheck:
    """A checker with its data bound (spec 001, `prepare_check_suit`). Calling it yields findings and never raises."""

    validator: str
    """Short name of the validator it belongs to."""
    name: str
    call: Callable[[], Iterable[Finding]]
    file: str = "<check>"
    """The file it looks at, when it is one."""

    def __call__(self) -> Iterator[Finding]:
        return guarded(self.call, name=self.name, file=self.file)


def guarded(call: Callable[[], Iterable[Finding]], *, name: str, file: str) -> Iterator[Finding]:
    """The findings of a check; should the check itself fail, the finding E000 that names it.

    One check that fails must not hide what the others have to say.
    """
    try:
        yield from call()
    except Exception as error:
        if os.environ.get("SABIR_DEBUG"):
            raise
        yield Finding.about_file(
            "E000",
            f"check {name} failed: {type(error).__name__}: {error}".split("\n", 1)[0],
            file,
            hint="this is a fault of the check, not of the package; SABIR_DEBUG=1 shows where it happened",
        )
