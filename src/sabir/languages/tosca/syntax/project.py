"""What a project of Unfurl keeps for its ensembles: `locals` and `secrets` of its file, of those it includes, and of an ensemble."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from sabir.languages.tosca.syntax.files import DiskFiles
from sabir.source.packages import PackageFile
from sabir.source.yaml import compose, plain_data

PROJECT_FILE: Final = "unfurl.yaml"
_ENVIRONMENTS: Final = ("environments", "contexts")
_MOST: Final = 20


class ProjectValues(Struct, frozen=True, kw_only=True):
    locals: Mapping[str, Any] = {}
    secrets: Mapping[str, Any] = {}

    def under(self, other: ProjectValues) -> ProjectValues:
        """With the values of another above them."""
        return ProjectValues(
            locals={**self.locals, **other.locals}, secrets={**self.secrets, **other.secrets}
        )


def project_values(root: Path | None) -> ProjectValues:
    """The `defaults` environment of the project in a folder; a file that cannot be read holds nothing."""
    if root is None:
        return ProjectValues()
    files = DiskFiles(root, root)
    values = ProjectValues()
    waiting, seen = [PROJECT_FILE], set[str]()
    while waiting and len(seen) < _MOST:
        name = posixpath.normpath(waiting.pop(0))
        file = None if name in seen else files.read(name)
        seen.add(name)
        if file is None:
            continue
        data = _read_mapping(file)
        for key in _ENVIRONMENTS:
            defaults = _convert_mapping(_convert_mapping(data.get(key)).get("defaults"))
            values = context_values(defaults).under(values)
        waiting += [
            posixpath.join(posixpath.dirname(name), target)
            for key, target in data.items()
            if key.startswith("+") and "include" in key and isinstance(target, str)
        ]
    return values


def context_values(context: Mapping[str, Any]) -> ProjectValues:
    return ProjectValues(
        locals=_convert_mapping(context.get("locals")), secrets=_convert_mapping(context.get("secrets"))
    )


def _read_mapping(file: PackageFile) -> dict[str, Any]:
    stream = compose(file.source)
    if stream.broken or not stream.documents or stream.documents[0] is None:
        return {}
    return _convert_mapping(plain_data(stream.documents[0]))


def _convert_mapping(value: Any) -> dict[str, Any]:
    return {str(name): item for name, item in value.items()} if isinstance(value, Mapping) else {}
