"""How a statement ends before its end: it waits for a value, or it cannot go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sabir.diagnostics.finding import Finding

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.engine import ParkedStatement
    from sabir.languages.inmanta.evaluate.values import Frame, ModelInstance
    from sabir.languages.inmanta.model.entities import IndexDef


class Wait(BaseException):
    """Raised by a read of an empty slot, up to the statement that is then parked.

    No Exception, so that a plug-in's `except Exception` cannot swallow it.
    """

    msg = "a value that is not there yet was read"

    def __init__(self, slots: Frame, slot: int, owner: ModelInstance | None = None) -> None:
        self.slots = slots
        self.slot = slot
        self.owner = owner

    def get_result_variable(self) -> Wait:
        """What is waited for, as Python of a module collects it."""
        return self


class WaitForFirst(Wait):
    """`is defined` on an open relation: its first value decides, or that it closes empty."""


class WaitForKey(Wait):
    """A look-up that no instance answers yet."""

    def __init__(self, index: IndexDef, waiters: dict[Any, list[ParkedStatement]], key: Any) -> None:
        super().__init__([], 0)
        self.index = index
        self.waiters = waiters
        self.key = key


class Stop(Exception):
    """A statement that cannot go on; the finding says why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


class ModelLimitExceeded(Exception):
    """The whole evaluation cannot go on: what it may make is made. Unlike `Stop` it ends all statements."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


class Unset(Stop):
    """An optional relation was read that has no value; who can do without one catches it."""
