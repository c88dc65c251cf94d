"""From a model to live instances, in the steps that TOSCA has for it: choose what is selected, count and write out instances, put
topologies in the place of the nodes that they stand for."""

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
    """A model with its choices made, from which instances are made again and again."""

    model: TopologyModel
    inner: Inner

    def instances(self, request: Request, outer: Substitution | None = None) -> Ensemble:
        return Ensemble(self.model, request, outer=outer, inner=self.inner)

    def stand_in(self, node: NodeInstance) -> None:
        """Put this in the place of a node."""
        substitution = Substitution(node, self.model)
        substitution.stand_in(self.instances(_inner_request(node.ensemble.request), substitution))


def _inner_request(request: Request) -> Request:
    return replace(request, inputs={}, live={})


def instantiate_model(model: TopologyModel, request: Request) -> tuple[Ensemble, list[Finding]]:
    """The instances of a topology, and what stands in the way of some."""
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
    # Its inputs are asked of the node, and that needs to know where they are asked.
    substitution.stand_in(Ensemble(substitution.model, request, outer=substitution))
    return _build_blueprint(substitution.model, request, substitution)


def _find_outer_files(node: NodeInstance) -> set[str]:
    """The files of the topologies that a node is in. One that stood inside itself would have no end."""
    names = {node.ensemble.model.topology.origin.source.name}
    outer = node.ensemble.outer
    return names if outer is None else names | _find_outer_files(outer.node)
