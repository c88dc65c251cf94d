"""Desired resources of a model: each exported resource for its handler, or as a built-in kind.

Where handlers may not run, or a module has none, the resources of `std` and of common modules (files,
directories, links, packages, services, commands) are managed by the built-in drivers for machines. No
Python of a module runs for them: the fields are read from the instances.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct, field

from sabir.diagnostics.finding import Severity
from sabir.graph.address import Address
from sabir.graph.graph import Graph
from sabir.graph.values import Unknown, Value
from sabir.interpreter import collector_paused
from sabir.languages.inmanta.evaluate.model import EvaluatedModel
from sabir.languages.inmanta.evaluate.plugins.engine.handler import HandlerAPI
from sabir.languages.inmanta.evaluate.plugins.engine.resources import Resource as HandlerResource
from sabir.languages.inmanta.evaluate.values import ModelInstance, property_of
from sabir.languages.inmanta.evaluate.views import UnknownException, view_of
from sabir.languages.inmanta.graph.agents import handlers_of
from sabir.languages.inmanta.graph.driver import ASK, DRIVER, KIND, ModelTarget
from sabir.languages.inmanta.graph.export import Export, export_model
from sabir.languages.inmanta.graph.names import FACTS, ID, InstanceNames
from sabir.languages.inmanta.graph.resource_export import report_omitted
from sabir.languages.inmanta.library.std.plugins.resources import whole_content
from sabir.resources.resource import DesiredResources, Operation, Resource

_LOCAL: Final = "local"


class KindDescription(Struct, frozen=True):
    """A kind of resource on a machine, and its fields."""

    kind: str
    fields: dict[str, Value] = field(default_factory=dict[str, Value])
    timeout: float | None = None
    only_after: bool = False
    """It is run only when something that it requires has changed."""


def machine_resource(
    entity: str, resource: HandlerResource, instance: ModelInstance
) -> KindDescription | None:
    """Return the machine kind and fields of a resource.

    None if there is no such kind, a value is not known yet, or sabir does not support a setting of it.
    """
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


def _is_reached_otherwise(instance: ModelInstance) -> bool:
    """Return whether `via` of the module mitogen says how handlers reach a machine; sabir uses targets."""
    ways = (_find_related(instance, "via"), _find_related(_find_related(instance, "host"), "via"))
    return any(property_of(via, "method_name") != _LOCAL for via in ways if via is not None)


def _find_related(instance: ModelInstance | None, name: str) -> ModelInstance | None:
    if instance is None or name not in instance.entity.slots:
        return None
    other = property_of(instance, name)
    return other if isinstance(other, ModelInstance) else None


def _describe_file(view: Any) -> KindDescription:
    if view.purged:
        return _describe_absence("file", path=view.path)
    separator = "content_separator" if hasattr(view, "content_separator") else "content_seperator"
    content = whole_content(view, separator)
    return KindDescription("file", {"path": view.path, "content": content, **_access_fields(view, view.mode)})


def _text_file(view: Any) -> KindDescription:
    if view.purged:
        return _describe_absence("file", path=view.path)
    return KindDescription(
        "file", {"path": view.path, "content": view.content, **_access_fields(view, view.permissions)}
    )


def _describe_directory(view: Any) -> KindDescription:
    if view.purged:
        return _describe_absence("directory", path=view.path)
    mode = view.mode if hasattr(view, "mode") else view.permissions
    return KindDescription("directory", {"path": view.path, **_access_fields(view, mode)})


def _access_fields(view: Any, mode: int | None) -> dict[str, Value]:
    """Return owner, group and mode.

    Permissions are octal digits in a number: 644. `root` is the default of the modules, so it means the
    deploying user.
    """
    owners = {"owner": view.owner, "group": view.group}
    access: dict[str, Value] = {} if mode is None else {"mode": f"{mode:04}"}
    return access | {name: value for name, value in owners.items() if value not in (None, "root")}


def _symlink_describer(path: str, to: str) -> Callable[[Any], KindDescription]:
    """Return a describer of links, given the names of the attributes for path and destination."""

    def describe(view: Any) -> KindDescription:
        where = getattr(view, path)
        if view.purged:
            return _describe_absence("symlink", path=where)
        return KindDescription("symlink", {"path": where, "to": getattr(view, to)})

    return describe


def _describe_package(view: Any) -> KindDescription:
    return (
        _describe_absence("package", name=view.name)
        if view.purged
        else KindDescription("package", {"name": view.name})
    )


def _std_package(view: Any) -> KindDescription | None:
    """Describe a package. `latest` needs a handler: it changes without a change of the model."""
    if view.state == "removed":
        return _describe_absence("package", name=view.name)
    return KindDescription("package", {"name": view.name}) if view.state == "installed" else None


def _describe_service(view: Any) -> KindDescription:
    return KindDescription("service", {"name": view.name, "state": view.state, "enabled": bool(view.onboot)})


def _describe_absence(kind: str, **identity: str) -> KindDescription:
    return KindDescription("absent", {"of": kind, **identity})


def _describe_command(view: Any) -> KindDescription | None:
    """Describe a command that runs once, and again when it is changed.

    One with its own way to reload or to detect failure needs its handler.
    """
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
    return KindDescription("command", fields, timeout=float(view.timeout), only_after=view.reload_only)


_KINDS: Final[Mapping[str, Callable[[Any], KindDescription | None]]] = MappingProxyType(
    {
        "apt::Package": _describe_package,
        "exec::Run": _describe_command,
        "files::Directory": _describe_directory,
        "files::Symlink": _symlink_describer("path", "target"),
        "files::TextFile": _text_file,
        "fs::Directory": _describe_directory,
        "fs::File": _describe_file,
        "fs::Symlink": _symlink_describer("dst", "src"),
        "std::ConfigFile": _describe_file,
        "std::DefaultDirectory": _describe_directory,
        "std::Directory": _describe_directory,
        "std::File": _describe_file,
        "std::Package": _std_package,
        "std::Service": _describe_service,
        "std::Symlink": _symlink_describer("target", "source"),
    }
)
OWN_KINDS: Final = ("absent", "command", "directory", "file", "package", "service", "symlink")
"""The kinds that these become."""


_TARGET: Final = "inmanta"


def build_desired_resources(
    model: EvaluatedModel, graph: Graph, facts: Mapping[tuple[str, str], str], *, trusted: bool
) -> DesiredResources:
    """Return every exported resource, with the addresses and origins of its instance.

    A model with errors has no desired resources, but what was deployed of it can still be read and
    deleted.
    """
    stand_ins = {registered.entity for registered in model.python.registry.resources}
    refused = [] if trusted else report_omitted(model, but=stand_ins)
    if refused or any(finding.severity is Severity.ERROR for finding in model.findings):
        return DesiredResources(
            targets=(_model_target(model, Export(), facts, complete=False),), findings=tuple(refused)
        )
    with collector_paused():
        export = export_model(model)
        making = _ResourceBuilder(model, graph, export)
        resources = tuple(making.resource(text) for text in making.addresses)
    return DesiredResources(
        resources=resources,
        operations=tuple(_facts_operation(resource) for resource in resources if resource.kind == KIND),
        targets=(_model_target(model, export, facts),),
        findings=tuple(export.findings),
    )


def _facts_operation(resource: Resource) -> Operation:
    """Return the operation `sabir call ENV INSTANCE.facts`, which asks the handler again."""

    def asked(_: Mapping[str, Value]) -> tuple[Resource, ...]:
        address = resource.address
        return (
            Resource(
                address=address.of(ASK),
                kind=ASK,
                desired=resource.desired,
                target=resource.target,
                results={FACTS: address.of(FACTS), ID: address.of(ID)},
                lane=resource.lane,
                origin=resource.origin,
            ),
        )

    return Operation(
        address=resource.address, name=FACTS, resources=asked, about="what its handler knows about it"
    )


def _model_target(
    model: EvaluatedModel, export: Export, facts: Mapping[tuple[str, str], str], *, complete: bool = True
) -> ModelTarget:
    return ModelTarget(
        name=_TARGET,
        driver=DRIVER.name,
        contained=True,
        model=model,
        export=export,
        complete=complete,
        facts=facts,
    )


class _ResourceBuilder:
    """Builds the resources to deploy from those of the model."""

    def __init__(self, model: EvaluatedModel, graph: Graph, export: Export) -> None:
        self.graph = graph
        self.export = export
        self.handlers = handlers_of(model.python) if model.python.session.trust.scripts else {}
        """Those that may run."""
        self.addresses = _assign_addresses(export, InstanceNames(model.instances, model.variables()).ids)

    def resource(self, text: str) -> Resource:
        exported, instance = self.export.resources[text], self.export.instances[text]
        address = self.addresses[text]
        shown = self.graph.get(str(address))
        required = sorted(other.resource_str() for other in exported.requires)
        listens = getattr(exported, "receive_events", None) is not False
        events = [
            name for name in required if listens and getattr(self.export.resources[name], "send_event", False)
        ]
        described = self._describe(exported, instance)
        kind = described.kind
        return Resource(
            address=address,
            kind=kind,
            desired=described.fields,
            target=_TARGET if kind == KIND else None,
            at=exported.id.agent_name,
            requires=self._all(required),
            reacts_to=self._all(events),
            tolerates=kind == KIND and _decides_itself(self.handlers.get(exported.id.entity_type)),
            lane=exported.id.agent_name,
            takes_over=OWN_KINDS if kind == KIND else (KIND, *(own for own in OWN_KINDS if own != kind)),
            purges=described.kind == "absent" or described.fields.get("purged") is True,
            report_only=getattr(exported, "report_only", False) is True,
            established=() if described.only_after else None,
            timeout=described.timeout,
            origin=None if shown is None else shown.origin,
        )

    def _all(self, names: list[str]) -> tuple[Address, ...]:
        return tuple(self.addresses[name] for name in names if name in self.addresses)

    def _describe(self, exported: HandlerResource, instance: ModelInstance) -> KindDescription:
        """Return a resource for its handler if that may run, else as a kind of the machine."""
        entity = exported.id.entity_type
        if entity not in self.handlers:
            kept = machine_resource(entity, exported, instance)
            if kept is not None:
                return kept
        fields: dict[str, Any] = {name: _field_value(exported, name) for name in type(exported).fields}
        return KindDescription(KIND, {ID: exported.id.resource_str(), **fields})


def _decides_itself(handler: type | None) -> bool:
    """Return whether a handler has its own `deploy`, which may run although a requirement failed."""
    return handler is not None and getattr(handler, "deploy", None) is not HandlerAPI.deploy


def _field_value(exported: HandlerResource, name: str) -> Value:
    if name in exported.unknowns:
        return Unknown(why="it needs facts that no handler has told yet")
    value: Value = getattr(exported, name)
    return value


def _assign_addresses(export: Export, ids: Mapping[ModelInstance, str]) -> dict[str, Address]:
    """Return addresses by resource id. A second resource of one instance is qualified by its entity."""
    addresses: dict[str, Address] = {}
    taken: set[Address] = set()
    for text, exported in export.resources.items():
        address = Address.parse(ids[export.instances[text]])
        if address in taken:
            address = address._replace(instance=f"{address.instance} as {exported.id.entity_type}")
        taken.add(address)
        addresses[text] = address
    return addresses
