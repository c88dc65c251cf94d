"""Functions by name: ours stand in the table `FUNCTIONS` of their module, those of others in the modules of plug-ins.

A module of ours is imported when one of its functions is first asked for. A plug-in is a module that an entry point of the
group `sabir.functions` names; its tables `FUNCTIONS` and `LOOKUPS` are read, importing it changes nothing here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import PluginError
from sabir.expressions.vocabulary import COMPARISONS, CONTAINMENTS, LOGIC

if TYPE_CHECKING:
    from sabir.expressions.query.context import QueryContext
    from sabir.expressions.query.functions.call import FunctionCall


Implementation = Callable[["FunctionCall", "QueryContext"], Any]
"""Answers with a value; a list stands for several matches, null for none. `Matches` says exactly what they are."""
Lookup = Callable[[list[Any], Mapping[str, Any], "FunctionCall", "QueryContext"], list[Any]]
"""Terms and keywords in, a list of results out."""
GROUP: Final = "sabir.functions"


class Function(Struct, frozen=True, eq=False):
    """A function of expressions."""

    name: str
    run: Implementation
    standalone: bool = False
    """Whether a map with this one key is a call wherever it stands in a value."""
    keywords: Collection[str] | None = ()
    """The keys it takes beside its own name; None takes any."""

    @property
    def is_steady(self) -> bool:
        """Whether it gives the same as long as what it reads of the description is the same."""
        return self.name in _STEADY

    def invoke(self, call: FunctionCall, context: QueryContext) -> Any:
        if self.name not in _STEADY:
            context.session.rests_outside()
        return self.run(call, context)


class Extensions(Struct, frozen=True):
    """What plug-ins add."""

    functions: Mapping[str, Function]
    lookups: Mapping[str, Lookup]


def table(*functions: Function) -> Mapping[str, Function]:
    """Functions by their names."""
    return {function.name: function for function in functions}


MODULES: Final = {
    "addresses": ("is_function_defined", "portspec", "urljoin"),
    "ensembles": ("container_image", "get_ensemble_metadata", "kubernetes_current_namespace"),
    "labels": ("to_dns_label", "to_googlecloud_label", "to_kubernetes_label", "to_label"),
    "environment": ("get_env", "has_env"),
    "variables": ("to_env",),
    "generated": ("_generate", "generate_string"),
    "files": ("file", "tempfile"),
    "folders": ("abspath", "get_dir"),
    "logic": ("and", "eq", "foreach", "if", "not", "or", "validate", "validate_json"),
    "lookups": ("lookup",),
    "programs": ("python",),
    "secrets": ("external", "local", "secret", "sensitive"),
    "tosca2": (
        *(
            f"${name}"
            for name in [
                *LOGIC,
                *COMPARISONS,
                *CONTAINMENTS,
                "available_allocation",
                "length",
                "union",
                "intersection",
                "sum",
                "difference",
                "product",
                "quotient",
                "remainder",
                "round",
                "floor",
                "ceil",
                "concat",
                "value",
                "node_index",
                "relationship_index",
            ]
        ),
    ),
    "template": ("template",),
    "text": ("concat", "join", "q", "token"),
    "topology": (
        "get_artifact",
        "get_attribute",
        "get_input",
        "get_nodes_of_type",
        "get_operation_output",
        "get_property",
    ),
}
"""Groups of functions by subject, so that no module is imported only to know their names."""
_MODULE_OF_GROUP: Final = {
    "addresses": "text",
    "generated": "text",
    "ensembles": "secrets",
    "template": "files",
    "variables": "environment",
}
"""The module of a group, where it is not the module of the same name."""
_HOME: Final = {
    name: _MODULE_OF_GROUP.get(group, group) for group, functions in MODULES.items() for name in functions
}
_STANDALONE: Final = frozenset(
    name for module in ("text", "topology", "environment", "tosca2") for name in MODULES[module]
)

_STEADY: Final = frozenset(
    name
    for module in ("addresses", "environment", "labels", "logic", "tosca2", "text", "topology")
    for name in MODULES[module]
)


def find_function(name: str) -> Function | None:
    home = _HOME.get(name)
    if home is None:
        return load_plugins().functions.get(name)
    functions: Mapping[str, Function] = import_module(f"{__package__}.{home}").FUNCTIONS
    return functions[name]


def is_standalone(name: object) -> bool:
    """Whether a map with this one key is a call wherever it stands in a value."""
    if name in _STANDALONE:
        return True
    function = load_plugins().functions.get(name) if isinstance(name, str) and name not in _HOME else None
    return function is not None and function.standalone


def function_names() -> tuple[str, ...]:
    return tuple(sorted({*_HOME, *load_plugins().functions}))


def hint_for(words: Iterable[str]) -> str | None:
    for word in words:
        hint = did_you_mean(word, function_names())
        if hint:
            return hint
    return None


def load_plugins() -> Extensions:
    """What the plug-ins on the path of this process add. `PluginError` when one of them cannot be loaded."""
    return _load_extensions(tuple(sys.path))


@cache
def _load_extensions(_path: tuple[str, ...]) -> Extensions:
    from sabir import plugins

    offered = plugins.load_plugins(GROUP)
    if offered.failures:
        raise PluginError(str(offered.failures[0]))
    functions: dict[str, Function] = {}
    lookups: dict[str, Lookup] = {}
    for module in offered.loaded.values():
        for name, function in getattr(module, "FUNCTIONS", {}).items():
            if name in _HOME or name in functions:
                raise PluginError(f"the expression function {name!r} is registered twice")
            functions[name] = function
        lookups.update(getattr(module, "LOOKUPS", {}))
    return Extensions(functions, lookups)
