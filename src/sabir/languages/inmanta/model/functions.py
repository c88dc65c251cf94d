"""The functions of modules by name, read from the text of their Python: checking never runs anybody's code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sabir.languages.inmanta.syntax.modules import Module
from sabir.languages.inmanta.syntax.project import Project

if TYPE_CHECKING:
    import ast

__all__ = [
    "function_names",
    "modules_with_plugins",
    "plugin_files",
    "plugin_name",
    "plugin_names",
    "resource_entities",
]

_DECORATED: Final = r"(?m)^@(?:[\w.]+\.)?plugin\b[^\n]*\n(?:@[^\n]*\n)*def (\w+)"
"""A plug-in in a text that cannot be parsed."""


def plugin_files(module: Module) -> list[str]:
    return [
        name for name in module.plugins.list("") if name.endswith(".py") and not name.startswith("model/")
    ]


def modules_with_plugins(project: Project) -> list[Module]:
    """The modules of others that bring Python."""
    return [module for module in project.modules.values() if not module.ours and any(plugin_names(module))]


def function_names(project: Project) -> set[str]:
    """The full names of all functions that a model can call, without running anybody's Python."""
    return {f"{module.name}::{name}" for module in project.modules.values() for name in plugin_names(module)}


def plugin_names(module: Module) -> list[str]:
    """The names of a module's plug-ins, read from its Python text without running it."""
    files = plugin_files(module)
    if not files:
        return []
    import ast

    names: list[str] = []
    for file in files:
        source = module.plugins.file(file)
        if source is None:
            continue
        try:
            tree = ast.parse(source.source.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            names += re.findall(_DECORATED, source.source.text)  # it may be written for a newer Python
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                names += [
                    name for decorator in node.decorator_list if (name := plugin_name(decorator, node.name))
                ]
    return names


def resource_entities(module: Module) -> list[str]:
    """The entities that classes of a module's Python say how to export, read from its text."""
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
        entities += [entity for decorator in decorators if (entity := _exported_entity(decorator))]
    return entities


def _exported_entity(decorator: ast.expr) -> str | None:
    """`@resource("m::Thing", …)` names the entity first."""
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


def plugin_name(decorator: ast.expr, name: str) -> str | None:
    import ast

    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    if _last_name(called) != "plugin":
        return None
    if isinstance(decorator, ast.Call):
        arguments = [
            *decorator.args,
            *(keyword.value for keyword in decorator.keywords if keyword.arg == "function"),
        ]
        if arguments and isinstance(arguments[0], ast.Constant) and isinstance(arguments[0].value, str):
            return arguments[0].value
    return name
