"""Inmanta for editors: names of models and plug-ins, and what may be written next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sabir.languages.inmanta.exploring.completing import candidates, wanted_keys
from sabir.languages.inmanta.exploring.models import model_names
from sabir.languages.inmanta.exploring.plugins import plugin_names
from sabir.languages.inmanta.model.functions import file_namespace
from sabir.languages.inmanta.syntax.modules import LIBRARY
from sabir.source.packages import LoadedPackage, PackageFile, load_package
from sabir.source.symbols import FileNames

__all__ = ["candidates", "file_names", "libraries", "wanted_keys"]


def file_names(package: LoadedPackage, file: PackageFile) -> FileNames:
    if file.name.endswith(".cf"):
        return model_names(file, namespace_of(package, file.name))
    if file.name.endswith(".py") and "plugins" in file.name:
        return plugin_names(file, *_plugin_home(package, file.name))
    return FileNames()


def libraries(package: LoadedPackage) -> Sequence[LoadedPackage]:  # noqa: ARG001  what ships is there for every package
    return [load_package(LIBRARY / "std")]


def namespace_of(package: LoadedPackage, name: str) -> str:
    """The namespace of a file: of the module whose folder `model` or `plugins` it is in, `__config__` for the main file."""
    folders = Path(name).parent.parts
    for position, folder in enumerate(folders):
        if folder in ("model", "plugins"):
            root = package.path.name if package.path is not None else "module"
            module = folders[position - 1] if position else root
            inner = [*folders[position + 1 :], *([] if Path(name).stem == "_init" else [Path(name).stem])]
            return "::".join([module, *inner])
    return "__config__"


def _plugin_home(package: LoadedPackage, name: str) -> tuple[str, tuple[str, ...]]:
    """Return the module of a Python file and its namespace inside the module; `net/__init__.py` is the module itself."""
    parts = name.split("/")
    if "inmanta_plugins" in parts[:-2]:  # a module in the form of a Python package
        position = parts.index("inmanta_plugins")
        return parts[position + 1], file_namespace("/".join(parts[position + 2 :]))
    module = namespace_of(package, name).partition("::")[0]
    inside = "/".join(parts[parts.index("plugins") + 1 :]) if "plugins" in parts[:-1] else "__init__.py"
    # the files of the bundled modules are not namespaces
    return module, () if package.path == LIBRARY / module else file_namespace(inside)
