"""`io.murano.test.TestFixture`: assertions, and models that a test loads.

Where two values differ, for whoever reads why an assertion does not hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from sabir.expressions.yaql import Variables
from sabir.languages.muranopl.evaluate.system.registry import SystemClass
from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError, shown
from sabir.languages.muranopl.model.objects import MuranoObject
from sabir.languages.muranopl.syntax.rules import failure_rule

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


TEST_FIXTURE: Final = SystemClass("io.murano.test.TestFixture")

ASSERTION_FAILED: Final = failure_rule(
    "AssertionError",
    "MRUN:E060",
    "an assertion of a test that does not hold",
    "What the code under test gave is not what the test expects.",
)


def _check(holds: object, problem: str, message: str | None) -> None:
    if not holds:
        raise _failure(problem, message)


def _failure(problem: str, message: str | None, hint: str | None = None) -> MuranoError:
    return MuranoError(ASSERTION_FAILED, problem if message is None else f"{problem}: {message}", hint=hint)


@TEST_FIXTURE.method("load")
def load(this: MuranoObject, _variables: Variables, model: Any) -> Any:
    """The object that a model describes: `Objects` of it, or the model itself."""
    objects = model.get("Objects", model) if isinstance(model, dict) else model
    if not isinstance(objects, dict):
        raise MuranoError(UNUSABLE_VALUE, f"a test loads an object model, not {shown(objects)}")
    runtime: Any = this.cls.runtime
    return runtime.loader.instantiate(objects, None, None)


@TEST_FIXTURE.method("assertEqual")
def assert_equal(
    _this: Any, _variables: Variables, expected: Any, observed: Any, message: str | None
) -> None:
    if expected != observed:
        problem = f"{shown(expected)} is expected, not {shown(observed)}"
        raise _failure(problem, message, differences(expected, observed))


@TEST_FIXTURE.method("assertTrue")
def assert_true(_this: Any, _variables: Variables, expr: Any, message: str | None) -> None:
    _check(expr, f"{shown(expr)} is not true", message)


@TEST_FIXTURE.method("assertFalse")
def assert_false(_this: Any, _variables: Variables, expr: Any, message: str | None) -> None:
    _check(not expr, f"{shown(expr)} is not false", message)


@TEST_FIXTURE.method("assertIn")
def assert_in(_this: Any, _variables: Variables, needle: Any, haystack: Any, message: str | None) -> None:
    _check(_contains(haystack, needle), f"{shown(needle)} is not in {shown(haystack)}", message)


@TEST_FIXTURE.method("assertNotIn")
def assert_not_in(_this: Any, _variables: Variables, needle: Any, haystack: Any, message: str | None) -> None:
    _check(not _contains(haystack, needle), f"{shown(needle)} is in {shown(haystack)}", message)


def _contains(haystack: Any, needle: Any) -> bool:
    try:
        return needle in haystack
    except TypeError:
        raise MuranoError(UNUSABLE_VALUE, f"nothing can be in {shown(haystack)}") from None
