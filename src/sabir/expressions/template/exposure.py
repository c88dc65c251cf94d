"""Values as templates see them: resources by their attributes, marks taken off and remembered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Undefined

from sabir.expressions.query.resource import QueryResource
from sabir.expressions.query.values import (
    MISSING,
    External,
    LazyMap,
    build_unknown,
    mark_sensitive,
    single_value,
)
from sabir.expressions.template.limits import refuse_no_data
from sabir.graph.values import Sensitive, Unknown

if TYPE_CHECKING:
    from sabir.expressions.query.context import QueryContext


_SCALARS: Final = (str, int, float, bool, type(None), bytes)


class TemplateRendering:
    """One rendering: where it takes place, and whether it touched anything sensitive or not known yet."""

    __slots__ = ("context", "sensitive", "tells_items", "unknown")

    def __init__(self, context: QueryContext) -> None:
        self.context = context
        self.sensitive = False
        self.tells_items = False
        """Whether what is touched between two items of a list belongs to the second."""
        self.unknown: list[Unknown] = []

    def name(self, key: str, otherwise: Callable[[], Any]) -> Any:
        """A name used in the template: a variable, a reserved entity of TOSCA, or what Jinja2 knows by it."""
        value = self.context.scope.find(key)
        if value is MISSING:
            value = self._find_reserved(key)
        return otherwise() if value is MISSING else self.expose(value)

    def _find_reserved(self, key: str) -> Any:
        here = self.context.resource
        match key:
            case "SELF":
                return here
            case "ROOT":
                return here.root
            case "HOST":
                above = here.parent
                return MISSING if above is None else above
            case "SOURCE":
                return MISSING if here.source is None else here.source
            case "TARGET":
                return MISSING if here.target is None else here.target
            case "__unfurl":
                return _Functions(self)
            case _:
                return MISSING

    def expose(self, value: Any) -> Any:
        if type(value) in _SCALARS:
            return value
        if isinstance(value, Sensitive):
            self.sensitive = True
            return self.expose(value.value)
        if isinstance(value, Unknown):
            self.unknown.append(value)
            return value
        if isinstance(value, QueryResource):
            return ResourceView(value, self)
        if isinstance(value, External):
            return self.expose(value.result())
        if type(value) is dict:
            return {key: self.expose(item) for key, item in value.items()}
        if isinstance(value, LazyMap):
            return _MapView(value, self)
        if isinstance(value, Mapping):
            return {key: self.expose(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.expose(item) for item in value]
        return value

    def finish(self, result: Any) -> Any:
        if self.unknown and not isinstance(result, Unknown):
            return build_unknown(self.unknown)  # whatever the template made of it is not the value
        value = _unwrap_value(result)
        return mark_sensitive(value) if self.sensitive and not isinstance(value, QueryResource) else value


def _unwrap_value(value: Any) -> Any:
    """What left the template as a view is again what it shows."""
    if type(value) in _SCALARS:
        return value
    if isinstance(value, Sensitive):
        return mark_sensitive(_unwrap_value(value.value))
    if isinstance(value, ResourceView | _MapView):
        return value._shown  # pyright: ignore[reportPrivateUsage]  templates cannot reach such names
    if isinstance(value, Mapping):
        return {key: _unwrap_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_unwrap_value(item) for item in value]
    if isinstance(value, Iterator):
        return [_unwrap_value(item) for item in value]
    if isinstance(value, Undefined):  # in a list: `[1] | map(attribute='x')`
        value._fail_with_undefined_error()  # pyright: ignore[reportPrivateUsage]  Jinja2 has no public way
    return refuse_no_data(value)


class _Functions:
    """The functions of expressions in a template, as `__unfurl.to_label('a', 'b', sep='.')`."""

    __slots__ = ("_rendering",)

    def __init__(self, rendering: TemplateRendering) -> None:
        self._rendering = rendering

    def __getattr__(self, name: str) -> Callable[..., Any]:
        from sabir.expressions.query.functions.call import FunctionCall
        from sabir.expressions.query.functions.registry import find_function

        function, rendering = find_function(name), self._rendering
        if function is None:
            raise AttributeError(name)

        def run(*arguments: Any, **keywords: Any) -> Any:
            raw = [_unwrap_value(argument) for argument in arguments]
            call = FunctionCall(function, raw[0] if len(raw) == 1 else raw, keywords)
            result = function.invoke(call, rendering.context)
            return rendering.expose(single_value(result) if isinstance(result, list) else result)

        return run


class ResourceView(Mapping[str, Any]):
    """An instance in a template: `SELF.port`, `SELF['.name']`."""

    __slots__ = ("_rendering", "_shown")

    def __init__(self, shown: QueryResource, rendering: TemplateRendering) -> None:
        self._shown = shown
        self._rendering = rendering

    def __getitem__(self, key: str) -> Any:
        shown = self._shown
        value = shown.special(key) if key.startswith(".") else shown.get(key)
        if value is MISSING:
            raise KeyError(key)
        shown.session.record(shown, key)
        return self._rendering.expose(value)

    def __iter__(self) -> Iterator[str]:
        return iter(self._shown.keys())

    def __len__(self) -> int:
        return len(self._shown.keys())

    def __str__(self) -> str:
        return self._shown.name

    def __hash__(self) -> int:
        return hash(self._shown.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ResourceView) and other._shown is self._shown


class _MapView(Mapping[str, Any]):
    """A map with expressions in it: an item is computed when the template asks for it."""

    __slots__ = ("_rendering", "_shown")

    def __init__(self, shown: Mapping[str, Any], rendering: TemplateRendering) -> None:
        self._shown = shown
        self._rendering = rendering

    def __getitem__(self, key: str) -> Any:
        return self._rendering.expose(self._shown[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self._shown)

    def __len__(self) -> int:
        return len(self._shown)

    def __str__(self) -> str:
        return str(dict(self))


# Jinja2 names the type of a value in its messages; people know these as what they show.
ResourceView.__name__, ResourceView.__module__ = "instance", "builtins"
_MapView.__name__, _MapView.__module__ = "map", "builtins"
_Functions.__name__, _Functions.__module__ = "__unfurl", "builtins"
