"""Values for the page: what its script can show, never a sensitive one, each of a bounded size.

text, true, null, 12          as they are
[value, …]                    a list
{"m": [[key, value], …]}      a mapping
{"r": number}, {"r": "id"}    an instance, by number; by id when it is not in the graph
{"n": "1.0"}                  other plain data, as words
{"s": 1}, {"u": 1}            sensitive; not known yet
{"c": 12}                     so many further elements or characters are left out
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sabir.graph.values import Ref, Sensitive, Unknown, Value

__all__ = ["page_value", "without_surrogates"]

_MOST_PARTS: Final = 2000
_DEEPEST: Final = 40
_LONGEST: Final = 20_000
_SAFE_INTEGER: Final = 2**53
"""Beyond it a script's numbers are not exact."""


def page_value(value: Value, number: Mapping[str, int]) -> Any:
    return _Writer(number).written(value, 0)


class _Writer:
    def __init__(self, number: Mapping[str, int]) -> None:
        self.number = number
        self.room = _MOST_PARTS

    def written(self, value: Value, depth: int) -> Any:
        self.room -= 1
        match value:
            case None | bool():
                return value
            case str():
                return _text(value)
            case int():
                return {"n": _digits(value)} if abs(value) >= _SAFE_INTEGER else int(value)
            case Sensitive():
                return {"s": 1}
            case Unknown():
                return {"u": 1}
            case Ref():
                return {"r": self.number.get(value.id, without_surrogates(value.id))}
            case bytes():
                return {"n": f"({len(value)} bytes)"}
            case Mapping():
                return {"m": self.pairs(value, depth + 1)}
            case Sequence():
                return self.elements(value, depth + 1)
            case _:
                return {"n": str(value)}

    def elements(self, value: Sequence[Value], depth: int) -> list[Any]:
        shown: list[Any] = []
        for item in value:
            if self.room <= 0 or depth > _DEEPEST:
                shown.append({"c": len(value) - len(shown)})
                break
            shown.append(self.written(item, depth))
        return shown

    def pairs(self, value: Mapping[str, Value], depth: int) -> list[Any]:
        shown: list[Any] = []
        for key, item in value.items():
            if self.room <= 0 or depth > _DEEPEST:
                shown.append(["…", {"c": len(value) - len(shown)}])
                break
            # Keys that are no strings are outside `Value`, but YAML has them.
            shown.append([_text(str(key)), self.written(item, depth)])
        return shown


def _text(text: str) -> str:
    text = without_surrogates(text)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text) - _LONGEST} more characters)"


def _digits(value: int) -> str:
    # Turning a huge integer into decimals is quadratic, and Python refuses it.
    return str(value) if value.bit_length() <= 4096 else hex(value)[:200] + "…"


def without_surrogates(text: str) -> str:
    """Lone surrogates, which YAML can write, have no place in UTF-8."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
