"""Models with what is wrong with them, made once for a check and for the evaluation that follows it."""

from __future__ import annotations

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.languages.tosca.check.rules import check_model, sort_unique_findings
from sabir.languages.tosca.check.rules.behaviour import check_behaviour
from sabir.languages.tosca.check.rules.reads import check_reads
from sabir.languages.tosca.model.model import TopologyModel
from sabir.languages.tosca.syntax.nodes import Topology
from sabir.source.packages import LoadedPackage


class CheckedModel(Struct, frozen=True, eq=False):
    model: TopologyModel
    findings: tuple[Finding, ...]

    @classmethod
    def of(cls, topology: Topology) -> CheckedModel:
        model = TopologyModel(topology)
        return cls(model, tuple(check_model(model)))


class CheckedModels:
    """The checked models of a package, one for each topology that was read from it."""

    def __init__(self, _package: LoadedPackage) -> None:
        self._by_topology: dict[int, CheckedModel] = {}

    def of(self, topology: Topology) -> CheckedModel:
        """For topologies that stay as they were read: each is known by itself, and its model keeps it."""
        checked = self._by_topology.get(id(topology))
        if checked is None:
            checked = self._by_topology[id(topology)] = CheckedModel.of(topology)
        return checked


def check_topology(checked: CheckedModel) -> list[Finding]:
    """That, and what is wrong with what it does: a template can be evaluated without its scripts, and not be deployed."""
    substitutes = checked.model.topology.substitutes()
    inner = (CheckedModel.of(topology) for topology in substitutes if topology.imported)
    return sort_unique_findings(
        [
            finding
            for each in (checked, *inner)
            for finding in (*each.findings, *check_behaviour(each.model), *check_reads(each.model))
        ]
    )
