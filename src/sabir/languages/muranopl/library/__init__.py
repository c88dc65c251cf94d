"""The core library `io.murano`, written here in MuranoPL; its system classes get their bodies from Python."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.packages import Package

__all__ = ["core_package"]


@lru_cache(maxsize=1)
def core_package() -> Package:
    """The package, its class files read when a class is first used; shared, since what was read never changes."""
    from sabir.languages.muranopl.evaluate.packages import Package
    from sabir.languages.muranopl.syntax.manifest import read_manifest
    from sabir.source.packages import load_package

    loaded = load_package(Path(__file__).parent / "io.murano")
    manifest, findings = read_manifest(loaded)
    assert manifest is not None, findings
    return Package(manifest, loaded, label="<io.murano>")
