"""Reading what is done when: workflows with their steps, the triggers of policies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.languages.tosca.syntax.interfaces import read_implementation, read_output_mappings, read_parameters
from sabir.languages.tosca.syntax.nodes import Activity, ActivityKind, Step, Trigger, Workflow
from sabir.languages.tosca.syntax.reader import WRONG_SHAPE, Reader
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of
from sabir.text import Span

__all__ = ["read_triggers", "read_workflows"]

_WORKFLOW_KEYS: Final = frozenset(
    {"inputs", "precondition", "preconditions", "steps", "implementation", "outputs"}
)
_STEP_KEYS: Final = frozenset(
    {
        "target",
        "target_relationship",
        "operation_host",
        "filter",
        "activities",
        "on_success",
        "on_failure",
    }
)
_TRIGGER_KEYS: Final = frozenset(
    {"event", "event_type", "schedule", "target_filter", "condition", "constraint", "period", "evaluations"}
    | {"method", "action"}
)
_ACTIVITIES: Final = {kind.value: kind for kind in ActivityKind}


def read_workflows(reader: Reader, node: YamlNode | None) -> dict[str, Workflow]:
    workflows: dict[str, Workflow] = {}
    for name, span, value in reader.entries(node, "workflows"):
        subject = f"workflow {name!r}"
        fields = reader.fields(value, subject, _WORKFLOW_KEYS)
        steps = reader.entries(fields.get("steps"), f"steps of {subject}")
        workflows[name] = Workflow(
            name=name,
            span=span,
            origin=reader.origin,
            inputs=read_parameters(reader, fields.get("inputs"), f"inputs of {subject}"),
            steps={step: _step(reader, step, place, body) for step, place, body in steps},
            precondition=reader.optional(fields.get("precondition", fields.get("preconditions"))),
            implementation=read_implementation(reader, fields.get("implementation")),
            outputs=read_output_mappings(reader, fields.get("outputs"), subject),
        )
    return workflows


def _step(reader: Reader, name: str, span: Span, node: YamlNode) -> Step:
    subject = f"step {name!r}"
    fields = reader.fields(node, subject, _STEP_KEYS)
    target, activities = fields.get("target"), fields.get("activities")
    # Older triggers have a map as their action; steps have always had lists.
    if isinstance(activities, YamlMapping) and not reader.origin.second:
        reader.report(WRONG_SHAPE, f"activities of {subject} must be a list, not a map", activities.span)
    return Step(
        name=name,
        span=span,
        origin=reader.origin,
        target=reader.text(target, f"target of {subject}"),
        target_span=None if target is None else target.span,
        target_relationship=reader.text(
            fields.get("target_relationship"), f"target_relationship of {subject}"
        ),
        operation_host=reader.text(fields.get("operation_host"), f"operation_host of {subject}"),
        filter=reader.optional(fields.get("filter")),
        activities=tuple(_activities(reader, activities, subject)),
        on_success=reader.texts(fields.get("on_success"), f"on_success of {subject}"),
        on_failure=reader.texts(fields.get("on_failure"), f"on_failure of {subject}"),
    )


def _activities(reader: Reader, node: YamlNode | None, subject: str) -> Iterator[Activity]:
    """One map each: the kind of the activity with a name, or with a map that has a name and inputs."""
    for item in node.items if isinstance(node, YamlSequence) else ():
        for key, span, value in reader.entries(item, f"an activity of {subject}"):
            kind = _ACTIVITIES.get(key)
            if kind is not None:
                yield _activity(reader, kind, span, value)
            elif key != "inputs":
                reader.unknown_key(key, _ACTIVITIES, f"an activity of {subject}", span)


def _activity(reader: Reader, kind: ActivityKind, span: Span, node: YamlNode) -> Activity:
    inputs: YamlNode | None = None
    named: YamlNode | None = node
    if isinstance(node, YamlMapping):
        inputs = node.get("inputs")
        named = node.get("operation") or node.get("workflow")
    name = reader.text(named, kind.value)
    if name is None:
        reader.report(WRONG_SHAPE, f"{kind.value} names nothing", span)
    return Activity(
        name=name or "",
        span=span if named is None else named.span,
        origin=reader.origin,
        kind=kind,
        inputs=reader.assignments(inputs, f"inputs of {kind.value}"),
    )


def read_triggers(reader: Reader, node: YamlNode | None, owner: str) -> dict[str, Trigger]:
    triggers: dict[str, Trigger] = {}
    for name, span, value in reader.entries(node, f"triggers of {owner}"):
        subject = f"trigger {name!r} of {owner}"
        fields = reader.fields(value, subject, _TRIGGER_KEYS)
        event = fields.get("event", fields.get("event_type"))
        filtered = fields.get("target_filter")
        triggers[name] = Trigger(
            name=name,
            span=span,
            origin=reader.origin,
            event=event.text if isinstance(event, YamlScalar) else None,
            target=text_of(filtered.get("node")) if isinstance(filtered, YamlMapping) else None,
            condition=reader.optional(fields.get("condition")),
            schedule=reader.optional(fields.get("schedule")),
            action=tuple(_activities(reader, fields.get("action"), subject)),
        )
    return triggers
