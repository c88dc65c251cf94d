"""Functions by name. Ours are registered by the decorator, those of others by the entry point group `sabir.functions`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from sabir.diagnostics.near import did_you_mean
from sabir.errors import PluginError

if TYPE_CHECKING:
    from sabir.expressions.query.context import Context
    from sabir.expressions.query.functions.call import Call

__all__ = [
    "Function",
    "Implementation",
    "find",
    "function",
    "hint_for",
    "load_plugins",
    "names",
    "standalone",
]

Implementation = Callable[["Call", "Context"], Any]
GROUP: Final = "sabir.functions"


class Function(Struct, frozen=True, kw_only=True, eq=False):
    """A function: `keywords` are the keys it takes beside its own name; None takes any."""

    name: str
    run: Implementation
    standalone: bool
    keywords: frozenset[str] | None


# Where our own are: a module is imported when one of its functions is first called.
_MODULES: Final = {
    "environment": ("get_env", "has_env"),
    "files": ("file", "tempfile"),
    "folders": ("abspath", "get_dir"),
    "logic": ("and", "eq", "foreach", "if", "not", "or", "validate", "validate_json"),
    "lookups": ("lookup",),
    "programs": ("python",),
    "secrets": ("external", "local", "secret", "sensitive"),
    "template": ("template",),
    "text": ("concat", "join", "q", "token"),
    "topology": ("get_artifact", "get_attribute", "get_input", "get_nodes_of_type", "get_property"),
}
_HOME: Final = {name: module for module, own in _MODULES.items() for name in own}
_FUNCTIONS: Final[dict[str, Function]] = {}
_STANDALONE: Final[set[str]] = {*_MODULES["text"], *_MODULES["topology"], *_MODULES["environment"]}
_LOADED: Final[set[str]] = set()


def function(
    *names: str, standalone: bool = False, keywords: Collection[str] | None = ()
) -> Callable[[Implementation], Implementation]:
    """Register a function under its name (and further names). The implementation gets the call and the context.

    It answers with a value; a list stands for several matches, null for none. `Matches` says exactly what they are.
    """

    def register(run: Implementation) -> Implementation:
        for name in names:
            known = _FUNCTIONS.get(name)
            if known is not None and known.run is not run:
                raise PluginError(f"the expression function {name!r} is registered twice")
            taken = None if keywords is None else frozenset(keywords)
            _FUNCTIONS[name] = Function(name=name, run=run, standalone=standalone, keywords=taken)
            if standalone:
                _STANDALONE.add(name)
        return run

    return register


def find(name: str) -> Function | None:
    known = _FUNCTIONS.get(name)
    if known is None:
        if name in _HOME:
            import_module(f"sabir.expressions.query.functions.{_HOME[name]}")
        else:
            load_plugins()
        known = _FUNCTIONS.get(name)
    return known


def standalone(name: object) -> bool:
    """Whether a map with this one key is a call wherever it stands in a value."""
    return name in _STANDALONE


def names() -> tuple[str, ...]:
    return tuple(sorted({*_HOME, *_FUNCTIONS}))


def hint_for(words: Iterable[str]) -> str | None:
    for word in words:
        hint = did_you_mean(word, names())
        if hint:
            return hint
    return None


def load_plugins() -> None:
    """Import what the entry points name, once; importing it runs its decorators."""
    if _LOADED:
        return
    _LOADED.add(GROUP)
    from sabir import plugins

    found = plugins.load_plugins(GROUP)
    if found.failures:
        raise PluginError(str(found.failures[0]))
