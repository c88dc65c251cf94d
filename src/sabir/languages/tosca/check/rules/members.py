"""Groups, policies, workflows and substitution: what they name is there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.near import did_you_mean
from sabir.diagnostics.rules import Rule
from sabir.languages.tosca.check.rules.type_names import UNKNOWN_TYPE
from sabir.languages.tosca.model.model import Model
from sabir.languages.tosca.syntax.examples import ROOT, example
from sabir.languages.tosca.syntax.nodes import Kind, Step, SubstitutionMapping, Workflow
from sabir.text import Place

__all__ = ["check_members"]

WRONG_SUBSTITUTION: Final = Rule(
    code="TOSCA:E024",
    title="a substitution mapping that does not fit",
    why="It maps a capability, requirement or property that the substituted type does not have, or maps it to something that the "
    "topology does not have.",
    bad=example(
        f"topology_template:\n  substitution_mappings:\n    node_type: tosca.nodes.Root\n    capabilities: {{feature: [won, feature]}}\n  node_templates:\n{ROOT}"
    ),
    good=example(
        f"topology_template:\n  substitution_mappings:\n    node_type: tosca.nodes.Root\n    capabilities: {{feature: [one, feature]}}\n  node_templates:\n{ROOT}"
    ),
    language="tosca",
)

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
    if topology.substitution is not None:
        yield from _substitution(model, topology.substitution)


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


def _substitution(model: Model, mapping: SubstitutionMapping) -> Iterator[Finding]:
    flat = model.types.find(Kind.NODE, mapping.name)
    if flat is None:
        if model.topology.complete:
            hint = did_you_mean(mapping.name, model.types.names(Kind.NODE))
            message = f"there is no node type {mapping.name!r}"
            yield UNKNOWN_TYPE.at(mapping.place, message, hint=hint)
        return
    for section, name, template, entry, span in mapping.entries:
        place = Place(mapping.origin.source, span)
        declared = (
            flat.capabilities
            if section == "capabilities"
            else flat.requirements
            if section == "requirements"
            else flat.properties
        )
        word = {"capabilities": "capability", "requirements": "requirement", "properties": "property"}[
            section
        ]
        if name not in declared and model.topology.complete and not name.startswith("["):
            hint = did_you_mean(name, declared)
            yield WRONG_SUBSTITUTION.at(place, f"{mapping.name} has no {word} {name!r}", hint=hint)
        if template is None or entry is None:
            continue
        if template not in model.nodes:
            hint = did_you_mean(template, model.nodes)
            message = f"substitution maps to {template!r}, which is no node template"
            yield WRONG_SUBSTITUTION.at(place, message, hint=hint)
            continue
        inner = model.flat[template]
        entries = (
            None
            if inner is None
            else {**inner.properties, **inner.attributes}
            if section == "properties"
            else inner.capabilities
            if section == "capabilities"
            else inner.requirements
        )
        if entries is not None and entry not in entries and model.topology.complete:
            hint = did_you_mean(entry, entries)
            message = f"substitution maps to the {word} {entry!r} of {template!r}, which it does not have"
            yield WRONG_SUBSTITUTION.at(place, message, hint=hint)
