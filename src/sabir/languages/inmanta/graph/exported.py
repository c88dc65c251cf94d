"""What a model exports, and how it is written down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from sabir.diagnostics.finding import Finding
from sabir.languages.inmanta.evaluate.plugins.engine.references import Reference
from sabir.languages.inmanta.evaluate.plugins.engine.resources import Resource
from sabir.languages.inmanta.evaluate.values import Instance

__all__ = ["Export", "exportable", "requires_of", "write_reference"]


class Export(Struct, eq=False):
    """What is exported: resources by their ids, with the instances they come from."""

    resources: dict[str, Resource] = field(default_factory=dict[str, Resource])
    instances: dict[str, Instance] = field(default_factory=dict[str, Instance])
    undefined: list[str] = field(default_factory=list[str])
    sets: dict[str, str] = field(default_factory=dict[str, str])
    """The resource set of a resource, when it is in one."""
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """Contents that were uploaded, by their hash."""
    findings: list[Finding] = field(default_factory=list[Finding])

    def written(self) -> list[dict[str, Any]]:
        """The resources as the existing engine's tools read them."""
        return [
            {
                **_plain_fields(resource),
                "id": f"{identity},v=0",
                "requires": requires_of(resource),
                "version": 0,
            }
            for identity, resource in self.resources.items()
        ]


def _plain_fields(resource: Resource) -> dict[str, Any]:
    return {name: _plain(getattr(resource, name)) for name in type(resource).fields}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def requires_of(resource: Resource) -> list[str]:
    return sorted({required.resource_str() for required in resource.requires})


def exportable(value: Any, path: str) -> Any:
    """A value as it can be written down; references are null, for the mutators tell what comes there."""
    if isinstance(value, Reference):
        return None
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, list | tuple | set | frozenset):
        return [exportable(item, f"{path}[{index}]") for index, item in enumerate(value)]
    if isinstance(value, Mapping):
        return {str(key): exportable(item, f"{path}.{key}") for key, item in value.items()}
    raise TypeError(f"{value!r} in resource is not JSON serializable at path {path}")


def write_reference(reference: Reference[Any], written: dict[str, dict[str, Any]]) -> None:
    """A reference, and those among its arguments before it."""
    for argument in reference.arguments.values():
        if isinstance(argument, Reference):
            write_reference(argument, written)
    data = reference.serialize()
    written.setdefault(data["id"], data)
