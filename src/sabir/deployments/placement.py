"""What is wrong with wanted resources before anything is done: no such target, a kind or field that nobody takes, no leave."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from sabir.deployments.secrets import source_problem
from sabir.deployments.targets import Placed, Targets, Unplaced
from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule
from sabir.diagnostics.suggestions import did_you_mean
from sabir.graph.address import Address
from sabir.graph.origin import How, Origin
from sabir.graph.values import Sensitive, Unknown, awaited_names
from sabir.resources.fields import field_problems
from sabir.resources.outcome import Reading
from sabir.resources.resource import Resource, Wanted
from sabir.resources.secrets import referred_names
from sabir.session import Trust
from sabir.text import Location


def _rule(number: str, title: str, why: str, *, when: Literal["plan", "look"] = "plan") -> Rule:
    return Rule(
        code=f"DEP:{number}",
        title=title,
        why=why,
        examples="sabir.deployments",
        language="resources",
        when=when,
    )


NO_PLACE: Final = _rule(
    "E001",
    "a resource that no driver takes",
    "The target of a resource is one of those under targets in sabir.yaml, and its driver must know the kind.",
)
NOT_BELOW: Final = _rule(
    "E002",
    "a resource that would change the machine",
    "Without a named target everything is kept below one folder, so that nobody's machine is changed by accident. Packages, "
    "services, users, commands need a target that is named, or --here.",
)
BAD_FIELD: Final = _rule(
    "E003",
    "a field that the kind does not take",
    "Each kind says which fields it takes, of which types, and which it needs.",
)
NO_REQUIREMENT: Final = _rule(
    "E004",
    "a requirement that is not described",
    "A resource can only require others of the same environment.",
)
NO_LEAVE: Final = _rule(
    "E005",
    "code that nobody has given leave to run",
    "Processes, commands and scripts run what a description brings. That needs the leave of the operator: --trust scripts, or "
    "sabir trust.",
)


TOLD: Final = _rule(
    "W006",
    "what a target says of a resource",
    "A target that was looked at (--refresh) knows more than the description: a field that this version of it does not know and "
    "that is left out, a template that it would refuse, what would become of the resources of a stack.",
    when="look",
)
NOT_SEEN: Final = _rule(
    "W007",
    "a resource that could not be looked at",
    "With --refresh a plan compares with the world. What is on a target that does not answer, or cannot be read there, is compared "
    "with what is recorded only; the rest is looked at all the same.",
    when="look",
)


class PlacedResources(Struct, frozen=True, eq=False):
    by_address: Mapping[str, Placed]
    findings: tuple[Finding, ...]


def place_resources(
    wanted: Wanted, targets: Targets, trust: Trust, *, deployed: Collection[str] = ()
) -> PlacedResources:
    """Every resource at its target, and a finding for each that cannot be. `deployed` may be required, too."""
    findings = [*_target_problems(targets), *_secret_problems(wanted)]
    placed: dict[str, Placed] = {}
    untaken: dict[str, _Untaken] = {}
    publishers = _publishers(wanted)
    addresses = frozenset((*deployed, *(str(resource.address) for resource in wanted.resources)))
    for resource in wanted.resources:
        address = str(resource.address)
        lifecycle = wanted.lifecycles.get(address)
        if lifecycle is not None:
            resource = replace(resource, lifecycle=lifecycle)
        try:
            placing = targets.place(_with_implied(resource, publishers))
        except Unplaced as error:
            if error.of_targets:
                rule = NOT_BELOW if error.below_folder else NO_PLACE
                untaken.setdefault(str(error), _Untaken(rule, error.hint)).resources.append(resource)
                continue
            findings.append(_finding(NO_PLACE, resource.origin, f"{address}: {error}", hint=error.hint))
            continue
        findings += _problems(placing, addresses, trust)
        placed[address] = _hidden(placing)
    findings += [_untaken_finding(message, each, wanted.naming_targets) for message, each in untaken.items()]
    return PlacedResources(placed, tuple(findings))


def told_by_targets(placed: Mapping[str, Placed], readings: Mapping[str, Reading]) -> Iterator[Finding]:
    """What targets said of resources when they were looked at."""
    for address, reading in readings.items():
        if reading.warning is not None and address in placed:
            yield _finding(TOLD, placed[address].resource.origin, f"{address}: {reading.warning}")


def not_looked_at(placed: Sequence[Placed], reason: str, *, is_reached: bool) -> Finding:
    """Resources of one target that could not be looked at, all for the same reason."""
    first, *others = (place.resource for place in placed)
    target = placed[0].target.name
    names = f"{first.address} and {len(others)} more" if others else str(first.address)
    if is_reached:
        message = f"{names} on {target!r} could not be read: {reason}"
    else:
        told = reason if reason.startswith(f"target {target!r}") else f"target {target!r}: {reason}"
        message = f"not looked at: {names}: {told}"
    return _finding(
        NOT_SEEN, first.origin, message, hint="planned as recorded; sabir status names each of them"
    )


class _Untaken(Struct, frozen=True, eq=False):
    """Resources that have the same fault, because a target is missing: it is said once."""

    rule: Rule
    hint: str | None
    resources: list[Resource] = field(default_factory=list[Resource])


def _untaken_finding(message: str, untaken: _Untaken, otherwise: str | None) -> Finding:
    first, *others = untaken.resources
    beside = f" and {len(others)} more" if others else ""
    hint = "; or ".join(filter(None, (untaken.hint, otherwise)))
    return _finding(untaken.rule, first.origin, f"{first.address}{beside}: {message}", hint=hint or None)


def _target_problems(targets: Targets) -> Iterator[Finding]:
    for target in targets.by_name.values():
        for message in targets.problems(target).values():
            origin = None if target.place is None else Origin(target.place, How.LITERAL)
            yield _finding(NO_PLACE, origin, f"target {target.name!r}: {message}")


def _secret_problems(wanted: Wanted) -> Iterator[Finding]:
    for source in wanted.secrets:
        problem = source_problem(source)
        if problem is not None:
            origin = None if source.place is None else Origin(source.place, How.LITERAL)
            yield _finding(NO_PLACE, origin, problem)
    names = {source.name for source in wanted.secrets}
    for resource in wanted.resources:
        for missing in sorted(referred_names(dict(resource.desired)) - names):
            near = did_you_mean(missing, names)
            message = f"{resource.address}: there is no secret {missing!r} under secrets in sabir.yaml"
            yield _finding(NO_PLACE, resource.origin, message, hint=near)


def _problems(placed: Placed, addresses: frozenset[str], trust: Trust) -> Iterator[Finding]:
    resource = placed.resource
    for name, message in _field_problems(placed).items():
        origin = resource.origins.get(name) or resource.origin
        yield _finding(BAD_FIELD, origin, f"{resource.address} ({resource.kind}): {message}")
    for required in (*resource.requires, *resource.reacts_to):
        if str(required) not in addresses:
            near = did_you_mean(str(required), addresses)
            message = f"{resource.address} requires {required}, which is not described"
            yield _finding(NO_REQUIREMENT, resource.origin, message, hint=near)
    no_leave = leave_problem(placed, trust)
    if no_leave is not None:
        yield no_leave


def _field_problems(placed: Placed) -> Mapping[str, str]:
    kind, desired = placed.kind, placed.resource.desired
    problems = {} if kind.fields is None else field_problems(kind.fields, desired)
    if problems or kind.faults is None:
        return problems
    return kind.faults(desired)


def leave_problem(placed: Placed, trust: Trust) -> Finding | None:
    """A finding when a resource would run what a description brings, and the operator has not said that it may."""
    if not placed.kind.code or trust.scripts:
        return None
    resource = placed.resource
    message = f"{resource.address} is a {resource.kind}: it would run what the description says"
    return _finding(NO_LEAVE, resource.origin, message, hint="give --trust scripts when you trust it")


def _hidden(placed: Placed) -> Placed:
    """Fields that the kind declares sensitive are marked, whoever wrote them."""
    names = placed.kind.sensitive & placed.resource.desired.keys()
    if not names:
        return placed
    desired = {
        name: Sensitive(value) if name in names and not isinstance(value, Sensitive | Unknown) else value
        for name, value in placed.resource.desired.items()
    }
    return replace(placed, resource=replace(placed.resource, desired=desired))


def _publishers(wanted: Wanted) -> dict[str, Address]:
    """Who gives back each attribute that somebody may wait for."""
    publishers = {str(resource.address): resource.address for resource in wanted.resources}
    for resource in wanted.resources:
        publishers.update((str(attribute), resource.address) for attribute in resource.results.values())
    return publishers


def _with_implied(resource: Resource, publishers: Mapping[str, Address]) -> Resource:
    """A value that is known only after another resource's step is a requirement, too."""
    names = {name for value in resource.desired.values() for name in awaited_names(value)}
    implied = [
        publisher
        for name in sorted(names)
        if (publisher := publishers.get(name) or publishers.get(name.partition("|")[0])) is not None
        and publisher != resource.address
    ]
    if not implied:
        return resource
    return replace(resource, requires=tuple(dict.fromkeys((*resource.requires, *implied))))


def _finding(rule: Rule, origin: Origin | None, message: str, *, hint: str | None = None) -> Finding:
    if origin is None or isinstance(origin.place, Location):
        file = "sabir.yaml" if origin is None else origin.location.file
        return rule.about_file(file, message, hint=hint)
    return rule.at(origin.place, message, hint=hint)
