"""`inmanta.export`: the exporter passed to `get_<field>`, dependency managers and export functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["NO_ENVIRONMENT", "Exporter", "hash_file"]

NO_ENVIRONMENT: Final = "00000000-0000-0000-0000-000000000000"
"""The environment of a model that is evaluated without a server."""


def hash_file(content: bytes) -> str:
    """Return the SHA-1 digest that names a content."""
    import hashlib

    return hashlib.sha1(content, usedforsecurity=False).hexdigest()


class Exporter:
    """The export of one model: files by the hash of their content, and the exported resources."""

    def __init__(self, types: Mapping[str, Any] | None = None) -> None:
        self.types = types
        self.files: dict[str, bytes] = {}
        self._resources: dict[Any, Any] = {}
        self.failed = False

    def upload_file(self, content: str | bytes) -> str:
        raw = content.encode() if isinstance(content, str) else content
        name = hash_file(raw)
        self.files[name] = raw
        return name

    def get_environment_id(self) -> str:
        return NO_ENVIRONMENT
