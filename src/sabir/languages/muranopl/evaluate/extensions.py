"""Extension methods: static methods of imported classes that can be called on values.

Whether one applies is decided by the kind of the value and the contract of its first argument, without conversion.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sabir.expressions.yaql import Library, NoMatch, Variables
from sabir.expressions.yaql.compile.arguments import accepts
from sabir.expressions.yaql.functions import Overload, Parameter
from sabir.expressions.yaql.kinds import ANY, NULL
from sabir.languages.muranopl.model.objects import MuranoObject, unwrapped

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.methods import Method
    from sabir.languages.muranopl.model.classes import MuranoClass

__all__ = ["add_extensions", "with_extensions"]


def with_extensions(library: Library, imports: Iterable[MuranoClass]) -> Library:
    """The library with the extension methods of classes on top."""
    extended = Library(library)
    add_extensions(extended, imports)
    return extended


def add_extensions(library: Library, classes: Iterable[MuranoClass]) -> None:
    """Declare the extension methods of classes in a library."""
    by_name: dict[str, list[Method]] = {}
    for cls in classes:
        for name in sorted(cls.method_names()):
            method = cls.lookup(name)
            if method is not None and method.node.usage == "Extension" and method.arguments:
                by_name.setdefault(name, []).append(method)
    for name, methods in by_name.items():
        library.add(_overload(name, methods))


def _overload(name: str, methods: list[Method]) -> Overload:
    def call(variables: Variables, receiver: Any, /, *args: Any, **kwargs: Any) -> Any:
        for method in methods:
            if _applies(method, receiver):
                return method.invoke(method.cls, variables, receiver, *args, **kwargs)
        raise NoMatch(f"the extension method `{name}` is for other values")

    kinds = 0
    for method in methods:
        kinds |= method.arguments[0].contract.kinds
    anything = Parameter("rest", ANY, None)
    return Overload(
        name=name,
        function=call,
        hidden=("variables",),
        parameters=(Parameter("receiver", kinds, _missing()),),
        rest=anything,
        keywords=anything,
        is_function=False,
        is_method=True,
        rules=False,
    )


def _missing() -> Any:
    from sabir.expressions.yaql.functions import MISSING

    return MISSING


def _applies(method: Method, receiver: Any) -> bool:
    contract = method.arguments[0].contract
    if contract.wanted_class is None:
        return accepts(contract.kinds, receiver)
    value = unwrapped(receiver)
    if value is None:
        return bool(contract.kinds & NULL)
    return isinstance(value, MuranoObject) and value.cls.is_a(contract.wanted_class())
