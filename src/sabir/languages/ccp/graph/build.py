"""Builds the graph: component, service, container, command, files, Kubernetes objects, procedures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from sabir.expressions.template.sandbox import is_template
from sabir.graph import AttributeRead, EdgeKind, Graph, How, Instance, Origin, Record, Sensitive, Value
from sabir.graph.address import digest_text, escape_name
from sabir.graph.edges import EdgeKinds, edge_kinds
from sabir.languages.ccp.evaluate.render import KubernetesObject, render_objects
from sabir.languages.ccp.graph.objects import ObjectOrigins
from sabir.languages.ccp.graph.origins import AttributeOrigins, compute_attributes, mark_instance, secrets_of
from sabir.languages.ccp.graph.resources import object_id
from sabir.languages.ccp.model.deployment import ResolvedDeployment
from sabir.languages.ccp.model.procedures import target_services
from sabir.languages.ccp.model.units import start_order
from sabir.languages.ccp.syntax.component import Component
from sabir.languages.ccp.syntax.configuration import data_of
from sabir.languages.ccp.syntax.deployment import Deployment
from sabir.languages.ccp.syntax.nodes import Command, Container, Definition, File, MappingNode
from sabir.languages.ccp.syntax.procedures import Action, Procedure, Upgrade
from sabir.text import EMPTY_SPAN, Place, Source


def procedure_instances(
    deployment: Deployment, component: Component, origins: AttributeOrigins
) -> Iterator[Instance]:
    for procedure in deployment.procedures:
        if procedure.component is component:
            yield _build_procedure(deployment, procedure, origins)


def _build_procedure(deployment: Deployment, procedure: Procedure, origins: AttributeOrigins) -> Instance:
    attributes: dict[str, Value] = {"name": procedure.name, "image": procedure.image}
    if isinstance(procedure, Action):
        id_, type_ = f"action/{procedure.name}", "ccp::Action"
        attributes |= {
            "command": procedure.command.command,
            "parameters": dict(procedure.parameters),
            "files": {file.destination: file.content for file in procedure.files.values()},
        }
    else:
        id_, type_ = f"upgrade/{procedure.component.name}", "ccp::Upgrade"
        id_ += "" if procedure.variant == "default" else f"/{procedure.variant}"
        attributes["steps"] = [
            _step_data(deployment, procedure, position) for position in range(len(procedure.steps))
        ]
    origin = Origin(procedure.place, How.LITERAL, tuple(_procedure_sources(procedure, origins)))
    return Instance(
        id=id_,
        type=type_,
        language="ccp",
        name=procedure.name,
        owner=f"component/{procedure.component.name}",
        attributes=Record.of(attributes),
        origin=Origin(procedure.place, How.LITERAL),
        origins=Record.of(dict.fromkeys(attributes, origin)),
    )


def _step_data(deployment: Deployment, upgrade: Upgrade, position: int) -> dict[str, Value]:
    step = upgrade.steps[position]
    if step.command is not None:
        return {"name": step.name, "type": step.kind.value, "command": step.command.command}
    services: list[Value] = [*target_services(upgrade, step, deployment.definitions)]
    return {"name": step.name, "type": step.kind.value, "services": services}


def _procedure_sources(procedure: Procedure, origins: AttributeOrigins) -> Iterator[Origin | AttributeRead]:
    """Return what a procedure was rendered from: what its template may read, and its services."""
    if not origins.full or isinstance(procedure, Action):
        return
    if is_template(procedure.place.source.text):
        for section in ("configs", "secret_configs"):
            yield from origins.of_config(section)
    yield from origins.of_config("services")


LANGUAGE = "ccp"
_NESTED = frozenset({"containers", "pre", "daemon", "post", "files", "dependencies"})
_KINDS = {
    "depends_on": EdgeKind.DEPENDS_ON,
    "files": EdgeKind.USES,
    "made_from": EdgeKind.MADE_FROM,
}


def build_graph(
    resolved: ResolvedDeployment,
    *,
    full_provenance: bool = False,
    input_origins: Mapping[str, Origin] | None = None,
) -> Graph:
    builder = _Builder(
        resolved, AttributeOrigins(resolved.deployment, full=full_provenance, inputs=input_origins or {})
    )
    order: list[Value] = [list(wave) for wave in start_order(resolved.units.needs)]
    outputs: dict[str, Value] = {
        "namespace": resolved.deployment.configuration.namespace,
        "start_order": order,
    }
    secrets = secrets_of(resolved.deployment)
    instances = builder.instances()
    if secrets:
        instances = (mark_instance(instance, secrets) for instance in instances)
    return Graph(instances, outputs=outputs, output_origins=builder.output_origins())


class _Builder:
    def __init__(self, resolved: ResolvedDeployment, origins: AttributeOrigins) -> None:
        self.resolved = resolved
        self.units = resolved.units
        self.origins = origins
        self.objects = ObjectOrigins(resolved, origins)

    def instances(self) -> Iterator[Instance]:
        objects = render_objects(self.resolved, recording=self.origins.full)
        for component in self.resolved.deployment.components:
            yield self._component(component)
            for definition in self.resolved.deployment.definitions:
                if definition.component == component.name and definition.root == component.root:
                    yield from self._service(definition)
            yield from procedure_instances(self.resolved.deployment, component, self.origins)
        for rendered in objects:
            yield self._object(rendered)

    def _component(self, component: Component) -> Instance:
        file = component.get("service/files/defaults.yaml")
        place = Place(file.source if file else Source(component.root or component.name, ""), EMPTY_SPAN)
        return Instance(
            id=f"component/{component.name}",
            type="ccp::Component",
            language=LANGUAGE,
            name=component.name,
            origin=Origin(place, How.LITERAL),
        )

    def _service(self, definition: Definition) -> Iterator[Instance]:
        service = definition.service
        deployed = self.resolved.topology is None or self.resolved.topology.has(service.name)
        written = {**self._attributes(service), "name": service.name, "dsl_version": definition.version}
        computed, origins = compute_attributes(
            self.resolved, definition, self.origins, self.objects.which_containers(definition)
        )
        yield self._instance(
            definition,
            service,
            id_=service.name,
            type_="ccp::Service",
            name=service.name,
            owner=f"component/{definition.component}",
            attributes={**computed, **written},
            computed=origins,
            relations={"depends_on": self._services_needed(service.name)},
            reads={"depends_on": self._reads_of_service(service.name)},
            status=None if deployed else "not deployed",
        )
        for container in service.containers:
            yield from self._container(definition, container)
        for file in definition.files.values():
            yield self._file(definition, file)

    def _services_needed(self, service: str) -> tuple[str, ...]:
        wanted = (unit_id for unit in self.units.of_service(service) for unit_id in self.units.needs[unit.id])
        return tuple(
            dict.fromkeys(
                self.units.all[unit_id].service
                for unit_id in wanted
                if self.units.all[unit_id].service != service
            )
        )

    def _container(self, definition: Definition, container: Container) -> Iterator[Instance]:
        unit = self.units.all[f"{definition.service.name}/{container.name}"]
        needs = self.units.needs[unit.id]
        yield self._instance(
            definition,
            container,
            id_=unit.id,
            type_="ccp::Container",
            name=container.name,
            owner=definition.service.name,
            attributes=self._attributes(container),
            relations={"depends_on": needs},
            reads={"depends_on": self._reads_of_container(definition, container)},
            requires=needs,
        )
        for id_, command in self._local_ids(unit.id, container):
            yield self._command(definition, container, command, id_)

    def _local_ids(self, unit: str, container: Container) -> Iterator[tuple[str, Command]]:
        """The commands of a container with their ids inside it.

        One without a name is known by what it runs: others before or behind it leave its id alone.
        """
        counts: dict[str, int] = {}
        for command in container.commands:
            stage = command.stage.value
            if stage == "daemon":
                yield f"{unit}/{stage}", command
                continue
            id_ = f"{unit}/{stage}/{escape_name(command.name or digest_text(command.command))}"
            number = counts[id_] = counts.get(id_, 0) + 1
            yield id_ if number == 1 else f"{id_}#{number}", command

    def _command(
        self, definition: Definition, container: Container, command: Command, local: str
    ) -> Instance:
        service = definition.service.name
        id_ = f"{service}/{command.name}" if command.single else local
        waits = tuple(
            dict.fromkeys(
                dependency.unit for dependency in self.units.resolve_all(definition, command.dependencies)
            )
        )
        if command.single:
            waits = self.units.needs[id_]
        relations = {
            "depends_on": waits,
            "files": tuple(_file_id(service, file.name) for file in command.files),
        }
        return self._instance(
            definition,
            command,
            id_=id_,
            type_="ccp::SingleCommand" if command.single else "ccp::LocalCommand",
            name=command.name or local.partition("/")[2],
            owner=f"{service}/{container.name}",
            attributes=self._attributes(command),
            relations={key: value for key, value in relations.items() if value},
            reads={"depends_on": self._names_of(waits)} if waits else {},
            requires=waits,
        )

    # What relations rest on

    def _names_of(self, units: Iterable[str]) -> tuple[AttributeRead, ...]:
        """The names that dependencies are found by."""
        ids = (id_ for unit in units for id_ in (unit, self.units.all[unit].service))
        return tuple(AttributeRead(id_, "name") for id_ in dict.fromkeys(ids))

    def _reads_of_service(self, service: str) -> tuple[AttributeRead, ...]:
        return tuple(
            AttributeRead(unit.id, "depends_on")
            for unit in self.units.of_service(service)
            if self.units.needs[unit.id]
        )

    def _reads_of_container(self, definition: Definition, container: Container) -> tuple[AttributeRead, ...]:
        service = definition.service.name
        return tuple(
            AttributeRead(f"{service}/{command.name}" if command.single else id_, "depends_on")
            for id_, command in self._local_ids(f"{service}/{container.name}", container)
            if command.dependencies
        )

    def output_origins(self) -> dict[str, Origin]:
        configuration = self.resolved.deployment.configuration
        place = configuration.place("kubernetes", "namespace")
        order = tuple(
            read
            for unit in self.units.all
            for read in (AttributeRead(unit, "name"), AttributeRead(unit, "depends_on"))
        )
        return {
            "namespace": Origin(place, How.INPUT, note="kubernetes.namespace"),
            "start_order": Origin(
                place, How.RENDERED, order if self.origins.full else (), "order of dependencies"
            ),
        }

    def _file(self, definition: Definition, file: File) -> Instance:
        return self._instance(
            definition,
            file,
            id_=_file_id(definition.service.name, file.name),
            type_="ccp::File",
            name=file.name,
            owner=definition.service.name,
            attributes=self._attributes(file),
        )

    def _attributes(self, node: MappingNode) -> dict[str, Value]:
        data = data_of(node.yaml)
        return {
            key: value
            for key, value in data.items()
            if key not in _NESTED or not isinstance(value, list | dict)
        }

    def _instance(
        self,
        definition: Definition,
        node: MappingNode,
        *,
        id_: str,
        type_: str,
        name: str,
        owner: str,
        attributes: Mapping[str, Value],
        computed: Mapping[str, Origin] | None = None,
        relations: Mapping[str, tuple[str, ...]] | None = None,
        reads: Mapping[str, tuple[AttributeRead, ...]] | None = None,
        requires: tuple[str, ...] = (),
        status: str | None = None,
    ) -> Instance:
        self.objects.describe(node, id_, {*attributes, *(relations or ())} - (computed or {}).keys())
        return Instance(
            id=id_,
            type=type_,
            language=LANGUAGE,
            name=name,
            owner=owner,
            attributes=Record.of(attributes),
            relations=Record.of(relations or {}),
            requires=requires,
            status=status,
            origin=Origin(node.place, How.LITERAL),
            origins=self.origins.of(
                definition, node, (*attributes, *(relations or ())), id_, reads or {}, computed or {}
            ),
            kinds=_relation_kinds(relations or ()),
        )

    def _object(self, rendered: KubernetesObject) -> Instance:
        made_from = self._find_source_ids(rendered)
        origin, origins = self.objects.of(rendered)
        relations = {"made_from": made_from} if made_from else {}
        return Instance(
            id=object_id(rendered.kind, rendered.name),
            type=f"{rendered.data['apiVersion']}/{rendered.kind}",
            language=LANGUAGE,
            name=rendered.name,
            owner=rendered.definition.service.name if rendered.definition is not None else None,
            attributes=Record.of(_object_attributes(rendered.data)),
            relations=Record.of(relations),
            origin=origin,
            origins=Record.of(origins),
            kinds=_relation_kinds(relations),
        )

    def _find_source_ids(self, rendered: KubernetesObject) -> tuple[str, ...]:
        if rendered.definition is None:
            return ()
        service = rendered.definition.service.name
        if rendered.kind == "Job":
            return (f"{service}/{rendered.name[len(service) + 1 :]}",)
        return (service,)


def _relation_kinds(relations: Iterable[str]) -> EdgeKinds:
    return edge_kinds(relations=tuple((name, _KINDS[name]) for name in relations))


def _file_id(service: str, name: str) -> str:
    return f"{service}#{escape_name(name)}"


def _object_attributes(data: Mapping[str, Any]) -> dict[str, Value]:
    attributes: dict[str, Value] = {}
    for key, value in data.items():
        secret = data["kind"] == "Secret" and key == "data"
        attributes[key] = Sensitive(cast(Value, value)) if secret else cast(Value, value)
    return attributes
