"""Operations of a deployment: the actions and upgrades of its components.

Each step becomes one resource of the kind `kubernetes-run`: objects that are applied and awaited, with
a Job if a command runs. Steps of an upgrade run one after the other. Jobs of rolled services are left
to the next deployment, which runs those whose content has changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from sabir.errors import UsageError
from sabir.graph import Graph, Value
from sabir.graph.address import Address
from sabir.graph.secrets import Secrets
from sabir.graph.values import reveal_all
from sabir.languages.ccp.evaluate.objects.configuration import service_objects
from sabir.languages.ccp.evaluate.objects.networking import access_objects
from sabir.languages.ccp.evaluate.objects.settings import ObjectSettings
from sabir.languages.ccp.evaluate.objects.workloads import build_job
from sabir.languages.ccp.evaluate.render import KubernetesObject, object_stream
from sabir.languages.ccp.graph.certificates import DRIVER, KIND
from sabir.languages.ccp.graph.origins import secrets_of
from sabir.languages.ccp.graph.resources import (
    build_desired_objects,
    cluster_target,
    object_id,
    sensitive_manifest,
)
from sabir.languages.ccp.model.deployment import CERTIFICATES, CLUSTER, ResolvedDeployment
from sabir.languages.ccp.model.procedures import CommandStep, command_steps, target_services
from sabir.languages.ccp.model.templates import ContainerTemplates
from sabir.languages.ccp.syntax.procedures import Action, Procedure, StepKind, Upgrade, UpgradeStep
from sabir.resources.resource import DesiredResources, Operation, Resource

RUN: Final = "kubernetes-run"
NODES: Final = "kubernetes-nodes"
_WORKLOADS: Final = frozenset({"Deployment", "StatefulSet", "DaemonSet"})
_NO_NODE: Final = {"sabir/stopped": "true"}
"""Labels that no node has: a DaemonSet has no replicas that could be none."""

Objects = list[Mapping[str, Any]]


def build_desired_resources(resolved: ResolvedDeployment, graph: Graph) -> DesiredResources:
    """Return the desired resources of a deployment, and its operations."""
    return replace(
        build_desired_objects(resolved, graph),
        operations=(*operations_of(resolved), *_deployment_operations(resolved)),
    )


def operations_of(resolved: ResolvedDeployment) -> tuple[Operation, ...]:
    return tuple(_build_operation(resolved, procedure) for procedure in resolved.deployment.procedures)


def _deployment_operations(resolved: ResolvedDeployment) -> tuple[Operation, ...]:
    """Return operations on the deployment as a whole; their outputs become part of the configuration."""
    cluster, certificates = Address(CLUSTER), Address(CERTIFICATES)
    nodes = Resource(address=cluster, kind=NODES, target=cluster_target(resolved))
    made = Resource(
        address=certificates,
        kind=KIND,
        driver=DRIVER.name,
        desired={"names": [*_certificate_names(resolved)]},
    )
    return (
        Operation(
            address=cluster,
            name="nodes",
            resources=lambda _: (nodes,),
            about="asks the cluster for its nodes, which `nodes` of the configuration then matches",
        ),
        Operation(
            address=certificates,
            name="create",
            resources=lambda _: (made,),
            about="makes an authority and a certificate, used where `security.tls` of the configuration has none",
        ),
    )


def _certificate_names(resolved: ResolvedDeployment) -> Iterator[str]:
    configuration = resolved.deployment.configuration
    namespace, domain = configuration.namespace, configuration.cluster_domain
    yield from (f"*.{namespace}.svc.{domain}", f"*.{namespace}.svc", f"*.{namespace}")
    ingress = configuration.configs.get("ingress")
    if isinstance(ingress, dict) and ingress.get("domain"):
        yield f"*.{ingress['domain']}"
    external = str(configuration.configs.get("k8s_external_ip") or "")
    if external not in ("", "0.0.0.0"):  # stands for no address
        yield external
    yield from ("localhost", "127.0.0.1")


def _build_operation(resolved: ResolvedDeployment, procedure: Procedure) -> Operation:
    address = Address(f"component/{procedure.component.name}")
    if isinstance(procedure, Action):
        return Operation(
            address=address,
            name=procedure.name,
            arguments=dict(procedure.parameters),
            resources=partial(_action_resources, resolved, procedure),
            about=f"runs {procedure.command.command.strip()!r} in the image {procedure.image}",
        )
    steps = ", ".join(step.name for step in procedure.steps)
    return Operation(
        address=address,
        name="upgrade" if procedure.variant == "default" else f"upgrade-{procedure.variant}",
        resources=partial(_upgrade_resources, resolved, procedure),
        settles=partial(_list_settled, resolved, procedure),
        about=f"brings its services to their new definition: {steps}",
    )


def _action_resources(
    resolved: ResolvedDeployment, action: Action, arguments: Mapping[str, Value]
) -> tuple[Resource, ...]:
    maker = _Maker(resolved)
    plain: Mapping[str, Any] = {name: reveal_all(value) for name, value in arguments.items()}
    (step,) = command_steps(action, plain)
    return (maker.run(f"action/{action.name}", maker.command(step, restarts=action.restarts)),)


def _upgrade_resources(
    resolved: ResolvedDeployment, upgrade: Upgrade, arguments: Mapping[str, Value]
) -> tuple[Resource, ...]:
    del arguments  # it takes none
    maker = _Maker(resolved)
    commands = {step.step: step for step in command_steps(upgrade)}
    name = f"upgrade/{upgrade.component.name}"
    resources = [maker.run(f"{name}/configuration", maker.shared)]
    for step in upgrade.steps:
        objects = maker.step(upgrade, step, commands.get(step))
        if objects:
            resources.append(maker.run(f"{name}/{step.name}", objects, after=resources[-1]))
    return tuple(resources)


def _list_settled(resolved: ResolvedDeployment, upgrade: Upgrade) -> list[Address]:
    """Return the shared objects, and those of services that the last step rolls, without their Jobs."""
    last: dict[str, StepKind] = {}
    for step in upgrade.steps:
        if step.command is None:
            names = target_services(upgrade, step, resolved.deployment.definitions)
            last |= dict.fromkeys(names, step.kind)
    return [
        Address(object_id(one.kind, one.name))
        for one in object_stream(resolved)
        if one.definition is None
        or (one.kind != "Job" and last.get(one.definition.service.name) is StepKind.ROLL)
    ]


class _Objects(Struct, frozen=True, eq=False):
    """The objects of a deployment: those of services by name, and the shared ones."""

    shared: Objects
    services: Mapping[str, Sequence[KubernetesObject]]


class _Maker:
    def __init__(self, resolved: ResolvedDeployment) -> None:
        self._resolved = resolved
        self._settings = ObjectSettings(resolved=resolved)
        self._secrets: Secrets = secrets_of(resolved.deployment)
        self._templates = ContainerTemplates(resolved)
        self._sorted: _Objects | None = None

    def run(self, address: str, objects: Objects, after: Resource | None = None) -> Resource:
        marked: list[Value] = [
            self._secrets.mark_sensitive(sensitive_manifest(manifest)) for manifest in objects
        ]
        return Resource(
            address=Address(address),
            kind=RUN,
            target=cluster_target(self._resolved),
            desired={"objects": marked},
            requires=() if after is None else (after.address,),
        )

    def command(self, step: CommandStep, *, restarts: bool) -> Objects:
        """What the runner reads, and the Job."""
        self._reject_broken(step)
        unit, key = step.unit, step.step.topology_key if step.step is not None else None
        made = build_job(
            self._settings,
            unit,
            name=step.job,
            hosts=self._settings.hosts(key.name) if key is not None else None,
            restarts=restarts,
            extra_labels={"ccp-action": "true"} if step.step is None else {"ccp-upgrade": "true"},
        )
        beside = (
            *access_objects(self._settings, unit.definition),
            *service_objects(self._settings, unit.definition, [unit]),
        )
        return [*beside, made]

    def _reject_broken(self, step: CommandStep) -> None:
        """Nothing is begun that is known to fail in its container."""
        unit = step.unit
        for node in self._templates.nodes(unit):
            for file in self._templates.files(unit, self._templates.variables(unit, node)):
                if file.text is None:
                    raise UsageError(
                        f"{file.source.name} cannot be rendered: {file.findings[0].message}; nothing was begun"
                    )

    def step(self, upgrade: Upgrade, step: UpgradeStep, command: CommandStep | None) -> Objects:
        if command is not None:
            return self.command(command, restarts=True)
        names = target_services(upgrade, step, self._resolved.deployment.definitions)
        objects = [one for name in names for one in self._objects.services.get(name, ())]
        if step.kind is StepKind.KILL:
            return [_stop_workload(object_.data) for object_ in objects if object_.kind in _WORKLOADS]
        return [object_.data for object_ in objects if object_.kind != "Job"]

    @property
    def shared(self) -> Objects:
        return self._objects.shared

    @property
    def _objects(self) -> _Objects:
        if self._sorted is None:
            services: dict[str, list[KubernetesObject]] = {}
            shared: Objects = []
            for one in self._stream():
                if one.definition is None:
                    shared.append(one.data)
                else:
                    services.setdefault(one.definition.service.name, []).append(one)
            self._sorted = _Objects(shared, services)
        return self._sorted

    def _stream(self) -> Iterator[KubernetesObject]:
        return object_stream(self._resolved)


def _stop_workload(workload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the workload with no pods under the same name; rolling it restores them."""
    spec = dict(workload["spec"])
    if workload["kind"] == "DaemonSet":
        template = spec["template"]
        spec["template"] = {**template, "spec": {**template["spec"], "nodeSelector": _NO_NODE}}
    else:
        spec["replicas"] = 0
    return {**workload, "spec": spec}
