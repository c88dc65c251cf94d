"""What an evaluation is asked for, beside the topology: inputs, what is running, overridden attributes, the project around it."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field

from sabir.errors import UsageError
from sabir.expressions.query.resource import Resource
from sabir.expressions.query.session import Project
from sabir.expressions.query.values import NodeState, Status
from sabir.graph.origin import Origin
from sabir.languages.language import EvaluationRequest
from sabir.languages.tosca.evaluate.lifetimes import Lifetimes
from sabir.languages.tosca.evaluate.observed import Observed
from sabir.languages.tosca.evaluate.overrides import keys_by_node
from sabir.languages.tosca.syntax.documents import Loaded, Recorded
from sabir.languages.tosca.syntax.nodes import Topology
from sabir.languages.tosca.syntax.project import PROJECT_FILE, project_values
from sabir.session import Session
from sabir.source.yaml import compose, plain_data
from sabir.text import Source

__all__ = ["LiveValues", "Request", "request_of"]

_PASSWORD: Final = "UNFURL_VAULT_DEFAULT_PASSWORD"


class LiveValues(Struct, frozen=True, kw_only=True):
    """What is known of a running instance; its attributes win over the description."""

    attributes: Mapping[str, Any] = {}
    status: Status = Status.ok
    state: NodeState | None = None


class Request(Struct, frozen=True, kw_only=True):
    inputs: Mapping[str, Any] = {}
    live: Mapping[str, LiveValues] = {}
    project: Project = Project()
    session: Session = field(default_factory=Session)
    """Where environment variables and the time of day come from."""
    externals: Mapping[str, Resource] = {}
    input_origins: Mapping[str, Origin] = {}
    """Where inputs came from that somebody computed."""
    observed: Observed = field(default_factory=lambda: Observed({}))
    """What deployments gave back; it wins over what is running."""
    lifetimes: Lifetimes | None = None
    """Where nodes are in their lives; None when nothing is deployed."""
    overridden: Mapping[str, Collection[str]] = {}
    """Keys of node templates whose values are not those of the file, because somebody asks what if."""


def request_of(loaded: Loaded, topology: Topology, request: EvaluationRequest) -> Request:
    """The request of an operation for this template: what its ensemble says, and above that what the caller says."""
    live = {name: _live(recorded) for name, recorded in loaded.recorded.items()}
    return Request(
        inputs={**loaded.inputs, **_from_file(request.config), **request.inputs},
        live=live,
        project=_project(loaded, topology, request),
        session=request.session,
        input_origins=request.input_origins,
        observed=Observed(request.observed),
        lifetimes=Lifetimes(request.sightings.statuses) if request.sightings.statuses else None,
        overridden=keys_by_node(request.overrides, topology),
    )


def _live(recorded: Recorded) -> LiveValues:
    return LiveValues(
        attributes=recorded.attributes,
        status=Status[recorded.status] if recorded.status else Status.unknown,
        state=NodeState.__members__.get(recorded.state or ""),
    )


def _from_file(path: Path | None) -> Mapping[str, Any]:
    """Inputs from a YAML file of names and values."""
    if path is None:
        return {}
    stream = compose(Source(str(path), path.read_bytes().decode("utf-8", errors="replace")))
    data = plain_data(stream.documents[0]) if stream.documents and stream.documents[0] is not None else {}
    if stream.broken or not isinstance(data, dict):
        raise UsageError(f"{path} must be a YAML map of input names and values")
    return {str(name): value for name, value in data.items()}


def _project(loaded: Loaded, topology: Topology, request: EvaluationRequest) -> Project:
    """The surroundings of a template: its directory and its project. The home project lies outside, and needs leave."""
    directory = topology.origin.directory
    environment = request.session.environment
    home = environment.get("UNFURL_HOME")
    root = None
    if directory is not None:
        directory = Path(os.path.abspath(directory))
        above = (directory, *directory.parents)
        root = next((folder for folder in above if (folder / PROJECT_FILE).exists()), None)
    values = project_values(root).under(loaded.values)
    return Project(
        directory=directory,
        root=root,
        locals=values.locals,
        secrets=values.secrets,
        home=Path(home) if home and request.session.trust.outside else None,
        vault_password=environment.get(_PASSWORD),
    )
