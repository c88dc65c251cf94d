"""Where two values differ, for whoever reads why an assertion does not hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from sabir.languages.muranopl.model.errors import shown

__all__ = ["differences"]

_MOST: Final = 8


def differences(expected: Any, observed: Any) -> str | None:
    """The parts that differ, by their paths; None when the values as a whole say it."""
    if not _has_parts(expected, observed):
        return None
    found = [*islice(_differences(expected, observed, ""), _MOST + 1)]
    words = "; ".join(found[:_MOST])
    return f"{words}; and more" if len(found) > _MOST else words


def _has_parts(expected: Any, observed: Any) -> bool:
    return (
        _are(Mapping, expected, observed) or _are_lists(expected, observed) or _are_texts(expected, observed)
    )


def _differences(expected: Any, observed: Any, path: str) -> Iterator[str]:
    if expected == observed:
        return
    if _are(Mapping, expected, observed):
        for key in [*expected, *(key for key in observed if key not in expected)]:
            yield from _part(expected, observed, key, f"{path}.{key}" if path else str(key))
    elif _are_lists(expected, observed):
        before, after = dict(enumerate(expected)), dict(enumerate(observed))
        for index in range(max(len(before), len(after))):
            yield from _part(before, after, index, f"{path}[{index}]")
    elif _are_texts(expected, observed):
        before, after = dict(enumerate(expected.splitlines(), 1)), dict(enumerate(observed.splitlines(), 1))
        for line in range(1, max(len(before), len(after)) + 1):
            yield from _part(before, after, line, f"{path} line {line}".strip())
    else:
        yield f"{path}: {shown(expected)} is expected, not {shown(observed)}"


def _part(expected: Mapping[Any, Any], observed: Mapping[Any, Any], key: Any, path: str) -> Iterator[str]:
    if key not in observed:
        yield f"{path}: {shown(expected[key])} is missing"
    elif key not in expected:
        yield f"{path}: {shown(observed[key])} is not expected"
    else:
        yield from _differences(expected[key], observed[key], path)


def _are(kind: type, expected: Any, observed: Any) -> bool:
    return isinstance(expected, kind) and isinstance(observed, kind)


def _are_lists(expected: Any, observed: Any) -> bool:
    return (
        _are(Sequence, expected, observed) and not isinstance(expected, str) and not isinstance(observed, str)
    )


def _are_texts(expected: Any, observed: Any) -> bool:
    return _are(str, expected, observed) and ("\n" in expected or "\n" in observed)
