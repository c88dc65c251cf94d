"""What is wrong with wanted resources before anything is done: no such target, a kind or field that nobody takes, no leave."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from sabir.deployments.secrets import source_problem
from sabir.deployments.targets import PlacedResource, PlacementError, Targets
from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule
from sabir.diagnostics.suggestions import did_you_mean
from sabir.graph.address import Address
from sabir.graph.origin import How, Origin
from sabir.graph.values import Sensitive, Unknown, find_unknown_names
from sabir.resources.fields import field_problems
from sabir.resources.outcome import ResourceReading
from sabir.resources.resource import DesiredResources, Resource
from sabir.resources.secrets import find_secret_names
from sabir.session import Trust
from sabir.text import Location


def _define_rule(number: str, title: str, why: str, *, when: Literal["plan", "look"] = "plan") -> Rule:
    return Rule(
        code=f"DEP:{number}",
        title=title,
        why=why,
        examples="sabir.deployments",
        language="resources",
        when=when,
    )


NO_TARGET: Final = _define_rule(
    "E001",
    "a resource that no driver takes",
    "The target of a resource is one of those under targets in sabir.yaml, and its driver must know the kind.",
)
OUTSIDE_ROOT: Final = _define_rule(
    "E002",
    "a resource that would change the machine",
    "Without a named target everything is kept below one folder, so that nobody's machine is changed by accident. Packages, "
    "services, users, commands need a target that is named, or --here.",
)
BAD_FIELD: Final = _define_rule(
    "E003",
    "a field that the kind does not take",
    "Each kind says which fields it takes, of which types, and which it needs.",
)
NO_REQUIREMENT: Final = _define_rule(
    "E004",
    "a requirement that is not described",
    "A resource can only require others of the same environment.",
)
MISSING_PERMISSION: Final = _define_rule(
    "E005",
    "code that nobody has given leave to run",
    "Processes, commands and scripts run what a description brings. That needs the leave of the operator: --trust scripts, or "
    "sabir trust.",
)


TARGET_WARNING: Final = _define_rule(
    "W006",
    "what a target says of a resource",
    "A target that was looked at (--refresh) knows more than the description: a field that this version of it does not know and "
    "that is left out, a template that it would refuse, what would become of the resources of a stack.",
    when="look",
)
UNREAD_RESOURCE: Final = _define_rule(
    "W007",
    "a resource that could not be looked at",
    "With --refresh a plan compares with the world. What is on a target that does not answer, or cannot be read there, is compared "
    "with what is recorded only; the rest is looked at all the same.",
    when="look",
)


class PlacedResources(Struct, frozen=True, eq=False):
    by_address: Mapping[str, PlacedResource]
    findings: tuple[Finding, ...]


def place_resources(
    wanted: DesiredResources, targets: Targets, trust: Trust, *, deployed: Collection[str] = ()
) -> PlacedResources:
    """Every resource at its target, and a finding for each that cannot be. `deployed` may be required, too."""
    findings = [*_target_problems(targets), *_secret_problems(wanted)]
    placed: dict[str, PlacedResource] = {}
    untaken: dict[str, _UnplacedResources] = {}
    publishers = _find_publishers(wanted)
    addresses = frozenset((*deployed, *(str(resource.address) for resource in wanted.resources)))
    for resource in wanted.resources:
        address = str(resource.address)
        lifecycle = wanted.lifecycles.get(address)
        if lifecycle is not None:
            resource = replace(resource, lifecycle=lifecycle)
        try:
            placing = targets.place(_with_implied(resource, publishers))
        except PlacementError as error:
            if error.of_targets:
                rule = OUTSIDE_ROOT if error.below_folder else NO_TARGET
                untaken.setdefault(str(error), _UnplacedResources(rule, error.hint)).resources.append(
                    resource
                )
                continue
            findings.append(
                _build_finding(NO_TARGET, resource.origin, f"{address}: {error}", hint=error.hint)
            )
            continue
        findings += _check_resource(placing, addresses, trust)
        placed[address] = _mark_sensitive(placing)
    findings += [_report_unplaced(message, each, wanted.naming_targets) for message, each in untaken.items()]
    return PlacedResources(placed, tuple(findings))


def report_target_problems(
    placed: Mapping[str, PlacedResource], readings: Mapping[str, ResourceReading]
) -> Iterator[Finding]:
    """What targets said of resources when they were looked at."""
    for address, reading in readings.items():
        if reading.warning is not None and address in placed:
            yield _build_finding(
                TARGET_WARNING, placed[address].resource.origin, f"{address}: {reading.warning}"
            )


def report_unread_resource(placed: Sequence[PlacedResource], reason: str, *, is_reached: bool) -> Finding:
    """Resources of one target that could not be looked at, all for the same reason."""
    first, *others = (place.resource for place in placed)
    target = placed[0].target.name
    names = f"{first.address} and {len(others)} more" if others else str(first.address)
    if is_reached:
        message = f"{names} on {target!r} could not be read: {reason}"
    else:
        told = reason if reason.startswith(f"target {target!r}") else f"target {target!r}: {reason}"
        message = f"not looked at: {names}: {told}"
    return _build_finding(
        UNREAD_RESOURCE, first.origin, message, hint="planned as recorded; sabir status names each of them"
    )


class _UnplacedResources(Struct, frozen=True, eq=False):
    """Resources that have the same fault, because a target is missing: it is said once."""

    rule: Rule
    hint: str | None
    resources: list[Resource] = field(default_factory=list[Resource])


def _report_unplaced(message: str, untaken: _UnplacedResources, otherwise: str | None) -> Finding:
    first, *others = untaken.resources
    beside = f" and {len(others)} more" if others else ""
    hint = "; or ".join(filter(None, (untaken.hint, otherwise)))
    return _build_finding(
        untaken.rule, first.origin, f"{first.address}{beside}: {message}", hint=hint or None
    )


def _target_problems(targets: Targets) -> Iterator[Finding]:
    for target in targets.by_name.values():
        for message in targets.problems(target).values():
            origin = None if target.place is None else Origin(target.place, How.LITERAL)
            yield _build_finding(NO_TARGET, origin, f"target {target.name!r}: {message}")


def _secret_problems(wanted: DesiredResources) -> Iterator[Finding]:
    for source in wanted.secrets:
        problem = source_problem(source)
        if problem is not None:
            origin = None if source.place is None else Origin(source.place, How.LITERAL)
            yield _build_finding(NO_TARGET, origin, problem)
    names = {source.name for source in wanted.secrets}
    for resource in wanted.resources:
        for missing in sorted(find_secret_names(dict(resource.desired)) - names):
            near = did_you_mean(missing, names)
            message = f"{resource.address}: there is no secret {missing!r} under secrets in sabir.yaml"
            yield _build_finding(NO_TARGET, resource.origin, message, hint=near)


def _check_resource(placed: PlacedResource, addresses: frozenset[str], trust: Trust) -> Iterator[Finding]:
    resource = placed.resource
    for name, message in _field_problems(placed).items():
        origin = resource.origins.get(name) or resource.origin
        yield _build_finding(BAD_FIELD, origin, f"{resource.address} ({resource.kind}): {message}")
    for required in (*resource.requires, *resource.reacts_to):
        if str(required) not in addresses:
            near = did_you_mean(str(required), addresses)
            message = f"{resource.address} requires {required}, which is not described"
            yield _build_finding(NO_REQUIREMENT, resource.origin, message, hint=near)
    no_leave = find_missing_permission(placed, trust)
    if no_leave is not None:
        yield no_leave


def _field_problems(placed: PlacedResource) -> Mapping[str, str]:
    kind, desired = placed.kind, placed.resource.desired
    problems = {} if kind.fields is None else field_problems(kind.fields, desired)
    if problems or kind.faults is None:
        return problems
    return kind.faults(desired)


def find_missing_permission(placed: PlacedResource, trust: Trust) -> Finding | None:
    """A finding when a resource would run what a description brings, and the operator has not said that it may."""
    if not placed.kind.code or trust.scripts:
        return None
    resource = placed.resource
    message = f"{resource.address} is a {resource.kind}: it would run what the description says"
    return _build_finding(
        MISSING_PERMISSION, resource.origin, message, hint="give --trust scripts when you trust it"
    )


def _mark_sensitive(placed: PlacedResource) -> PlacedResource:
    """Fields that the kind declares sensitive are marked, whoever wrote them."""
    names = placed.kind.sensitive & placed.resource.desired.keys()
    if not names:
        return placed
    desired = {
        name: Sensitive(value) if name in names and not isinstance(value, Sensitive | Unknown) else value
        for name, value in placed.resource.desired.items()
    }
    return replace(placed, resource=replace(placed.resource, desired=desired))


def _find_publishers(wanted: DesiredResources) -> dict[str, Address]:
    """Who gives back each attribute that somebody may wait for."""
    publishers = {str(resource.address): resource.address for resource in wanted.resources}
    for resource in wanted.resources:
        publishers.update((str(attribute), resource.address) for attribute in resource.results.values())
    return publishers


def _with_implied(resource: Resource, publishers: Mapping[str, Address]) -> Resource:
    """A value that is known only after another resource's step is a requirement, too."""
    names = {name for value in resource.desired.values() for name in find_unknown_names(value)}
    implied = [
        publisher
        for name in sorted(names)
        if (publisher := publishers.get(name) or publishers.get(name.partition("|")[0])) is not None
        and publisher != resource.address
    ]
    if not implied:
        return resource
    return replace(resource, requires=tuple(dict.fromkeys((*resource.requires, *implied))))


def _build_finding(rule: Rule, origin: Origin | None, message: str, *, hint: str | None = None) -> Finding:
    if origin is None or isinstance(origin.place, Location):
        file = "sabir.yaml" if origin is None else origin.location.file
        return rule.about_file(file, message, hint=hint)
    return rule.at(origin.place, message, hint=hint)
