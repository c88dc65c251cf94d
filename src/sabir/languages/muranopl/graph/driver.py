"""The driver of programs: it runs one, and journals every effect that the program requests.

The program runs in a separate thread. Effects return to the event loop of the engine, which records them and
has the drivers of their targets perform them. Effects on the program itself (pauses, names, the time, its
identity) are answered here.
"""

from __future__ import annotations

import asyncio
import random
import string
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, Final

from msgspec.structs import replace

from sabir.diagnostics.finding import Finding, Severity
from sabir.errors import DeployError
from sabir.graph.address import Address
from sabir.graph.secrets import Secrets, secret_texts
from sabir.graph.values import Value, reveal_all
from sabir.languages.muranopl.evaluate.model_file import ModelFile
from sabir.languages.muranopl.evaluate.previous import STACKS, STORAGE, read_stored_value, root_id
from sabir.languages.muranopl.graph.program import MuranoProgram, ProgramCall, ProgramEnd, run_program
from sabir.languages.muranopl.worlds.deployed import JournalledWorld, RememberedStacks, ServedEffects
from sabir.languages.muranopl.worlds.effects import EffectKind, EffectRequest
from sabir.languages.muranopl.worlds.machines import MachineCloud
from sabir.resources.driver import (
    Connection,
    DriverContext,
    Kind,
    RunConnection,
    RunDriver,
    require_permission,
)
from sabir.resources.effects import ANSWER, DivergedError, Effects
from sabir.resources.outcome import CompletionStatus, Observation, Outcome, OutcomeStatus
from sabir.resources.step import Task
from sabir.resources.target import Target
from sabir.text import Source

TARGET: Final = "murano"
"""The name of the target that a model brings; inside of an environment the name of its part stands before it."""

PROGRAM: Final = "murano-program"
CALL: Final = "murano-call"
"""A method that is called on what was deployed."""
RESULT: Final = "result"
_RANDOM: Final = random.SystemRandom()


class ProgramTarget(Target, frozen=True, kw_only=True, eq=False):
    """The target on which a program runs, which is local, and the targets of its effects."""

    program: MuranoProgram
    file: ModelFile | None
    """The model that is wanted; None when it has errors."""
    pinned: Mapping[str, Value]
    """What must be the same when the program is run again after a crash."""
    effects: Mapping[EffectKind, str]
    """The targets of effects that are not the program's own."""
    has_machines: bool = False
    """Servers are machines of a pool, not of a cloud."""


class ProgramDriver(RunDriver):
    """The driver `murano`: deploys environments as programs, and calls public methods on deployed objects."""

    name: Final = "murano"

    @property
    def kinds(self) -> Mapping[str, Kind]:
        return {
            PROGRAM: Kind(about="a MuranoPL environment, deployed by its program", runs=True, code=True),
            CALL: Kind(about="a public method of a MuranoPL object", runs=True, code=True),
            **{kind.value: Kind(about=about, runs=True, idempotent=True) for kind, about in _OWN.items()},
        }

    def connect(self, target: Target, context: DriverContext) -> AbstractAsyncContextManager[Connection]:
        if not isinstance(target, ProgramTarget):
            raise DeployError(f"target {target.name!r}: a program brings its target itself")
        require_permission(context, "a program runs scripts of its packages")
        return nullcontext(_ProgramConnection(target))


_OWN: Final = {
    EffectKind.PROGRAM: "which program runs",
    EffectKind.PAUSE: "a pause of a program",
    EffectKind.RANDOM: "a name that a program makes up",
    EffectKind.CLOCK: "the time that a program sees",
}

DRIVER: Final = ProgramDriver()


class _ProgramConnection(RunConnection):
    def __init__(self, target: ProgramTarget) -> None:
        self._target = target
        self._observed = target.program.request.observed

    async def apply(self, task: Task, effects: Effects) -> Outcome:
        kind = task.resource.kind
        if kind not in (PROGRAM, CALL):
            return Outcome(results={ANSWER: await _own_answer(EffectKind(kind), task.resource.desired)})
        file = self._target.file
        if file is None:
            raise DeployError(f"{task.resource.address}: the model has errors")
        if kind == PROGRAM:
            return await self._run(task, effects, ProgramCall(file=file))
        desired = reveal_all(dict(task.resource.desired))
        call = ProgramCall(file=file, method=str(desired["call"]), arguments=desired.get("arguments") or {})
        return await self._run(task, effects, call)

    async def delete(self, task: Task, effects: Effects) -> Outcome:
        """Destroy everything that the last deployment left, parts before their owners."""
        if task.resource.kind != PROGRAM:
            return Outcome(changed=False)
        storage = read_stored_value(self._observed, self._root(task), STORAGE)
        if storage is None:
            return Outcome(changed=False, message="its program left nothing")
        file = ModelFile(
            source=self._source(),
            previous=storage["Objects"],
            attributes=tuple(storage.get("Attributes") or ()),
            removes=True,
            goes_on=True,
        )
        return await self._run(task, effects, ProgramCall(file=file))

    async def observe(self, task: Task) -> Observation:
        """Report a program by its effects; those that concern only the program may be repeated."""
        return Observation(sighting=CompletionStatus.CANNOT_TELL, look_at=str(task.resource.address))

    # -- running --------------------------------------------------------------------------------------------------------

    async def _run(self, task: Task, effects: Effects, call: ProgramCall) -> Outcome:
        target = self._target
        secrets = Secrets(secret_texts(dict(task.resource.desired)) or ())
        base = JournalledWorld(effects, asyncio.get_running_loop(), targets=target.effects, secrets=secrets)
        stacks = read_stored_value(self._observed, self._root(task), STACKS) or {}
        served = ServedEffects(base, {*_OWN, *target.effects}, stacks)
        world = MachineCloud(served, stacks) if target.has_machines else RememberedStacks(served, stacks)

        def work() -> ProgramEnd:
            world.perform(EffectRequest(kind=EffectKind.PROGRAM, arguments=self._call_fields(call)))
            end = run_program(target.program, call, world)
            world.finish()
            return end

        try:
            end = await _in_thread(work)
        except DivergedError as diverged:
            return _failure_outcome(
                f"{diverged}. What was begun with the other description is recorded; deploy again to begin anew from what is there"
            )
        return _build_outcome(end, world.stacks, secrets)

    def _call_fields(self, call: ProgramCall) -> dict[str, Any]:
        words = call.method or ("deploy" if call.file.model is not None else "destroy")
        return {**self._target.pinned, "call": words, "arguments": dict(call.arguments)}

    def _root(self, task: Task) -> str | None:
        """Return the root as its part names it: from the model, or from the record if it is no longer in the project."""
        if task.resource.kind == PROGRAM:
            # Records do not name parts; the name of a target that a part defines starts with the name of the part.
            part = self._target.name.removesuffix(TARGET)
            return Address.parse(str(task.resource.address).removeprefix(part)).instance
        return None if self._target.file is None else root_id(self._target.file.model)

    def _source(self) -> Source:
        return (
            Source("the state of the environment", "")
            if self._target.file is None
            else self._target.file.source
        )


async def _in_thread(work: Any) -> ProgramEnd:
    """Run in a dedicated thread: the threads that the engine shares must not be blocked for hours."""
    executor = ThreadPoolExecutor(1, thread_name_prefix="program")
    try:
        return await asyncio.get_running_loop().run_in_executor(executor, work)
    finally:
        executor.shutdown(wait=False)


async def _own_answer(kind: EffectKind, arguments: Mapping[str, Value]) -> Value:
    match kind:
        case EffectKind.PAUSE:
            await asyncio.sleep(float(str(arguments["seconds"])))
            return None
        case EffectKind.RANDOM:
            length = int(str(arguments["length"]))
            return "".join(_RANDOM.choice(string.ascii_lowercase) for _ in range(length))
        case EffectKind.CLOCK:
            return time.time()
        case _:
            return None


def _build_outcome(end: ProgramEnd, stacks: Mapping[str, Any], secrets: Secrets) -> Outcome:
    results: dict[str, Value] = {}
    if end.storage is not None:
        results = {
            STORAGE: secrets.mark_sensitive(dict(end.storage)),
            STACKS: secrets.mark_sensitive(dict(stacks)),
        }
    if end.result is not None:
        results[RESULT] = secrets.mark_sensitive(end.result)
    errors = [finding for finding in end.findings if finding.severity is Severity.ERROR]
    # The first error is the reason of the failed step; everything else goes into its log.
    others = [finding for finding in end.findings if finding not in errors[:1]]
    log = tuple(secrets.redact(_finding_text(finding)) for finding in others)
    if not errors:
        return Outcome(results=results, log=log)
    return replace(_failure_outcome(secrets.redact(_finding_text(errors[0]))), results=results, log=log)


def _failure_outcome(message: str) -> Outcome:
    return Outcome(status=OutcomeStatus.FAILED, changed=True, message=message)


def _finding_text(finding: Finding) -> str:
    location = finding.location
    return f"{location.file}:{location.line}: {finding.message} [{finding.code}]"
