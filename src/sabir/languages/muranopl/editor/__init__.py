"""MuranoPL for editors: names of class files, manifests and UI definitions, and completion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sabir.languages.muranopl.editor.completion import candidates, completion_keys
from sabir.languages.muranopl.editor.names import class_names, manifest_names, ui_names
from sabir.source.packages import LoadedPackage, PackageFile
from sabir.source.symbols import FileNames

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.packages import MuranoPackage

__all__ = ["candidates", "completion_keys", "file_names", "libraries"]

MANIFEST = "manifest.yaml"


def file_names(package: LoadedPackage, file: PackageFile) -> FileNames:  # noqa: ARG001  an explorer's
    """Return the names that a file defines and uses; nothing for files that are not YAML."""
    if not file.name.endswith((".yaml", ".yml")):
        return FileNames()
    if file.name == MANIFEST:
        return manifest_names(file)
    if file.name.startswith("UI/"):
        return ui_names(file)
    return class_names(file)


def libraries(package: LoadedPackage) -> Sequence[LoadedPackage]:
    """Return the core library, the other bundled packages, and required packages next to this one."""
    from sabir.languages.muranopl.check.view import PackageView
    from sabir.languages.muranopl.library import CORE, SHIPPED, load_bundled_package

    shipped: list[MuranoPackage] = [load_bundled_package(name) for name in (CORE, *SHIPPED)]
    return [
        *(found.loaded for found in shipped),
        *(view.package for view in PackageView.of(package).required),
    ]
