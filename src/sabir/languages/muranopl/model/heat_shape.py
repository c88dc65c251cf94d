"""Whether a Heat template has the shape that a class and a form are made of: the first thing that is of another kind."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence

__all__ = ["TYPES", "shape_defects"]

TYPES: Final = ("string", "comma_delimited_list", "json", "number", "boolean")
"""Those of parameters."""

Defect = tuple[YamlNode, str]


def shape_defects(root: YamlMapping) -> Iterator[Defect]:
    """Each node that is not what it has to be, with what it has to be."""
    for name, parameter in _named(root.get("parameters")):
        yield from _parameter_defects(name, parameter)
    yield from _name_defects(root.get("parameters"), "parameters")
    yield from _name_defects(root.get("outputs"), "outputs")
    yield from _group_defects(root.get("parameter_groups"))


def _is_nothing(node: YamlNode | None) -> bool:
    return node is None or (isinstance(node, YamlScalar) and node.value is None)


def _is_text(node: YamlNode) -> bool:
    return isinstance(node, YamlScalar) and isinstance(node.value, str)


def _named(node: YamlNode | None) -> Iterator[tuple[YamlNode, YamlNode]]:
    if isinstance(node, YamlMapping):
        yield from node.items()


def _name_defects(node: YamlNode | None, key: str) -> Iterator[Defect]:
    if node is None or _is_nothing(node):
        return
    if not isinstance(node, YamlMapping):
        yield node, f"{key} are a mapping of names"
        return
    yield from (
        (entry.key, f"the names of {key} are texts") for entry in node.entries if not _is_text(entry.key)
    )


def _parameter_defects(name: YamlNode, parameter: YamlNode) -> Iterator[Defect]:
    type_ = parameter.get("type") if isinstance(parameter, YamlMapping) else None
    if not isinstance(type_, YamlScalar) or type_.value not in TYPES:
        yield type_ or name, f"a parameter needs one of the types {', '.join(TYPES)}"
        return
    assert isinstance(parameter, YamlMapping)
    constraints = parameter.get("constraints")
    if isinstance(constraints, YamlSequence):
        for constraint in constraints:
            yield from _constraint_defects(constraint)
    elif constraints is not None and not _is_nothing(constraints):
        yield constraints, "constraints are a list"


def _constraint_defects(constraint: YamlNode) -> Iterator[Defect]:
    if not isinstance(constraint, YamlMapping):
        yield constraint, "a constraint is a mapping"
        return
    values = constraint.get("allowed_values")
    if values is not None and not isinstance(values, YamlSequence):
        yield values, "allowed_values are a list"
    for key in ("length", "range"):
        bounds = constraint.get(key)
        if bounds is not None:
            yield from _bound_defects(key, bounds)


def _bound_defects(key: str, bounds: YamlNode) -> Iterator[Defect]:
    if not isinstance(bounds, YamlMapping):
        yield bounds, f"{key} is a mapping with min, max or both"
        return
    for bound in ("min", "max"):
        number = bounds.get(bound)
        if number is not None and not _is_number(number):
            yield number, f"{bound} of {key} is a number"


def _is_number(node: YamlNode) -> bool:
    if not isinstance(node, YamlScalar):
        return False
    value = node.value
    if isinstance(value, float):
        return math.isfinite(value)
    return (isinstance(value, int) and not isinstance(value, bool)) or (
        isinstance(value, str) and value.isdecimal() and len(value) < 20
    )


def _group_defects(groups: YamlNode | None) -> Iterator[Defect]:
    if groups is None or _is_nothing(groups):
        return
    if not isinstance(groups, YamlSequence):
        yield groups, "parameter_groups are a list"
        return
    for group in groups:
        if not isinstance(group, YamlMapping):
            yield group, "a group of parameters is a mapping"
            continue
        names = group.get("parameters")
        if names is None or _is_nothing(names):
            continue
        if not isinstance(names, YamlSequence):
            yield names, "the parameters of a group are a list of names"
            continue
        yield from ((name, "the parameters of a group are names") for name in names if not _is_text(name))
