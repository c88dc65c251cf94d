"""What is wrong with wanted resources before anything is done: no such target, a kind or field that nobody takes, no leave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace
from sabir.deployments.targets import Placed, Targets, Unplaced

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.near import did_you_mean
from sabir.diagnostics.rules import Rule
from sabir.graph.address import Address
from sabir.graph.origin import How, Origin
from sabir.graph.values import Sensitive, Unknown, Value
from sabir.resources.fields import field_problems
from sabir.resources.resource import Resource, Wanted
from sabir.session import Trust
from sabir.text import Location

__all__ = ["PlacedResources", "place_resources"]


def _rule(number: str, title: str, why: str, resource: str) -> Rule:
    head = "sabir: resources/1\nresources:\n  motd:\n    "
    return Rule(
        code=f"DEP:{number}",
        title=title,
        why=why,
        bad={"resources.yaml": head + resource},
        good={"resources.yaml": f"{head}{{kind: file, fields: {{path: etc/motd, content: hello}}}}\n"},
        language="resources",
        when="plan",
    )


NO_PLACE: Final = _rule(
    "E001",
    "a resource that no driver takes",
    "The target of a resource is one of those under targets in sabir.yaml, and its driver must know the kind.",
    "{kind: flie, fields: {path: etc/motd}}\n",
)
NOT_BELOW: Final = _rule(
    "E002",
    "a resource that would change the machine",
    "Without a named target everything is kept below one folder, so that nobody's machine is changed by accident. Packages, "
    "services, users, commands need a target that is named, or --here.",
    "{kind: package, fields: {name: nginx}}\n",
)
BAD_FIELD: Final = _rule(
    "E003",
    "a field that the kind does not take",
    "Each kind says which fields it takes, of which types, and which it needs.",
    "{kind: file, fields: {paht: etc/motd}}\n",
)
NO_REQUIREMENT: Final = _rule(
    "E004",
    "a requirement that is not described",
    "A resource can only require others of the same environment.",
    "{kind: file, fields: {path: a}, requires: [nobody]}\n",
)
NO_LEAVE: Final = _rule(
    "E005",
    "code that nobody has given leave to run",
    "Processes, commands and scripts run what a description brings. That needs the leave of the operator: --trust scripts, or "
    "sabir trust.",
    "{kind: process, fields: {name: web, run: [python3, -m, http.server]}}\n",
)


class PlacedResources(Struct, frozen=True, eq=False):
    by_address: Mapping[str, Placed]
    findings: tuple[Finding, ...]


def place_resources(wanted: Wanted, targets: Targets, trust: Trust) -> PlacedResources:
    """Every resource at its target, and a finding for each that cannot be."""
    findings = [*_target_problems(targets)]
    placed: dict[str, Placed] = {}
    publishers = _publishers(wanted)
    addresses = {str(resource.address) for resource in wanted.resources}
    for resource in wanted.resources:
        address = str(resource.address)
        lifecycle = wanted.lifecycles.get(address)
        if lifecycle is not None:
            resource = replace(resource, lifecycle=lifecycle)
        try:
            placing = targets.place(_with_implied(resource, publishers))
        except Unplaced as error:
            rule = NOT_BELOW if error.hint and "--here" in error.hint else NO_PLACE
            findings.append(_finding(rule, resource.origin, f"{address}: {error}", hint=error.hint))
            continue
        findings += _problems(placing, addresses, trust)
        placed[address] = _hidden(placing)
    return PlacedResources(placed, tuple(findings))


def _target_problems(targets: Targets) -> Iterator[Finding]:
    for target in targets.by_name.values():
        for message in targets.problems(target).values():
            origin = None if target.place is None else Origin(target.place, How.LITERAL)
            yield _finding(NO_PLACE, origin, f"target {target.name!r}: {message}")


def _problems(placed: Placed, addresses: set[str], trust: Trust) -> Iterator[Finding]:
    resource = placed.resource
    if placed.kind.fields is not None:
        for field, message in field_problems(placed.kind.fields, resource.desired).items():
            origin = resource.origins.get(field) or resource.origin
            yield _finding(BAD_FIELD, origin, f"{resource.address} ({resource.kind}): {message}")
    for required in (*resource.requires, *resource.reacts_to):
        if str(required) not in addresses:
            near = did_you_mean(str(required), addresses)
            message = f"{resource.address} requires {required}, which is not described"
            yield _finding(NO_REQUIREMENT, resource.origin, message, hint=near)
    if placed.kind.code and not trust.scripts:
        message = f"{resource.address} is a {resource.kind}: it would run what the description says"
        yield _finding(NO_LEAVE, resource.origin, message, hint="give --trust scripts when you trust it")


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
    names = {name for value in resource.desired.values() for name in _unknowns(value)}
    implied = [
        publisher
        for name in sorted(names)
        if (publisher := publishers.get(name) or publishers.get(name.partition("|")[0])) is not None
        and publisher != resource.address
    ]
    if not implied:
        return resource
    return replace(resource, requires=tuple(dict.fromkeys((*resource.requires, *implied))))


def _unknowns(value: Value) -> Iterator[str]:
    match value:
        case str() | int() | float() | bytes() | None:
            return
        case Unknown(of=str() as of):
            yield of
        case Sensitive(value=inner):
            yield from _unknowns(inner)
        case Mapping():
            for item in value.values():
                yield from _unknowns(item)
        case list() | tuple():
            for item in value:
                yield from _unknowns(item)
        case _:
            return


def _finding(rule: Rule, origin: Origin | None, message: str, *, hint: str | None = None) -> Finding:
    if origin is None or isinstance(origin.place, Location):
        file = "sabir.yaml" if origin is None else origin.location.file
        return rule.about_file(file, message, hint=hint)
    return rule.at(origin.place, message, hint=hint)
