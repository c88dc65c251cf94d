"""Groups, policies and workflows: what they name is there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.near import did_you_mean
from sabir.diagnostics.rules import Rule
from sabir.languages.tosca.model.model import Model
from sabir.languages.tosca.syntax.examples import ROOT, example
from sabir.languages.tosca.syntax.nodes import Step, Workflow
from sabir.text import Place

__all__ = ["check_members"]

UNKNOWN_MEMBER: Final = Rule(
    code="TOSCA:E025",
    title="a group, policy or workflow names a node that is not there",
    why="Members and targets must be node templates or groups of the topology.",
    bad=example(
        f"topology_template:\n  node_templates:\n{ROOT}  policies: [{{p: {{type: tosca.policies.Scaling, targets: [won]}}}}]\n"
    ),
    good=example(
        f"topology_template:\n  node_templates:\n{ROOT}  policies: [{{p: {{type: tosca.policies.Scaling, targets: [one]}}}}]\n"
    ),
    language="tosca",
)

UNKNOWN_STEP: Final = Rule(
    code="TOSCA:E033",
    title="a workflow names a step that it does not have",
    why="on_success and on_failure lead to other steps of the same workflow.",
    bad=example(
        f"topology_template:\n  node_templates:\n{ROOT}  workflows:\n    w: {{steps: {{s: {{target: one, on_success: [t]}}}}}}\n"
    ),
    good=example(
        f"topology_template:\n  node_templates:\n{ROOT}  workflows:\n    w: {{steps: {{s: {{target: one, on_success: [t]}}, t: {{target: one}}}}}}\n"
    ),
    language="tosca",
)


def check_members(model: Model) -> Iterator[Finding]:
    topology = model.topology
    members = {*model.nodes, *topology.groups}
    for group in topology.groups.values():
        for name, span in group.members:
            if name not in members:
                yield _missing(
                    f"member {name!r} of group {group.name!r}",
                    name,
                    members,
                    Place(group.origin.source, span),
                )
    for policy in topology.policies:
        for name, span in policy.targets:
            if name not in members:
                place = Place(policy.origin.source, span)
                yield _missing(f"target {name!r} of policy {policy.name!r}", name, members, place)
    for workflow in topology.workflows.values():
        for step in workflow.steps.values():
            yield from _step(workflow, step, members)


def _step(workflow: Workflow, step: Step, members: set[str]) -> Iterator[Finding]:
    source = workflow.origin.source
    if step.target is not None and step.target not in members:
        place = Place(source, step.target_span or step.span)
        yield _missing(f"target {step.target!r} of workflow {workflow.name!r}", step.target, members, place)
    for name, span in (*step.on_success, *step.on_failure):
        if name not in workflow.steps:
            message = f"workflow {workflow.name!r} has no step {name!r}"
            hint = did_you_mean(name, workflow.steps)
            yield UNKNOWN_STEP.at(Place(source, span), message, hint=hint)


def _missing(subject: str, name: str, members: set[str], place: Place) -> Finding:
    message = f"{subject} is no node template or group"
    return UNKNOWN_MEMBER.at(place, message, hint=did_you_mean(name, members))
