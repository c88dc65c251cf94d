"""The packages from which the examples of the rules are made, and packages that differ from them in one thing."""

from __future__ import annotations

from collections.abc import Mapping

from sabir.diagnostics.examples import load_bases
from sabir.diagnostics.rules import Example

__all__ = ["APPLICATION", "LIBRARY", "changed", "with_body", "with_class", "with_manifest", "with_ui"]

_BASES = load_bases("sabir.languages.muranopl")
LIBRARY, APPLICATION = _BASES["library"], _BASES["application"]


def changed(package: Example, file: str, old: str, new: str) -> Example:
    """The package with one text of one file replaced."""
    assert old in package[file], f"{old!r} is not in {file}"
    return {**package, file: package[file].replace(old, new, 1)}


def with_manifest(old: str, new: str, *, more: Mapping[str, str] | None = None) -> Example:
    return {**changed(LIBRARY, "manifest.yaml", old, new), **(more or {})}


def with_class(old: str, new: str) -> Example:
    return changed(LIBRARY, "Classes/Counter.yaml", old, new)


def with_body(*lines: str) -> Example:
    """The library with other last statements in its method `twice`."""
    last = "      - Return: $first + $.next(step => 1)\n"
    return with_class(last, "".join(f"      {line}\n" for line in lines))


def with_ui(old: str, new: str) -> Example:
    return changed(APPLICATION, "UI/ui.yaml", old, new)
