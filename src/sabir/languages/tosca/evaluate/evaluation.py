"""Instantiation of a model: selection, replication, substitution.

TOSCA defines these steps in this order. Each step evaluates expressions of the model that the step before
left, so each builds a new model and a new ensemble. Choices are made once and kept in a blueprint: instances
are created from it again whenever observed values change.
"""

from __future__ import annotations

from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from sabir.diagnostics.finding import Finding
from sabir.languages.tosca.evaluate.ensemble import Ensemble, Inner
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.evaluate.replication import TemplateReplication
from sabir.languages.tosca.evaluate.request import Request
from sabir.languages.tosca.evaluate.selection import NodeSelection
from sabir.languages.tosca.evaluate.substitution import Substitution, find_substitute, is_substituted
from sabir.languages.tosca.model.model import TopologyModel


class _Blueprint(Struct, frozen=True, eq=False):
    """A model in which all choices are made, and the blueprints of the topologies inside it."""

    model: TopologyModel
    inner: Inner

    def instances(self, request: Request, outer: Substitution | None = None) -> Ensemble:
        return Ensemble(self.model, request, outer=outer, inner=self.inner)

    def stand_in(self, node: NodeInstance) -> None:
        """Put new instances of this blueprint in the place of a node."""
        substitution = Substitution(node, self.model)
        substitution.stand_in(self.instances(_inner_request(node.ensemble.request), substitution))


def _inner_request(request: Request) -> Request:
    return replace(request, inputs={}, live={})


def instantiate_model(model: TopologyModel, request: Request) -> tuple[Ensemble, list[Finding]]:
    """Return the instances of a topology, and findings about those that cannot be created."""
    blueprint, findings = _build_blueprint(model, request)
    return blueprint.instances(request), findings


def _build_blueprint(
    model: TopologyModel, request: Request, outer: Substitution | None = None
) -> tuple[_Blueprint, list[Finding]]:
    ensemble = Ensemble(model, request, outer=outer)
    ensemble.check_inputs()
    findings = [*ensemble.findings]
    selection = NodeSelection(ensemble)
    if selection.is_needed:
        ensemble = Ensemble(TopologyModel(selection.topology()), request, outer=outer)
    several = TemplateReplication(ensemble)
    if several.is_needed and not several.findings:
        ensemble = Ensemble(TopologyModel(several.topology()), request, outer=outer)
    findings += several.findings
    inner: dict[str, _Blueprint] = {}
    for name, template in ensemble.model.nodes.items():
        if is_substituted(template):
            blueprint, problems = _build_substitute(ensemble.nodes[name])
            findings += problems
            if blueprint is not None:
                inner[name] = blueprint
    puts_in = {name: partial(_Blueprint.stand_in, blueprint) for name, blueprint in inner.items()}
    return _Blueprint(ensemble.model, puts_in), findings


def _build_substitute(node: NodeInstance) -> tuple[_Blueprint | None, list[Finding]]:
    topology = find_substitute(node)
    if topology is None or topology.origin.source.name in _find_outer_files(node):
        return None, []
    substitution = Substitution(node, TopologyModel(topology))
    request = _inner_request(node.ensemble.request)
    # Its inputs are read from the node, and the read is recorded in the inner ensemble, so that must exist.
    substitution.stand_in(Ensemble(substitution.model, request, outer=substitution))
    return _build_blueprint(substitution.model, request, substitution)


def _find_outer_files(node: NodeInstance) -> set[str]:
    """Return the files of all topologies around a node.

    A topology is never put inside itself, because that would not terminate.
    """
    names = {node.ensemble.model.topology.origin.source.name}
    outer = node.ensemble.outer
    return names if outer is None else names | _find_outer_files(outer.node)
