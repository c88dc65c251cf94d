"""What a run of a workflow left behind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from sabir.graph.address import Address
from sabir.graph.values import Value
from sabir.resources.outcome import Outcome, OutcomeStatus
from sabir.resources.resource import Resource

__all__ = ["DONE", "Ran"]

DONE: Final = "done"
"""The result of a workflow that failed under which it keeps what it had done."""


class Ran(Struct, frozen=True, kw_only=True):
    results: Mapping[str, Value]
    """By the texts of the addresses of attributes."""
    brought: tuple[Resource, ...]
    gone: tuple[Address, ...]
    failure: str | None
    handled: tuple[str, ...]
    """Failures that other steps dealt with."""
    done: tuple[str, ...] = ()
    """Of a run that failed: the places of the activities that it had done."""

    def outcome(self) -> Outcome:
        message = self.failure or "; ".join(
            f"{words}: its on_failure steps ended well" for words in self.handled
        )
        return Outcome(
            status=OutcomeStatus.DONE if self.failure is None else OutcomeStatus.FAILED,
            results=self.results if self.failure is None else {**self.results, DONE: list(self.done)},
            brought=self.brought,
            gone=self.gone,
            message=message or None,
        )
