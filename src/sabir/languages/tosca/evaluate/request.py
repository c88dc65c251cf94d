"""The request of an evaluation: inputs, live values, overridden attributes, project.

Overrides ("what if") replace values of a node template as if the file had been edited. They are applied
before names are resolved, so that everything that reads the template (functions, copies, checks, node
filters) sees what it would see in the edited file.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import UsageError
from sabir.expressions.query.resource import QueryResource
from sabir.expressions.query.session import EnsembleProject
from sabir.expressions.query.values import InstanceStatus, NodeState
from sabir.graph.origin import Origin
from sabir.graph.values import Value
from sabir.languages.language import EvaluationRequest
from sabir.languages.tosca.evaluate.observations import InstanceObservations, Lifetimes
from sabir.languages.tosca.model.model import TopologyModel
from sabir.languages.tosca.syntax.documents import LoadedTopology, RecordedInstance
from sabir.languages.tosca.syntax.nodes import NodeTemplate, SourceValue, Topology
from sabir.languages.tosca.syntax.project import PROJECT_FILE, project_values
from sabir.session import Session
from sabir.source.yaml import compose, plain_data
from sabir.source.yaml.nodes import node_of
from sabir.text import Source


def keys_by_node(overrides: Collection[str], topology: Topology) -> dict[str, set[str]]:
    """Return the overridden keys by node template, from names of the form `NODE.KEY`."""
    keys: dict[str, set[str]] = {}
    for where in overrides:
        name, key = _node_and_key(where, topology)
        keys.setdefault(name, set()).add(key)
    return keys


def with_overrides(loaded: LoadedTopology, overrides: Mapping[str, Value]) -> LoadedTopology:
    """Return the topology with these values in place of the written ones.

    Recorded values of an overridden key are dropped, because they were computed without it. Raises UsageError
    for an unknown node or key.
    """
    topology = loaded.topology
    if topology is None or not overrides:
        return loaded
    model = TopologyModel(topology)
    templates = dict(topology.node_templates)
    recorded = dict(loaded.recorded)
    for where, value in overrides.items():
        name, key = _node_and_key(where, topology)
        running = recorded.get(name)
        _refuse_unknown(model, name, key, running.attributes if running is not None else {})
        templates[name] = _override_value(
            templates[name], key, value, is_attribute=_is_attribute(model, name, key)
        )
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


def _refuse_unknown(model: TopologyModel, name: str, key: str, recorded: Collection[str]) -> None:
    """Raise UsageError for a key that the node does not have: overriding it would change nothing."""
    template, flat = model.nodes[name], model.flat[name]
    keys = {*template.properties, *template.attributes, *recorded}
    if flat is not None:
        keys |= {*flat.properties, *flat.attributes}
    if key not in keys:
        near = did_you_mean(key, keys)
        raise UsageError(
            f"--set {name}.{key}: {name!r} has no attribute {key!r}" + (f": {near}" if near else "")
        )


def _is_attribute(model: TopologyModel, name: str, key: str) -> bool:
    template, flat = model.nodes[name], model.flat[name]
    if key in template.properties or (flat is not None and key in flat.properties):
        return False
    return key in template.attributes or (flat is not None and key in flat.attributes)


def _override_value(template: NodeTemplate, key: str, value: Value, *, is_attribute: bool) -> NodeTemplate:
    written = SourceValue(node_of(value, template.span), template.origin)
    if is_attribute:
        return replace(template, attributes={**template.attributes, key: written})
    return replace(template, properties={**template.properties, key: written})


_PASSWORD: Final = "UNFURL_VAULT_DEFAULT_PASSWORD"


class LiveValues(Struct, frozen=True, kw_only=True):
    """Recorded values of a running instance; its attributes take precedence over the template."""

    attributes: Mapping[str, Any] = {}
    status: InstanceStatus = InstanceStatus.ok
    state: NodeState | None = None


class Request(Struct, frozen=True, kw_only=True):
    """Everything that an evaluation needs in addition to the topology."""

    inputs: Mapping[str, Any] = {}
    live: Mapping[str, LiveValues] = {}
    project: EnsembleProject = EnsembleProject()
    session: Session = field(default_factory=Session)
    """The source of environment variables and of the time."""
    externals: Mapping[str, QueryResource] = {}
    input_origins: Mapping[str, Origin] = {}
    """The origins of computed inputs."""
    observed: InstanceObservations = field(default_factory=lambda: InstanceObservations({}))
    """Outputs of deployments; they take precedence over live values."""
    lifetimes: Lifetimes | None = None
    """The states of nodes; None if nothing is deployed."""
    overridden: Mapping[str, Collection[str]] = {}
    """By node template: the keys whose values are overridden."""


def request_of(loaded: LoadedTopology, topology: Topology, request: EvaluationRequest) -> Request:
    """Return the request for a template.

    Values of the ensemble are overridden by the configuration file, and these by the inputs of the caller.
    """
    live = {name: _build_live_values(recorded) for name, recorded in loaded.recorded.items()}
    return Request(
        inputs={**loaded.inputs, **_from_file(request.config), **request.inputs},
        live=live,
        project=_build_project(loaded, topology, request),
        session=request.session,
        input_origins=request.input_origins,
        observed=InstanceObservations(request.observed),
        lifetimes=Lifetimes(request.sightings.statuses) if request.sightings.statuses else None,
        overridden=keys_by_node(request.overrides, topology),
    )


def _build_live_values(recorded: RecordedInstance) -> LiveValues:
    return LiveValues(
        attributes=recorded.attributes,
        status=InstanceStatus[recorded.status] if recorded.status else InstanceStatus.unknown,
        state=NodeState.__members__.get(recorded.state or ""),
    )


def _from_file(path: Path | None) -> Mapping[str, Any]:
    """Read inputs from a YAML file that maps names to values."""
    if path is None:
        return {}
    stream = compose(Source(str(path), path.read_bytes().decode("utf-8", errors="replace")))
    data = plain_data(stream.documents[0]) if stream.documents and stream.documents[0] is not None else {}
    if stream.broken or not isinstance(data, dict):
        raise UsageError(f"{path} must be a YAML map of input names and values")
    return {str(name): value for name, value in data.items()}


def _build_project(loaded: LoadedTopology, topology: Topology, request: EvaluationRequest) -> EnsembleProject:
    """Return the directory and project around a template.

    The home project is outside the project, so it is used only with permission to read outside files.
    """
    directory = topology.origin.directory
    environment = request.session.environment
    home = environment.get("UNFURL_HOME")
    root = None
    if directory is not None:
        directory = Path(os.path.abspath(directory))
        above = (directory, *directory.parents)
        root = next((folder for folder in above if (folder / PROJECT_FILE).exists()), None)
    values = project_values(root).under(loaded.values)
    return EnsembleProject(
        directory=directory,
        root=root,
        locals=values.locals,
        secrets=values.secrets,
        home=Path(home) if home and request.session.trust.outside else None,
        vault_password=environment.get(_PASSWORD),
    )
