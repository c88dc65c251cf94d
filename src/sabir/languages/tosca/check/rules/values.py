"""Values of a topology, and values compared with their definitions.

The other checks share this module. It contains the iteration over all values in which functions may occur,
the comparison of assignments with property definitions, and the check of paths into values: fields, keys and
indexes after an input, property or attribute name (2.0).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean, suggest
from sabir.languages.tosca.check.rules.function_results import check_result
from sabir.languages.tosca.model.model import TopologyModel
from sabir.languages.tosca.model.types import FlatType, TypeTable
from sabir.languages.tosca.model.values import (
    FORBIDDEN_VALUE,
    MISSING_VALUE,
    UNKNOWN_PROPERTY,
    TypeMismatch,
    holds_expression,
)
from sabir.languages.tosca.syntax.nodes import (
    Assignment,
    GroupTemplate,
    NodeTemplate,
    PolicyTemplate,
    PropertyDefinition,
    RelationshipTemplate,
    Schema,
    SourceValue,
    TypeDefinition,
    list_defined_values,
)
from sabir.languages.tosca.syntax.scopes import TypeKind
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence
from sabir.text import Place


def check_values(
    model: TopologyModel,
    assigned: Assignment,
    definitions: Mapping[str, PropertyDefinition],
    owner: str,
    *,
    also: Mapping[str, PropertyDefinition] | None = None,
    kind: str = "property",
    of: FlatType | None = None,
    is_open: bool = False,
) -> Iterator[Finding]:
    """Check assigned values against their definitions: known names and matching types.

    `of` is the type of the entity that SELF refers to. With `is_open` names without a definition are allowed.
    """
    for name, written in assigned.items():
        definition = definitions.get(name)
        if definition is None:
            definition = (also or {}).get(name)
            if definition is None and model.topology.complete and not is_open:
                hint = did_you_mean(name, definitions)
                message = f"{owner} has no {kind} {name!r}"
                yield UNKNOWN_PROPERTY.at(written.key_place, message, hint=hint)
        if definition is None:
            continue
        data = written.data
        if kind == "attribute" and definition.origin.second and _is_long_form(data):
            continue
        if definition.value is not None and definition.origin.second and definition.value.data != data:
            message = f"{name!r} has a fixed value in {owner}, which cannot be changed"
            yield FORBIDDEN_VALUE.at(written.place, message)
            continue
        if holds_expression(data):
            yield from check_result(model, definition.schema, written, f"{name!r}", of)
            continue
        for misfit in model.values.misfits(definition, data):
            yield misfit_finding(misfit, written, f"{name!r}")


def _is_long_form(data: object) -> bool:
    """Return whether a 2.0 attribute is assigned in long form, without a value."""
    return isinstance(data, Mapping) and bool(data) and set(data) <= {"description", "metadata", "value"}


def check_required(flat: FlatType, assigned: Assignment, place: Place, subject: str) -> Iterator[Finding]:
    """Report required properties of a type that have neither a value nor a default."""
    return check_required_values(flat.properties, assigned, place, subject, flat.name)


def check_required_values(
    definitions: Mapping[str, PropertyDefinition],
    assigned: Assignment,
    place: Place,
    subject: str,
    owner: str,
) -> Iterator[Finding]:
    """Report required definitions that have neither a value nor a default.

    A definition is skipped if an unknown name is close to its name: that finding already suggests it.
    """
    # A misspelled name has been reported with the missing one as a suggestion.
    misspelt = {suggest(name, definitions) for name in assigned if name not in definitions}
    for name, definition in definitions.items():
        if definition.needs_value and name not in misspelt and name not in assigned:
            type_ = definition.schema.name if definition.schema else "any"
            message = f"{subject} has no value for the property {name!r} ({type_}), which {owner} requires"
            yield MISSING_VALUE.at(place, message)


def misfit_finding(misfit: TypeMismatch, written: SourceValue, subject: str) -> Finding:
    """Return the finding for a type mismatch, located at the part of the value that does not match."""
    where = "".join(f"[{key!r}]" for key in misfit.path)
    node = _find_part(written.node, misfit.path)
    place = Place(written.origin.source, node.span)
    return misfit.rule.at(place, f"{subject}{where}: {misfit.message}", hint=misfit.hint)


def _find_part(node: YamlNode, path: tuple[object, ...]) -> YamlNode:
    for key in path:
        inner: YamlNode | None = None
        if isinstance(node, YamlSequence) and isinstance(key, int):
            inner = node.items[key]
        elif isinstance(node, YamlMapping):
            for entry in node.entries:
                if isinstance(entry.key, YamlScalar) and entry.key.value == key:
                    inner = entry.value
        if inner is None:
            return node
        node = inner
    return node


_ANYTHING = frozenset({"any", "json", "xml"})


def find_path_problem(
    types: TypeTable, schema: Schema | None, way: Sequence[object]
) -> tuple[str, str | None] | None:
    """Return where a path into a value of a type ends, and a hint.

    Returns None if the path is valid, or if the type does not determine that.
    """
    for word in way:
        if schema is None or not isinstance(word, str | int):
            return None
        flat = types.find(TypeKind.DATA, schema.name)
        if flat is None and not types.is_primitive(schema.name):
            return None
        base = schema.name if flat is None else flat.primitive
        if flat is not None and base is None:
            if not flat.properties:
                return None
            if word not in flat.properties:
                return f"{schema.name} has no field {word!r}", did_you_mean(str(word), flat.properties)
            schema = flat.properties[str(word)].schema
        elif base in _ANYTHING:
            return None
        elif base == "list" and isinstance(word, str) and not word.isdigit() and word != "ALL":
            return f"a list has no entry {word!r}", "its entries have numbers, from 0"
        elif base in ("list", "map"):
            schema = schema.entry_schema or (None if flat is None else flat.schema)
        else:
            return f"{schema.name} is no list or map, so it has no entry {word!r}", None
    return None


def list_values(model: TopologyModel) -> Iterator[SourceValue]:
    """Return every value of the topology in which a function may occur."""
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
    yield from list_clauses(model)
    yield from operation_inputs(model)


def operation_inputs(model: TopologyModel) -> Iterator[SourceValue]:
    """Return the inputs that templates and types assign to operations."""
    types = {id(type_): type_ for type_ in model.topology.types[TypeKind.NODE].values()}.values()
    owners: tuple[NodeTemplate | TypeDefinition, ...] = (*model.nodes.values(), *types)
    for owner in owners:
        for interface in owner.interfaces.values():
            yield from list_defined_values(interface.inputs)
            for operation in interface.operations.values():
                yield from list_defined_values(operation.inputs)


def list_clauses(model: TopologyModel) -> Iterator[SourceValue]:
    """Return 2.0 conditions and validation clauses, which are function calls as well."""
    topology = model.topology
    for workflow in topology.workflows.values():
        parts = (workflow.precondition, *(step.filter for step in workflow.steps.values()))
        yield from (part for part in parts if part is not None and part.origin.second)
    for policy in topology.policies:
        conditions = (trigger.condition for trigger in policy.triggers.values())
        yield from (part for part in conditions if part is not None and part.origin.second)
    if topology.substitution is not None and topology.substitution.filter is not None:
        yield topology.substitution.filter
    for table in topology.types.values():
        for type_ in {id(type_): type_ for type_ in table.values()}.values():
            if type_.origin.second:
                yield from _list_conditions(type_)


def list_validation_arguments(model: TopologyModel) -> Iterator[SourceValue]:
    """Return the arguments of 2.0 validation clauses."""
    topology = model.topology
    schemas = [definition.schema for definition in topology.inputs.values()]
    for table in topology.types.values():
        for type_ in {id(type_): type_ for type_ in table.values()}.values():
            yield from (each.argument for each in type_.constraints if each.origin.second)
            definitions = (*type_.properties.values(), *type_.attributes.values())
            schemas += [definition.schema or definition.refined_schema for definition in definitions]
    while schemas:
        schema = schemas.pop()
        if schema is not None and schema.origin.second:
            yield from (constraint.argument for constraint in schema.constraints)
            schemas += [schema.entry_schema, schema.key_schema]


def _list_conditions(type_: TypeDefinition) -> Iterator[SourceValue]:
    for trigger in type_.triggers.values():
        if trigger.condition is not None:
            yield trigger.condition
    for requirement in type_.requirements:
        if requirement.node_filter is not None:
            yield requirement.node_filter
