"""The object model of an environment in Murano's API, and the files it is deployed from.

Applications are addressed by id, everything else by path. `write_environment` writes `sabir.yaml` with one
part, the model, and the packages of the catalog that it needs: from then on it is an environment like any
other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import jsonpatch
import jsonpointer
import msgspec
from msgspec import Struct

from sabir.diagnostics.reasons import explain_error
from sabir.errors import UsageError
from sabir.languages.muranopl.syntax.manifest import Version, VersionError, VersionSpec
from sabir.server.service import SabirService
from sabir.server.store.catalogue import PackageInfo, Search
from sabir.server.store.rows import new_id
from sabir.source.packages import load_package
from sabir.source.yaml.access import text_entries, value_at
from sabir.source.yaml.nodes import YamlMapping
from sabir.source.yaml.write import yaml_text

_APPLICATIONS: Final = "applications"
_DEEPEST: Final = 100

Model = dict[str, Any]


class ClassUse(Struct, frozen=True):
    """The type of an object: `NAME[/VERSION][@PACKAGE]`."""

    name: str
    version: str | None = None
    package: str | None = None

    @classmethod
    def of(cls, text: str) -> ClassUse:
        named, _, package = text.partition("@")
        name, _, version = named.partition("/")
        return cls(name, version or None, package or None)


def new_model(environment_id: str, name: str, more: dict[str, Any]) -> Model:
    """Return the root object of a new environment; `more` has networks and region if they are not the
    default.
    """
    kept = {key: more[key] for key in ("region", "defaultNetworks") if more.get(key) is not None}
    head = {"id": environment_id, "type": "io.murano.Environment"}
    return {"?": head, "name": name, **kept, _APPLICATIONS: []}


def list_services(model: Model) -> list[Any]:
    """Return the applications of a model; empty if the property is missing or invalid."""
    applications = model.get(_APPLICATIONS)
    return applications if isinstance(applications, list) else []


def heads(applications: list[Any]) -> list[Any]:
    """Return the applications without their properties."""
    return [
        {"?": {key: item["?"][key] for key in ("id", "type", "name") if key in item["?"]}}
        for item in applications
        if isinstance(item, dict) and isinstance(item.get("?"), dict)
    ]


def set_services(model: Model, applications: Any) -> Model:
    """Return the model with these applications, with ids for new objects; raise `UsageError` unless it is
    a list.
    """
    if not isinstance(applications, list):
        raise UsageError("the applications of an environment are a list")
    return {**model, _APPLICATIONS: [add_ids(each) for each in applications]}


def add_service(model: Model, application: Any) -> Model:
    """Return the model with one more application."""
    return set_services(model, [*list_services(model), application])


def remove_service(model: Model, path: str) -> Model:
    """Return the model without the application at a path; raise KeyError if there is none."""
    application = find_part(list_services(model), path)
    return {**model, _APPLICATIONS: [each for each in list_services(model) if each is not application]}


def add_ids(data: Any, depth: int = 0) -> Any:
    """Return the data with an id for every object that has none."""
    _refuse_depth(depth)
    if isinstance(data, list):
        return [add_ids(each, depth + 1) for each in data]
    if not isinstance(data, dict):
        return data
    inside = {str(key): add_ids(value, depth + 1) for key, value in data.items() if key != "?"}
    head = data.get("?")
    if not isinstance(head, dict):
        return inside
    return {"?": {**head, "id": head.get("id") or new_id()}, **inside}


def find_part(data: Any, path: str) -> Any:
    """Return the value at a path of keys; lists are indexed by object id or position. Raise KeyError if
    there is none.
    """
    for name in filter(None, path.split("/")):
        if isinstance(data, list):
            data = _find_item(data, name)
        elif isinstance(data, dict):
            data = data[name]
        else:
            raise KeyError(name)
    return data


def _find_item(items: list[Any], name: str) -> Any:
    for item in items:
        if isinstance(item, dict) and isinstance(item.get("?"), dict) and item["?"].get("id") == name:
            return item
    if name.isascii() and name.isdigit() and int(name) < len(items):
        return items[int(name)]
    raise KeyError(name)


def apply_patch(data: Any, operations: Any) -> Any:
    """Return the data after a JSON patch; raise `UsageError` if it does not apply."""
    try:
        return jsonpatch.JsonPatch(operations).apply(data)
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException, TypeError, KeyError) as error:
        raise UsageError(f"the patch does not fit: {explain_error(error)}") from error


def object_ids(data: Any) -> Iterator[str]:
    """Yield the id of every object in the data."""
    for head in _list_heads(data):
        if isinstance(head.get("id"), str):
            yield head["id"]


def class_uses(data: Any) -> Iterator[ClassUse]:
    """Yield the type of every object in the data."""
    for head in _list_heads(data):
        if isinstance(head.get("type"), str):
            yield ClassUse.of(head["type"])


def _list_heads(data: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    _refuse_depth(depth)
    if isinstance(data, dict):
        if isinstance(data.get("?"), dict):
            yield data["?"]
        data = [value for key, value in data.items() if key != "?"]
    if isinstance(data, list):
        for each in data:
            yield from _list_heads(each, depth + 1)


def _refuse_depth(depth: int) -> None:
    if depth > _DEEPEST:
        raise UsageError(f"the model is nested more than {_DEEPEST} deep")


PART: Final = "environment"
_CORE: Final = ("io.murano.", "io.murano")


def write_environment(service: SabirService, environment_id: str, model: Any, *, owner: str) -> None:
    """Replace the files of an environment by its model and the packages it needs."""
    packages = [
        package_of(service, use, owner=owner)
        for use in class_uses(model)
        if not use.name.startswith(_CORE[0])
    ]
    needed = with_required(service, packages, owner=owner)
    files = {
        "sabir.yaml": yaml_text(_environment_document(service)).encode(),
        "model.json": msgspec.json.format(msgspec.json.encode(model)),
        "package/manifest.yaml": yaml_text(_build_manifest(packages)).encode(),
        **{f"packages/{info.digest}.zip": service.catalogue.archive(info) for info in needed},
    }
    service.environments.edit(environment_id, lambda folder: folder.replace(files))


def _environment_document(service: SabirService) -> dict[str, Any]:
    part = {"language": "muranopl", "path": "package", "model": "model.json", "search_path": ["packages"]}
    return {**service.murano_description(), "parts": {PART: part}}


def _build_manifest(packages: Iterable[PackageInfo]) -> dict[str, Any]:
    return {
        "Format": "MuranoPL/1.4",
        "Type": "Library",
        "FullName": "environment",
        "Require": {info.full_name: f"={info.version}" for info in packages},
    }


def package_of(service: SabirService, use: ClassUse, *, owner: str) -> PackageInfo:
    """Return the package of a class: the named one, else the newest that defines the class."""
    packages, _ = service.catalogue.search(Search(class_name=use.name, full_name=use.package, limit=100))
    seen = [
        info for info in packages if (info.public or info.owner == owner) and is_in_range(info, use.version)
    ]
    if not seen:
        version = f" in version {use.version}" if use.version else ""
        raise UsageError(f"no package of the catalogue has the class {use.name!r}{version}")
    return max(seen, key=lambda info: (Version.parse(info.version).precedence, info.owner == owner))


def is_in_range(info: PackageInfo, versions: str | None) -> bool:
    """Tell whether a package matches a version range: `0` means all of 0.x."""
    try:
        return VersionSpec.parse(versions or "").allows(Version.parse(info.version))
    except VersionError as error:
        raise UsageError(str(error)) from error


def with_required(
    service: SabirService, packages: Iterable[PackageInfo], *, owner: str
) -> Iterator[PackageInfo]:
    """Yield packages and, recursively, the packages they require. Versions are chosen at load time."""
    queue, seen = [*packages], set[str]()
    while queue:
        info = queue.pop()
        if info.digest in seen:
            continue
        seen.add(info.digest)
        yield info
        for name in _list_requirements(service, info):
            if name != _CORE[1]:
                candidates, _ = service.catalogue.search(Search(full_name=name, limit=100))
                queue += [each for each in candidates if each.public or each.owner == owner]


def _list_requirements(service: SabirService, info: PackageInfo) -> list[str]:
    file = load_package(service.catalogue.archive_path(info)).get_file("manifest.yaml")
    documents = file.yaml.documents if file is not None else ()
    manifest = documents[0] if documents else None
    if not isinstance(manifest, YamlMapping):
        return []
    return [name for name, _ in text_entries(value_at(manifest, "Require"))]
