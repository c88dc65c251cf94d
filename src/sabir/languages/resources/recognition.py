"""Recognition of resource files by their first lines; separate so that it stays cheap."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sabir.source.packages import LoadedPackage, PackageFile


FILE_NAME: Final = "resources.yaml"
_MARK: Final = rb"(?m)^sabir[ \t]*:[ \t]*resources/1[ \t]*(?:#.*)?\r?$"


def is_resources_package(package: LoadedPackage) -> bool:
    """Return whether a package has `sabir: resources/1`, in a single file or resources.yaml."""
    file = find_description(package)
    return file is not None and re.search(_MARK, file.raw()) is not None


def find_description(package: LoadedPackage) -> PackageFile | None:
    if package.single_file:
        names = package.list()
        return (
            package.get_file(names[0]) if len(names) == 1 and names[0].endswith((".yaml", ".yml")) else None
        )
    return package.get_file(FILE_NAME)
