"""Checked models: a topology model together with its findings.

Checking and evaluating a package both need the model of its topology and the findings about it. Both are
computed once per package and shared, because flattening types and resolving requirements is most of the work.
"""

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
    """A topology model and the findings about what it describes."""

    model: TopologyModel
    findings: tuple[Finding, ...]

    @classmethod
    def of(cls, topology: Topology) -> CheckedModel:
        """Build the model of a topology and check it."""
        model = TopologyModel(topology)
        return cls(model, tuple(check_model(model)))


class CheckedModels:
    """The checked models of a package, one per topology."""

    def __init__(self, _package: LoadedPackage) -> None:
        self._by_topology: dict[int, CheckedModel] = {}

    def of(self, topology: Topology) -> CheckedModel:
        """Return the checked model of a topology, built on first use.

        Topologies are told apart by identity. That is safe because they are immutable and the cached model
        keeps a reference to its topology, so the identity is never reused.
        """
        checked = self._by_topology.get(id(topology))
        if checked is None:
            checked = self._by_topology[id(topology)] = CheckedModel.of(topology)
        return checked


def check_topology(checked: CheckedModel) -> list[Finding]:
    """Return all findings about a topology, including those about its behavior.

    Findings about operations and scripts are separate from the findings of the model because a template with
    a missing script can still be evaluated, although it cannot be deployed.
    """
    substitutes = checked.model.topology.substitutes()
    inner = (CheckedModel.of(topology) for topology in substitutes if topology.imported)
    return sort_unique_findings(
        [
            finding
            for each in (checked, *inner)
            for finding in (*each.findings, *check_behaviour(each.model), *check_reads(each.model))
        ]
    )
