"""A deployment whose names are all resolved: what evaluation works on."""

from __future__ import annotations

from msgspec import Struct

from sabir.languages.ccp.model.topology import Topology
from sabir.languages.ccp.model.units import Units
from sabir.languages.ccp.syntax.deployment import Deployment

__all__ = ["ResolvedDeployment"]


class ResolvedDeployment(Struct, frozen=True, kw_only=True, eq=False):
    """Made by the checks, once they found no error: half a deployment would answer questions wrongly."""

    deployment: Deployment
    units: Units
    topology: Topology | None
    """None: everything runs anywhere."""

    def deploys(self, service: str) -> bool:
        return self.topology is None or self.topology.has(service)
