"""`inmanta.plugins`: plugins as objects, for modules that wrap plugins or call others by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from sabir.languages.inmanta.evaluate.views import wrap_model_function

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.functions import PluginFunction
    from sabir.languages.inmanta.evaluate.plugins.api import Context

__all__ = ["CheckedArgs", "Plugin", "plugin_class", "resolve_callable"]


class CheckedArgs(Struct, frozen=True):
    """The arguments of a call."""

    args: list[Any]
    kwargs: dict[str, Any]
    unknowns: bool = False


class Plugin:
    """A registered plugin. Modules may replace `call`."""

    function: Callable[..., Any]

    def call(self, *arguments: Any, **named: Any) -> Any:
        return type(self).function(*arguments, **named)


def plugin_class(name: str, function: Callable[..., Any]) -> type[Plugin]:
    """Return the class that a registered function has as `__plugin__`."""
    members = {"function": staticmethod(function), "__function_name__": name, "__function__": function}
    return type(name, (Plugin,), members)


def resolve_callable(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what runs for a registered function: the function, or its replacement."""
    handle: type[Plugin] | None = getattr(function, "__plugin__", None)
    if handle is None or handle.call is Plugin.call:
        return function
    plugin = handle()

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        return plugin.call(*arguments, **named)

    return call


class CallablePlugin(Plugin):
    """A plugin of the model as another plugin calls it: with views, and with a context if it declares one."""

    def __init__(self, function: PluginFunction, context: Context) -> None:
        self._function = function
        self._python = wrap_model_function(function.call)
        self._made_for = context
        self._context = 0 if function.context else -1

    def get_full_name(self) -> str:
        return self._function.name

    def call(self, *arguments: Any, **named: Any) -> Any:
        return self._python(*arguments, **named)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if self._context == 0:
            arguments = (self._made_for, *arguments)
        return self._python(*arguments, **named)

    def call_in_context(
        self, processed_args: CheckedArgs, resolver: object, queue: object, location: object
    ) -> Any:
        """Call the plugin. The arguments already include the context, if it declares one."""
        del resolver, queue, location
        return self._python(*processed_args.args, **processed_args.kwargs)
