"""Times and names that the service gives out."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

__all__ = ["new_id", "now"]


def now() -> str:
    """The time in UTC, as every answer has it."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def new_id() -> str:
    """32 hexadecimal digits: Murano's client takes anything else for a name."""
    return uuid4().hex
