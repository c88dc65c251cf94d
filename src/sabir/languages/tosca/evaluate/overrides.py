"""What if: values that stand in for those of a node template, as if they were written there.

They go in before names are resolved, so that everything that reads the template (functions of every kind, copies, checks, node
filters) sees what it would see in a file that was edited.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import UsageError
from sabir.graph.values import Value
from sabir.languages.tosca.model.model import Model
from sabir.languages.tosca.syntax.documents import Loaded
from sabir.languages.tosca.syntax.nodes import NodeTemplate, Topology, Written
from sabir.source.yaml.nodes import node_of

__all__ = ["keys_by_node", "with_overrides"]


def keys_by_node(overrides: Collection[str], topology: Topology) -> dict[str, set[str]]:
    """The keys of each node template that are overridden, from `NODE.KEY`."""
    keys: dict[str, set[str]] = {}
    for where in overrides:
        name, key = _node_and_key(where, topology)
        keys.setdefault(name, set()).add(key)
    return keys


def with_overrides(loaded: Loaded, overrides: Mapping[str, Value]) -> Loaded:
    """The description as if it had been edited: what was recorded of such a value no longer counts."""
    topology = loaded.topology
    if topology is None or not overrides:
        return loaded
    model = Model(topology)
    templates = dict(topology.node_templates)
    recorded = dict(loaded.recorded)
    for where, value in overrides.items():
        name, key = _node_and_key(where, topology)
        running = recorded.get(name)
        _refuse_unknown(model, name, key, running.attributes if running is not None else {})
        templates[name] = _edited(templates[name], key, value, is_attribute=_is_attribute(model, name, key))
        if running is not None and key in running.attributes:
            attributes = {other: item for other, item in running.attributes.items() if other != key}
            recorded[name] = replace(running, attributes=attributes)
    return replace(loaded, topology=replace(topology, node_templates=templates), recorded=recorded)


def _node_and_key(where: str, topology: Topology) -> tuple[str, str]:
    name, dot, key = where.rpartition(".")
    if dot and name in topology.node_templates:
        return name, key
    if where.removeprefix("inputs.") in topology.inputs:
        raise UsageError(
            f"--set {where}: that is an input: give --input {where.removeprefix('inputs.')}=VALUE"
        )
    near = did_you_mean(name, topology.node_templates) if dot else "write it as NODE.ATTRIBUTE=VALUE"
    raise UsageError(
        f"--set {where}: there is no node template {name or where!r}" + (f": {near}" if near else "")
    )


def _refuse_unknown(model: Model, name: str, key: str, recorded: Collection[str]) -> None:
    """A value for what a node does not have would change nothing."""
    template, flat = model.nodes[name], model.flat[name]
    keys = {*template.properties, *template.attributes, *recorded}
    if flat is not None:
        keys |= {*flat.properties, *flat.attributes}
    if key not in keys:
        near = did_you_mean(key, keys)
        raise UsageError(
            f"--set {name}.{key}: {name!r} has no attribute {key!r}" + (f": {near}" if near else "")
        )


def _is_attribute(model: Model, name: str, key: str) -> bool:
    template, flat = model.nodes[name], model.flat[name]
    if key in template.properties or (flat is not None and key in flat.properties):
        return False
    return key in template.attributes or (flat is not None and key in flat.attributes)


def _edited(template: NodeTemplate, key: str, value: Value, *, is_attribute: bool) -> NodeTemplate:
    written = Written(node_of(value, template.span), template.origin)
    if is_attribute:
        return replace(template, attributes={**template.attributes, key: written})
    return replace(template, properties={**template.properties, key: written})
