"""A package, evaluated: read, checked, instantiated, turned into the graph."""

from __future__ import annotations

from functools import partial

from sabir.diagnostics.finding import Finding, Severity
from sabir.errors import FindingError
from sabir.expressions.query.functions.registry import load_plugins
from sabir.graph.graph import Graph
from sabir.interpreter import collector_paused
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.languages.tosca.check.models import CheckedModel, CheckedModels
from sabir.languages.tosca.evaluate.elaboration import elaborated
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.overrides import with_overrides
from sabir.languages.tosca.evaluate.request import Request, request_of
from sabir.languages.tosca.graph.asking import asked_resources
from sabir.languages.tosca.graph.build import build_graph
from sabir.languages.tosca.syntax.documents import Loaded
from sabir.languages.tosca.syntax.imports import REMOTE_IMPORT, UNFETCHED_IMPORT
from sabir.languages.tosca.syntax.package import Reading, load_entry
from sabir.resources.resource import Wanted
from sabir.source.catalogue import Catalogue
from sabir.source.packages import LoadedPackage

__all__ = ["evaluate_package", "instantiate"]


def evaluate_package(package: LoadedPackage, request: EvaluationRequest) -> Evaluation:
    load_plugins()
    reading = Reading(request.session, Catalogue.of(request.imports, request.search_path))
    loaded = with_overrides(load_entry(package, reading), request.overrides)
    topology = loaded.topology
    if topology is None or loaded.broken:
        return Evaluation(graph=Graph(()), findings=loaded.findings)
    checked = CheckedModel.of(topology) if request.overrides else package.attached(CheckedModels).of(topology)
    ensemble, findings = _instantiated(checked, request_of(loaded, topology, request))
    built = build_graph(ensemble, full_provenance=request.full_provenance)
    errors = _errors([*loaded.findings, *findings])
    # Without an import many a value cannot be computed; the finding about the import is the one that helps.
    return Evaluation(
        graph=built.graph,
        findings=(*errors, *(built.findings if topology.complete else ())),
        resources=partial(asked_resources, ensemble, built),
        wanted=lambda: _wanted(ensemble, request),
    )


def _wanted(ensemble: Ensemble, request: EvaluationRequest) -> Wanted:
    from sabir.languages.tosca.graph.wanted import wanted_operations

    return wanted_operations(ensemble, request.observed, {target.name for target in request.targets})


def instantiate(loaded: Loaded, request: Request) -> Ensemble:
    """The instances of a loaded topology without errors; FindingError with them otherwise."""
    if loaded.topology is None or loaded.broken:
        raise FindingError(loaded.findings)
    ensemble, findings = _instantiated(CheckedModel.of(loaded.topology), request)
    errors = _errors([*loaded.findings, *findings])
    if errors:
        raise FindingError(errors)
    return ensemble


def _instantiated(checked: CheckedModel, request: Request) -> tuple[Ensemble, list[Finding]]:
    with collector_paused():
        ensemble, findings = elaborated(checked.model, request)
        return ensemble, [*checked.findings, *findings]


def _errors(findings: list[Finding]) -> list[Finding]:
    """What cannot be checked without an import may be left open; what cannot be computed is an error."""
    return [
        REMOTE_IMPORT.at(finding.place, finding.message, hint=finding.hint)
        if finding.code == UNFETCHED_IMPORT.code
        else finding
        for finding in findings
        if finding.severity is Severity.ERROR or finding.code == UNFETCHED_IMPORT.code
    ]
