"""The deployable program of a template: operations, workflows and triggers.

Also lists the attributes that a workflow may set: outputs of the operations that it calls, and node states.
They must be known before it runs, so that other resources can depend on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Final

from msgspec.structs import replace

from sabir.errors import DeployError, UsageError
from sabir.graph.address import Address
from sabir.graph.origin import How, Origin
from sabir.graph.values import UNKNOWN, Value
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.groups import nodes_named
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.graph.addresses import Subject, node_of, operation_address
from sabir.languages.tosca.graph.execution import attribute_address
from sabir.languages.tosca.graph.lifecycles import Lifecycles
from sabir.languages.tosca.graph.origins import plain_value
from sabir.languages.tosca.graph.workflow_steps import (
    find_mapped_workflows,
    find_operation,
    find_workflow,
    operations_of_subject,
    subjects_of,
)
from sabir.languages.tosca.graph.workflows import Reaction, list_reactions
from sabir.languages.tosca.model.behaviour import NodeOperation
from sabir.languages.tosca.model.behaviour import NodeOperation as DescribedOperation
from sabir.languages.tosca.syntax.nodes import Activity, ActivityKind, PropertyDefinition, Workflow
from sabir.resources.resource import Operation, Resource


def results_of_workflow(
    lifecycles: Lifecycles, workflow: Workflow, ensemble: Ensemble | None = None
) -> dict[str, Address]:
    """Return the attributes that a workflow may set, by the text of their addresses.

    `ensemble` is the topology that defines the workflow, if it is not the outermost one. Raises an error if
    the workflow names something that does not exist, before anything runs.
    """
    seen = {workflow.name}
    addresses = _list_workflow_results(lifecycles, ensemble or lifecycles.ensemble, workflow, seen)
    return {str(address): address for address in addresses}


def results_of_activities(
    lifecycles: Lifecycles, targets: Iterable[str], activities: Iterable[Activity]
) -> dict[str, Address]:
    """Return the attributes that these activities may set on these targets."""
    subjects: list[Subject] = [node for name in targets for node in nodes_named(lifecycles.ensemble, name)]
    addresses = _list_step_results(lifecycles, lifecycles.ensemble, subjects, activities, set())
    return {str(address): address for address in addresses}


def _list_workflow_results(
    lifecycles: Lifecycles, ensemble: Ensemble, workflow: Workflow, seen: set[str]
) -> Iterator[Address]:
    for step in workflow.steps.values():
        subjects = subjects_of(ensemble, step.target, step.target_relationship)
        yield from _list_step_results(lifecycles, ensemble, subjects, step.activities, seen)


def _list_step_results(
    lifecycles: Lifecycles,
    ensemble: Ensemble,
    subjects: list[Subject],
    activities: Iterable[Activity],
    seen: set[str],
) -> Iterator[Address]:
    for activity in activities:
        if activity.kind is ActivityKind.INLINE:
            inlined = find_workflow(ensemble, activity.name)
            if activity.name not in seen:
                seen.add(activity.name)
                yield from _list_workflow_results(lifecycles, ensemble, inlined, seen)
            continue
        for subject in subjects:
            yield from _list_activity_results(lifecycles, subject, activity)


def _list_activity_results(lifecycles: Lifecycles, subject: Subject, activity: Activity) -> Iterator[Address]:
    match activity.kind:
        case ActivityKind.SET_STATE:
            yield Address(node_of(subject).key).of("state")
        case ActivityKind.CALL_OPERATION:
            operation = find_operation(subject, activity.name)
            mapped = find_mapped_workflows(subject).get(activity.name)
            inside = node_of(subject).substitution
            if mapped is not None and inside is not None:
                yield from _list_workflow_results(lifecycles, inside.ensemble, mapped, {mapped.name})
            elif operation is not None:
                yield from _list_output_addresses(subject, operation)
        case _:
            for _, command in lifecycles.commands_of(node_of(subject)):
                yield from _list_output_addresses(command.subject, command.operation)


def _list_output_addresses(subject: Subject, operation: NodeOperation) -> Iterator[Address]:
    for name, output in operation.outputs.items():
        mapped = len(output.target) > 1
        yield (
            attribute_address(subject, output.target)
            if mapped
            else operation_address(subject, operation).of(name)
        )


TARGET: Final = "tosca"
"""The name of the target of a template; in an environment it is prefixed with the name of the part."""
WORKFLOW: Final = "tosca-workflow"
DEPLOY: Final = "deploy"
UNDEPLOY: Final = "undeploy"


class ToscaProgram:
    """The operations, workflows and triggers of a template, on its instances when it was evaluated."""

    def __init__(self, ensemble: Ensemble, observed: Mapping[str, Value]) -> None:
        self.ensemble = ensemble
        self.observed = observed
        self.lifecycles = Lifecycles(ensemble, observed)
        self._workflows = ensemble.model.topology.workflows

    # Deploying

    def resources(self) -> tuple[Resource, ...]:
        """Return the resources of a deployment.

        These are the operations of all nodes. A workflow named `deploy` or `undeploy` replaces the generated
        order of that direction.
        """
        every = [*self.lifecycles.resources.values()]
        undoing = {resource.address for resource, command in self.lifecycles.all_commands() if command.undoes}
        if DEPLOY in self._workflows:
            every = _drop_resources(every, [each.address for each in every if each.address not in undoing])
            every.append(replace(self._workflow(DEPLOY, {}), requires=tuple(each.address for each in every)))
        if UNDEPLOY in self._workflows:
            every = _drop_resources(every, undoing)
            # It requires all others, so it is deleted first.
            every.append(
                replace(self._workflow(UNDEPLOY, {}), requires=tuple(each.address for each in every))
            )
        return tuple(every)

    def _workflow(self, name: str, inputs: Mapping[str, Value]) -> Resource:
        workflow = self._workflows[name]
        return Resource(
            address=Address(f"workflows.{name}"),
            kind=WORKFLOW,
            target=TARGET,
            desired={"workflow": name, "inputs": dict(inputs)},
            results=results_of_workflow(self.lifecycles, workflow),
            origin=Origin(workflow.place, How.LITERAL),
        )

    # Calling

    def operations(self) -> Iterator[Operation]:
        for name, workflow in self._workflows.items():
            if name not in (DEPLOY, UNDEPLOY):
                yield Operation(
                    address=Address(""),
                    name=name,
                    arguments={key: self._default(each) for key, each in workflow.inputs.items()},
                    resources=partial(self._call_workflow, workflow),
                    about=f"the workflow {name}",
                )
        for reaction in list_reactions(self.ensemble):
            yield self._trigger(reaction)
        for node in self.ensemble.everything():
            mapped = find_mapped_workflows(node)
            subjects: list[Subject] = [node, *node.requirements]
            for subject in subjects:
                for operation in operations_of_subject(subject):
                    if subject is not node or f"{operation.interface}.{operation.name}" not in mapped:
                        yield self._operation(subject, operation)
            for name, workflow in mapped.items():
                yield self._build_mapped_operation(node, name, workflow)

    def _build_mapped_operation(self, node: NodeInstance, name: str, workflow: Workflow) -> Operation:
        """Return an operation of a node that a workflow of its substituting topology implements."""
        return Operation(
            address=Address(node.key),
            name=name,
            arguments={key: None if _has_value(each) else UNKNOWN for key, each in workflow.inputs.items()},
            resources=partial(self._call_inner_workflow, node, name, workflow),
            about=f"the workflow {workflow.name} of what stands for {node.name}",
        )

    def _call_inner_workflow(
        self, node: NodeInstance, name: str, workflow: Workflow, arguments: Mapping[str, Value]
    ) -> tuple[Resource, ...]:
        assert node.substitution is not None
        ensemble = node.substitution.ensemble
        inputs: dict[str, Value] = {}
        for key, definition in workflow.inputs.items():
            assigned = ensemble.default(definition)
            if arguments.get(key) is not None:
                inputs[key] = arguments[key]
            elif assigned is not None:
                inputs[key] = plain_value(assigned.value(ensemble.root))
        return (
            Resource(
                address=Address(f"{node.key}.interfaces.{name}"),
                kind=WORKFLOW,
                target=TARGET,
                desired={"workflow": workflow.name, "inside": list(node.path), "inputs": inputs},
                results=results_of_workflow(self.lifecycles, workflow, ensemble),
                origin=Origin(workflow.place, How.LITERAL),
            ),
        )

    def reaction(self, policy: str, trigger: str) -> Reaction:
        for reaction in list_reactions(self.ensemble):
            if (reaction.policy.name, reaction.trigger.name) == (policy, trigger):
                return reaction
        raise DeployError(f"policy {policy!r} has no trigger {trigger!r} any more")

    def _call_workflow(self, workflow: Workflow, arguments: Mapping[str, Value]) -> tuple[Resource, ...]:
        for name, value in arguments.items():
            for misfit in self.ensemble.model.values.misfits(workflow.inputs[name], value):
                raise UsageError(f"{name}: {misfit.message}")
        return (self._workflow(workflow.name, arguments),)

    def _default(self, definition: PropertyDefinition) -> Value:
        assigned = self.ensemble.default(definition)
        if assigned is not None:
            return plain_value(assigned.value(self.ensemble.root))
        return UNKNOWN if definition.required else None

    def _trigger(self, reaction: Reaction) -> Operation:
        trigger = reaction.trigger
        return Operation(
            address=Address(f"policies.{reaction.policy.name}"),
            name=trigger.name,
            resources=partial(self._call_trigger, reaction),
            about=f"the trigger {trigger.name} of policy {reaction.policy.name}",
            events=() if trigger.event is None else (trigger.event,),
        )

    def _call_trigger(self, reaction: Reaction, _arguments: Mapping[str, Value]) -> tuple[Resource, ...]:
        if not reaction.is_due(self.ensemble):
            return ()
        policy, trigger = reaction.policy.name, reaction.trigger
        return (
            Resource(
                address=Address(f"policies.{policy}.{trigger.name}"),
                kind=WORKFLOW,
                target=TARGET,
                desired={"policy": policy, "trigger": trigger.name},
                results=results_of_activities(self.lifecycles, reaction.targets, trigger.action),
                origin=Origin(trigger.place, How.LITERAL),
            ),
        )

    def _operation(self, subject: Subject, operation: DescribedOperation) -> Operation:
        address = operation_address(subject, operation)
        return Operation(
            address=address._replace(instance=address.instance.partition(".interfaces.")[0]),
            name=f"{operation.interface}.{operation.name}",
            arguments={key: None if _has_value(each) else UNKNOWN for key, each in operation.inputs.items()},
            resources=partial(self._call_operation, subject, operation),
        )

    def _call_operation(
        self, subject: Subject, operation: DescribedOperation, arguments: Mapping[str, Value]
    ) -> tuple[Resource, ...]:
        commands = self.lifecycles.commands
        command = commands.command(subject, operation)
        given = {name: value for name, value in arguments.items() if value is not None}
        resource = commands.build_resource(operation_address(subject, operation), command)
        return (replace(resource, late=partial(commands.compute_fields, command, more_inputs=given)),)


def _has_value(definition: PropertyDefinition) -> bool:
    return not definition.required or definition.value is not None or definition.default is not None


def _drop_resources(resources: Iterable[Resource], dropped: Iterable[Address]) -> list[Resource]:
    """Return the resources without some; what required a dropped one requires its predecessors instead."""
    left_out = {*dropped}
    stands_for: dict[Address, tuple[Address, ...]] = {}
    rest: list[Resource] = []
    for resource in resources:
        requires = tuple(
            dict.fromkeys(each for other in resource.requires for each in stands_for.get(other, (other,)))
        )
        if resource.address in left_out:
            stands_for[resource.address] = requires
        elif resource.established is None:
            rest.append(replace(resource, requires=requires))
    return rest
