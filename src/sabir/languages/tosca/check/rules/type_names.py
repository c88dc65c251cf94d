"""Checks of type names: each named type exists, and no type derives from itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.expressions.query.functions.tosca2 import PURE
from sabir.languages.tosca.check.rules.function_results import check_result, explain_misuse, gives_truth
from sabir.languages.tosca.check.rules.schemas import WRONG_SCALAR
from sabir.languages.tosca.model.constraints import CONSTRAINTS
from sabir.languages.tosca.model.model import TopologyModel
from sabir.languages.tosca.model.types import DEEPEST_TYPE
from sabir.languages.tosca.model.values import MISSING_VALUE
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import (
    Constraint,
    FunctionDefinition,
    InterfaceDefinition,
    PropertyDefinition,
    RequirementDefinition,
    Schema,
    TypeDefinition,
)
from sabir.languages.tosca.syntax.reader import WRONG_SHAPE
from sabir.languages.tosca.syntax.schemas import PRIMITIVES, UNKNOWN_CONSTRAINT
from sabir.languages.tosca.syntax.scopes import TypeKind
from sabir.text import Place

UNKNOWN_TYPE: Final = tosca_rule(
    code="TOSCA:E006",
    title="unknown type",
    why="Neither the template, its imports nor the normative types define a type of this name.",
)

CIRCULAR_TYPE: Final = tosca_rule(
    code="TOSCA:E007",
    title="a type derives from itself, or from too many",
    why="Following derived_from leads back to the type, so what it inherits has no end. "
    f"Nor may a type have more than {DEEPEST_TYPE} ancestors.",
)


def check_type_names(model: TopologyModel) -> Iterator[Finding]:
    """Check each type that a definition or template names, and report inheritance cycles."""
    for kind, table in model.topology.types.items():
        for definition in {id(definition): definition for definition in table.values()}.values():
            yield from _check_definition(model, kind, definition)
    for name, template in model.nodes.items():
        if model.flat[name] is None and template.type:
            yield from _check_type_exists(
                model, TypeKind.NODE, template.type, Place(template.origin.source, template.type_span)
            )
        for artifact in template.artifacts.values():
            if artifact.type is not None:
                yield from _check_type_exists(model, TypeKind.ARTIFACT, artifact.type, artifact.place)
        for interface in template.interfaces.values():
            yield from _check_implementations(model, interface)
    for relationship in model.topology.relationship_templates.values():
        if relationship.type is not None:
            yield from _check_type_exists(model, TypeKind.RELATIONSHIP, relationship.type, relationship.place)
    for declared in model.topology.inputs.values():
        yield from _check_schema(model, declared.schema)
    for output in model.topology.outputs.values():
        yield from _check_schema(model, output.schema)
    for workflow in model.topology.workflows.values():
        for parameter in workflow.inputs.values():
            yield from _check_property(model, parameter)
    for function in {id(function): function for function in model.topology.functions.values()}.values():
        yield from _check_function(model, function)
    for group in model.topology.groups.values():
        if group.type is not None:
            yield from _check_type_exists(
                model, TypeKind.GROUP, group.type, Place(group.origin.source, group.type_span)
            )
    for policy in model.topology.policies:
        if policy.type is not None:
            yield from _check_type_exists(
                model, TypeKind.POLICY, policy.type, Place(policy.origin.source, policy.type_span)
            )
    yield from _report_cycles(model)


def _check_function(model: TopologyModel, function: FunctionDefinition) -> Iterator[Finding]:
    """Check the types in the signatures of a user-defined 2.0 function."""
    if not function.origin.second:
        return
    if "$" in function.name:
        message = f"the name of function {function.name!r} has a '$', which stands before the name in a call"
        yield WRONG_SHAPE.at(function.place, message)
    for signature in function.signatures:
        for schema in (*signature.arguments, *signature.optional_arguments, signature.result):
            yield from _check_schema(model, schema)
        artifact = None if signature.implementation is None else signature.implementation.artifact
        if artifact is not None and artifact.type is not None:
            yield from _check_type_exists(model, TypeKind.ARTIFACT, artifact.type, artifact.place)


def _report_cycles(model: TopologyModel) -> Iterator[Finding]:
    """Report each inheritance cycle once, at its first type, whichever type was checked."""
    told: set[tuple[TypeKind, frozenset[str]]] = set()
    for definition in model.types.cycles:
        ring, seen = [definition], {id(definition)}
        while (parent := _find_parent(model, ring[-1])) is not None and id(parent) not in seen:
            ring.append(parent)
            seen.add(id(parent))
        key = definition.kind, frozenset(member.name for member in ring)
        if key not in told:
            told.add(key)
            first = min(ring, key=lambda member: (member.place.source.name, member.place.span.start))
            start = ring.index(first)
            names = [member.name for member in (*ring[start:], *ring[:start], first)]
            way = " → ".join(names)
            yield CIRCULAR_TYPE.at(
                first.place, f"{first.kind.word} type {first.name!r} derives from itself: {way}"
            )
    deep = model.types.too_deep
    if deep is not None:
        yield CIRCULAR_TYPE.at(
            deep.place, f"{deep.kind.word} type {deep.name!r} has more than {DEEPEST_TYPE} ancestors"
        )


def _find_parent(model: TopologyModel, definition: TypeDefinition) -> TypeDefinition | None:
    name = definition.derived_from
    return None if name is None else model.types.definition(definition.kind, name)


def _check_type_exists(model: TopologyModel, kind: TypeKind, name: str, place: Place) -> Iterator[Finding]:
    # If an import is missing, an unknown type may be defined there: the finding about the import is enough.
    topology = model.topology
    if not topology.complete or model.types.definition(kind, name) is not None or topology.is_elsewhere(name):
        return
    if "unfurl" in topology.profiles and name.startswith(("unfurl.", "artifact.")):
        # Unfurl provides more types than sabir bundles.
        return
    qualified = model.types.find_qualified_name(kind, name)
    primitives = PRIMITIVES if kind is TypeKind.DATA else ()
    near = did_you_mean(name, model.types.names(kind), primitives)
    hint = near if qualified is None else f"did you mean {qualified!r}?"
    yield UNKNOWN_TYPE.at(place, f"there is no {kind.word} type {name!r}", hint=hint)


def _check_definition(model: TopologyModel, kind: TypeKind, type_: TypeDefinition) -> Iterator[Finding]:
    model.types.find(kind, type_.name)
    parent = type_.derived_from
    if parent is not None and not (kind is TypeKind.DATA and parent in PRIMITIVES):
        yield from _check_type_exists(
            model, kind, parent, Place(type_.origin.source, type_.derived_from_span or type_.span)
        )
    for definition in (*type_.properties.values(), *type_.attributes.values()):
        yield from _check_property(model, definition)
    for capability in type_.capabilities.values():
        if capability.type:
            yield from _check_type_exists(model, TypeKind.CAPABILITY, capability.type, capability.place)
        for definition in (*capability.properties.values(), *capability.attributes.values()):
            yield from _check_property(model, definition)
    for requirement in type_.requirements:
        if requirement.capability is not None and not _is_capability_name(model, requirement):
            yield from _check_type_exists(
                model, TypeKind.CAPABILITY, requirement.capability, requirement.place_of("capability")
            )
        if requirement.node is not None:
            yield from _check_type_exists(
                model, TypeKind.NODE, requirement.node, requirement.place_of("node")
            )
        if requirement.relationship is not None:
            place = requirement.place_of("relationship")
            yield from _check_type_exists(model, TypeKind.RELATIONSHIP, requirement.relationship, place)
    for constraint in type_.constraints:
        yield from _check_constraint(model, constraint)
    yield from _valid_types(model, type_)
    yield from _check_interface(model, type_.behaviour)
    for interface in type_.interfaces.values():
        yield from _check_interface(model, interface)
        yield from _check_implementations(model, interface)
    if type_.scalar is not None:
        yield from _check_schema(model, type_.scalar.data_type)
    yield from _check_schema(model, type_.schema)


def _check_interface(model: TopologyModel, interface: InterfaceDefinition | None) -> Iterator[Finding]:
    """Check the declared types of inputs."""
    if interface is None:
        return
    if interface.type is not None:
        place = Place(interface.origin.source, interface.type_span or interface.span)
        yield from _check_type_exists(model, TypeKind.INTERFACE, interface.type, place)
    operations = (*interface.operations.values(), *interface.notifications.values())
    for operation in operations:
        for output in operation.outputs.values():
            if output.definition is not None:
                yield from _check_property(model, output.definition)
    for inputs in (interface.inputs, *(operation.inputs for operation in operations)):
        for parameter in inputs.values():
            yield from _check_property(model, parameter)
            if parameter.schema is None and parameter.origin.second and _is_type_of_inputs(parameter):
                message = f"input {parameter.name!r} must be a definition, not {parameter.value_text!r}"
                yield WRONG_SHAPE.at(parameter.place, message, hint="write it as {type: string}")


def _is_type_of_inputs(parameter: PropertyDefinition) -> bool:
    return parameter.name in ("description", "metadata") and parameter.value_text is not None


def _is_capability_name(model: TopologyModel, requirement: RequirementDefinition) -> bool:
    """Return whether a requirement names a capability of the node instead of a capability type."""
    name = requirement.capability or ""
    if model.types.definition(TypeKind.CAPABILITY, name) is not None or "." in name or ":" in name:
        return False
    if requirement.node is None:
        return not requirement.origin.second
    flat = model.types.find(TypeKind.NODE, requirement.node)
    return flat is None or not requirement.origin.second or name in flat.capabilities


def _valid_types(model: TopologyModel, type_: TypeDefinition) -> Iterator[Finding]:
    """Check the valid types that a 2.0 type lists."""
    if not type_.origin.second:
        return
    for name in type_.valid_source_types:
        yield from _check_type_exists(model, TypeKind.NODE, name, type_.place)
    for name in type_.valid_target_types:
        yield from _check_type_exists(model, TypeKind.CAPABILITY, name, type_.place)
    for name in type_.valid_relationship_types:
        yield from _check_type_exists(model, TypeKind.RELATIONSHIP, name, type_.place)
    for name in type_.valid_target_node_types:
        yield from _check_type_exists(model, TypeKind.NODE, name, type_.place)
    for name in (*type_.members, *type_.targets):
        if model.types.definition(TypeKind.GROUP, name) is None:
            yield from _check_type_exists(model, TypeKind.NODE, name, type_.place)
    for artifact in type_.artifacts.values():
        if artifact.type is not None:
            yield from _check_type_exists(model, TypeKind.ARTIFACT, artifact.type, artifact.place)
    for capability in type_.capabilities.values():
        for name in capability.valid_source_types:
            yield from _check_type_exists(model, TypeKind.NODE, name, capability.place)
        for name in capability.valid_relationship_types:
            yield from _check_type_exists(model, TypeKind.RELATIONSHIP, name, capability.place)


def _check_implementations(model: TopologyModel, interface: InterfaceDefinition) -> Iterator[Finding]:
    """Check the types of artifacts that are defined inline in place of a file (2.0)."""
    for operation in (*interface.operations.values(), *interface.notifications.values()):
        implementation = operation.implementation
        artifact = None if implementation is None else implementation.artifact
        if artifact is not None and artifact.type is not None and artifact.origin.second:
            yield from _check_type_exists(model, TypeKind.ARTIFACT, artifact.type, artifact.place)


def _check_property(model: TopologyModel, definition: PropertyDefinition) -> Iterator[Finding]:
    yield from _check_schema(model, definition.schema or definition.refined_schema)
    default = definition.default or definition.value
    if default is None or definition.schema is None:
        return
    yield from check_result(model, definition.schema, default, f"default of {definition.name!r}")
    for misfit in model.values.misfits(definition, default.data):
        # Before 2.0 a default may be partial: templates add the rest.
        if misfit.rule is not MISSING_VALUE or definition.origin.second:
            where = "".join(f"[{key!r}]" for key in misfit.path)
            message = f"default of {definition.name!r}{where}: {misfit.message}"
            yield misfit.rule.at(default.place, message, hint=misfit.hint)


def _check_schema(model: TopologyModel, schema: Schema | None) -> Iterator[Finding]:
    if schema is None:
        return
    name = schema.name
    if (
        name
        and name not in PRIMITIVES
        and model.topology.complete
        and model.types.definition(TypeKind.DATA, name) is None
    ):
        hint = did_you_mean(name, model.types.names(TypeKind.DATA), PRIMITIVES)
        yield UNKNOWN_TYPE.at(schema.place, f"there is no data type {name!r}", hint=hint)
    if name == "scalar" and schema.origin.second and model.types.is_primitive(name):
        hint = "derive a type with units from it, and use that"
        yield WRONG_SCALAR.at(schema.place, "scalar is abstract: a value cannot be of it", hint=hint)
    for constraint in schema.constraints:
        yield from _check_constraint(model, constraint)
    yield from _check_schema(model, schema.entry_schema)
    yield from _check_schema(model, schema.key_schema)


def _check_constraint(model: TopologyModel, constraint: Constraint) -> Iterator[Finding]:
    name, data = constraint.name, constraint.argument.data
    function = model.topology.functions.get(name[1:]) if name.startswith("$") else None
    if function is not None:
        reason = explain_misuse(model, function, data)
        if reason is not None:
            yield UNKNOWN_CONSTRAINT.at(constraint.argument.place, f"{name} {reason}")
    elif name.lstrip("$") not in CONSTRAINTS and name.lstrip("$") not in PURE:
        custom = (f"${function}" for function in model.topology.functions)
        hint = did_you_mean(name, [*CONSTRAINTS, *custom])
        yield UNKNOWN_CONSTRAINT.at(constraint.place, f"there is no constraint {name!r}", hint=hint)
        return
    elif name.startswith("$") and (pure := PURE.get(name[1:])) is not None:
        count = len(data) if isinstance(data, list) else 0 if data is None else 1
        if count < pure.least or (pure.most is not None and count > pure.most):
            message = f"{name} needs {pure.least} arguments, not {count}"
            yield UNKNOWN_CONSTRAINT.at(constraint.argument.place, message)
    elif constraint.name == "in_range" and not (
        isinstance(constraint.argument.data, list) and len(constraint.argument.data) == 2
    ):
        message = "in_range needs a list of two, as [1, 4] or [1, UNBOUNDED]"
        yield UNKNOWN_CONSTRAINT.at(constraint.argument.place, message)
    if name.startswith("$") and not gives_truth(model, name, data):
        message = f"{name} says neither true nor false, as a validation must"
        yield UNKNOWN_CONSTRAINT.at(constraint.place, message)
