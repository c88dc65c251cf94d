"""Adoption of environments that Murano deployed, from a dump of its database.

The object models and the attributes that Murano's code stored become the recorded state; nothing is changed.
The attributes contain the names of the stacks, and agents are identified by object ids. So the next
deployment updates the same stacks and talks to the same agents.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from sabir.deployments.deployment import DeployOptions, hold_environment
from sabir.deployments.engine.connections import Connections
from sabir.deployments.engine.executor import perform_task
from sabir.deployments.store.journal import Journal
from sabir.deployments.store.records import DeploymentState, RecordStatus, ResourceRecord
from sabir.deployments.store.writer import Write
from sabir.deployments.targets import PlacedResource
from sabir.environment import FILE_NAME
from sabir.environment.read import read_environment
from sabir.environment.references import is_expression
from sabir.errors import DeployError, InputError
from sabir.graph.values import Value, reveal_all
from sabir.languages.muranopl.evaluate.dumps import DumpedEnvironment, read_dump
from sabir.languages.muranopl.evaluate.previous import STACKS, STORAGE
from sabir.languages.muranopl.graph.driver import PROGRAM, ProgramTarget
from sabir.languages.muranopl.worlds.effects import EffectKind
from sabir.operations.deployment.adopt import AdoptedResource, AdoptResult
from sabir.operations.deployment.environment import EnvironmentRequest, open_state
from sabir.operations.deployment.execution import build_audit
from sabir.operations.deployment.preparation import PreparedEnvironment, prepare_environment
from sabir.operations.files import write_atomically
from sabir.resources.effects import ANSWER, Effect, Effects
from sabir.resources.outcome import Outcome
from sabir.resources.resource import Resource
from sabir.resources.step import Action, Task
from sabir.source.packages import PackageFile, is_below
from sabir.source.yaml.nodes import YamlScalar

_PACKAGE: Final = "package "


def adopt_murano(
    request: EnvironmentRequest,
    dump: Path,
    notice: Callable[[str], None] = lambda _: None,
    *,
    stacks: Mapping[str, str | None] | None = None,
) -> AdoptResult:
    """Adopt environments of a dump, each for the part whose root object has its id.

    `stacks` has the stack names, by environment id, that are missing in the dump; None if the environment has
    no stack.
    """
    named = stacks or {}
    dumped = {environment.id: _with_stack(environment, named) for environment in read_dump(dump)}
    strange = sorted({*named} - {*dumped})
    if strange:
        raise InputError(f"there is no environment {strange[0]!r} in the dump; there are {', '.join(dumped)}")
    for file in _write_missing_models(request, dumped):
        notice(f"written from the dump: {file}")
    with open_state(request, create=True) as store:
        prepared = prepare_environment(request, store)
        if prepared.failed:
            return AdoptResult(findings=prepared.findings, failed=True)
        matching = _match_environments(prepared, dumped)
        _refuse_unusable_dump(matching, dumped, prepared.snapshot.records)
        _refuse_without_stack(matching, named)
        options = DeployOptions(audit={**build_audit(request, prepared.context), "dump": dump.name})
        with hold_environment(store, prepared.context, options) as writer:
            there = [asyncio.run(_read_stacks(prepared, *pair)) for pair in matching]
            journal = Journal(store, writer, prepared.context.session.clock)
            addresses = [str(placed.resource.address) for placed, _ in matching]
            number = journal.open(
                "adopt", audit=options.audit, plan={"adopted": addresses}, steps=lambda _: ()
            )
            journal.now_all(
                [
                    write
                    for pair, pushed in zip(matching, there, strict=True)
                    for write in _build_writes(journal, *pair, pushed)
                ]
            )
            journal.close(DeploymentState.DONE)
    taken = {environment.id for _, environment in matching}
    for environment in dumped.values():
        if environment.id not in taken:
            notice(f"left: the environment {environment.name!r}, which nothing here describes")
    resources = tuple(AdoptedResource(address=address, kind=PROGRAM, taken=True) for address in addresses)
    return AdoptResult(resources=resources, number=number, findings=prepared.findings)


def _with_stack(environment: DumpedEnvironment, stacks: Mapping[str, str | None]) -> DumpedEnvironment:
    name = stacks.get(environment.id)
    if name is None or name in environment.stack_names:
        return environment
    if environment.stack_names:
        told = ", ".join(environment.stack_names)
        raise InputError(f"the dump says that {environment.id} has the stack {told}, not {name}")
    return environment.with_stack(name)


def _refuse_without_stack(
    matching: list[tuple[PlacedResource, DumpedEnvironment]], named: Mapping[str, str | None]
) -> None:
    """Raise an error for an environment with an unknown stack: the next deployment would create a second
    one.
    """
    for _, environment in matching:
        if not environment.stack_names and environment.id not in named:
            raise DeployError(
                f"the dump does not tell the stack of {environment.name!r}, and a deployment would build a second one. Its "
                f"description at the cloud names the environment ({environment.id}); say it as {environment.id}=murano-…, or "
                f"{environment.id} alone when there is none"
            )


def _match_environments(
    prepared: PreparedEnvironment, dumped: Mapping[str, DumpedEnvironment]
) -> list[tuple[PlacedResource, DumpedEnvironment]]:
    programs = [placed for placed in prepared.placed.values() if placed.resource.kind == PROGRAM]
    return [
        (placed, dumped[placed.resource.address.instance])
        for placed in programs
        if placed.resource.address.instance in dumped
    ]


def _refuse_unusable_dump(
    matching: list[tuple[PlacedResource, DumpedEnvironment]],
    dumped: Mapping[str, DumpedEnvironment],
    records: Mapping[str, ResourceRecord],
) -> None:
    if not matching:
        raise DeployError(
            "nothing here is one of the environments of the dump: the root of a model needs the id "
            + " or ".join(sorted(dumped))
        )
    for placed, _ in matching:
        if str(placed.resource.address) in records:
            raise DeployError(
                f"{placed.resource.address} is recorded already: `sabir state rm` forgets it, if the dump is to count"
            )


async def _read_stacks(
    prepared: PreparedEnvironment, placed: PlacedResource, environment: DumpedEnvironment
) -> dict[str, Any]:
    """Read the stacks that the code stored by name, as the cloud has them now; empty without a cloud
    target.
    """
    target = placed.target
    cloud = target.effects.get(EffectKind.STACK_READ) if isinstance(target, ProgramTarget) else None
    stacks: dict[str, Any] = {}
    async with Connections(prepared.context) as connections:
        for name in environment.stack_names if cloud is not None else ():
            resource = Resource(
                address=placed.resource.address,
                kind=EffectKind.STACK_READ.value,
                desired={"stack": name, "region": ""},
                target=cloud,
            )
            task = Task(operation_id=name, action=Action.RUN, resource=resource)
            outcome = await perform_task(prepared.targets.place(resource), task, _NoEffects(), connections)
            if outcome.failed:
                raise DeployError(f"the stack {name} cannot be looked at: {outcome.message}")
            answer: Any = reveal_all(outcome.results.get(ANSWER))
            if answer is not None:
                stacks[json.dumps(["", name])] = answer
    return stacks


class _NoEffects:
    """Effects of a read: there are none."""

    async def perform(self, effect: Effect) -> Outcome:
        raise DeployError(f"a look does not ask for {effect.kind}")

    def branch(self, name: str) -> Effects:  # noqa: ARG002
        return self

    def note(self, line: str) -> None:
        """Ignore the line: a read has no observer."""


def _build_writes(
    journal: Journal, placed: PlacedResource, environment: DumpedEnvironment, stacks: Mapping[str, Any]
) -> Iterator[Write]:
    """Build the record of a program that ran in Murano.

    The versions of the packages it ran with are unknown, so the next deployment runs it again.
    """
    resource = placed.resource
    address = str(resource.address)
    desired = {name: value for name, value in resource.desired.items() if not name.startswith(_PACKAGE)}
    yield journal.record(
        ResourceRecord(
            address=address,
            kind=resource.kind,
            target=placed.target.name,
            driver=placed.driver.name,
            status=RecordStatus.PRESENT,
            desired=journal.fields(desired),
            deployment=journal.number,
            step=address,
            origin=None if resource.origin is None else str(resource.origin.location),
        )
    )
    storage: dict[str, Any] = environment.storage
    facts: dict[str, Value] = {str(resource.address.of(STORAGE)): storage}
    if stacks:
        facts[str(resource.address.of(STACKS))] = dict(stacks)
    yield from journal.facts(facts, address=address, step=address, position=1)


# -- models that are not there yet ---------------------------------------------------------------------------------------


def _write_missing_models(
    request: EnvironmentRequest, dumped: Mapping[str, DumpedEnvironment]
) -> Iterator[Path]:
    """Write model files that a part names and that do not exist, from the dump, where the match is
    unambiguous.
    """
    file = request.path / FILE_NAME if request.path.is_dir() else request.path
    if file.name != FILE_NAME or not file.is_file():
        return
    for part, model in _find_model_paths(file, anywhere=request.evaluation.session.trust.outside):
        if not model.exists():
            environment = _find_environment(part, dumped)
            if environment is not None:
                text = yaml.safe_dump(
                    _strip_actions(environment.objects), sort_keys=False, allow_unicode=True
                )
                write_atomically(model, text.encode(), private=True)
                yield model


def _find_model_paths(file: Path, *, anywhere: bool) -> Iterator[tuple[str, Path]]:
    """Yield the model files that parts name. `sabir.yaml` must not cause writes outside its directory."""
    environment, _ = read_environment(PackageFile(FILE_NAME, file.read_bytes()))
    for part in () if environment is None else environment.parts:
        node = part.model
        if isinstance(node, YamlScalar) and isinstance(node.value, str) and not is_expression(node):
            model = file.parent / node.value
            if anywhere or is_below(model, file.parent):
                yield part.name, model


def _find_environment(part: str, dumped: Mapping[str, DumpedEnvironment]) -> DumpedEnvironment | None:
    """Return the dumped environment of a part: the only one, or the one with the same name or id."""
    if len(dumped) == 1:
        return next(iter(dumped.values()))
    return next(
        (environment for environment in dumped.values() if part in (environment.id, environment.name)), None
    )


def _strip_actions(value: Any) -> Any:
    """Return a model without the data that only the dashboard's designer uses."""
    if isinstance(value, Mapping):
        return {str(key): _strip_actions(item) for key, item in value.items() if key != "_actions"}
    return [_strip_actions(item) for item in value] if isinstance(value, list) else value
