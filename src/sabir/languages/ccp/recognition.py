"""Recognition of CCP packages. It runs for every package, so it imports almost nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sabir.lazy import lazy_pattern

if TYPE_CHECKING:
    from sabir.source.packages import LoadedPackage


CONFIG_NAMES: Final = ("ccp.yaml", ".ccp.yaml")
"""Where the configuration of a deployment is looked for when none is named."""
_definition_pattern: Final = lazy_pattern(r"(?:[^/]+/)*service/[^/.][^/]*\.yaml")
_service_pattern: Final = lazy_pattern(rb"^service:[ \t]*(#.*)?\r?$", re.MULTILINE)
_section_pattern: Final = lazy_pattern(
    rb"^(secret_configs|roles|repositories|replicas|kubernetes|registry):", re.MULTILINE
)
_foreign_pattern: Final = lazy_pattern(
    rb"^(tosca_definitions_version|heat_template_version|FullName|apiVersion):", re.MULTILINE
)
_LOOKED_AT: Final = 20


def is_ccp_package(package: LoadedPackage) -> bool:
    """Return whether a package is a component, a directory of components, or a configuration."""
    if package.single_file:
        name = next(iter(package.list()), "")
        file = package.get_file(name)
        raw = file.raw() if file is not None and name.endswith(".yaml") else b""
        if _foreign_pattern().search(raw):
            return False
        return bool(is_definition_file(package) and _service_pattern().search(raw)) or bool(
            _section_pattern().search(raw)
        )
    if package.exists("manifest.yaml"):
        return False
    if any(package.exists(name) for name in CONFIG_NAMES):
        return True
    names = [name for name in package.list() if _definition_pattern().fullmatch(name)][:_LOOKED_AT]
    files = (package.get_file(name) for name in names)
    return any(file is not None and _service_pattern().search(file.raw()) for file in files)


def is_definition_file(package: LoadedPackage) -> bool:
    """Return whether a file is in the directory where components keep definitions."""
    return package.path is not None and package.path.absolute().parent.name == "service"
