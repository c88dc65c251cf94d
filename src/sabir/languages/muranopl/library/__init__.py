"""Packages that MuranoPL ships with, written here in MuranoPL; system classes get their bodies from Python.

`io.murano` is the core library, which every package has; the others are there for packages that require them, unless one
of the same name is found elsewhere.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sabir.errors import UnusableInput

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.packages import MuranoPackage

__all__ = ["CORE", "SHIPPED", "core_package", "core_package_in", "load_bundled_package"]

CORE: Final = "io.murano"
SHIPPED: Final = ("io.murano.applications",)
"""Packages beside the core library."""


def core_package() -> MuranoPackage:
    return load_bundled_package(CORE)


@cache
def load_bundled_package(name: str) -> MuranoPackage:
    """The package, its class files read when a class is first used; shared, since what was read never changes."""
    from sabir.languages.muranopl.evaluate.packages import MuranoPackage
    from sabir.languages.muranopl.syntax.manifest import read_manifest
    from sabir.source.packages import load_package

    loaded = load_package(Path(__file__).parent / name)
    manifest, findings = read_manifest(loaded)
    assert manifest is not None, findings
    return MuranoPackage(manifest, loaded, label=f"<{name}>")


def core_package_in(folder: Path) -> MuranoPackage:
    """Another core library: a folder with `io.murano`, or that package itself. What Python does is declared as sabir has it."""
    from sabir.languages.muranopl.evaluate.packages import MuranoPackage
    from sabir.languages.muranopl.syntax.manifest import read_manifest
    from sabir.source.packages import load_package

    inner = folder / CORE
    path = inner if inner.is_dir() else folder
    loaded = load_package(path)
    manifest, findings = read_manifest(loaded)
    if manifest is None or manifest.name != CORE:
        problem = (
            findings[0].message if findings else f"it is the package {manifest.name if manifest else ''}"
        )
        raise UnusableInput(f"{str(folder)!r} holds no core library io.murano: {problem}")
    return MuranoPackage(manifest, loaded, label=str(path.absolute()), natives=core_package())
