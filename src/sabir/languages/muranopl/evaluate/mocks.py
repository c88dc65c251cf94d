"""Mocks of tests: `inject` replaces a method by a method of the test or by an expression.

A mock is installed in a class. It applies to all objects of that class, and of subclasses that do not
override the method. Every test has its own classes, so a mock ends with its test.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from sabir.diagnostics.suggestions import did_you_mean
from sabir.expressions.yaql import LAMBDA, LAZY_RULE, Lambda, Library, Variables, YaqlRule, YaqlScope
from sabir.expressions.yaql.kinds import OBJECT, STRING
from sabir.languages.muranopl.evaluate.functions.types import class_argument, object_argument
from sabir.languages.muranopl.evaluate.methods import Method
from sabir.languages.muranopl.model.classes import WRONG_CALL
from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError
from sabir.languages.muranopl.model.objects import DEPTH, THIS, MuranoObject, ObjectView, current_class

if TYPE_CHECKING:
    from sabir.languages.muranopl.model.classes import MuranoClass


_ORIGINAL: Final = (
    ">"  # the variables of the code that called the mocked method; no user variable can have this name
)
_CALL: Final = ">()"  # the mocked call
Action = Callable[[Any, Variables, tuple[Any, ...], dict[str, Any]], Any]


class MockMethod(Method):
    """A method whose calls are redirected. It has the arguments of the method that it replaces."""

    __slots__ = ("action",)

    def __init__(self, original: Method, cls: MuranoClass, action: Action) -> None:
        super().__init__(original.node, cls)
        self.action = action

    def invoke(self, this: Any, caller: Variables, /, *args: Any, **kwargs: Any) -> Any:
        return self.action(this, caller, args, kwargs)


def mock_functions() -> Library:
    """Return the functions that tests have in addition to those of the language."""
    library = Library()
    library.function("inject", STRING | OBJECT, STRING, OBJECT, STRING)(inject_method)
    library.function("inject", STRING | OBJECT, STRING, LAMBDA)(inject_expression)
    library.function("originalMethod")(original_method)
    library.function("withOriginal", LAZY_RULE, rules=True)(with_original)
    return library


def inject_method(
    variables: Variables, target: Any, target_method: str, mock_object: Any, mock_name: str
) -> None:
    """Replace a method by a method of the test."""
    substitute = object_argument(mock_object, "inject")
    cls = current_class(variables) or substitute.cls
    method = cls.lookup(mock_name)
    if method is None:
        raise MuranoError(
            WRONG_CALL, f"{cls.name} has no method {mock_name!r} to put in place of {target_method!r}"
        )

    def act(_this: Any, caller: Variables, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return method.invoke(substitute, caller, *args, **kwargs)

    _mock_method(_class_of(target, variables), target_method, lambda _original: act)


def inject_expression(variables: Variables, target: Any, target_method: str, expr: Lambda) -> None:
    """Replace a method by an expression: `$` is the test, `$2` and so on are the arguments."""

    def action(original: Method) -> Action:
        def act(this: Any, caller: Variables, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            numbered = {str(number): value for number, value in enumerate(args, 2)}
            own = {**expr.variables, **numbered, **kwargs, "$": expr.variables.get(THIS), _ORIGINAL: caller}
            own[DEPTH] = caller.get(DEPTH, 0) + 1
            own[_CALL] = partial(original.invoke, this, caller, *args, **kwargs)
            return expr.within(own)

        return act

    _mock_method(_class_of(target, variables), target_method, action)


def original_method(variables: Variables) -> Any:
    """Repeat the current call on the method that is mocked."""
    call = variables.get(_CALL)
    if call is None:
        raise MuranoError(
            UNUSABLE_VALUE, "`originalMethod` belongs into the expression that `inject` is given"
        )
    return call()


def with_original(variables: Variables, *names: YaqlRule) -> YaqlScope:
    """Evaluate `withOriginal(x => $.y) -> …`, which binds names to values that the caller of the mocked method
    sees.
    """
    caller = variables.get(_ORIGINAL)
    if caller is None:
        raise MuranoError(UNUSABLE_VALUE, "`withOriginal` belongs into the expression that `inject` is given")
    values = {str(rule.source()): rule.target.within(dict(caller)) for rule in names}
    return YaqlScope({**variables, **values})


def _class_of(target: Any, variables: Variables) -> MuranoClass:
    value = target.object if isinstance(target, ObjectView) else target
    return value.cls if isinstance(value, MuranoObject) else class_argument(value, variables)


def _mock_method(cls: MuranoClass, name: str, action: Callable[[Method], Action]) -> None:
    original = cls.lookup(name)
    if original is None:
        names = {method for ancestor in cls.lineage for method in ancestor.own_methods}
        message = f"{cls.name} has no method {name!r} that could be mocked"
        raise MuranoError(WRONG_CALL, message, hint=did_you_mean(name, sorted(names)))
    cls.override(name, MockMethod(original, cls, action(original)))
