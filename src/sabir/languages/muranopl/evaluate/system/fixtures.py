"""`io.murano.test.TestFixture`: assertions with a description of the difference, and models for tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from sabir.expressions.yaql import Variables
from sabir.languages.muranopl.evaluate.system.registry import SystemClass
from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError, format_value
from sabir.languages.muranopl.model.objects import MuranoObject
from sabir.languages.muranopl.syntax.rules import failure_rule

_MOST: Final = 8


def describe_differences(expected: Any, observed: Any) -> str | None:
    """Return the parts that differ, by their paths; None if the values as a whole are clear enough."""
    if not _has_parts(expected, observed):
        return None
    found = [*islice(_find_differences(expected, observed, ""), _MOST + 1)]
    words = "; ".join(found[:_MOST])
    return f"{words}; and more" if len(found) > _MOST else words


def _has_parts(expected: Any, observed: Any) -> bool:
    return (
        _are_both(Mapping, expected, observed)
        or _are_lists(expected, observed)
        or _are_texts(expected, observed)
    )


def _find_differences(expected: Any, observed: Any, path: str) -> Iterator[str]:
    if expected == observed:
        return
    if _are_both(Mapping, expected, observed):
        for key in [*expected, *(key for key in observed if key not in expected)]:
            yield from _compare_part(expected, observed, key, f"{path}.{key}" if path else str(key))
    elif _are_lists(expected, observed):
        before, after = dict(enumerate(expected)), dict(enumerate(observed))
        for index in range(max(len(before), len(after))):
            yield from _compare_part(before, after, index, f"{path}[{index}]")
    elif _are_texts(expected, observed):
        before, after = dict(enumerate(expected.splitlines(), 1)), dict(enumerate(observed.splitlines(), 1))
        for line in range(1, max(len(before), len(after)) + 1):
            yield from _compare_part(before, after, line, f"{path} line {line}".strip())
    else:
        yield f"{path}: {format_value(expected)} is expected, not {format_value(observed)}"


def _compare_part(
    expected: Mapping[Any, Any], observed: Mapping[Any, Any], key: Any, path: str
) -> Iterator[str]:
    if key not in observed:
        yield f"{path}: {format_value(expected[key])} is missing"
    elif key not in expected:
        yield f"{path}: {format_value(observed[key])} is not expected"
    else:
        yield from _find_differences(expected[key], observed[key], path)


def _are_both(kind: type, expected: Any, observed: Any) -> bool:
    return isinstance(expected, kind) and isinstance(observed, kind)


def _are_lists(expected: Any, observed: Any) -> bool:
    return (
        _are_both(Sequence, expected, observed)
        and not isinstance(expected, str)
        and not isinstance(observed, str)
    )


def _are_texts(expected: Any, observed: Any) -> bool:
    return _are_both(str, expected, observed) and ("\n" in expected or "\n" in observed)


TEST_FIXTURE: Final = SystemClass("io.murano.test.TestFixture")

ASSERTION_FAILED: Final = failure_rule(
    "AssertionError",
    "MRUN:E060",
    "an assertion of a test that does not hold",
    "What the code under test gave is not what the test expects.",
)


def _check_assertion(holds: object, problem: str, message: str | None) -> None:
    if not holds:
        raise _assertion_error(problem, message)


def _assertion_error(problem: str, message: str | None, hint: str | None = None) -> MuranoError:
    return MuranoError(ASSERTION_FAILED, problem if message is None else f"{problem}: {message}", hint=hint)


@TEST_FIXTURE.method("load")
def load_model(this: MuranoObject, _variables: Variables, model: Any) -> Any:
    """Return the object that a model describes: its `Objects`, or the model itself."""
    objects = model.get("Objects", model) if isinstance(model, dict) else model
    if not isinstance(objects, dict):
        raise MuranoError(UNUSABLE_VALUE, f"a test loads an object model, not {format_value(objects)}")
    runtime: Any = this.cls.runtime
    return runtime.loader.instantiate(objects, None, None)


@TEST_FIXTURE.method("assertEqual")
def assert_equal(
    _this: Any, _variables: Variables, expected: Any, observed: Any, message: str | None
) -> None:
    """Fail if two values differ; the failure lists the parts that differ."""
    if expected != observed:
        problem = f"{format_value(expected)} is expected, not {format_value(observed)}"
        raise _assertion_error(problem, message, describe_differences(expected, observed))


@TEST_FIXTURE.method("assertTrue")
def assert_true(_this: Any, _variables: Variables, expr: Any, message: str | None) -> None:
    """Fail if a value is not truthy."""
    _check_assertion(expr, f"{format_value(expr)} is not true", message)


@TEST_FIXTURE.method("assertFalse")
def assert_false(_this: Any, _variables: Variables, expr: Any, message: str | None) -> None:
    """Fail if a value is truthy."""
    _check_assertion(not expr, f"{format_value(expr)} is not false", message)


@TEST_FIXTURE.method("assertIn")
def assert_in(_this: Any, _variables: Variables, needle: Any, haystack: Any, message: str | None) -> None:
    """Fail if a collection or string does not contain a value."""
    _check_assertion(
        _contains_item(haystack, needle),
        f"{format_value(needle)} is not in {format_value(haystack)}",
        message,
    )


@TEST_FIXTURE.method("assertNotIn")
def assert_not_in(_this: Any, _variables: Variables, needle: Any, haystack: Any, message: str | None) -> None:
    """Fail if a collection or string contains a value."""
    _check_assertion(
        not _contains_item(haystack, needle),
        f"{format_value(needle)} is in {format_value(haystack)}",
        message,
    )


def _contains_item(haystack: Any, needle: Any) -> bool:
    try:
        return needle in haystack
    except TypeError:
        raise MuranoError(UNUSABLE_VALUE, f"nothing can be in {format_value(haystack)}") from None
