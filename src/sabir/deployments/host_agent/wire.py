"""Requests and answers as lines: JSON, with bytes and mappings that JSON has no form for marked."""

from __future__ import annotations

import base64
import json
from typing import Any

__all__ = ["decode", "encode"]

_BYTES = "$bytes"
_PAIRS = "$pairs"


def encode(message: Any) -> bytes:
    """One line. ASCII alone, so that text that is no proper Unicode comes through as it is."""
    return json.dumps(_make_encodable(message), separators=(",", ":"), default=str).encode("ascii") + b"\n"


def decode(line: bytes) -> Any:
    return json.loads(line, object_hook=_restore_value)


def _make_encodable(value: Any) -> Any:
    if isinstance(value, bytes):
        return {_BYTES: base64.b64encode(value).decode("ascii")}
    if isinstance(value, dict):
        if all(isinstance(key, str) and key not in (_BYTES, _PAIRS) for key in value):
            return {key: _make_encodable(item) for key, item in value.items()}
        return {_PAIRS: [[_make_encodable(key), _make_encodable(item)] for key, item in value.items()]}
    return [_make_encodable(item) for item in value] if isinstance(value, (list, tuple)) else value


def _restore_value(value: dict[str, Any]) -> Any:
    if _BYTES in value:
        return base64.b64decode(value[_BYTES])
    if _PAIRS in value:
        return dict(value[_PAIRS])
    return value
