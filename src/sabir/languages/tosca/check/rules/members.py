"""Checks of groups, policies and workflows: the nodes and groups that they name exist."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.model.model import TopologyModel
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import Step, Workflow
from sabir.languages.tosca.syntax.scopes import TypeKind
from sabir.text import Place

UNKNOWN_MEMBER: Final = tosca_rule(
    code="TOSCA:E025",
    title="a group, policy or workflow names a node that is not there",
    why="Members and targets must be node templates or groups of the topology.",
)

WRONG_MEMBER: Final = tosca_rule(
    code="TOSCA:E053",
    title="a group or policy with a node of another type",
    why="TOSCA 2.0: the type of a group or policy says which types of nodes it is for.",
)

UNKNOWN_STEP: Final = tosca_rule(
    code="TOSCA:E033",
    title="a workflow names a step that it does not have",
    why="on_success and on_failure lead to other steps of the same workflow.",
)


def check_members(model: TopologyModel) -> Iterator[Finding]:
    """Check the members of groups, the targets of policies and the targets of workflow steps."""
    topology = model.topology
    members = {*model.nodes, *topology.groups}
    if not topology.complete and not model.nodes:
        return  # the templates could not be read, which is reported already
    for group in topology.groups.values():
        for name, span in group.members:
            if name not in members:
                yield _report_missing_member(
                    f"member {name!r} of group {group.name!r}",
                    name,
                    members,
                    Place(group.origin.source, span),
                )
    for policy in topology.policies:
        for name, span in policy.targets:
            if name not in members:
                place = Place(policy.origin.source, span)
                yield _report_missing_member(
                    f"target {name!r} of policy {policy.name!r}", name, members, place
                )
    yield from _types_of_members(model)
    for workflow in topology.workflows.values():
        for step in workflow.steps.values():
            yield from _check_step(model, workflow, step, members)


def _types_of_members(model: TopologyModel) -> Iterator[Finding]:
    """Check that 2.0 policy targets and group members have a type that the policy or group type allows."""
    topology = model.topology
    pairs = [(TypeKind.GROUP, "group", group, group.members) for group in topology.groups.values()]
    pairs += [(TypeKind.POLICY, "policy", policy, policy.targets) for policy in topology.policies]  # type: ignore[misc]  # both have types and places
    for kind, word, owner, members in pairs:
        flat = model.types.find(kind, owner.type) if owner.type else None
        allowed = () if flat is None else flat.members if kind is TypeKind.GROUP else flat.targets
        if not allowed or not owner.origin.second or not topology.complete:
            continue
        for name, span in members:
            group = topology.groups.get(name)
            if group is not None and not any(
                model.types.definition(TypeKind.GROUP, each) for each in allowed
            ):
                continue  # it applies to the nodes in the group
            kind = TypeKind.NODE if group is None else TypeKind.GROUP
            type_name = "" if group is None else group.type or ""
            member = model.flat.get(name) if group is None else model.types.find(TypeKind.GROUP, type_name)
            if member is not None and not any(model.types.is_a(kind, member.name, each) for each in allowed):
                message = f"{name!r} is of type {member.name!r}, and {word} {owner.name!r} is for {', '.join(allowed)}"
                yield WRONG_MEMBER.at(Place(owner.origin.source, span), message)


def _check_step(model: TopologyModel, workflow: Workflow, step: Step, members: set[str]) -> Iterator[Finding]:
    source = workflow.origin.source
    # In Unfurl a type name stands for all nodes of that type.
    topology = model.topology
    types = model.types.names(TypeKind.NODE) if "unfurl" in topology.profiles else frozenset[str]()
    is_type = step.target in types or (bool(types) and not topology.complete)
    if step.target is not None and step.target not in members and not is_type:
        place = Place(source, step.target_span or step.span)
        subject = f"target {step.target!r} of workflow {workflow.name!r}"
        yield _report_missing_member(subject, step.target, members, place, types)
    for name, span in (*step.on_success, *step.on_failure):
        if name not in workflow.steps:
            message = f"workflow {workflow.name!r} has no step {name!r}"
            hint = did_you_mean(name, workflow.steps)
            yield UNKNOWN_STEP.at(Place(source, span), message, hint=hint)


def _report_missing_member(
    subject: str, name: str, members: set[str], place: Place, types: frozenset[str] = frozenset()
) -> Finding:
    words = "no node template, group or node type" if types else "no node template or group"
    return UNKNOWN_MEMBER.at(place, f"{subject} is {words}", hint=did_you_mean(name, members, types))
