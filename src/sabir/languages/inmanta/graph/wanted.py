"""What a model asks to be kept in the world: its exported resources, each for its handler.

Where handlers may not run, or none is there, what `std` and the common modules describe (files, folders, links, packages, services,
commands) is kept by the drivers of the machine instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sabir.diagnostics.finding import Severity
from sabir.graph.address import Address
from sabir.graph.graph import Graph
from sabir.graph.values import Unknown, Value
from sabir.interpreter import collector_paused
from sabir.languages.inmanta.evaluate.model import Model
from sabir.languages.inmanta.evaluate.plugins.engine.handler import HandlerAPI
from sabir.languages.inmanta.evaluate.plugins.engine.resources import Resource as HandlerResource
from sabir.languages.inmanta.evaluate.values import Instance
from sabir.languages.inmanta.graph.agents import handlers_of
from sabir.languages.inmanta.graph.driver import ASK, DRIVER, KIND, ModelTarget
from sabir.languages.inmanta.graph.export import export_model
from sabir.languages.inmanta.graph.exported import Export
from sabir.languages.inmanta.graph.facts import FACTS, ID
from sabir.languages.inmanta.graph.machine import OWN_KINDS, Described, machine_resource
from sabir.languages.inmanta.graph.names import Names
from sabir.languages.inmanta.graph.resources import left_out
from sabir.resources.resource import Operation, Resource, Wanted

__all__ = ["wanted_resources"]

_TARGET: Final = "inmanta"


def wanted_resources(
    model: Model, graph: Graph, facts: Mapping[tuple[str, str], str], *, trusted: bool
) -> Wanted:
    """Every exported resource; addresses and origins are those of the instances that they come from.

    A model with errors wants nothing, but what was deployed of it can still be looked at and taken away.
    """
    stand_ins = {registered.entity for registered in model.python.registry.resources}
    refused = [] if trusted else left_out(model, but=stand_ins)
    if refused or any(finding.severity is Severity.ERROR for finding in model.findings):
        return Wanted(targets=(_target(model, Export(), facts, complete=False),), findings=tuple(refused))
    with collector_paused():
        export = export_model(model)
        making = _Making(model, graph, export)
        resources = tuple(making.resource(text) for text in making.addresses)
    return Wanted(
        resources=resources,
        operations=tuple(_facts_operation(resource) for resource in resources if resource.kind == KIND),
        targets=(_target(model, export, facts),),
        findings=tuple(export.findings),
    )


def _facts_operation(resource: Resource) -> Operation:
    """`sabir call ENV INSTANCE.facts`: what the handler knows about a resource, asked again."""

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


def _target(
    model: Model, export: Export, facts: Mapping[tuple[str, str], str], *, complete: bool = True
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


class _Making:
    """Resources of the engine from those of the model."""

    def __init__(self, model: Model, graph: Graph, export: Export) -> None:
        self.graph = graph
        self.export = export
        self.handlers = handlers_of(model.python) if model.python.session.trust.scripts else {}
        """Those that may run."""
        self.addresses = _addresses(export, Names(model.instances, model.variables()).ids)

    def resource(self, text: str) -> Resource:
        exported, instance = self.export.resources[text], self.export.instances[text]
        address = self.addresses[text]
        shown = self.graph.get(str(address))
        required = sorted(other.resource_str() for other in exported.requires)
        listens = getattr(exported, "receive_events", None) is not False
        events = [
            name for name in required if listens and getattr(self.export.resources[name], "send_event", False)
        ]
        described = self._described(exported, instance)
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

    def _described(self, exported: HandlerResource, instance: Instance) -> Described:
        """By its handler where one may run; else by a kind of the machine, where it is one."""
        entity = exported.id.entity_type
        if entity not in self.handlers:
            kept = machine_resource(entity, exported, instance)
            if kept is not None:
                return kept
        fields: dict[str, Any] = {name: _value(exported, name) for name in type(exported).fields}
        return Described(KIND, {ID: exported.id.resource_str(), **fields})


def _decides_itself(handler: type | None) -> bool:
    """A handler with a `deploy` of its own is told how what it requires ended, and may run although some of it failed."""
    return handler is not None and getattr(handler, "deploy", None) is not HandlerAPI.deploy


def _value(exported: HandlerResource, name: str) -> Value:
    if name in exported.unknowns:
        return Unknown(why="it needs facts that no handler has told yet")
    value: Value = getattr(exported, name)
    return value


def _addresses(export: Export, ids: Mapping[Instance, str]) -> dict[str, Address]:
    """By the ids of resources: those of their instances. A second resource of one instance is told apart by its entity."""
    addresses: dict[str, Address] = {}
    taken: set[Address] = set()
    for text, exported in export.resources.items():
        address = Address.parse(ids[export.instances[text]])
        if address in taken:
            address = address._replace(instance=f"{address.instance} as {exported.id.entity_type}")
        taken.add(address)
        addresses[text] = address
    return addresses
