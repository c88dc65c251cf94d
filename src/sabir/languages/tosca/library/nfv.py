"""Types of the NFV profile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["TYPES"]

TYPES: Final[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {}
