"""Resources of `std` as the kinds that every machine has, for models whose modules bring no handler for them.

What is to be absent is none of these: a kind of the machine is there as long as it is described.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from sabir.graph.values import Value
from sabir.languages.inmanta.evaluate.plugins.engine.resources import Resource
from sabir.languages.inmanta.evaluate.values import Instance
from sabir.languages.inmanta.evaluate.views import view_of
from sabir.languages.inmanta.library.std.plugins.resources import whole_content

__all__ = ["machine_resource"]

Described = tuple[str, dict[str, Value]]


def machine_resource(entity: str, resource: Resource, instance: Instance) -> Described | None:
    """The kind and its fields; None when the machine has no such kind, or the resource is to be absent or not known yet."""
    describe = _KINDS.get(entity)
    if describe is None or resource.unknowns or getattr(resource, "purged", False):
        return None
    return describe(resource, instance)


def _file(resource: Any, instance: Instance) -> Described:
    return "file", {"path": resource.path, "content": whole_content(view_of(instance)), **_access(resource)}


def _directory(resource: Any, _: Instance) -> Described:
    return "directory", {"path": resource.path, **_access(resource)}


def _access(resource: Any) -> dict[str, Value]:
    """Permissions are digits of base 8 in a number: 644. `root` is what std says when the model says nothing: whoever deploys."""
    owners = {"owner": resource.owner, "group": resource.group}
    return {"mode": f"{resource.permissions:04}"} | {
        name: value for name, value in owners.items() if value not in (None, "root")
    }


def _symlink(resource: Any, _: Instance) -> Described:
    return "symlink", {"path": resource.target, "to": resource.source}


def _package(resource: Any, _: Instance) -> Described | None:
    return ("package", {"name": resource.name}) if resource.state == "installed" else None


def _service(resource: Any, _: Instance) -> Described:
    return "service", {"name": resource.name, "state": resource.state, "enabled": bool(resource.onboot)}


_KINDS: Final[Mapping[str, Callable[[Any, Instance], Described | None]]] = MappingProxyType(
    {
        "std::File": _file,
        "std::ConfigFile": _file,
        "std::Directory": _directory,
        "std::DefaultDirectory": _directory,
        "std::Symlink": _symlink,
        "std::Package": _package,
        "std::Service": _service,
    }
)
