"""An evaluation request for a package, carried out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from sabir.diagnostics.finding import Severity
from sabir.diagnostics.near import did_you_mean
from sabir.errors import UsageError
from sabir.expressions.query.functions.registry import load_plugins
from sabir.expressions.query.project import Project
from sabir.expressions.query.values import NodeState, Status
from sabir.graph.graph import Graph
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.languages.tosca.evaluate.ensemble import Ensemble, LiveValues, Request, instantiate
from sabir.languages.tosca.graph.build import build_graph
from sabir.languages.tosca.syntax.documents import Loaded, Recorded
from sabir.languages.tosca.syntax.package import load_entry
from sabir.languages.tosca.syntax.project import PROJECT_FILE, project_values
from sabir.source.packages import LoadedPackage
from sabir.source.yaml import compose, plain_data
from sabir.text import Source

__all__ = ["evaluate_package"]

_PASSWORD = "UNFURL_VAULT_DEFAULT_PASSWORD"


def evaluate_package(package: LoadedPackage, request: EvaluationRequest) -> Evaluation:
    load_plugins()
    loaded = load_entry(package)
    if loaded.topology is None:
        return Evaluation(graph=Graph(()), findings=loaded.findings)
    ensemble = instantiate(loaded, _request(loaded, request, project_of(loaded, request)))
    _check_overridden(loaded, ensemble)
    graph, failures = build_graph(ensemble, full_provenance=request.full_provenance)
    found = [one for one in ensemble.findings if one.severity is Severity.ERROR]
    # Without an import many a value cannot be computed; the finding about the import is the one that helps.
    return Evaluation(graph=graph, findings=(*found, *(failures if loaded.topology.complete else ())))


def _check_overridden(loaded: Loaded, ensemble: Ensemble) -> None:
    """A value for what a node does not have would change nothing."""
    for name, keys in ensemble.request.overridden.items():
        node = ensemble.nodes.get(name)
        if node is None:
            continue
        recorded = loaded.recorded[name].attributes if name in loaded.recorded else {}
        known = {key for key in node.keys() if key not in keys} | recorded.keys()  # noqa: SIM118  # no mapping
        for key in sorted(keys):
            if node.definition(key) is None and node.assigned(key) is None and key not in known:
                near = did_you_mean(key, known)
                raise UsageError(
                    f"--set {name}.{key}: {name!r} has no attribute {key!r}" + (f": {near}" if near else "")
                )


def project_of(loaded: Loaded, request: EvaluationRequest) -> Project:
    """The surroundings of a template: its directory, its project, and what the owner allows."""
    assert loaded.topology is not None
    directory = loaded.topology.origin.directory
    home = os.environ.get("UNFURL_HOME")
    root = None
    if directory is not None:
        directory = Path(os.path.abspath(directory))
        above = (directory, *directory.parents)
        root = next((one for one in above if (one / PROJECT_FILE).exists()), None)
    values = project_values(root).under(loaded.values)
    return Project(
        directory=directory,
        root=root,
        locals=values.locals,
        secrets=values.secrets,
        home=Path(home) if home else None,
        vault_password=os.environ.get(_PASSWORD),
        permissions=request.trust,
    )


def _request(loaded: Loaded, request: EvaluationRequest, project: Project) -> Request:
    live = {name: _live(one) for name, one in loaded.recorded.items()}
    overridden: dict[str, set[str]] = {}
    for where, value in request.overrides.items():
        name, dot, key = where.rpartition(".")
        if not dot or loaded.topology is None or name not in loaded.topology.node_templates:
            known_names = () if loaded.topology is None else loaded.topology.node_templates
            near = did_you_mean(name, known_names) if dot else "write it as NODE.ATTRIBUTE=VALUE"
            raise UsageError(
                f"--set {where}: there is no node template {name or where!r}" + (f": {near}" if near else "")
            )
        known = live.get(name, LiveValues(recorded=False))
        live[name] = replace(known, attributes={**known.attributes, key: value})
        overridden.setdefault(name, set()).add(key)
    inputs = {**loaded.inputs, **_from_file(request.config), **request.inputs}
    return Request(
        inputs=inputs,
        live=live,
        project=project,
        input_origins=request.input_origins,
        overridden=overridden,
    )


def _live(recorded: Recorded) -> LiveValues:
    state = recorded.state
    return LiveValues(
        attributes=recorded.attributes,
        status=Status[recorded.status] if recorded.status else Status.unknown,
        state=NodeState.__members__.get(state or ""),
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
