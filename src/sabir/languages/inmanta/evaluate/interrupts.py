"""Exceptions that interrupt a statement: it waits for a value, or it cannot continue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sabir.diagnostics.finding import Finding
from sabir.errors import SabirError

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.engine import ParkedStatement
    from sabir.languages.inmanta.evaluate.values import Frame, ModelInstance
    from sabir.languages.inmanta.model.entities import IndexDef


class Wait(BaseException):
    """Raised when an empty slot is read, and caught by the engine, which parks the statement.

    This is not an `Exception`, so that an `except Exception` in a plugin cannot swallow it.
    """

    msg = "a value that is not there yet was read"

    def __init__(self, slots: Frame, slot: int, owner: ModelInstance | None = None) -> None:
        self.slots = slots
        self.slot = slot
        self.owner = owner

    def get_result_variable(self) -> Wait:
        """Return the awaited value, in the form that Python code of modules collects."""
        return self


class WaitForFirst(Wait):
    """Raised by `is defined` on an open relation: its first value decides, or closing it while empty."""


class WaitForKey(Wait):
    """Raised by an index lookup for which no instance exists yet."""

    def __init__(self, index: IndexDef, waiters: dict[Any, list[ParkedStatement]], key: Any) -> None:
        super().__init__([], 0)
        self.index = index
        self.waiters = waiters
        self.key = key


class Stop(Exception):
    """Raised when a statement cannot continue; the finding has the reason."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


class ModelLimitError(SabirError):
    """Raised when a limit of the evaluation is exceeded. Unlike `Stop` it ends all statements."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


class Unset(Stop):
    """Raised when an optional relation without a value is read. Reads with a fallback catch it."""
