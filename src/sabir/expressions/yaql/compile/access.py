"""`.name` on whatever stands before it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sabir.expressions.yaql.compile.calls import Step
from sabir.expressions.yaql.errors import UnknownName
from sabir.expressions.yaql.kinds import ITERABLE, KINDS, MAPPING, OBJECT, describe
from sabir.expressions.yaql.scope import Variables
from sabir.expressions.yaql.site import CAUGHT

if TYPE_CHECKING:
    from sabir.expressions.yaql.compile.compiler import Compiler
    from sabir.expressions.yaql.nodes import Word

__all__ = ["attribute_step"]


def attribute_step(compiler: Compiler, node: Word) -> Step:
    """`.name`: the key of a dictionary, the names of all items of a list, a property of an object, date or timespan."""
    name, site, limits = node.value, compiler.site(node), compiler.limits
    getters = compiler.library.property_getters(name)
    objects = compiler.objects

    def rare(value: Any, scope: Variables) -> Any:
        kind = KINDS[type(value)]
        if kind & OBJECT and objects is not None:
            return objects.attribute(value, name, scope)
        if kind == MAPPING:
            return value[name]
        if kind & ITERABLE:
            return each(limits.iterable(value), scope)
        for accepted, getter in getters:
            if kind & accepted:
                return getter(value)
        raise UnknownName(f"{describe(value)} has no property `{name}`")

    def each(values: Any, scope: Variables) -> Iterator[Any]:
        for value in values:
            yield chosen(value, scope)

    def forgiving(value: Any, scope: Variables) -> Any:
        return value.get(name) if KINDS[type(value)] == MAPPING else step(value, scope)

    def step(value: Any, scope: Variables) -> Any:
        try:
            if type(value) is dict:
                return value[name]
            return rare(value, scope)
        except CAUGHT as problem:
            site.fail(problem)

    chosen = forgiving if compiler.is_legacy else step  # in YAQL 0.2 a missing key is null
    return chosen
