"""Resources of `std` and of common modules as the kinds that every machine has, kept by sabir itself.

They are for models whose modules bring no handler, and for whoever gives no leave to run handlers. Nothing of a module's Python
runs for them: the fields are read from the instances.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct, field

from sabir.graph.values import Value
from sabir.languages.inmanta.evaluate.plugins.engine.resources import Resource
from sabir.languages.inmanta.evaluate.values import Instance, property_of
from sabir.languages.inmanta.evaluate.views import UnknownException, view_of
from sabir.languages.inmanta.library.std.plugins.resources import whole_content

__all__ = ["OWN_KINDS", "Described", "machine_resource"]

_LOCAL: Final = "local"


class Described(Struct, frozen=True):
    """A kind of the machine and its fields."""

    kind: str
    fields: dict[str, Value] = field(default_factory=dict[str, Value])
    timeout: float | None = None
    only_after: bool = False
    """It is run only when something that it requires has changed."""


def machine_resource(entity: str, resource: Resource, instance: Instance) -> Described | None:
    """The kind and its fields; None when the machine has no such kind, or something of it is not known yet or not ours to do."""
    describe = _KINDS.get(entity)
    if describe is None or resource.unknowns:
        return None
    if _is_reached_otherwise(instance):
        return None
    try:
        return describe(view_of(instance))
    except (UnknownException, AttributeError, ValueError):
        # Not known yet, another generation of the module, or a command with a quote that is not closed.
        return None


def _is_reached_otherwise(instance: Instance) -> bool:
    """`via` of the module mitogen says how handlers reach a machine; sabir reaches the target of the agent's name."""
    ways = (_related(instance, "via"), _related(_related(instance, "host"), "via"))
    return any(property_of(via, "method_name") != _LOCAL for via in ways if via is not None)


def _related(instance: Instance | None, name: str) -> Instance | None:
    if instance is None or name not in instance.entity.slots:
        return None
    other = property_of(instance, name)
    return other if isinstance(other, Instance) else None


def _file(view: Any) -> Described:
    if view.purged:
        return _absent("file", path=view.path)
    separator = "content_separator" if hasattr(view, "content_separator") else "content_seperator"
    content = whole_content(view, separator)
    return Described("file", {"path": view.path, "content": content, **_access(view, view.mode)})


def _text_file(view: Any) -> Described:
    if view.purged:
        return _absent("file", path=view.path)
    return Described("file", {"path": view.path, "content": view.content, **_access(view, view.permissions)})


def _directory(view: Any) -> Described:
    if view.purged:
        return _absent("directory", path=view.path)
    mode = view.mode if hasattr(view, "mode") else view.permissions
    return Described("directory", {"path": view.path, **_access(view, mode)})


def _access(view: Any, mode: int | None) -> dict[str, Value]:
    """Permissions are digits of base 8 in a number: 644. `root` is what modules say when the model says nothing: whoever deploys."""
    owners = {"owner": view.owner, "group": view.group}
    access: dict[str, Value] = {} if mode is None else {"mode": f"{mode:04}"}
    return access | {name: value for name, value in owners.items() if value not in (None, "root")}


def _symlink(path: str, to: str) -> Callable[[Any], Described]:
    """A link by the names of the attributes that say where it is and where it leads."""

    def describe(view: Any) -> Described:
        where = getattr(view, path)
        if view.purged:
            return _absent("symlink", path=where)
        return Described("symlink", {"path": where, "to": getattr(view, to)})

    return describe


def _package(view: Any) -> Described:
    return _absent("package", name=view.name) if view.purged else Described("package", {"name": view.name})


def _std_package(view: Any) -> Described | None:
    """`latest` is for a handler: what is the latest changes without anybody changing the model."""
    if view.state == "removed":
        return _absent("package", name=view.name)
    return Described("package", {"name": view.name}) if view.state == "installed" else None


def _service(view: Any) -> Described:
    return Described("service", {"name": view.name, "state": view.state, "enabled": bool(view.onboot)})


def _absent(kind: str, **identity: str) -> Described:
    return Described("absent", {"of": kind, **identity})


def _run(view: Any) -> Described | None:
    """A command that is run once, and again when it is changed; with a way of its own to reload or to fail it is for its handler."""
    if view.reload or view.skip_on_fail or view.purged:
        return None
    environment = dict(view.environment)
    if view.path and "PATH" not in environment:
        environment["PATH"] = view.path
    fields: dict[str, Value] = {"run": shlex.split(view.command), "success": [*view.returns]}
    optional: dict[str, Value] = {
        "creates": view.creates,
        "directory": view.cwd,
        "environment": environment,
        "unless": shlex.split(view.unless),
        "onlyif": shlex.split(view.onlyif),
    }
    fields |= {name: value for name, value in optional.items() if value}
    return Described("command", fields, timeout=float(view.timeout), only_after=view.reload_only)


_KINDS: Final[Mapping[str, Callable[[Any], Described | None]]] = MappingProxyType(
    {
        "apt::Package": _package,
        "exec::Run": _run,
        "files::Directory": _directory,
        "files::Symlink": _symlink("path", "target"),
        "files::TextFile": _text_file,
        "fs::Directory": _directory,
        "fs::File": _file,
        "fs::Symlink": _symlink("dst", "src"),
        "std::ConfigFile": _file,
        "std::DefaultDirectory": _directory,
        "std::Directory": _directory,
        "std::File": _file,
        "std::Package": _std_package,
        "std::Service": _service,
        "std::Symlink": _symlink("target", "source"),
    }
)
OWN_KINDS: Final = ("absent", "command", "directory", "file", "package", "service", "symlink")
"""The kinds that these become."""
