"""Requests to services that failed."""

from __future__ import annotations

__all__ = ["RequestFailure"]


class RequestFailure(Exception):
    """A request that a service refused, or that it did not answer (status 0)."""

    def __init__(self, message: str, *, status: int = 0, was_sent: bool = False) -> None:
        super().__init__(message)
        self.message, self.status = message, status
        self.was_sent = was_sent
        """Nobody answered, but it may have been heard."""
