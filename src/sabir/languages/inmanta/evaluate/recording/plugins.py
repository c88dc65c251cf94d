"""Where the Python of a plug-in stands: its own function, and the functions and names of the same module it uses."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from types import CodeType, FunctionType
from typing import Any

from sabir.graph.origin import How
from sabir.provenance import Site, Step
from sabir.text import Place, Source, Span

__all__ = ["PluginPlaces"]

_Names = dict[str, list[Place]]


class PluginPlaces:
    """The definitions behind a function, as steps. Functions of sabir itself have none: nobody can change them."""

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self._sources = sources
        self._steps: dict[Any, tuple[Step, ...]] = {}
        self._files: dict[str, _Names] = {}

    def of(self, function: Any) -> tuple[Step, ...]:
        function = inspect.unwrap(function)
        code = getattr(function, "__code__", None)
        if not isinstance(code, CodeType):
            return ()
        steps = self._steps.get(code)
        if steps is None:
            steps = self._steps[code] = tuple(self._find(function))
        return steps

    def _find(self, function: FunctionType) -> list[Step]:
        names = self._names(function.__code__)
        used: dict[Place, str] = {}
        todo = [function.__name__]
        seen = set(todo)
        while todo:
            name = todo.pop(0)
            for place in names.get(name, ()):
                used[place] = name
                for word in _words(place):
                    if word in names and word not in seen:
                        seen.add(word)
                        todo.append(word)
        first = function.__name__
        return [
            Step(Site(place, How.PLUGIN, f"def {name}" if name == first else f"{name}, used by {first}"))
            for place, name in used.items()
        ]

    def _names(self, code: CodeType) -> _Names:
        """The places of everything that the module of a function defines, by name."""
        file = code.co_filename.removeprefix("<plug-in ").removesuffix(">")
        places = self._files.get(file)
        if places is None:
            source = self._sources.get(file) if code.co_filename.startswith("<plug-in ") else None
            places = self._files[file] = {} if source is None else _defined(source)
        return places


def _defined(source: Source) -> _Names:
    places: _Names = {}
    for node in ast.parse(source.text).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            names = [node.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            first = node.lineno
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
        else:
            continue
        end = source.offset(node.end_lineno or first)
        end += len(source.line_text(node.end_lineno or first))
        for name in names:
            places.setdefault(name, []).append(Place(source, Span(source.offset(first), end)))
    return places


def _words(place: Place) -> list[str]:
    """The names that a definition uses, in the order of the text."""
    try:
        tree = ast.parse(place.source.slice(place.span))
    except SyntaxError:
        return []
    return [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
