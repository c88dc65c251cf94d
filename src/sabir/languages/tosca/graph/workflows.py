"""Workflows with their steps and triggers of policies, as instances of the graph.

An instance shows what a step or trigger acts on, what it calls, and which inputs it passes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from msgspec import Struct

from sabir.errors import DeployError
from sabir.graph.address import escape_name
from sabir.graph.edges import EdgeKind, edge_kinds
from sabir.graph.graph import Instance
from sabir.graph.origin import AttributeRead, How, Origin
from sabir.graph.record import Record
from sabir.graph.values import Unknown, Value
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.groups import PolicyInstance, nodes_named, policies_of
from sabir.languages.tosca.graph.addresses import Subject, id_of, operation_address, section_id
from sabir.languages.tosca.graph.operations import ValueEvaluator
from sabir.languages.tosca.graph.origins import literal_value
from sabir.languages.tosca.graph.workflow_steps import condition_holds, find_operation, subjects_of
from sabir.languages.tosca.syntax.nodes import Activity, ActivityKind, PolicyTemplate, Step, Trigger, Workflow

_OPERATION_OF: Final = edge_kinds(EdgeKind.OPERATION_OF)


def workflows_of(ensemble: Ensemble, evaluated: ValueEvaluator) -> Iterator[Instance]:
    """Return the workflows of a topology and their steps."""
    outer = ensemble.outer
    for workflow in ensemble.model.topology.workflows.values():
        id_ = section_id(ensemble, "workflows", workflow.name)
        inputs, origins = _evaluate_inputs(ensemble, workflow, id_, evaluated)
        attributes: dict[str, Value] = {"inputs": inputs} if inputs else {}
        if workflow.precondition is not None:
            attributes["precondition"] = literal_value(workflow.precondition.data)
            origins["precondition"] = Origin(workflow.precondition.place, How.CONDITION)
        yield Instance(
            id=id_,
            type="tosca.Workflow",
            language="tosca",
            name=workflow.name,
            owner=None if outer is None else id_of(outer.node),
            attributes=Record.of(attributes),
            origin=Origin(workflow.place, How.LITERAL),
            origins=Record.of(origins),
        )
        for step in workflow.steps.values():
            yield _build_step(_ActivityBuilder(ensemble, evaluated, inputs), workflow, step, id_)


def _evaluate_inputs(
    ensemble: Ensemble, workflow: Workflow, id_: str, evaluated: ValueEvaluator
) -> tuple[dict[str, Value], dict[str, Origin]]:
    values: dict[str, Value] = {}
    sources: list[Origin] = []
    for name, definition in workflow.inputs.items():
        assigned = ensemble.default(definition)
        if assigned is None:
            values[name] = Unknown(of=f"{id_}|inputs", why="it is given when the workflow is called")
            continue
        values[name], read = evaluated(partial(assigned.value, ensemble.root))
        sources.append(Origin(definition.place, How.DEFAULT, read, note=f"input {name}"))
    origin = Origin(workflow.place, How.LITERAL, tuple(sources))
    return values, {"inputs": origin} if values else {}


def _build_step(doing: _ActivityBuilder, workflow: Workflow, step: Step, owner: str) -> Instance:
    subjects = subjects_of(doing.ensemble, step.target, step.target_relationship)
    relations = {"target": tuple(id_of(subject) for subject in subjects)}
    for key, names in (("on_success", step.on_success), ("on_failure", step.on_failure)):
        relations[key] = tuple(
            escape_name(f"{owner}.steps.{name}") for name, _ in names if name in workflow.steps
        )
    attributes: dict[str, Value] = {}
    if step.operation_host is not None:
        attributes["operation_host"] = step.operation_host
    if step.filter is not None:
        attributes["filter"] = literal_value(step.filter.data)
    return doing.instance(
        Origin(step.place, How.LITERAL),
        id_=escape_name(f"{owner}.steps.{step.name}"),
        type_="tosca.Step",
        name=f"{workflow.name}.{step.name}",
        owner=owner,
        subjects=subjects,
        activities=step.activities,
        attributes=attributes,
        relations=relations,
    )


def triggers_of(policy: PolicyInstance, evaluated: ValueEvaluator) -> Iterator[Instance]:
    """Return the triggers of a policy; each belongs to its policy, as an operation belongs to its node."""
    owner = id_of(policy)
    for trigger in policy.triggers.values():
        names = [trigger.target] if trigger.target is not None else [name for name, _ in policy.names()]
        subjects: list[Subject] = [node for name in names for node in nodes_named(policy.ensemble, name)]
        yield _ActivityBuilder(policy.ensemble, evaluated, {}).instance(
            Origin(trigger.place, How.LITERAL),
            id_=escape_name(f"{owner}.{trigger.name}"),
            type_="tosca.Trigger",
            name=f"{policy.name}.{trigger.name}",
            owner=owner,
            subjects=subjects,
            activities=trigger.action,
            attributes=_trigger_conditions(trigger),
            relations={"target": tuple(id_of(subject) for subject in subjects)},
        )


def _trigger_conditions(trigger: Trigger) -> dict[str, Value]:
    conditions: dict[str, Value] = {} if trigger.event is None else {"event": trigger.event}
    for key, written in (("condition", trigger.condition), ("schedule", trigger.schedule)):
        if written is not None:
            conditions[key] = literal_value(written.data)
    return conditions


class _ActivityBuilder:
    """Builder of step and trigger instances.

    `inputs` are those of the workflow, which `get_input` finds first.
    """

    def __init__(self, ensemble: Ensemble, evaluated: ValueEvaluator, inputs: Mapping[str, Value]) -> None:
        self.ensemble = ensemble
        self._evaluated = evaluated
        self._inputs = inputs

    def instance(
        self,
        origin: Origin,
        *,
        id_: str,
        type_: str,
        name: str,
        owner: str,
        subjects: Sequence[Subject],
        activities: Sequence[Activity],
        attributes: dict[str, Value],
        relations: dict[str, tuple[str, ...]],
    ) -> Instance:
        listed: list[Value] = []
        sources: list[Origin | AttributeRead] = []
        for activity in activities:
            passed, read = self._evaluate_activity_inputs(activity, subjects)
            listed.append({activity.kind.value: activity.name, **({"inputs": passed} if passed else {})})
            sources += read
        relations["calls"] = tuple(dict.fromkeys(self._list_called_ids(subjects, activities)))
        kept = {key: ids for key, ids in relations.items() if ids}
        return Instance(
            id=id_,
            type=type_,
            language="tosca",
            name=name,
            owner=owner,
            attributes=Record.of({**attributes, "activities": listed}),
            relations=Record.of(kept),
            origin=origin,
            origins=Record.of(
                {
                    **dict.fromkeys(attributes, origin),
                    "activities": Origin(
                        origin.place, How.EXPRESSION if sources else How.LITERAL, tuple(sources)
                    ),
                    **dict.fromkeys(kept, Origin(origin.place, How.RELATION)),
                }
            ),
            kinds=_OPERATION_OF,
        )

    def _list_called_ids(self, subjects: Sequence[Subject], activities: Iterable[Activity]) -> Iterator[str]:
        for activity in activities:
            if activity.kind is ActivityKind.INLINE:
                if activity.name in self.ensemble.model.topology.workflows:
                    yield section_id(self.ensemble, "workflows", activity.name)
            elif activity.kind is ActivityKind.CALL_OPERATION:
                for subject in subjects:
                    try:
                        operation = find_operation(subject, activity.name)
                    except DeployError:
                        continue  # reported by the checks
                    if operation is not None:
                        yield str(operation_address(subject, operation))

    def _evaluate_activity_inputs(
        self, activity: Activity, subjects: Sequence[Subject]
    ) -> tuple[dict[str, Value], list[Origin | AttributeRead]]:
        """Return the inputs that an activity passes, and their origins.

        With several subjects a computed input can differ for each, so it is left out then.
        """
        values: dict[str, Value] = {}
        sources: list[Origin | AttributeRead] = []
        session = self.ensemble.session
        outside = session.input
        session.input = lambda name: self._inputs[name] if name in self._inputs else outside(name)
        try:
            for name, written in activity.inputs.items():
                assigned = self.ensemble.assignment(written, None)
                reads: list[tuple[Value, tuple[Origin | AttributeRead, ...]]] = [
                    self._evaluated(partial(assigned.value, subject)) for subject in subjects
                ]
                if not reads:
                    continue
                values[name] = reads[0][0]
                if any(value != reads[0][0] for value, _ in reads):
                    values[name] = Unknown(why="it differs between the targets")
                how = How.LITERAL if assigned.is_constant else How.EXPRESSION
                read = tuple(dict.fromkeys(source for _, each in reads for source in each))
                sources.append(Origin(written.place, how, read, note=f"input {name}"))
        finally:
            session.input = outside
        return values, sources


class Reaction(Struct, frozen=True, eq=False):
    """A trigger of a policy, with the nodes and groups that it acts on."""

    policy: PolicyTemplate
    trigger: Trigger
    targets: tuple[str, ...]

    def is_due(self, ensemble: Ensemble) -> bool:
        """Return whether its condition holds for all nodes that it is about."""
        condition = None if self.trigger.condition is None else self.trigger.condition.data
        nodes = [node for name in self.targets for node in nodes_named(ensemble, name)]
        return all(condition_holds(condition, node) for node in nodes)


def list_reactions(ensemble: Ensemble) -> Iterator[Reaction]:
    """Return the triggers of all policies, including those of their types."""
    for policy in policies_of(ensemble):
        targets = tuple(name for name, _ in policy.names())
        for trigger in policy.triggers.values():
            yield Reaction(policy.template, trigger, targets if trigger.target is None else (trigger.target,))
