"""Packages that MuranoPL ships with, written here in MuranoPL; system classes get their bodies from Python.

`io.murano` is the core library, which every package has; the others are there for packages that require them, unless one
of the same name is found elsewhere.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.packages import Package

__all__ = ["CORE", "SHIPPED", "core_package", "shipped_package"]

CORE: Final = "io.murano"
SHIPPED: Final = ("io.murano.applications",)
"""Packages beside the core library."""


def core_package() -> Package:
    return shipped_package(CORE)


@cache
def shipped_package(name: str) -> Package:
    """The package, its class files read when a class is first used; shared, since what was read never changes."""
    from sabir.languages.muranopl.evaluate.packages import Package
    from sabir.languages.muranopl.syntax.manifest import read_manifest
    from sabir.source.packages import load_package

    loaded = load_package(Path(__file__).parent / name)
    manifest, findings = read_manifest(loaded)
    assert manifest is not None, findings
    return Package(manifest, loaded, label=f"<{name}>")
