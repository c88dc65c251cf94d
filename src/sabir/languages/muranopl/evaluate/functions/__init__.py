"""Functions that MuranoPL adds to YAQL, by package format."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from sabir.expressions.yaql import Library
from sabir.languages.muranopl.evaluate.functions.registry import MURANO

__all__ = ["MURANO", "library_for"]

_MODULES: Final = ("making", "objects", "processes", "types")
"""Importing a module declares its functions in `MURANO`."""
_libraries: dict[str, Library] = {}


def library_for(format_: str, extra: Library | None = None) -> Library:
    """The functions of a package format, with those of an embedder on top."""
    base = _libraries.get(format_)
    if base is None:
        base = _libraries[format_] = _declared(format_)
    if extra is None:
        return base
    return _stacked(extra, base)


def _declared(format_: str) -> Library:
    for name in _MODULES:
        import_module(f"{__name__}.{name}")
    if format_ not in ("1.0", "1.1", "1.2", "1.3"):
        return MURANO
    from sabir.languages.muranopl.evaluate.functions.legacy import named_types
    from sabir.languages.muranopl.model.first_functions import first_library

    library = named_types(MURANO)
    return first_library(library) if format_ in ("1.0", "1.1") else library


def _stacked(extra: Library, base: Library) -> Library:
    """A copy of a library, with another one below it: the embedder's own is not changed."""
    stacked = Library(base)
    for name in extra.names(methods=False) | extra.names(methods=True):
        for level in extra.levels(name):
            for overload in level:
                stacked.add(overload)
    return stacked
