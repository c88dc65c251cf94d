"""Values held against their definitions: known names, fitting values, nothing required left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean, near
from sabir.languages.tosca.check.rules.results import check_result
from sabir.languages.tosca.model.model import Model
from sabir.languages.tosca.model.types import FlatType
from sabir.languages.tosca.model.values import (
    FORBIDDEN_VALUE,
    MISSING_VALUE,
    UNKNOWN_PROPERTY,
    Misfit,
    holds_expression,
)
from sabir.languages.tosca.syntax.nodes import Assignment, PropertyDefinition, Written
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence
from sabir.text import Place

__all__ = ["check_required", "check_required_values", "check_values", "misfit_finding"]


def check_values(
    model: Model,
    assigned: Assignment,
    definitions: Mapping[str, PropertyDefinition],
    owner: str,
    *,
    also: Mapping[str, PropertyDefinition] | None = None,
    kind: str = "property",
    of: FlatType | None = None,
    is_open: bool = False,
) -> Iterator[Finding]:
    """`of` is the type of what SELF means there; `is_open` lets there be others than are declared."""
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
    """2.0: an attribute may be assigned with words about it, and no value."""
    return isinstance(data, Mapping) and bool(data) and set(data) <= {"description", "metadata", "value"}


def check_required(flat: FlatType, assigned: Assignment, place: Place, subject: str) -> Iterator[Finding]:
    return check_required_values(flat.properties, assigned, place, subject, flat.name)


def check_required_values(
    definitions: Mapping[str, PropertyDefinition],
    assigned: Assignment,
    place: Place,
    subject: str,
    owner: str,
) -> Iterator[Finding]:
    # A name that is nearly the one that is missing is told already.
    misspelt = {near(name, definitions) for name in assigned if name not in definitions}
    for name, definition in definitions.items():
        if definition.needs_value and name not in misspelt and name not in assigned:
            type_ = definition.schema.name if definition.schema else "any"
            message = f"{subject} has no value for the property {name!r} ({type_}), which {owner} requires"
            yield MISSING_VALUE.at(place, message)


def misfit_finding(misfit: Misfit, written: Written, subject: str) -> Finding:
    """At the part of the value that is wrong."""
    where = "".join(f"[{key!r}]" for key in misfit.path)
    node = _part(written.node, misfit.path)
    place = Place(written.origin.source, node.span)
    return misfit.rule.at(place, f"{subject}{where}: {misfit.message}", hint=misfit.hint)


def _part(node: YamlNode, path: tuple[object, ...]) -> YamlNode:
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
