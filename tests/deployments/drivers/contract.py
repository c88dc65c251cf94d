"""What every driver promises, as tests: a driver's own test module derives from `DriverContract` and says how it is reached.

    class TestFiles(DriverContract):
        def driver(self) -> Driver: ...
        def target(self) -> Target: ...
        def cases(self) -> Sequence[Case]: ...

Each case is one kind with a resource as it is first wanted and as it is wanted then.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

import pytest
from msgspec import Struct
from msgspec.structs import replace

from sabir.errors import DeployError
from sabir.graph.address import Address
from sabir.graph.secrets import Secrets, secret_texts
from sabir.resources.driver import Connection, Driver, DriverContext, Kind
from sabir.resources.fields import field_problems
from sabir.resources.outcome import CompletionStatus, OutcomeStatus
from sabir.resources.resource import Resource
from sabir.resources.step import Action, Task
from sabir.resources.target import Target
from sabir.session import Session, Trust
from tests.deployments.drivers.quiet import NoEffects

__all__ = ["Case", "DriverContract", "NoEffects", "task"]

Result = TypeVar("Result")


class Case(Struct, frozen=True, kw_only=True, eq=False):
    kind: str
    first: dict[str, object]
    then: dict[str, object] | None = None
    """The fields after a change in place; None: there is no such change."""
    secret: dict[str, object] | None = None
    """Fields with something sensitive in them."""
    stays: bool = False
    """It is there before and after, as a service is that a package brought: only its fields are kept."""


def task(resource: Resource, action: Action, operation_id: str = "op-1", **others: object) -> Task:
    return Task(operation_id=operation_id, action=action, resource=resource, **others)  # type: ignore[arg-type]  # by name


class DriverContract:
    """Derive from it; `driver`, `target` and `cases` are the driver's."""

    def driver(self) -> Driver:
        raise NotImplementedError

    def target(self, folder: Path) -> Target:
        raise NotImplementedError

    def cases(self) -> Sequence[Case]:
        raise NotImplementedError

    trust = Trust()
    kill_after: tuple[float, ...] = (0.0, 0.01, 0.04)
    """Seconds after which a process that applies is killed, for one case after the other."""

    def bad_target(self, folder: Path) -> Target | None:
        """A target that cannot be reached: wrong credentials, no such folder. None: there is no such thing."""
        return None

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        (tmp_path / "root").mkdir()
        return tmp_path

    def run(self, folder: Path, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        context = DriverContext(
            session=Session(trust=self.trust),
            folder=folder,
            state_folder=folder / ".sabir",
            environment="contract",
        )

        async def connected() -> Result:
            async with self.driver().connect(self.target(folder), context) as connection:
                return await work(connection)

        return asyncio.run(connected())

    def resource(self, case: Case, fields: dict[str, object]) -> Resource:
        return Resource(address=Address("subject"), kind=case.kind, desired=fields, target="contract")  # type: ignore[arg-type]  # plain values

    def test_fields_are_declared(self) -> None:
        for case in self.cases():
            fields = self.driver().kinds[case.kind].fields
            for wanted in (case.first, case.then, case.secret):
                if fields is not None and wanted is not None:
                    assert field_problems(fields, wanted) == {}  # type: ignore[arg-type]  # plain values

    def test_read_diff_apply_read(self, folder: Path) -> None:
        """After an apply there is no difference, a second one changes nothing, and a deletion leaves nothing."""
        for case in self.cases():
            resource = self.resource(case, case.first)

            async def work(connection: Connection, case: Case = case, resource: Resource = resource) -> None:
                kind = self.driver().kinds[case.kind]
                if not kind.runs:
                    assert (await connection.read(resource, None)).exists is case.stays, case.kind
                outcome = await connection.apply(task(resource, Action.CREATE), NoEffects())
                assert outcome.status is OutcomeStatus.DONE, outcome.message
                assert outcome.changed
                if kind.runs:
                    return
                seen = await connection.read(resource, outcome.id)
                assert seen.exists
                assert [*self.driver().diff(resource, seen)] == []
                again = await connection.apply(task(resource, Action.UPDATE, "op-2"), NoEffects())
                assert not again.changed, case.kind
                await self._changed(connection, case, resource)
                gone = await connection.delete(task(resource, Action.DELETE, "op-4"), NoEffects())
                assert gone.status is OutcomeStatus.DONE
                assert (await connection.read(resource, outcome.id)).exists is case.stays
                twice = await connection.delete(task(resource, Action.DELETE, "op-5"), NoEffects())
                assert twice.status is OutcomeStatus.DONE
                assert not twice.changed

            self.run(folder, work)

    async def _changed(self, connection: Connection, case: Case, resource: Resource) -> None:
        if case.then is None:
            return
        changed = replace(resource, desired=case.then)
        seen = await connection.read(changed, None)
        assert [*self.driver().diff(changed, seen)], f"{case.kind}: a change must show"
        outcome = await connection.apply(
            task(changed, Action.UPDATE, "op-3", recorded=resource.desired), NoEffects()
        )
        assert outcome.status is OutcomeStatus.DONE, outcome.message
        assert outcome.changed
        assert [*self.driver().diff(changed, await connection.read(changed, None))] == []

    def test_observation(self, folder: Path) -> None:
        """Before a step it is not done; after it, it is done, for somebody who connects anew."""
        for case in self.cases():
            resource = self.resource(case, case.first)
            create, delete = task(resource, Action.CREATE), task(resource, Action.DELETE, "op-2")
            before = self.run(folder, lambda connection, create=create: connection.observe(create))  # type: ignore[misc]  # bound now
            assert before.sighting is CompletionStatus.NOT_DONE, case.kind
            self.run(folder, lambda connection, create=create: connection.apply(create, NoEffects()))  # type: ignore[misc]  # bound now
            after = self.run(folder, lambda connection, create=create: connection.observe(create))  # type: ignore[misc]  # bound now
            assert after.sighting is CompletionStatus.DONE, case.kind
            self.run(folder, lambda connection, delete=delete: connection.delete(delete, NoEffects()))  # type: ignore[misc]  # bound now

    @pytest.mark.slow
    def test_a_step_whose_process_was_killed(self, folder: Path) -> None:
        """Somebody who connects anew finds it done, or does it: under the same operation id, and only once."""
        for case, seconds in zip(self.cases(), itertools.cycle(self.kill_after)):
            if any(isinstance(value, bytes) for value in case.first.values()):
                continue  # the victim is told in JSON
            resource = self.resource(case, case.first)
            step = task(resource, Action.CREATE, f"op-{case.kind}")
            self._killed(folder, case, step.operation_id, seconds)
            kind = self.driver().kinds[case.kind]

            async def taken_up(
                connection: Connection, step: Task = step, kind: Kind = kind, resource: Resource = resource
            ) -> None:
                seen = await connection.observe(step)
                if seen.sighting is CompletionStatus.CANNOT_TELL:
                    assert not kind.idempotent, "what may be repeated is never in doubt"
                    assert seen.look_at, "a person is told where to look"
                elif seen.sighting is CompletionStatus.NOT_DONE:
                    outcome = await connection.apply(step, NoEffects())
                    while outcome.passing:  # what the dead process had begun may still be at it
                        await asyncio.sleep(0.1)
                        outcome = await connection.apply(step, NoEffects())
                    assert outcome.status is OutcomeStatus.DONE, outcome.message
                if not kind.runs and seen.sighting is not CompletionStatus.CANNOT_TELL:
                    there = await connection.read(resource, None)
                    assert [*self.driver().diff(resource, there)] == []
                await connection.delete(
                    task(resource, Action.DELETE, f"{step.operation_id}-gone"), NoEffects()
                )

            self.run(folder, taken_up)

    def _killed(self, folder: Path, case: Case, operation_id: str, seconds: float) -> None:
        target = self.target(folder)
        orders = {
            "driver": target.driver,
            "settings": target.settings,
            "folder": str(folder),
            "trust": self.trust.words,
            "kind": case.kind,
            "fields": case.first,
            "operation": operation_id,
        }
        command = [sys.executable, "-m", "tests.deployments.drivers.victim"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as victim:
            assert victim.stdin is not None
            assert victim.stdout is not None
            victim.stdin.write(json.dumps(orders).encode())
            victim.stdin.close()
            assert victim.stdout.readline() == b"begins\n"
            time.sleep(seconds)  # the moment of death is what is tried
            victim.kill()

    def test_secrets_do_not_come_back_in_clear(self, folder: Path) -> None:
        for case in self.cases():
            if case.secret is None:
                continue
            resource = self.resource(case, case.secret)
            texts = secret_texts(dict(resource.desired))
            assert texts
            secrets = Secrets(texts)

            async def work(
                connection: Connection, resource: Resource = resource, secrets: Secrets = secrets
            ) -> None:
                outcome = await connection.apply(task(resource, Action.CREATE, "op-s"), NoEffects())
                shown = repr(outcome)
                if not self.driver().kinds[resource.kind].runs:
                    shown += repr(await connection.read(resource, None))
                assert not secrets.are_in(shown), shown
                await connection.delete(task(resource, Action.DELETE, "op-t"), NoEffects())

            self.run(folder, work)

    def test_a_target_that_cannot_be_reached_is_a_clear_error(self, folder: Path) -> None:
        target = self.bad_target(folder)
        if target is None:
            pytest.skip("this driver has no target that cannot be reached")

        async def connect() -> None:
            async with self.driver().connect(target, DriverContext(folder=folder)):
                pass

        with pytest.raises(DeployError, match=r"\w+ \w+"):
            asyncio.run(connect())
