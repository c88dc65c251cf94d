"""The object model of an environment, as Murano's API edits it: applications by their ids, anything else by its path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import jsonpatch
import jsonpointer
from msgspec import Struct

from sabir.diagnostics.reasons import reason_of
from sabir.errors import UsageError
from sabir.server.store.clock import new_id

__all__ = [
    "ClassUse",
    "add_service",
    "class_uses",
    "heads",
    "identified",
    "new_model",
    "object_ids",
    "part",
    "patched",
    "remove_service",
    "services",
    "set_services",
]

_APPLICATIONS: Final = "applications"
_DEEPEST: Final = 100

Model = dict[str, Any]


class ClassUse(Struct, frozen=True):
    """The class of an object: `NAME[/VERSION][@PACKAGE]`."""

    name: str
    version: str | None = None
    package: str | None = None

    @classmethod
    def of(cls, text: str) -> ClassUse:
        named, _, package = text.partition("@")
        name, _, version = named.partition("/")
        return cls(name, version or None, package or None)


def new_model(environment_id: str, name: str, more: dict[str, Any]) -> Model:
    """The root object of a new environment; `more`: its networks and region, when they are not the usual ones."""
    kept = {key: more[key] for key in ("region", "defaultNetworks") if more.get(key) is not None}
    head = {"id": environment_id, "type": "io.murano.Environment"}
    return {"?": head, "name": name, **kept, _APPLICATIONS: []}


def services(model: Model) -> list[Any]:
    applications = model.get(_APPLICATIONS)
    return applications if isinstance(applications, list) else []


def heads(applications: list[Any]) -> list[Any]:
    """Which applications there are, without their properties."""
    return [
        {"?": {key: item["?"][key] for key in ("id", "type", "name") if key in item["?"]}}
        for item in applications
        if isinstance(item, dict) and isinstance(item.get("?"), dict)
    ]


def set_services(model: Model, applications: Any) -> Model:
    if not isinstance(applications, list):
        raise UsageError("the applications of an environment are a list")
    return {**model, _APPLICATIONS: [identified(each) for each in applications]}


def add_service(model: Model, application: Any) -> Model:
    return set_services(model, [*services(model), application])


def remove_service(model: Model, path: str) -> Model:
    application = part(services(model), path)
    return {**model, _APPLICATIONS: [each for each in services(model) if each is not application]}


def identified(data: Any, depth: int = 0) -> Any:
    """The same with an id for every object that has none."""
    _refuse_depth(depth)
    if isinstance(data, list):
        return [identified(each, depth + 1) for each in data]
    if not isinstance(data, dict):
        return data
    inside = {str(key): identified(value, depth + 1) for key, value in data.items() if key != "?"}
    head = data.get("?")
    if not isinstance(head, dict):
        return inside
    return {"?": {**head, "id": head.get("id") or new_id()}, **inside}


def part(data: Any, path: str) -> Any:
    """What is at a path: keys of objects, and in lists the ids of objects or positions. KeyError when nothing is."""
    for name in filter(None, path.split("/")):
        if isinstance(data, list):
            data = _item(data, name)
        elif isinstance(data, dict):
            data = data[name]
        else:
            raise KeyError(name)
    return data


def _item(items: list[Any], name: str) -> Any:
    for item in items:
        if isinstance(item, dict) and isinstance(item.get("?"), dict) and item["?"].get("id") == name:
            return item
    if name.isascii() and name.isdigit() and int(name) < len(items):
        return items[int(name)]
    raise KeyError(name)


def patched(data: Any, operations: Any) -> Any:
    """After a JSON patch; UsageError when it does not fit."""
    try:
        return jsonpatch.JsonPatch(operations).apply(data)
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException, TypeError, KeyError) as error:
        raise UsageError(f"the patch does not fit: {reason_of(error)}") from error


def object_ids(data: Any) -> Iterator[str]:
    for head in _heads(data):
        if isinstance(head.get("id"), str):
            yield head["id"]


def class_uses(data: Any) -> Iterator[ClassUse]:
    for head in _heads(data):
        if isinstance(head.get("type"), str):
            yield ClassUse.of(head["type"])


def _heads(data: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    _refuse_depth(depth)
    if isinstance(data, dict):
        if isinstance(data.get("?"), dict):
            yield data["?"]
        data = [value for key, value in data.items() if key != "?"]
    if isinstance(data, list):
        for each in data:
            yield from _heads(each, depth + 1)


def _refuse_depth(depth: int) -> None:
    if depth > _DEEPEST:
        raise UsageError(f"the model is nested more than {_DEEPEST} deep")
