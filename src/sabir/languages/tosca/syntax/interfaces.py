"""Reading interfaces with their operations, and artifacts; types and templates both have them.

Reading what is done when: workflows with their steps, the triggers of policies.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.suggestions import suggest
from sabir.languages.tosca.syntax.nodes import (
    Activity,
    ActivityKind,
    ArtifactDefinition,
    Implementation,
    InterfaceDefinition,
    OperationDefinition,
    OutputMapping,
    PropertyDefinition,
    Step,
    Trigger,
    Workflow,
)
from sabir.languages.tosca.syntax.reader import WRONG_SHAPE, Reader
from sabir.languages.tosca.syntax.schemas import only_defines, read_property
from sabir.languages.tosca.syntax.scopes import TypeKind
from sabir.source.yaml.nodes import (
    YamlEntry,
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    plain_data,
    text_of,
)
from sabir.text import Span

_INTERFACE_KEYS: Final = frozenset(
    {
        "type",
        "inputs",
        "operations",
        "notifications",
        "description",
        "metadata",
        "derived_from",
        "version",
        "requirements",  # Unfurl: types of relationships that the operations need a connection of
    }
)


_OPERATION_KEYS: Final = frozenset({"description", "metadata", "implementation", "inputs", "outputs"})
_ARTIFACT_KEYS: Final = frozenset(
    {
        "type",
        "file",
        "repository",
        "deploy_path",
        "artifact_version",
        "checksum",
        "checksum_algorithm",
        "properties",
        "mime_type",
        "file_ext",
        "required",
        "interfaces",
        "dependencies",
        "intent",
        "target",
        "permissions",
        "order",
        "contents",
        "executable",
    }
)


def read_interfaces(
    reader: Reader, node: YamlNode | None, subject: str, *, defines: bool = False
) -> dict[str, InterfaceDefinition]:
    """`defines` says that they stand in a type, where inputs are definitions."""
    return {
        name: read_interface(reader, name, span, value, defines=defines)
        for name, span, value in reader.entries(node, subject)
    }


def read_interface(
    reader: Reader, name: str, span: Span, node: YamlNode | None, *, defines: bool = False
) -> InterfaceDefinition:
    subject = f"interface {name!r}"
    mapping = reader.mapping(node, subject)
    entries = {key: (key_span, item) for key, key_span, item in reader.entries(mapping, subject)}
    fields = {key: item for key, (_, item) in entries.items()}
    if reader.origin.second:
        for key in fields:
            reader.loses = reader.loses or (
                key not in _INTERFACE_KEYS and suggest(key, _INTERFACE_KEYS) is not None
            )
    operations = fields.get("operations")
    if operations is None:
        # Up to 1.2 operations stand beside `type` and `inputs`; 1.3 puts them under `operations`.
        triples = [(key, *entry) for key, entry in entries.items() if key not in _INTERFACE_KEYS]
    else:
        triples = [*reader.entries(operations, f"operations of {subject}")]
    type_node = fields.get("type")
    return InterfaceDefinition(
        name=name,
        span=span,
        origin=reader.origin,
        type=reader.type_text(TypeKind.INTERFACE, type_node, f"type of {subject}"),
        type_span=None if type_node is None else type_node.span,
        inputs=read_parameters(reader, fields.get("inputs"), f"inputs of {subject}", defines=defines),
        operations={
            key: read_operation(reader, key, place, item, defines=defines) for key, place, item in triples
        },
        notifications={
            key: read_operation(reader, key, place, item, defines=defines)
            for key, place, item in reader.entries(fields.get("notifications"), f"notifications of {subject}")
        },
    )


def read_operation(
    reader: Reader, name: str, span: Span, node: YamlNode, *, defines: bool
) -> OperationDefinition:
    if not isinstance(node, YamlMapping):
        return OperationDefinition(
            name=name, span=span, origin=reader.origin, implementation=read_implementation(reader, node)
        )
    subject = f"operation {name!r}"
    for key, place, _ in reader.entries(node, subject):
        reader.misspelt_key(key, _OPERATION_KEYS, subject, place)
    return OperationDefinition(
        name=name,
        span=span,
        origin=reader.origin,
        implementation=read_implementation(reader, node.get("implementation")),
        inputs=read_parameters(reader, node.get("inputs"), f"inputs of {subject}", defines=defines),
        outputs=read_output_mappings(reader, node.get("outputs"), subject),
    )


def read_output_mappings(reader: Reader, node: YamlNode | None, owner: str) -> dict[str, OutputMapping]:
    entries = reader.entries(node, f"outputs of {owner}")
    return {name: _read_output(reader, name, span, item) for name, span, item in entries}


def _read_output(reader: Reader, name: str, span: Span, node: YamlNode) -> OutputMapping:
    """`[SELF, url]`, or a definition that has such a list under `mapping`."""
    mapped = node.get("mapping") if isinstance(node, YamlMapping) else node
    target = reader.texts(mapped, f"output {name!r}") if isinstance(mapped, YamlSequence) else ()
    is_definition = reader.origin.second and isinstance(node, YamlMapping)
    return OutputMapping(
        name=name,
        span=span,
        origin=reader.origin,
        target=tuple(text for text, _ in target),
        definition=read_property(reader, name, span, node) if is_definition else None,
    )


def read_implementation(reader: Reader, node: YamlNode | None) -> Implementation | None:
    if node is None or (isinstance(node, YamlScalar) and node.value is None):
        return None
    subject = "implementation"
    if not isinstance(node, YamlMapping):
        name = reader.text(node, subject)
        return None if name is None else Implementation(name=name, span=node.span, origin=reader.origin)
    if node.get("primary") is None and any(node.get(key) is not None for key in ("file", "type")):
        # The artifact itself in the place of the implementation.
        return _in_place(reader, node, node)
    primary = node.get("primary")
    if isinstance(primary, YamlMapping):
        return _in_place(reader, primary, node)
    name = reader.text(primary, f"primary of {subject}")
    if name is None and node.get("dependencies") is None:
        return None
    span = node.span if primary is None else primary.span
    return _build_implementation(reader, name or "", span, node, None)


def _in_place(reader: Reader, artifact: YamlMapping, node: YamlMapping) -> Implementation:
    keyed = YamlMapping(
        artifact.span,
        (YamlEntry(YamlScalar.at(artifact.span, "implementation", "implementation"), artifact),),
    )
    read = read_artifacts(reader, keyed, "an operation")["implementation"]
    return _build_implementation(reader, "", artifact.span, node, read)


def _build_implementation(
    reader: Reader, name: str, span: Span, node: YamlMapping, artifact: ArtifactDefinition | None
) -> Implementation:
    dependencies = node.get("dependencies")
    items = dependencies.items if isinstance(dependencies, YamlSequence) else ()
    files = (item.get("file") if isinstance(item, YamlMapping) else item for item in items)
    return Implementation(
        name=name,
        span=span,
        origin=reader.origin,
        artifact=artifact,
        dependencies=tuple(
            (item.text, item.span)
            for item in files
            if isinstance(item, YamlScalar) and item.value is not None
        ),
        timeout=reader.optional(node.get("timeout")),
        operation_host=reader.text(node.get("operation_host"), "operation_host"),
    )


def read_parameters(
    reader: Reader, node: YamlNode | None, subject: str, *, defines: bool = False
) -> dict[str, PropertyDefinition]:
    """Inputs: a definition where a map has a type (in a type also where it gives a default or a value), else the value itself."""
    return {
        name: _read_parameter(reader, name, span, value, defines=defines)
        for name, span, value in reader.entries(node, subject)
    }


def _read_parameter(
    reader: Reader, name: str, span: Span, node: YamlNode, *, defines: bool
) -> PropertyDefinition:
    has_type = isinstance(node, YamlMapping) and text_of(node.get("type")) is not None
    # A type may refine an input that it inherits without saying its type again; and in 1.3 its type may be left out.
    if has_type or (
        defines and isinstance(node, YamlMapping) and (reader.origin.second or _gives_default(node))
    ):
        return read_property(reader, name, span, node)
    return PropertyDefinition(
        name=name,
        span=span,
        origin=reader.origin,
        schema=None,
        required=False,
        value=reader.build_value(node),
    )


def _gives_default(node: YamlMapping) -> bool:
    return only_defines(node) and (node.get("default") is not None or node.get("value") is not None)


def read_artifacts(reader: Reader, node: YamlNode | None, owner: str) -> dict[str, ArtifactDefinition]:
    artifacts: dict[str, ArtifactDefinition] = {}
    for name, span, value in reader.list_named_entries(node, f"artifacts of {owner}"):
        subject = f"artifact {name!r} of {owner}"
        if isinstance(value, YamlScalar):
            artifacts[name] = ArtifactDefinition(
                name=name,
                span=span,
                origin=reader.origin,
                end=value.span.end,
                file=reader.text(value, subject),
            )
            continue
        fields = reader.fields(value, subject, _ARTIFACT_KEYS)
        keys = {
            key: plain_data(item) for key, item in fields.items() if key not in ("properties", "description")
        }
        file = fields.get("file")
        artifacts[name] = ArtifactDefinition(
            name=name,
            span=span,
            origin=reader.origin,
            end=value.span.end,
            type=reader.type_text(TypeKind.ARTIFACT, fields.get("type"), f"type of {subject}"),
            file=reader.text(file, f"file of {subject}") if isinstance(file, YamlScalar) else None,
            repository=reader.text(fields.get("repository"), f"repository of {subject}"),
            keys=keys,
            properties=reader.assignments(fields.get("properties"), f"properties of {subject}"),
        )
    return artifacts


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
            steps={step: _read_step(reader, step, place, body) for step, place, body in steps},
            precondition=reader.optional(fields.get("precondition", fields.get("preconditions"))),
            implementation=read_implementation(reader, fields.get("implementation")),
            outputs=read_output_mappings(reader, fields.get("outputs"), subject),
        )
    return workflows


def _read_step(reader: Reader, name: str, span: Span, node: YamlNode) -> Step:
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
        activities=tuple(_read_activities(reader, activities, subject)),
        on_success=reader.texts(fields.get("on_success"), f"on_success of {subject}"),
        on_failure=reader.texts(fields.get("on_failure"), f"on_failure of {subject}"),
    )


def _read_activities(reader: Reader, node: YamlNode | None, subject: str) -> Iterator[Activity]:
    """One map each: the kind of the activity with a name, or with a map that has a name and inputs."""
    for item in node.items if isinstance(node, YamlSequence) else ():
        for key, span, value in reader.entries(item, f"an activity of {subject}"):
            kind = _ACTIVITIES.get(key)
            if kind is not None:
                yield _read_activity(reader, kind, span, value)
            elif key != "inputs":
                reader.report_unknown_key(key, _ACTIVITIES, f"an activity of {subject}", span)


def _read_activity(reader: Reader, kind: ActivityKind, span: Span, node: YamlNode) -> Activity:
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
            action=tuple(_read_activities(reader, fields.get("action"), subject)),
        )
    return triggers
