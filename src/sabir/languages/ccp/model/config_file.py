"""The configuration file of a deployment, and the files it refers to."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sabir.errors import InputError
from sabir.languages.ccp.recognition import CONFIG_NAMES, is_definition_file
from sabir.languages.ccp.syntax.component import config_of
from sabir.languages.ccp.syntax.configuration import data_of
from sabir.languages.ccp.syntax.includes import documents_of
from sabir.languages.language import Document, EvaluationRequest
from sabir.session import Session
from sabir.source.packages import LoadedPackage, PackageFile, is_below, load_package
from sabir.source.yaml import YamlMapping
from sabir.text import Source


class ConfigFile(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    layer: Source | Document
    package: LoadedPackage
    """The one that it lies in."""
    session: Session

    @property
    def folder(self) -> Path | None:
        path = self.package.path
        if path is None:
            return None
        return path.absolute().parent if self.package.single_file else path

    def beside(self, source: Source, name: str) -> PackageFile | None:
        """Return a file that the configuration names, relative to the directory of that text."""
        relative = posixpath.normpath(posixpath.join(posixpath.dirname(source.name), name))
        folder = self.folder
        if folder is None:
            return self.package.get_file(relative)
        path = folder / relative
        if not self.session.trust.outside and not is_below(path, folder):
            raise InputError("it leads out of the project: allow it with --trust outside")
        if not os.path.isfile(path):
            return None
        single = load_package(path, self.session.limits.package)
        file = single.get_file(next(iter(single.list()), ""))
        return None if file is None else PackageFile(relative, file.raw())

    @cached_property
    def repositories(self) -> Mapping[str, Any]:
        """The section `repositories`, read before anything else."""
        merged: dict[str, Any] = {}
        for _, root in documents_of(self.layer, self.beside, []):
            section = root.get("repositories") if isinstance(root, YamlMapping) else None
            if isinstance(section, YamlMapping):
                merged |= data_of(section)
        return merged


def find_config(package: LoadedPackage, request: EvaluationRequest) -> ConfigFile | None:
    """Return the requested configuration, else that of the package."""
    session = request.session
    if "config" in request.documents:
        return ConfigFile(layer=request.documents["config"], package=package, session=session)
    holder = package if request.config is None else load_package(request.config)
    file = _find_config_file(holder, named=request.config is not None)
    if file is None and request.config is not None:
        raise InputError(f"{request.config} has no configuration: {' or '.join(CONFIG_NAMES)}")
    if file is None:
        return None
    layer = file.source if request.config is None else _qualify_source(file, holder, package)
    return ConfigFile(layer=layer, package=holder, session=session)


def _qualify_source(file: PackageFile, holder: LoadedPackage, package: LoadedPackage) -> Source:
    """Return the source under a name that users can find: the full path if it is outside."""
    if holder.path is None:
        return file.source
    place = os.path.abspath(holder.path if holder.single_file else holder.path / file.name)
    root = package.path
    is_inside = root is not None and place == os.path.abspath(root / file.name)
    return file.source if is_inside else replace(file.source, name=place)


def _find_config_file(package: LoadedPackage, *, named: bool) -> PackageFile | None:
    if not package.single_file:
        return config_of(package)
    file = package.get_file(next(iter(package.list()), ""))
    return file if named or not is_definition_file(package) else None
