"""Functions in values: the inputs and entities they name exist; inputs that nothing uses are said so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.near import did_you_mean
from sabir.diagnostics.rules import Rule
from sabir.expressions.query.forms import UNKNOWN_FUNCTION
from sabir.expressions.query.functions.registry import MODULES
from sabir.languages.tosca.model.inputs import UNKNOWN_INPUT
from sabir.languages.tosca.model.model import Model
from sabir.languages.tosca.syntax.examples import ROOT, example
from sabir.languages.tosca.syntax.nodes import (
    GroupTemplate,
    PolicyTemplate,
    PropertyDefinition,
    RelationshipTemplate,
    Written,
)
from sabir.source.yaml.nodes import YamlNode, YamlScalar, YamlSequence
from sabir.text import Place

__all__ = ["check_functions"]

UNKNOWN_ENTITY: Final = Rule(
    code="TOSCA:E022",
    title="a function names something that is not there",
    why="get_property, get_attribute and get_artifact read from a node or relationship template, or from SELF, HOST, SOURCE or "
    "TARGET.",
    bad=example(
        f"topology_template:\n  node_templates:\n{ROOT}  outputs: {{o: {{value: {{get_property: [won, x]}}}}}}\n"
    ),
    good=example(
        f"topology_template:\n  node_templates:\n{ROOT}  outputs: {{o: {{value: {{get_attribute: [one, state]}}}}}}\n"
    ),
    language="tosca",
)

UNUSED_INPUT: Final = Rule(
    code="TOSCA:W023",
    title="an input that nothing uses",
    why="Whoever gives it a value will wonder why nothing changes. Use it or remove it.",
    bad=example("topology_template:\n  inputs: {zone: {type: string, default: a}}\n"),
    good=example(
        "topology_template:\n  inputs: {zone: {type: string, default: a}}\n"
        "  outputs: {o: {value: {get_input: zone}}}\n"
    ),
    language="tosca",
)


# What only an orchestrator can answer.
_ORCHESTRATED: Final = frozenset({"available_allocation", "in_range", "get_operation_output"})
_READERS: Final = frozenset({"get_property", "get_attribute", "get_artifact"})
_RESERVED: Final = frozenset({"SELF", "SOURCE", "TARGET", "HOST", "ROOT", "ORCHESTRATOR"})


def check_functions(model: Model) -> Iterator[Finding]:
    used: set[str] = set(_inputs_of_types(model))
    loose = False
    for written in _values(model):
        for name, argument in _calls(written.node):
            place = Place(written.origin.source, argument.span)
            if name == "get_input":
                input_name = _first(argument)
                if input_name is not None:
                    used.add(input_name)
                    # A list may carry a default beside the name.
                    is_missing = model.topology.complete and input_name not in model.topology.inputs
                    if is_missing and not (isinstance(argument, YamlSequence) and len(argument) > 1):
                        yield _unknown_input(model, input_name, place)
            elif name in _READERS:
                entity = _first(argument)
                if entity is not None and model.topology.complete and not _is_entity(model, entity):
                    hint = did_you_mean(entity, [*model.nodes, *_RESERVED])
                    message = f"{name} names {entity!r}, which is no node or relationship template"
                    yield UNKNOWN_ENTITY.at(place, message, hint=hint)
            elif name in ("eval", "ref", "template"):
                loose = True
            elif name.startswith("$") and name != "$$":
                yield from _unknown_function(model, name, place)
        loose = loose or _mentions_inputs(written.node)
    if loose or model.topology.substitution is not None:
        return
    for name, definition in model.topology.inputs.items():
        if name not in used:
            yield UNUSED_INPUT.at(definition.place, f"the input {name!r} is not used")


def _unknown_function(model: Model, name: str, place: Place) -> Iterator[Finding]:
    """2.0: a function is TOSCA's own, or defined under `functions`."""
    word = name[1:]
    if name in MODULES["second"] or word in model.topology.functions or not model.topology.complete:
        return
    if word in _ORCHESTRATED:
        return
    names = [*MODULES["second"], *(f"${own}" for own in (*MODULES["topology"], "join", "token"))]
    names += [f"${custom}" for custom in model.topology.functions]
    hint = did_you_mean(name, names) or "define it under 'functions:'"
    yield UNKNOWN_FUNCTION.at(place, f"there is no function {name!r}", hint=hint)


def _unknown_input(model: Model, name: str, place: Place) -> Finding:
    hint = did_you_mean(name, model.topology.inputs) or "declare it under 'inputs:'"
    return UNKNOWN_INPUT.at(place, f"there is no input {name!r}", hint=hint)


def _is_entity(model: Model, name: str) -> bool:
    topology = model.topology
    return (
        name in _RESERVED
        or name in model.nodes
        or name in topology.relationship_templates
        or name in topology.groups
        or any(policy.name == name for policy in topology.policies)
    )


def _inputs_of_types(model: Model) -> Iterator[str]:
    """Inputs that the defaults of types use."""
    for table in model.topology.types.values():
        for type_ in table.values():
            for definition in (*type_.properties.values(), *type_.attributes.values()):
                for written in (definition.default, definition.value):
                    for name, argument in _calls(written.node) if written is not None else ():
                        input_name = _first(argument) if name == "get_input" else None
                        if input_name is not None:
                            yield input_name


def _values(model: Model) -> Iterator[Written]:
    """Every value of the topology that a function may stand in."""
    topology = model.topology
    for node in model.nodes.values():
        yield from node.properties.values()
        yield from node.attributes.values()
        for capability in node.capabilities.values():
            yield from capability.properties.values()
            yield from capability.attributes.values()
        for requirement in node.requirements:
            if requirement.relationship is not None and not isinstance(requirement.relationship, str):
                yield from requirement.relationship.properties.values()
            for loose in (requirement.node_filter, requirement.count):
                if loose is not None:
                    yield loose
        for interface in node.interfaces.values():
            yield from _parameters(interface.inputs)
            for operation in interface.operations.values():
                yield from _parameters(operation.inputs)
        for artifact in node.artifacts.values():
            yield from artifact.properties.values()
        for loose in (node.node_filter, node.count):
            if loose is not None:
                yield loose
    templates: tuple[RelationshipTemplate | GroupTemplate | PolicyTemplate, ...] = (
        *topology.relationship_templates.values(),
        *topology.groups.values(),
        *topology.policies,
    )
    for template in templates:
        yield from template.properties.values()
    for output in topology.outputs.values():
        if output.value is not None:
            yield output.value


def _parameters(inputs: Mapping[str, PropertyDefinition]) -> Iterator[Written]:
    for parameter in inputs.values():
        written = parameter.value or parameter.default
        if written is not None:
            yield written


def _calls(node: YamlNode) -> Iterator[tuple[str, YamlNode]]:
    if isinstance(node, YamlScalar):
        return
    if isinstance(node, YamlSequence):
        for item in node.items:
            yield from _calls(item)
        return
    for entry in node.entries:
        key = entry.key.value if isinstance(entry.key, YamlScalar) else None
        if key == "q":
            continue
        if isinstance(key, str) and (len(node) == 1 or key in ("eval", "ref")):
            yield key, entry.value
        yield from _calls(entry.value)


def _first(argument: YamlNode) -> str | None:
    """The name that a call begins with, when it is plain text."""
    node = argument.items[0] if isinstance(argument, YamlSequence) and len(argument) else argument
    if isinstance(node, YamlScalar) and isinstance(node.value, str) and "{{" not in node.value:
        return node.value
    return None


def _mentions_inputs(node: YamlNode) -> bool:
    if isinstance(node, YamlScalar):
        return isinstance(node.value, str) and "{{" in node.value
    if isinstance(node, YamlSequence):
        return any(_mentions_inputs(item) for item in node.items)
    return any(_mentions_inputs(entry.value) for entry in node.entries)
