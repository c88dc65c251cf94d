"""The phases of the contract: all violations of a phase together; a later one runs only when the earlier were clean."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from sabir.languages.ccp.check.dependencies import check_dependencies
from sabir.languages.ccp.check.names import check_names, check_ports, check_volumes
from sabir.languages.ccp.check.references import check_references, check_secret_objects
from sabir.languages.ccp.check.review import review
from sabir.languages.ccp.check.topology import check_cycles, check_replicas
from sabir.languages.ccp.check.versions import check_versions, newer_features
from sabir.languages.ccp.model.resolved import ResolvedDeployment
from sabir.languages.ccp.model.topology import read_topology
from sabir.languages.ccp.model.units import Units
from sabir.languages.ccp.syntax.deployment import Deployment
from sabir.languages.ccp.syntax.violation import Violation

__all__ = ["Checked", "check_deployment"]


class Checked(Struct, frozen=True, kw_only=True, eq=False):
    """A deployment with everything there is to say about it; `resolved` only when there is no error."""

    deployment: Deployment
    errors: tuple[Violation, ...]
    warnings: tuple[Violation, ...]
    resolved: ResolvedDeployment | None = None


def check_deployment(deployment: Deployment) -> Checked:
    warnings = [one for one in deployment.violations if one.kind.is_warning]
    warnings += newer_features(deployment)
    errors = [one for one in deployment.violations if not one.kind.is_warning]
    if not errors:
        errors += check_versions(deployment)
        errors += check_names(deployment)
        errors += check_ports(deployment)
        errors += check_volumes(deployment)
        errors += check_references(deployment)
        errors += check_secret_objects(deployment)
    if errors:
        return _stopped(deployment, errors, warnings)
    units = Units(deployment.definitions)
    errors += check_dependencies(units)
    if errors:
        return _stopped(deployment, errors, warnings)
    topology = read_topology(deployment.configuration)
    errors += check_cycles(units)
    errors += check_replicas(deployment, topology)
    if errors:
        return _stopped(deployment, errors, warnings)
    warnings += review(deployment, units, topology)
    return Checked(
        deployment=deployment,
        errors=(),
        warnings=tuple(warnings),
        resolved=ResolvedDeployment(deployment=deployment, units=units, topology=topology),
    )


def _stopped(deployment: Deployment, errors: Iterable[Violation], warnings: Iterable[Violation]) -> Checked:
    return Checked(deployment=deployment, errors=_once(errors), warnings=tuple(warnings))


def _once(violations: Iterable[Violation]) -> tuple[Violation, ...]:
    """What a definition does wrong, its named instances do too: said once."""
    found: dict[tuple[object, ...], Violation] = {}
    for one in violations:
        found.setdefault((one.kind, one.path, one.place.source.name, one.place.span, one.units), one)
    return tuple(found.values())
