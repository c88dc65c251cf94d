"""Rules of the environment over its graph and its plan: each step is an instance of the type `sabir.Step`.

What `--target` means: the resources of an environment that a plan is limited to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from sabir.checks.policy import PolicyRule, run_rules
from sabir.deployments.plan.steps import Plan, PlannedStep
from sabir.deployments.store.records import ResourceRecord
from sabir.deployments.targets import Placed
from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.environment import FILE_NAME
from sabir.environment.check import environment_rules
from sabir.environment.evaluate import load_environment
from sabir.errors import UsageError
from sabir.graph.graph import Graph, Instance
from sabir.graph.record import Record
from sabir.graph.values import Value
from sabir.resources.step import Action
from sabir.session import Session
from sabir.source.packages import load_package

STEP_TYPE: Final = "sabir.Step"


def rules_at(path: Path) -> tuple[tuple[PolicyRule, ...], tuple[Finding, ...]]:
    """The rules that the environment at a path names; none for anything else."""
    file = path / FILE_NAME if path.is_dir() else path
    if file.name != FILE_NAME or not file.is_file():
        return (), ()
    package = load_package(path)
    environment, _ = load_environment(package)
    return ((), ()) if environment is None else environment_rules(environment, package)


def judged_plan(
    rules: tuple[PolicyRule, ...], graph: Graph, plan: Plan, session: Session
) -> tuple[Finding, ...]:
    """What the rules say of a graph together with the steps of a plan."""
    if not rules:
        return ()
    together = Graph((*graph, *_steps(plan)), outputs=graph.outputs, output_origins=graph.output_origins)
    return tuple(run_rules(rules, together, session))


def _steps(plan: Plan) -> Iterator[Instance]:
    for step in plan.steps:
        if not (step.replaces and step.action is Action.DELETE):
            yield Instance(
                id=f"{STEP_TYPE} {step.key}",
                type=STEP_TYPE,
                language="sabir",
                name=step.key,
                attributes=Record.of(_attributes(step)),
                origin=step.placed.resource.origin,
            )


def _attributes(step: PlannedStep) -> dict[str, Value]:
    after = {} if step.action is Action.DELETE else dict(step.placed.resource.desired)
    before: dict[str, Value] = {**after, **{change.field: change.before for change in step.changes}}
    if step.action is Action.DELETE:
        before = dict(step.placed.resource.desired)
    return {
        "action": Action.REPLACE.value if step.replaces else step.action.value,
        "address": step.address,
        "kind": step.placed.resource.kind,
        "target": step.placed.target.name,
        "driver": step.placed.driver.name,
        "reason": step.reason,
        "changed": [change.field for change in step.changes],
        "before": {} if step.action is Action.CREATE and not step.replaces else before,
        "after": after,
    }


def selected_addresses(
    only: Sequence[str], placed: Mapping[str, Placed], records: Mapping[str, ResourceRecord], *, destroy: bool
) -> set[str]:
    """The addresses that words mean (a target's name, an address, the name at its end), with what they need."""
    selected: set[str] = set()
    for word in only:
        named = {
            address
            for address in (*placed, *records)
            if word in (address, address.rpartition("/")[2], _target(address, placed, records))
        }
        if not named:
            hint = did_you_mean(word, [*placed, *records])
            raise UsageError(
                f"--target {word!r} is neither a target nor a resource" + (f": {hint}" if hint else "")
            )
        selected |= named
    needs = _users(records) if destroy else _needs(placed)
    queue = [*selected]
    for address in queue:
        for other in needs.get(address, ()):
            if other not in selected:
                selected.add(other)
                queue.append(other)
    return selected


def _target(address: str, placed: Mapping[str, Placed], records: Mapping[str, ResourceRecord]) -> str:
    return placed[address].target.name if address in placed else records[address].target


def _needs(placed: Mapping[str, Placed]) -> dict[str, list[str]]:
    """What has to be there before each."""
    return {address: [str(other) for other in place.resource.requires] for address, place in placed.items()}


def _users(records: Mapping[str, ResourceRecord]) -> dict[str, list[str]]:
    """What has to go before each."""
    users: dict[str, list[str]] = {}
    for user, record in records.items():
        for address in record.requires:
            users.setdefault(address, []).append(user)
    return users
