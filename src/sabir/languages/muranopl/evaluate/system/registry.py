"""Which Python function does the work of which method."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sabir.expressions.yaql import Variables
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.model.hosts import CALLER, calling_class
from sabir.languages.muranopl.model.plain_functions import CLOUD_NEEDED

if TYPE_CHECKING:
    from sabir.languages.muranopl.model.classes import MuranoClass

__all__ = ["SystemClass", "attach_native", "calling", "register"]

F = TypeVar("F", bound=Callable[..., Any])
_CLOUD: Final = ("io.murano.resources.", "io.murano.system.", "io.murano.configuration.")
_registered: dict[str, dict[str, Callable[..., Any]]] = {}
_loaded: list[bool] = []


class SystemClass:
    """The Python side of one class of the core library or of an embedder."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.methods: dict[str, Callable[..., Any]] = {}

    def method(self, name: str) -> Callable[[F], F]:
        def declare(function: F) -> F:
            self.methods[name] = function
            return function

        return declare


def register(*classes: SystemClass) -> None:
    """Let Python do the work of methods that class files declare without a body."""
    for class_ in classes:
        _registered.setdefault(class_.name, {}).update(class_.methods)


def attach_native(cls: MuranoClass) -> None:
    """Connect the methods of a class that is being built."""
    functions_given = cls.runtime.system.get(cls.name, {})
    if not cls.name.startswith("io.murano.") and cls.name not in _registered and not functions_given:
        return
    if not _loaded:
        _loaded.append(True)
        from sabir.languages.muranopl.evaluate.system.builtin import BUILTIN

        for class_ in BUILTIN:
            for name, function in class_.methods.items():
                _registered.setdefault(class_.name, {}).setdefault(name, function)
    functions = {**_registered.get(cls.name, {}), **functions_given}
    is_cloud = cls.package is cls.runtime.core and cls.name.startswith(_CLOUD)
    for name, method in cls.own_methods.items():
        if name in functions:
            method.native = functions[name]
        elif is_cloud and not method.node.body:
            method.native = _needs_cloud(method.full_name)


def _needs_cloud(method: str) -> Callable[..., Any]:
    def fail(_this: Any, _variables: Variables, *_args: Any) -> Any:
        raise MuranoError(
            CLOUD_NEEDED,
            f"{method} needs a cloud, and none is connected to this run",
            hint="`sabir run --record` puts one in its place that only writes down what it is asked",
        )

    return fail


def calling(variables: Variables) -> MuranoClass | None:
    """The class whose code called the method that is running."""
    caller = variables.get(CALLER)
    return None if caller is None else calling_class(caller)
