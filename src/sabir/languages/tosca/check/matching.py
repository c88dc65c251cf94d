"""Requirements that a template leaves out although its type needs them: the first template that suits meets them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from sabir.languages.tosca.syntax.nodes import (
    NodeTemplate,
    RelationshipTemplate,
    RequirementAssignment,
    RequirementDefinition,
)

if TYPE_CHECKING:
    from sabir.languages.tosca.check.model import Model

__all__ = ["Link", "Matching", "left_out"]

_Key = tuple[str | None, str | None, int]


class Link(Struct, frozen=True, kw_only=True, eq=False):
    """A requirement of a template and what it leads to, as far as that is known."""

    assignment: RequirementAssignment
    definition: RequirementDefinition | None
    target: str | None
    capability: str | None
    relationship: RelationshipTemplate | None
    relationship_type: str
    automatic: bool = False
    """The template leaves the requirement out, and this is what meets it."""

    @property
    def name(self) -> str:
        return self.assignment.name


class Matching:
    """The candidates of a requirement, found once: two are enough, as none meets its own."""

    def __init__(self) -> None:
        self.known: dict[_Key, list[str]] = {}


def left_out(model: Model, template: NodeTemplate) -> Iterator[Link]:
    """What meets the requirements that the template does not speak of and its type cannot do without."""
    flat = model.flat[template.name]
    if flat is None or template.directives or not model.topology.complete:
        return
    given = {one.name for one in template.requirements}
    for name, definition in flat.requirements.items():
        if name in given or definition.occurrences[0] < 1 or model.is_substituted(template.name, name):
            continue
        target = next((one for one in _candidates(model, definition) if one != template.name), None)
        if target is None:
            continue
        assignment = RequirementAssignment(name=name, span=template.span, origin=template.origin)
        relationship, relationship_type = model.relationship(assignment, definition)
        yield Link(
            assignment=assignment,
            definition=definition,
            target=target,
            capability=_capability(model, definition, target),
            relationship=relationship,
            relationship_type=relationship_type,
            automatic=True,
        )


def _candidates(model: Model, definition: RequirementDefinition) -> list[str]:
    from sabir.languages.tosca.check.filters import passes

    key = (definition.node, definition.capability, id(definition.node_filter))
    found = model.matching.known.get(key)
    if found is not None:
        return found
    found = model.matching.known[key] = []
    wanted = definition.capability
    if definition.node is not None:
        names = model.templates_of_type(definition.node)
    else:
        names = model.with_capability(wanted) if wanted is not None else []
    for name in names:
        if wanted is not None and _capability(model, definition, name) is None:
            continue
        if definition.node_filter is None or passes(definition.node_filter, model.nodes[name], model):
            found.append(name)
            if len(found) == 2:
                break
    return found


def _capability(model: Model, definition: RequirementDefinition, target: str) -> str | None:
    flat, wanted = model.flat.get(target), definition.capability
    if flat is None or wanted is None:
        return None
    suited = [name for name, one in flat.capabilities.items() if model.is_capability(one.type, wanted)]
    return definition.name if definition.name in suited else next(iter(suited), None)
