"""Plain data as YAML text. Objects are trees of dicts, lists and scalars, so no general emitter is needed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["yaml_text"]

_PLAIN: Final = re.compile(r"[A-Za-z/][-A-Za-z0-9_./]*(?: [-A-Za-z0-9_./]+)*")
_RESERVED: Final = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "~"])
_BLOCK: Final = re.compile(r"[^\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029\ufeff\ud800-\udfff]*")


def yaml_text(data: Mapping[str, Any]) -> str:
    """One document, block style, keys in their order."""
    lines: list[str] = []
    _mapping(data, "", lines)
    lines.append("")
    return "\n".join(lines)


def _mapping(data: Mapping[str, Any], indent: str, lines: list[str]) -> None:
    for key, value in data.items():
        _value(f"{indent}{_scalar(key)}:", value, indent, lines)


def _value(head: str, value: Any, indent: str, lines: list[str]) -> None:
    if isinstance(value, Mapping) and value:
        lines.append(head)
        _mapping(value, indent + "  ", lines)
    elif isinstance(value, list | tuple) and value:
        lines.append(head)
        _sequence(value, indent, lines)
    elif isinstance(value, str) and "\n" in value:
        _block(head, value, indent + "  ", lines)
    else:
        lines.append(f"{head} {_scalar(value)}")


def _sequence(items: list[Any] | tuple[Any, ...], indent: str, lines: list[str]) -> None:
    for item in items:
        if isinstance(item, Mapping) and item:
            start = len(lines)
            _mapping(item, indent + "  ", lines)
            lines[start] = f"{indent}- {lines[start][len(indent) + 2 :]}"
        elif isinstance(item, list | tuple) and item:
            start = len(lines)
            _sequence(item, indent + "  ", lines)
            lines[start] = f"{indent}- {lines[start][len(indent) + 2 :]}"
        else:
            lines.append(f"{indent}- {_scalar(item)}")


def _block(head: str, text: str, indent: str, lines: list[str]) -> None:
    """A literal block where the text allows one: readable, and a diff shows lines."""
    body = text.rstrip("\n")
    first = body.split("\n", 1)[0]
    tail = len(text) - len(body)
    if tail > 1 or not body or first[:1] in (" ", "\t", "") or not _BLOCK.fullmatch(text):
        lines.append(f"{head} {_scalar(text)}")
        return
    lines.append(f"{head} |" if tail else f"{head} |-")
    lines.extend(indent + line if line else "" for line in body.split("\n"))


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        if _PLAIN.fullmatch(value) and value.lower() not in _RESERVED:
            return value
        return json.dumps(value, ensure_ascii=not _BLOCK.fullmatch(value))
    return json.dumps(value)
