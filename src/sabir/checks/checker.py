"""Checkers and the filters that wrap them (spec 001, "Checkers").

A checker is a plain function: it is given data, yields findings, and prepares nothing itself. A filter keeps it from being
called where it does not apply:

    check_scope = only_for(checked_scope, format_between("1.4"))
    yield from check_scope(package)(method)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Generic, ParamSpec

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.source.packages import LoadedPackage

__all__ = ["Condition", "FilteredChecker", "format_between", "format_version", "only_for", "package_type"]

P = ParamSpec("P")
Condition = Callable[[LoadedPackage], bool]
"""Whether a checker applies to a package."""


class FilteredChecker(Struct, Generic[P], frozen=True):
    """A checker and the conditions on which it is called; called with a package, it gives the checker to use there."""

    checker: Callable[P, Iterator[Finding]]
    conditions: tuple[Condition, ...]

    def __call__(self, package: LoadedPackage) -> Callable[P, Iterator[Finding]]:
        return self.checker if all(holds(package) for holds in self.conditions) else self._silent

    def _silent(self, *_args: P.args, **_kwargs: P.kwargs) -> Iterator[Finding]:
        return iter(())


def only_for(checker: Callable[P, Iterator[Finding]], *conditions: Condition) -> FilteredChecker[P]:
    """Wrap a checker, so that it is called only where all conditions hold."""
    return FilteredChecker(checker, conditions)


def format_between(
    since: str | None = None, until: str | None = None, *, name: str = "MuranoPL"
) -> Condition:
    """Packages of this format whose version is not below `since` and not above `until`."""
    lowest = None if since is None else format_version(since)
    highest = None if until is None else format_version(until)

    def holds(package: LoadedPackage) -> bool:
        written_name, written = package.format()
        version = format_version(written)
        return (
            written_name == name
            and (lowest is None or version >= lowest)
            and (highest is None or version <= highest)
        )

    return holds


def package_type(*types: str) -> Condition:
    """Packages whose manifest has one of these as `Type`."""

    def holds(package: LoadedPackage) -> bool:
        manifest = package.get_file("manifest.yaml")
        data = manifest.parsed() if manifest else None
        return isinstance(data, dict) and data.get("Type") in types

    return holds


def format_version(text: str) -> tuple[int, ...]:
    """`1.4` as numbers that compare; what is no number ends it."""
    parts = re.match(r"\d+(?:\.\d+)*", text)
    return tuple(int(part) for part in parts[0].split(".")) if parts else (0,)
