"""An environment of Murano's API as a folder: its model, and the packages of the catalogue that it needs.

From there on it is an environment like any other: `sabir.yaml` with one part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from sabir.errors import UsageError
from sabir.languages.muranopl.syntax.manifest import InvalidVersion, Version, VersionSpec
from sabir.server.murano.models import ClassUse, class_uses
from sabir.server.service import Service
from sabir.server.store.catalogue import PackageInfo, Search
from sabir.source.packages import load_package
from sabir.source.yaml.access import entries, value_at
from sabir.source.yaml.nodes import YamlMapping
from sabir.source.yaml.write import yaml_text

__all__ = ["PART", "fits", "package_of", "with_required", "write_environment"]

PART: Final = "environment"
_CORE: Final = ("io.murano.", "io.murano")


def write_environment(service: Service, environment_id: str, model: Any, *, owner: str) -> None:
    """Put the model and its packages in place of the files of an environment."""
    packages = [
        package_of(service, use, owner=owner)
        for use in class_uses(model)
        if not use.name.startswith(_CORE[0])
    ]
    needed = with_required(service, packages, owner=owner)
    files = {
        "sabir.yaml": yaml_text(_description(service)).encode(),
        "model.json": msgspec.json.format(msgspec.json.encode(model)),
        "package/manifest.yaml": yaml_text(_manifest(packages)).encode(),
        **{f"packages/{info.digest}.zip": service.catalogue.archive(info) for info in needed},
    }
    service.environments.edit(environment_id, lambda folder: folder.replace(files))


def _description(service: Service) -> dict[str, Any]:
    part = {"language": "muranopl", "path": "package", "model": "model.json", "search_path": ["packages"]}
    return {**service.murano_description(), "parts": {PART: part}}


def _manifest(packages: Iterable[PackageInfo]) -> dict[str, Any]:
    return {
        "Format": "MuranoPL/1.4",
        "Type": "Library",
        "FullName": "environment",
        "Require": {info.full_name: f"={info.version}" for info in packages},
    }


def package_of(service: Service, use: ClassUse, *, owner: str) -> PackageInfo:
    """The package of a class: the newest that brings it, when none is named."""
    packages, _ = service.catalogue.search(Search(class_name=use.name, full_name=use.package, limit=100))
    seen = [info for info in packages if (info.public or info.owner == owner) and fits(info, use.version)]
    if not seen:
        version = f" in version {use.version}" if use.version else ""
        raise UsageError(f"no package of the catalogue has the class {use.name!r}{version}")
    return max(seen, key=lambda info: (Version.parse(info.version).precedence, info.owner == owner))


def fits(info: PackageInfo, versions: str | None) -> bool:
    """Whether a package is in a range of versions: `0` is all of 0.x."""
    try:
        return VersionSpec.parse(versions or "").allows(Version.parse(info.version))
    except InvalidVersion as error:
        raise UsageError(str(error)) from error


def with_required(service: Service, packages: Iterable[PackageInfo], *, owner: str) -> Iterator[PackageInfo]:
    """Packages with everything that they, in turn, need. Versions are chosen when they are loaded."""
    queue, seen = [*packages], set[str]()
    while queue:
        info = queue.pop()
        if info.digest in seen:
            continue
        seen.add(info.digest)
        yield info
        for name in _required(service, info):
            if name != _CORE[1]:
                candidates, _ = service.catalogue.search(Search(full_name=name, limit=100))
                queue += [each for each in candidates if each.public or each.owner == owner]


def _required(service: Service, info: PackageInfo) -> list[str]:
    file = load_package(service.catalogue.archive_path(info)).get_file("manifest.yaml")
    documents = file.yaml.documents if file is not None else ()
    manifest = documents[0] if documents else None
    if not isinstance(manifest, YamlMapping):
        return []
    return [name for name, _ in entries(value_at(manifest, "Require"))]
