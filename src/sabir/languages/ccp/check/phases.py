"""The phases of the contract: all faults of a phase together; a later one runs only when the earlier were clean."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from sabir.diagnostics.finding import Severity
from sabir.languages.ccp.check.dependencies import check_dependencies
from sabir.languages.ccp.check.names import check_names, check_ports, check_volumes
from sabir.languages.ccp.check.procedures import (
    check_procedure_dependencies,
    check_procedures,
    review_procedures,
)
from sabir.languages.ccp.check.references import check_references, check_secret_objects
from sabir.languages.ccp.check.review import NOT_DEPLOYED, UNMATCHED_TOPOLOGY, review
from sabir.languages.ccp.check.topology import check_cycles, check_replicas
from sabir.languages.ccp.check.versions import check_versions, newer_features
from sabir.languages.ccp.model.resolved import ResolvedDeployment
from sabir.languages.ccp.model.topology import read_topology
from sabir.languages.ccp.model.units import Units
from sabir.languages.ccp.syntax.configuration_form import NOT_HEEDED, UNKNOWN_SECTION
from sabir.languages.ccp.syntax.deployment import Deployment
from sabir.languages.ccp.syntax.fault import Fault
from sabir.languages.ccp.syntax.replaced import REPLACES_NOTHING

__all__ = ["Checked", "check_deployment"]


_CONSEQUENTIAL: Final = frozenset(
    rule.code for rule in (NOT_DEPLOYED, UNMATCHED_TOPOLOGY, UNKNOWN_SECTION, NOT_HEEDED, REPLACES_NOTHING)
)


class Checked(Struct, frozen=True, kw_only=True, eq=False):
    """A deployment with everything there is to say about it; `resolved` only when there is no error."""

    deployment: Deployment
    errors: tuple[Fault, ...]
    warnings: tuple[Fault, ...]
    resolved: ResolvedDeployment | None = None

    @property
    def consequential(self) -> tuple[Fault, ...]:
        """Errors, and warnings that what is deployed is not what was asked for; advice is for `check`."""
        return (*self.errors, *(fault for fault in self.warnings if fault.code in _CONSEQUENTIAL))

    @property
    def findings(self) -> tuple[Fault, ...]:
        return (*self.errors, *self.warnings)


def check_deployment(deployment: Deployment) -> Checked:
    warnings = [fault for fault in deployment.faults if fault.severity is Severity.WARNING]
    warnings += newer_features(deployment)
    errors = [fault for fault in deployment.faults if fault.severity is Severity.ERROR]
    if not errors:
        errors += check_versions(deployment)
        errors += check_names(deployment)
        errors += check_ports(deployment)
        errors += check_volumes(deployment)
        errors += check_references(deployment)
        errors += check_secret_objects(deployment)
        errors += check_procedures(deployment)
    if errors:
        return _stopped(deployment, errors, warnings)
    units = Units(deployment.definitions)
    errors += check_dependencies(units)
    errors += check_procedure_dependencies(deployment, units)
    if errors:
        return _stopped(deployment, errors, warnings)
    topology = read_topology(deployment.configuration)
    errors += check_cycles(units)
    errors += check_replicas(deployment, topology)
    if errors:
        return _stopped(deployment, errors, warnings)
    warnings += review(deployment, units, topology)
    warnings += review_procedures(deployment, topology)
    return Checked(
        deployment=deployment,
        errors=(),
        warnings=tuple(warnings),
        resolved=ResolvedDeployment(deployment=deployment, units=units, topology=topology),
    )


def _stopped(deployment: Deployment, errors: Iterable[Fault], warnings: Iterable[Fault]) -> Checked:
    return Checked(deployment=deployment, errors=_once(errors), warnings=tuple(warnings))


def _once(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """What a definition does wrong, its named instances do too: said once."""
    distinct: dict[tuple[object, ...], Fault] = {}
    for fault in faults:
        key = (fault.code, fault.path, fault.place.source.name, fault.place.span, fault.units)
        distinct.setdefault(key, fault)
    return tuple(distinct.values())
