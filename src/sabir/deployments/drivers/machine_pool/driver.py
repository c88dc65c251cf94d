"""The driver of a pool: it finds a machine for a server, runs plans on it, and gives it back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from sabir.deployments.drivers.machine_pool.pool import (
    PooledMachine,
    claim_command,
    machines_of,
    owner_command,
    plan_command,
    release_command,
)
from sabir.deployments.drivers.ssh.driver import DRIVER as SSH
from sabir.errors import DeployError
from sabir.graph.secrets import Secrets, secret_texts
from sabir.graph.values import Value, reveal_all, reveal_value
from sabir.resources.driver import Connection, DriverContext, Kind, RunConnection, RunDriver
from sabir.resources.effects import ANSWER, FAILURE, Effects
from sabir.resources.fields import Field, FieldType
from sabir.resources.outcome import CompletionStatus, Observation, Outcome, OutcomeStatus
from sabir.resources.step import Task
from sabir.resources.target import Target

CLAIM: Final = "machine.claim"
RELEASE: Final = "machine.release"
PLAN: Final = "machine.plan"
_COMMAND: Final = "command"
_NO_MACHINE: Final = "NoMachineLeft"
_TOOK_TOO_LONG: Final = "it took longer than"
"""How the hands begin when they ended a command because of its time."""

_MACHINE: Final = Field(about="the machine, as the claim named it", required=True)
_STACK: Final = Field(about="what the server belongs to", required=True)
_NAME: Final = Field(about="the server", required=True)


class MachinesDriver(RunDriver):
    """Kinds that programs ask for; nothing here is kept."""

    name: Final = "machines"
    kinds: Final[Mapping[str, Kind]] = {
        CLAIM: Kind(
            about="a machine for a server",
            fields={"name": _NAME, "stack": _STACK, "hostname": Field(about="its name in the network")},
            runs=True,
            idempotent=True,
        ),
        RELEASE: Kind(
            about="a machine that is given back",
            fields={"machine": _MACHINE, "name": _NAME, "stack": _STACK},
            runs=True,
            idempotent=True,
        ),
        PLAN: Kind(
            about="an execution plan, run on a machine",
            fields={
                "machine": _MACHINE,
                "plan": Field(about="the plan with its files", type=FieldType.MAP, required=True),
                "timeout": Field(about="seconds it may take", type=FieldType.NUMBER),
            },
            runs=True,
            code=True,
            stops=True,
        ),
    }

    def settings(self) -> Mapping[str, Field]:
        of_hosts = {name: replace(field, required=False) for name, field in SSH.settings().items()}
        return {
            "hosts": Field(
                about="the machines: names, or mappings with host and what differs",
                type=FieldType.LIST,
                required=True,
            ),
            "release": Field(
                about="commands that leave a machine as the next one wants it", type=FieldType.LIST
            ),
            **{name: field for name, field in of_hosts.items() if name != "host"},
        }

    @asynccontextmanager
    async def connect(self, target: Target, context: DriverContext) -> AsyncGenerator[Connection]:
        async with AsyncExitStack() as stack:
            yield _Pool(target, context, stack)


DRIVER: Final = MachinesDriver()


def _owner_text(environment: str, stack: str, server: str) -> str:
    """What a claim file contains."""
    return f"{environment}/{stack}/{server}"


class _RecordedOwner(Struct, frozen=True, kw_only=True):
    """Who has a machine, by the state."""

    environment: str
    application: str
    stack: str
    server: str

    @property
    def owner(self) -> str:
        return _owner_text(self.environment, self.stack, self.server)


class _Pool(RunConnection):
    def __init__(self, target: Target, context: DriverContext, stack: AsyncExitStack) -> None:
        self._target = target
        self._context = context
        self._stack = stack
        self._machines = {machine.id: machine for machine in machines_of(target)}
        self._connections: dict[str, Connection] = {}
        self._opening = {id_: asyncio.Lock() for id_ in self._machines}
        self._working = {id_: asyncio.Lock() for id_ in self._machines}
        self._claiming = asyncio.Lock()

    async def apply(self, task: Task, effects: Effects) -> Outcome:
        match task.resource.kind:
            case "machine.claim":
                return await self._claim(task, effects)
            case "machine.release":
                return await self._release(task, effects)
            case _:
                return await self._plan(task, effects)

    async def observe(self, task: Task) -> Observation:
        """A plan leaves marks on its machine; the others may be done again."""
        if task.resource.kind != PLAN:
            return Observation(sighting=CompletionStatus.CANNOT_TELL)
        machine = self._machine(task)
        connection = await self._connection(machine)
        observation = await connection.observe(self._plan_task(task, machine))
        outcome = observation.outcome
        return observation if outcome is None else replace(observation, outcome=_plan_outcome(outcome))

    # -- claims ---------------------------------------------------------------------------------------------------------

    async def _claim(self, task: Task, effects: Effects) -> Outcome:
        """The machine that the server has already, else the first that nobody has. One that does not answer is left out."""
        owner = self._owner(task)
        server = str(task.resource.desired["name"])
        async with self._claiming:
            owners, silent = await self._owners(task, effects)
            recorded = await asyncio.to_thread(self._recorded_owners)
            mine = [id_ for id_, who in owners.items() if who == owner]
            unclaimed = [id_ for id_, who in owners.items() if not who and self._machines[id_].takes(server)]
            # A claim file may be lost; the state still knows who has the machine.
            lost = {
                id_: recorded[id_] for id_ in unclaimed if id_ in recorded and recorded[id_].owner != owner
            }
            free = [id_ for id_ in unclaimed if id_ not in lost]
            # The machine it had comes first, and those that are for this server come before those that are for any.
            free.sort(key=lambda id_: (id_ not in recorded, not self._machines[id_].names))
            for id_ in [*mine, *free]:
                told = await self._run_command(self._machines[id_], task, effects, claim_command(owner))
                if told["owner"] == owner:
                    return _claim_outcome(self._machines[id_], told["hostname"])
        return self._none_left(server, owners, silent, lost)

    def _recorded_owners(self) -> dict[str, _RecordedOwner]:
        """Who has each machine of the pool by the state, in any of its environments."""
        recorded: dict[str, _RecordedOwner] = {}
        state = self._context.recorded
        for effect in () if state is None else state.recorded_effects((CLAIM, RELEASE)):
            server, stack = (str(effect.arguments.get(name)) for name in ("name", "stack"))
            holder = _RecordedOwner(
                environment=effect.environment, application=effect.application, stack=stack, server=server
            )
            if effect.kind == RELEASE:
                id_ = str(effect.arguments.get("machine"))
                if id_ in recorded and recorded[id_].owner == holder.owner:
                    del recorded[id_]
            elif isinstance(effect.answer, Mapping):
                id_, address = str(effect.answer.get("id")), effect.answer.get("address")
                # Pools of several environments may use one name for different machines.
                if id_ in self._machines and self._machines[id_].address == address:
                    recorded[id_] = holder
        return recorded

    async def _owners(self, task: Task, effects: Effects) -> tuple[dict[str, str], dict[str, str]]:
        """Who has each machine; and why some do not say."""

        async def owner(machine: PooledMachine) -> str | DeployError:
            try:
                return (await self._run_command(machine, task, effects, owner_command()))["owner"]
            except DeployError as error:
                return error

        answers = await asyncio.gather(*map(owner, self._machines.values()))
        told = dict(zip(self._machines, answers, strict=True))
        return (
            {id_: answer for id_, answer in told.items() if isinstance(answer, str)},
            {id_: str(answer) for id_, answer in told.items() if not isinstance(answer, str)},
        )

    def _none_left(
        self,
        server: str,
        owners: Mapping[str, str],
        silent: Mapping[str, str],
        lost: Mapping[str, _RecordedOwner],
    ) -> Outcome:
        taken = sum(bool(owner) for owner in owners.values())
        message = f"target {self._target.name!r} has no machine left for {server}: {taken} of {len(self._machines)} are taken"
        if silent:
            message += f", {len(silent)} do not answer ({'; '.join(silent.values())})"
        for id_, holder in lost.items():
            message += (
                f"; machine {id_!r} has no claim file, but the state records it for application "
                f"{holder.application!r} of environment {holder.environment!r} (server {holder.server!r}): destroy "
                f"that application, or restore the claim file with the content {holder.owner!r}"
            )
        return Outcome(
            status=OutcomeStatus.FAILED, changed=False, message=message, results={FAILURE: _NO_MACHINE}
        )

    async def _release(self, task: Task, effects: Effects) -> Outcome:
        machine = self._machine(task)
        farewell = reveal_value(self._target.settings.get("release")) or ()
        lines = [str(line) for line in farewell] if isinstance(farewell, Sequence) else []
        await self._run_command(machine, task, effects, release_command(self._owner(task), lines))
        return Outcome(results={ANSWER: None})

    def _owner(self, task: Task) -> str:
        desired = task.resource.desired
        return _owner_text(self._context.environment, str(desired["stack"]), str(desired["name"]))

    async def _run_command(
        self, machine: PooledMachine, task: Task, effects: Effects, command: Mapping[str, Value]
    ) -> dict[str, str]:
        connection = await self._connection(machine)
        outcome = await connection.apply(_as_command(task, command), effects)
        if outcome.failed:
            raise DeployError(outcome.message or f"{machine.id} failed")
        return {name: str(value) for name, value in outcome.results.items()}

    # -- plans ----------------------------------------------------------------------------------------------------------

    async def _plan(self, task: Task, effects: Effects) -> Outcome:
        machine = self._machine(task)
        connection = await self._connection(machine)
        async with self._working[machine.id]:  # an agent runs one plan after the other
            return _plan_outcome(await connection.apply(self._plan_task(task, machine), effects))

    def _plan_task(self, task: Task, machine: PooledMachine) -> Task:
        desired = reveal_all(dict(task.resource.desired))
        secrets = Secrets(secret_texts(dict(task.resource.desired)) or ())
        command = plan_command(desired["plan"], machine.python)
        return _as_command(task, {name: secrets.mark_sensitive(value) for name, value in command.items()})

    # -- connections ----------------------------------------------------------------------------------------------------

    def _machine(self, task: Task) -> PooledMachine:
        id_ = str(reveal_value(task.resource.desired["machine"]))
        machine = self._machines.get(id_)
        if machine is None:
            raise DeployError(
                f"target {self._target.name!r} no longer has the machine {id_}, which is still in use: put it back"
            )
        return machine

    async def _connection(self, machine: PooledMachine) -> Connection:
        async with self._opening[machine.id]:
            connection = self._connections.get(machine.id)
            if connection is None:
                target = Target(
                    name=f"{self._target.name}/{machine.id}", driver=SSH.name, settings=machine.settings
                )
                connection = await self._stack.enter_async_context(SSH.connect(target, self._context))
                self._connections[machine.id] = connection
        return connection


def _as_command(task: Task, command: Mapping[str, Value]) -> Task:
    return replace(task, resource=replace(task.resource, kind=_COMMAND, desired=command))


def _claim_outcome(machine: PooledMachine, hostname: str) -> Outcome:
    answer: dict[str, Any] = {"id": machine.id, "address": machine.address, "hostname": hostname}
    return Outcome(results={ANSWER: answer}, id=machine.id)


def _plan_outcome(outcome: Outcome) -> Outcome:
    """The answer of the runner; a plan that took too long has none, as an agent that stays silent."""
    if not outcome.failed:
        return outcome
    if outcome.message and outcome.message.startswith(_TOOK_TOO_LONG):
        return Outcome(results={ANSWER: None}, message=outcome.message)
    return outcome
