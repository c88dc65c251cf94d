"""`io.murano.test.TestFixture`: assertions, and models that a test loads."""

from __future__ import annotations

from typing import Any, Final

from sabir.expressions.yaql import Variables
from sabir.languages.muranopl.evaluate.system.comparing import differences
from sabir.languages.muranopl.evaluate.system.registry import SystemClass
from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError, shown
from sabir.languages.muranopl.model.objects import MuranoObject
from sabir.languages.muranopl.syntax.failures import failure_rule

__all__ = ["TEST_FIXTURE"]

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
