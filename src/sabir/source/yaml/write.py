"""Data as YAML text.

Three forms, because three readers expect different bytes:

    yaml_text      what sabir prints: no aliases, long lines, fast
    pyyaml_text    what expressions write: the bytes of PyYAML, which the users of Ansible and Unfurl know
    yaml_document  what is kept and compared, as Kubernetes objects: texts of several lines stay lines, so that a diff
                   shows the line that changed
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from sabir.lazy import lazy_pattern
from sabir.text import INVISIBLE

if TYPE_CHECKING:
    import re


_WIDTH: Final = 110

_RESERVED: Final = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "~"])
_SHORT: Final = 64
_PRINTABLE: Final = (
    r"\t\n\x20-\x7e\xa0-\xac\xae-\u061b\u061d-\u180d\u180f-\u200a\u2010-\u2027\u202f-\u205f\u2070-\ud7ff"
    r"\ue000-\ufefe\uff00-\ufff8\ufffc\ufffd\U00010000-\U000dffff\U000e0080-\U0010ffff"
)
"""What YAML can hold as it is, without what is `INVISIBLE`."""


def yaml_text(data: Any, *, width: int = _WIDTH) -> str:
    """A tree of plain data, keys in their order. What occurs twice is written twice: an alias makes readers wonder."""
    import yaml

    text: str = yaml.dump(data, Dumper=_dumper_class(), sort_keys=False, allow_unicode=True, width=width)
    # Whatever is invisible stands between double quotes, where an escape means the same.
    return text if text.isascii() and "\x7f" not in text else _invisible().sub(_escape_character, text)


def pyyaml_text(data: Any, **options: Any) -> str:
    """As `yaml.safe_dump` writes it, aliases and all: spec 004 and the filters of Ansible are defined by its bytes."""
    import yaml

    options.setdefault("allow_unicode", True)
    text: str = yaml.safe_dump(data, **options)
    return text


@cache
def _dumper_class() -> Any:
    import yaml

    class Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]  # C where PyYAML has it
        def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 -- the name is PyYAML's
            return True

    def represent_string(dumper: Any, text: str) -> Any:
        style = None if text.isprintable() or not _invisible().search(text) else '"'
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    Dumper.add_representer(str, represent_string)
    return Dumper


def _escape_character(match: re.Match[str]) -> str:
    return f"\\U{ord(match[0]):08x}"


def yaml_document(data: Mapping[str, Any]) -> str:
    """One document, block style, keys in their order; texts of several lines as literal blocks.

    A deployment has thousands of objects: writing trees of dicts, lists and scalars directly is much faster than an
    emitter for all of YAML.
    """
    lines: list[str] = []
    _write_mapping(data, "", lines)
    lines.append("")
    return "\n".join(lines)


def _write_mapping(data: Mapping[str, Any], indent: str, lines: list[str]) -> None:
    for key, value in data.items():
        _write_value(f"{indent}{_format_scalar(key)}:", value, indent, lines)


def _write_value(head: str, value: Any, indent: str, lines: list[str]) -> None:
    if isinstance(value, dict) and value:
        lines.append(head)
        _write_mapping(value, indent + "  ", lines)
    elif isinstance(value, list | tuple) and value:
        lines.append(head)
        _write_sequence(value, indent, lines)
    elif isinstance(value, str) and "\n" in value:
        _write_block(head, value, indent + "  ", lines)
    else:
        lines.append(f"{head} {_format_scalar(value)}")


def _write_sequence(items: list[Any] | tuple[Any, ...], indent: str, lines: list[str]) -> None:
    for item in items:
        if isinstance(item, dict) and item:
            start = len(lines)
            _write_mapping(item, indent + "  ", lines)
            lines[start] = f"{indent}- {lines[start][len(indent) + 2 :]}"
        elif isinstance(item, list | tuple) and item:
            start = len(lines)
            _write_sequence(item, indent + "  ", lines)
            lines[start] = f"{indent}- {lines[start][len(indent) + 2 :]}"
        else:
            lines.append(f"{indent}- {_format_scalar(item)}")


def _write_block(head: str, text: str, indent: str, lines: list[str]) -> None:
    """A literal block where the text allows one."""
    body = text.rstrip("\n")
    first = body.split("\n", 1)[0]
    tail = len(text) - len(body)
    if tail > 1 or not body or first[:1] in (" ", "\t", "") or not _block_pattern().fullmatch(text):
        lines.append(f"{head} {_format_scalar(text)}")
        return
    lines.append(f"{head} |" if tail else f"{head} |-")
    lines.extend(indent + line if line else "" for line in body.split("\n"))


def _format_scalar(value: Any) -> str:
    if isinstance(value, str):
        return _format_word(value) if len(value) < _SHORT else _format_text(value)
    return json.dumps(value)


def _format_text(value: str) -> str:
    if _plain_pattern().fullmatch(value) and value.lower() not in _RESERVED:
        return value
    # A JSON string is a YAML one, but for the characters that YAML wants escaped and JSON does not.
    return _unprintable_pattern().sub(_escape_character, json.dumps(value, ensure_ascii=False))


# Keys, names and words come again and again in the objects of a deployment.
_format_word = lru_cache(maxsize=20_000)(_format_text)

_plain_pattern: Final = lazy_pattern(r"[A-Za-z/][-A-Za-z0-9_./]*(?: [-A-Za-z0-9_./]+)*")
_block_pattern: Final = lazy_pattern(f"[{_PRINTABLE}]*")
_invisible: Final = lazy_pattern(f"[{INVISIBLE}]")
_unprintable_pattern: Final = lazy_pattern(f"[^{_PRINTABLE}]")
