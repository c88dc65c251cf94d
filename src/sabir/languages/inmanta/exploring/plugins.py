"""Functions that the Python of a module gives to models. It is read, never run."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from sabir.languages.inmanta.model.functions import decorator_names, full_names, plugin_name
from sabir.source.packages import PackageFile
from sabir.source.symbols import FileNames, Symbol, SymbolKind
from sabir.text import Source, Span

__all__ = ["plugin_names"]


def plugin_names(file: PackageFile, module: str, inside: Sequence[str] = ()) -> FileNames:
    """Return the plugins of a file, which is the namespace `inside` of a module."""
    try:
        tree = ast.parse(file.raw())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return FileNames()
    decorators = decorator_names(tree)
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    symbols = (_plugin(function, decorators, module, inside, file.source) for function in functions)
    return FileNames(tuple(symbol for symbol in symbols if symbol is not None))


def _plugin(
    function: ast.FunctionDef | ast.AsyncFunctionDef,
    decorators: frozenset[str],
    module: str,
    inside: Sequence[str],
    source: Source,
) -> Symbol | None:
    registered = (plugin_name(node, function.name, decorators=decorators) for node in function.decorator_list)
    name = next(filter(None, registered), None)
    if name is None:
        return None
    written = re.compile(r"\bdef\s+").search(source.text, source.offset(function.lineno))
    start = source.offset(function.lineno) if written is None else written.end()
    full, *others = full_names(module, inside, name)
    return Symbol(
        key=f"function {full}",
        name=name,
        kind=SymbolKind.FUNCTION,
        span=Span(start, start + len(function.name)),
        extent=Span(
            source.offset(function.lineno),
            source.offset((function.end_lineno or function.lineno) + 1),
        ),
        detail=f"{name}({ast.unparse(function.args)})",
        about=ast.get_docstring(function),
        aliases=tuple(f"function {other}" for other in others),
    )
