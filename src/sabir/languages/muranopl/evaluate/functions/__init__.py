"""Functions that MuranoPL adds to YAQL, by package format."""

from __future__ import annotations

from functools import cache

from sabir.expressions.yaql import Library

__all__ = ["library_for"]


def library_for(format_: str, extra: Library | None = None) -> Library:
    """Return the functions of a package format, with those of an embedder on top."""
    base = _library_for_format(format_)
    return base if extra is None else _stack_libraries(extra, base)


@cache
def _library_for_format(format_: str) -> Library:
    library = _newest_library()
    if format_ not in ("1.0", "1.1", "1.2", "1.3"):
        return library
    from sabir.languages.muranopl.evaluate.functions.types import type_name_library
    from sabir.languages.muranopl.model.legacy_functions import first_library

    older = type_name_library(library)
    return first_library(older) if format_ in ("1.0", "1.1") else older


@cache
def _newest_library() -> Library:
    """Return the functions of the newest format: those of these modules on top of the ones for plain values."""
    from sabir.languages.muranopl.evaluate.functions import objects, processes, types
    from sabir.languages.muranopl.model.plain_functions import VALUES

    library = Library.of(objects.FUNCTIONS, processes.FUNCTIONS, types.FUNCTIONS)
    library.parent = VALUES
    return library


def _stack_libraries(extra: Library, base: Library) -> Library:
    """Return a copy of a library with another one under it; the embedder's library is not changed."""
    stacked = Library(base)
    for name in extra.names(methods=False) | extra.names(methods=True):
        for level in extra.levels(name):
            for overload in level:
                stacked.add(overload)
    return stacked
