"""Bundled MuranoPL packages; methods of their system classes are implemented in Python.

`io.murano` is the core library, which every package has. The others are available to packages that require
them, unless a package with the same name is found elsewhere.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sabir.errors import InputError

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.packages import MuranoPackage

__all__ = ["CORE", "SHIPPED", "core_package", "core_package_in", "load_bundled_package"]

CORE: Final = "io.murano"
SHIPPED: Final = ("io.murano.applications",)
"""Packages beside the core library."""


def core_package() -> MuranoPackage:
    """Return the bundled core library."""
    return load_bundled_package(CORE)


@cache
def load_bundled_package(name: str) -> MuranoPackage:
    """Return a bundled package. It is shared, since what was read never changes; class files are read on first use."""
    from sabir.languages.muranopl.evaluate.packages import MuranoPackage
    from sabir.languages.muranopl.syntax.manifest import read_manifest
    from sabir.source.packages import load_package

    loaded = load_package(Path(__file__).parent / name)
    manifest, findings = read_manifest(loaded)
    assert manifest is not None, findings
    return MuranoPackage(manifest, loaded, label=f"<{name}>")


def core_package_in(folder: Path) -> MuranoPackage:
    """Return another core library: a directory with `io.murano`, or that package itself.

    Classes that are implemented in Python are declared as in the bundled library.
    """
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
        raise InputError(f"{str(folder)!r} holds no core library io.murano: {problem}")
    return MuranoPackage(manifest, loaded, label=str(path.absolute()), natives=core_package())
