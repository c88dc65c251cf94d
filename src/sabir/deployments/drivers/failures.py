"""Requests to services that failed."""

from __future__ import annotations

from typing import ClassVar

__all__ = ["RequestFailure"]


class RequestFailure(Exception):
    """A request that a service refused, or that it did not answer (status 0)."""

    PASSING: ClassVar = frozenset([429, 502, 503, 504])
    """Statuses whose cause may pass by itself."""

    def __init__(self, message: str, *, status: int = 0, was_sent: bool = False) -> None:
        super().__init__(message)
        self.message, self.status = message, status
        self.was_sent = was_sent
        """Nobody answered, but it may have been heard."""

    @property
    def passing(self) -> bool:
        """Whether the cause may pass by itself: nobody answered, or the server is busy."""
        return self.status == 0 or self.status in self.PASSING
