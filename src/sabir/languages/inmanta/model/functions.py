"""The functions of modules by name, read from the source of their Python, which never runs here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from sabir.languages.inmanta.syntax.modules import Module
from sabir.languages.inmanta.syntax.project import InmantaProject

if TYPE_CHECKING:
    import ast


_DATA: Final = ("files", "model", "templates")
"""Directories of an installed module that hold no plugins; Inmanta imports nothing from them."""

_DECORATED: Final = r"(?m)^@(?:[\w.]+\.)?plugin\b[^\n]*\n(?:@[^\n]*\n)*(?:async )?def (\w+)"
"""A plug-in in a text that cannot be parsed."""


def plugin_files(module: Module) -> list[str]:
    """Return the Python files that are imported; what lies among the data of an installed module is not."""
    return [
        name
        for name in module.plugins.list("")
        if name.endswith(".py") and name.partition("/")[0] not in _DATA and "__pycache__/" not in name
    ]


def file_namespace(file: str) -> tuple[str, ...]:
    """Return the namespace of a plugin file inside its module: `("sub", "bar")` for `sub/bar.py` and `sub/bar/__init__.py`."""
    parts = tuple(file.removesuffix(".py").split("/"))
    return parts[:-1] if parts[-1] == "__init__" else parts


def full_names(module: str, inside: Sequence[str], name: str) -> list[str]:
    """Return the names by which a model can call a plugin: that of its file first, then that of the module.

    In Inmanta only the namespace of the file knows it; sabir accepts the module's namespace, too.
    """
    names = ["::".join([module, *inside, name])]
    return [*names, f"{module}::{name}"] if inside else names


def modules_with_plugins(project: InmantaProject) -> list[Module]:
    """Return the third-party modules that contain Python."""
    return [module for module in project.modules.values() if not module.ours and _has_plugins(module)]


def _has_plugins(module: Module) -> bool:
    registrations = (registered for _, registered in _registrations(module))
    return any(registered.names or registered.computed for registered in registrations)


class FunctionNames(Set[str]):
    """The full names of functions. A module that registers computed names may have any others."""

    def __init__(self, names: Iterable[str], open_modules: Iterable[str] = ()) -> None:
        self._names = frozenset(names)
        self._open = frozenset(open_modules)

    def __contains__(self, name: object) -> bool:
        return name in self._names or (isinstance(name, str) and name.partition("::")[0] in self._open)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def function_names(project: InmantaProject) -> FunctionNames:
    """Return the full names of all functions that a model can call, without running Python."""
    read = [(module, read_module(module)) for module in project.modules.values()]
    return FunctionNames(
        (name for _, functions in read for name in functions.names),
        (module.name for module, functions in read if functions.computed and not module.ours),
    )


def read_module(module: Module) -> Registrations:
    """Read the functions of a module by their full names from its Python text."""
    names: list[str] = []
    computed = False
    for file, registered in _registrations(module):
        inside = () if module.ours else file_namespace(file)
        names += (full for name in registered.names for full in full_names(module.name, inside, name))
        computed |= registered.computed
    return Registrations(tuple(names), computed)


def plugin_names(module: Module) -> list[str]:
    """Return the names of a module's plugins, read from its source."""
    return [name for _, registered in _registrations(module) for name in registered.names]


class Registrations(Struct, frozen=True):
    """What a Python file registers as plugins."""

    names: tuple[str, ...]
    computed: bool = False
    """Whether there are others whose names the text does not tell."""


def _registrations(module: Module) -> Iterator[tuple[str, Registrations]]:
    for file in plugin_files(module):
        source = module.plugins.file(file)
        if source is not None:
            yield file, read_registrations(source.source.text)


def read_registrations(text: str) -> Registrations:
    """Read the plugins that a Python file registers: `@plugin`, `@plugin("name")`, `plugin(f)`, `plugin("name")(f)`."""
    import ast

    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Registrations(tuple(re.findall(_DECORATED, text)))  # it may be written for a newer Python
    decorators = decorator_names(tree)
    nodes = list(ast.walk(tree))
    functions = {
        node.name: node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    names: list[str] = []
    understood: set[ast.expr] = set()

    def read(decorator: ast.expr, function: str) -> None:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = plugin_name(decorator, function, decorators=decorators)
        if name is not None and not (isinstance(decorator, ast.Call) and _computes_name(decorator)):
            names.append(name)
            understood.add(called)

    for node in nodes:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                for decorator in node.decorator_list:
                    read(decorator, node.name)
            case ast.Call(func=func, args=[ast.Name(id=function)]) if function in functions:
                read(func, function)
            case _:
                pass
    computed = any(
        _last_name(node) in decorators and node not in understood
        for node in nodes
        if isinstance(node, ast.Attribute | ast.Name)
    )
    return Registrations(tuple(names), computed)


def _computes_name(decorator: ast.Call) -> bool:
    """Return whether the name in `@plugin(name)` is an expression."""
    import ast

    return any(
        not isinstance(value, ast.Constant) for value in (*decorator.args[:1], *_name_keyword(decorator))
    ) or any(keyword.arg is None for keyword in decorator.keywords)


def _name_keyword(decorator: ast.Call) -> list[ast.expr]:
    return [keyword.value for keyword in decorator.keywords if keyword.arg == "function"]


def decorator_names(tree: ast.AST) -> frozenset[str]:
    """Return the names of the decorator `plugin` in a file, which may import it as something else."""
    import ast

    imported = (
        alias.asname
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name == "plugin" and alias.asname is not None
    )
    return frozenset({"plugin", *imported})


def resource_entities(module: Module) -> list[str]:
    """Return the entities for which a module's Python registers resource classes, from its source."""
    import ast

    entities: list[str] = []
    for file in plugin_files(module):
        source = module.plugins.file(file)
        try:
            tree = ast.parse(source.source.text if source is not None else "")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        decorators = (
            decorator
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef)
            for decorator in node.decorator_list
        )
        entities += [entity for decorator in decorators if (entity := _read_exported_entity(decorator))]
    return entities


def _read_exported_entity(decorator: ast.expr) -> str | None:
    """Return the entity in `@resource("m::Thing", …)`, the first argument."""
    import ast

    if not isinstance(decorator, ast.Call) or _last_name(decorator.func) != "resource" or not decorator.args:
        return None
    first = decorator.args[0]
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None


def _last_name(called: ast.expr) -> str:
    import ast

    if isinstance(called, ast.Attribute):
        return called.attr
    return called.id if isinstance(called, ast.Name) else ""


def plugin_name(
    decorator: ast.expr, name: str, *, decorators: frozenset[str] = frozenset({"plugin"})
) -> str | None:
    """Return the name under which a decorator registers a function, or None if it does not register it."""
    import ast

    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    if _last_name(called) not in decorators:
        return None
    if isinstance(decorator, ast.Call):
        arguments = [*decorator.args, *_name_keyword(decorator)]
        if arguments and isinstance(arguments[0], ast.Constant) and isinstance(arguments[0].value, str):
            return arguments[0].value
    return name
