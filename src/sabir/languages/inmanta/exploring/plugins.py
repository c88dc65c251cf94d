"""Functions that the Python of a module gives to models. It is read, never run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from sabir.languages.inmanta.model.functions import plugin_name
from sabir.source.packages import PackageFile
from sabir.source.symbols import FileNames, Symbol, SymbolKind
from sabir.text import Source, Span

__all__ = ["plugin_names"]


def plugin_names(file: PackageFile, module: str) -> FileNames:
    try:
        tree = ast.parse(file.raw())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return FileNames()
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    return FileNames(
        tuple(symbol for function in functions for symbol in _plugin(function, module, file.source))
    )


def _plugin(function: ast.FunctionDef, module: str, source: Source) -> Iterator[Symbol]:
    for decorator in function.decorator_list:
        name = plugin_name(decorator, function.name)
        if name is not None:
            start = source.text.find(function.name, source.offset(function.lineno))
            yield Symbol(
                key=f"function {module}::{name}",
                name=name,
                kind=SymbolKind.FUNCTION,
                span=Span(start, start + len(function.name)),
                extent=Span(
                    source.offset(function.lineno),
                    source.offset((function.end_lineno or function.lineno) + 1),
                ),
                detail=f"{name}({ast.unparse(function.args)})",
                about=ast.get_docstring(function),
            )
            return
