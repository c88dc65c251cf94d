"""Assignments compiled to closures.

Values are never changed in place, because code may share them. Writing into a structure therefore builds a
new structure along the path to the changed item and stores that in the variable or property at its start.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sabir.expressions.yaql import Dialect, Variables, parse
from sabir.expressions.yaql.nodes import Binary, Group, Index, Node, Variable, Word
from sabir.expressions.yaql.scope import Closure, variable_key
from sabir.expressions.yaql.values import to_hashable
from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError, format_value
from sabir.languages.muranopl.model.objects import NO_VALUE_YET, NO_WRITE_ACCESS, HostValue
from sabir.languages.muranopl.syntax.nodes import Expr

if TYPE_CHECKING:
    from sabir.languages.muranopl.model.engines import ClassEngine


Store = Callable[[Variables, Any], None]


class _Attribute:
    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def key(self, _variables: Variables) -> Any:
        return self.name


class _Item:
    __slots__ = ("key",)

    def __init__(self, key: Closure) -> None:
        self.key = key


_Step = _Attribute | _Item


def compile_target(target: Expr, engine: ClassEngine) -> Store:
    """Compile the target of an assignment to a closure that stores a value there."""
    base, steps = _split_target(parse(target.text, Dialect.MURANO).tree, target, engine)
    if not steps:
        assert isinstance(base, Variable)
        name = variable_key(base.name)

        def store_local(variables: Variables, value: Any) -> None:
            variables[name] = value

        return store_local
    if isinstance(base, Variable):
        name = variable_key(base.name)
        read: Closure = lambda variables: variables.get(name)  # noqa: E731
    else:
        name = ""
        read = engine.engine.compile(target.text[base.start : base.end])
    if len(steps) == 1 and isinstance(steps[0], _Attribute):
        return _store_attribute(read, name, steps[0].name)
    return _store_path(read, name, steps)


def _split_target(node: Node, target: Expr, engine: ClassEngine) -> tuple[Node, list[_Step]]:
    steps: list[_Step] = []
    while True:
        if isinstance(node, Group):
            node = node.inner
        elif isinstance(node, Index):
            key = node.arguments[0]
            steps.append(_Item(engine.engine.compile(target.text[key.start : key.end])))
            node = node.value
        elif isinstance(node, Binary) and node.operator == "." and isinstance(node.right, Word):
            steps.append(_Attribute(node.right.value))
            node = node.left
        else:
            return node, steps[::-1]


def _store_attribute(read: Closure, variable: str, name: str) -> Store:
    """Compile `$.x: value` and `$dict.key: value`, by far the most frequent targets."""

    def store(variables: Variables, value: Any) -> None:
        container = read(variables)
        if isinstance(container, HostValue):
            _set_attribute(container, name, value, variables)
        else:
            variables[variable] = _replace_item(container, name, value)

    return store


def _store_path(read: Closure, variable: str, steps: list[_Step]) -> Store:
    def store(variables: Variables, value: Any) -> None:
        keys = [step.key(variables) for step in steps]
        containers = [read(variables)]
        for key in keys[:-1]:
            containers.append(_read_item(containers[-1], key, variables))
        for container, key in zip(containers[::-1], keys[::-1], strict=True):
            if isinstance(container, HostValue):
                if not isinstance(key, str):
                    raise MuranoError(
                        UNUSABLE_VALUE, f"{container!r} is an object, it has no index {format_value(key)}"
                    )
                _set_attribute(container, key, value, variables)
                return
            value = _replace_item(container, key, value)
        variables[variable] = value

    return store


def _set_attribute(container: HostValue, name: str, value: Any, variables: Variables) -> None:
    setter = getattr(container, "set_attribute", None)
    if setter is None:
        raise MuranoError(NO_WRITE_ACCESS, f"{container!r} cannot be written to")
    setter(name, value, variables)


def _read_item(container: Any, key: Any, variables: Variables) -> Any:
    """Return the current value at one step of the path; create a missing key of a dictionary or an unset
    property.
    """
    if isinstance(container, HostValue):
        try:
            return container.get_attribute(str(key), variables)
        except MuranoError as error:
            if error.rule is NO_VALUE_YET:
                return {}
            raise
    if isinstance(container, dict):
        return container.get(to_hashable(key), {})
    if isinstance(container, list | tuple) and isinstance(key, int):
        if -len(container) <= key < len(container):
            return container[key]
        raise MuranoError(UNUSABLE_VALUE, f"the list has {len(container)} items, there is no index {key}")
    raise _no_parts(container)


def _no_parts(container: Any) -> MuranoError:
    return MuranoError(UNUSABLE_VALUE, f"{format_value(container)} has no parts that could be assigned")


def _replace_item(container: Any, key: Any, value: Any) -> Any:
    """Return a copy of the structure with one item replaced; a list grows if the index is past its end."""
    if isinstance(container, dict):
        return {**container, to_hashable(key): value}
    if isinstance(container, list | tuple):
        if not isinstance(key, int) or isinstance(key, bool):
            raise MuranoError(UNUSABLE_VALUE, f"the index of a list is an integer, not {format_value(key)}")
        if key < -len(container):
            raise MuranoError(UNUSABLE_VALUE, f"the list has {len(container)} items, there is no index {key}")
        items = list(container)
        if key >= len(items):
            items.append(value)
        else:
            items[key] = value
        return items
    raise _no_parts(container)
