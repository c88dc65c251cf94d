"""The driver of Heat: on a small cloud everywhere, and on real Keystone and Heat where they are."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from sabir.deployments.drivers.heat.connection import HeatConnection
from sabir.deployments.drivers.heat.driver import DRIVER
from sabir.errors import DeployError, UnreachableError
from sabir.graph.address import Address
from sabir.graph.values import Sensitive, Value
from sabir.resources.driver import Connection, Driver, DriverContext
from sabir.resources.outcome import CompletionStatus, OutcomeStatus
from sabir.resources.resource import Resource
from sabir.resources.step import Action
from sabir.resources.target import Target
from tests.deployments.drivers.contract import Case, DriverContract, task
from tests.deployments.drivers.quiet import NoEffects
from tests.openstack.cloud import Cloud, cloud
from tests.openstack.small_cloud import SmallCloud, small_cloud

# openstacksdk says it of a part of its own configuration, whoever uses it.
pytestmark = pytest.mark.filterwarnings("ignore:Support for InfluxDB")

TEMPLATE: dict[str, Any] = {
    "heat_template_version": "2018-08-31",
    "parameters": {"length": {"type": "number", "default": 8}},
    "resources": {
        "word": {"type": "OS::Heat::RandomString", "properties": {"length": {"get_param": "length"}}}
    },
    "outputs": {"word": {"value": {"get_attr": ["word", "value"]}}},
}
LONGER: dict[str, Any] = {
    **TEMPLATE,
    "resources": {
        **TEMPLATE["resources"],
        "other": {"type": "OS::Heat::Value", "properties": {"value": "x"}},
    },
}
HIDDEN: dict[str, Any] = {
    "heat_template_version": "2018-08-31",
    "parameters": {"password": {"type": "string", "hidden": True}},
    "resources": {"value": {"type": "OS::Heat::Value", "properties": {"value": {"get_param": "password"}}}},
    "outputs": {"shown": {"value": {"get_attr": ["value", "value"]}}},
}
AS_TEXT = """\
heat_template_version: 2018-08-31
resources:
  value: {type: OS::Heat::Value, properties: {value: one}}
"""


class HeatContract(DriverContract):
    clouds: Path

    def driver(self) -> Driver:
        return DRIVER

    def target(self, folder: Path) -> Target:
        return self.cloud_target("here")

    def cloud_target(self, name: str) -> Target:
        settings: dict[str, Value] = {"cloud": name, "clouds_file": str(self.clouds), "wait_seconds": 60}
        return Target(name="contract", driver="openstack-heat", settings=settings)

    def bad_target(self, folder: Path) -> Target:
        return self.cloud_target("refused")

    def cases(self) -> Sequence[Case]:
        return (
            Case(
                kind="heat-stack",
                first={"name": "shop", "template": TEMPLATE, "parameters": {"length": 6}, "tags": ["blue"]},
                then={"name": "shop", "template": LONGER, "parameters": {"length": 6}},
                secret={
                    "name": "vault",
                    "template": HIDDEN,
                    "parameters": {"password": Sensitive("canary-31")},
                },
            ),
            Case(
                kind="heat-stack",
                first={"name": "text", "template": AS_TEXT, "environment": {"parameter_defaults": {"a": 1}}},
                then={"name": "text", "template": AS_TEXT.replace("one", "two")},
            ),
        )

    def on_cloud(self, work: Callable[[HeatConnection], Awaitable[Any]]) -> Any:
        async def connected() -> Any:
            async with DRIVER.connect(self.target(Path()), DriverContext(environment="contract")) as stacks:
                return await work(stacks)

        return asyncio.run(connected())

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("refused", "refuses the credentials"),
            ("nobody", "does not answer"),
            ("none", "Cloud none was not found"),
        ],
    )
    def test_clouds_that_cannot_be_used(self, name: str, words: str) -> None:
        async def connect() -> None:
            async with DRIVER.connect(self.cloud_target(name), DriverContext()):
                pass

        with pytest.raises(DeployError, match=words) as caught:
            asyncio.run(connect())
        assert isinstance(caught.value, UnreachableError) is (name == "nobody")
        assert "wrong" not in str(caught.value)

    def test_what_an_update_would_do_is_asked_of_heat(self, folder: Path) -> None:
        stack = stack_of("foreseen", TEMPLATE)

        async def work(connection: Connection) -> str | None:
            await connection.apply(task(stack, Action.CREATE), NoEffects())
            message = (await connection.read(stack_of("foreseen", LONGER), None)).message
            await connection.delete(task(stack, Action.DELETE), NoEffects())
            return message

        assert self.run(folder, work) == "its resources: added other"

    def test_a_template_that_heat_refuses(self, folder: Path) -> None:
        stack = stack_of("refused", {"resources": {}})

        async def work(connection: Connection) -> tuple[str | None, str | None]:
            outcome = await connection.apply(task(stack, Action.CREATE), NoEffects())
            assert outcome.status is OutcomeStatus.FAILED
            return (await connection.read(stack, None)).message, outcome.message

        foreseen, said = self.run(folder, work)
        assert "emplate" in (said or "")
        assert foreseen == f"Heat would refuse it: {said}"

    def test_what_a_program_asks_for(self, folder: Path) -> None:
        def call(kind: str, number: int, **arguments: Any) -> Any:
            resource = Resource(
                address=Address("program"), kind=kind, desired={"stack": "murano", "region": "", **arguments}
            )
            return task(resource, Action.RUN, f"op-{number}")

        create = call(
            "heat.create",
            1,
            template=TEMPLATE,
            parameters={"length": 5},
            files={},
            environment={},
            tags="murano",
        )

        async def work(connection: Connection) -> None:
            async def answer(asked: Any) -> Any:
                outcome = await connection.apply(asked, NoEffects())
                assert outcome.status is OutcomeStatus.DONE, outcome.message
                return outcome.results["answer"]

            assert await answer(call("heat.read", 0)) is None
            assert (await connection.observe(create)).sighting is CompletionStatus.NOT_DONE
            created = await answer(create)
            assert created["status"] == "CREATE_COMPLETE"
            assert created["parameters"]["length"] == "5"
            assert {*created["outputs"]} == {"word"}
            assert created["template"] == TEMPLATE
            seen = await connection.observe(create)
            assert seen.outcome is not None
            assert seen.outcome.results["answer"] == created
            twice = await connection.apply(call("heat.create", 2, template=TEMPLATE), NoEffects())
            assert twice.results == {"name": "heatclient.exc.HTTPConflict"}
            updated = await answer(call("heat.update", 3, template=LONGER))
            assert updated["status"] == "UPDATE_COMPLETE"
            assert await answer(call("heat.delete", 4)) is None
            gone = await connection.apply(call("heat.delete", 5), NoEffects())
            assert gone.results == {"name": "heatclient.exc.HTTPNotFound"}

        self.run(folder, work)

    def test_operations(self, folder: Path) -> None:
        stack = stack_of("checked", TEMPLATE)
        notes = Notes()

        async def work(connection: Connection) -> None:
            await connection.apply(task(stack, Action.CREATE), NoEffects())
            outcome = await connection.call(task(stack, Action.RUN), "check", notes)
            assert outcome.status is OutcomeStatus.DONE, outcome.message
            await connection.delete(task(stack, Action.DELETE), NoEffects())

        self.run(folder, work)
        assert any("CHECK_COMPLETE" in line for line in notes.lines)
        assert not any("CREATE_" in line for line in notes.lines)

    def test_a_stack_of_somebody_else_is_left_alone(self, folder: Path) -> None:
        stack = stack_of("theirs", TEMPLATE)

        async def theirs(stacks: HeatConnection) -> None:
            await stacks.heat.create({"stack_name": "theirs", "template": TEMPLATE})

        self.on_cloud(theirs)
        for action in (Action.CREATE, Action.DELETE):

            async def work(connection: Connection, action: Action = action) -> Any:
                verb = connection.delete if action is Action.DELETE else connection.apply
                return await verb(task(stack, action), NoEffects())

            outcome = self.run(folder, work)
            assert outcome.status is OutcomeStatus.FAILED
            assert "not of this environment" in outcome.message


class Notes(NoEffects):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def note(self, line: str) -> None:
        self.lines.append(line)


def stack_of(name: str, template: dict[str, Any]) -> Resource:
    return Resource(
        address=Address("subject"), kind="heat-stack", desired={"name": name, "template": template}
    )


class TestSmallCloud(HeatContract):
    @pytest.fixture(autouse=True)
    def world(self, tmp_path: Path) -> Iterator[SmallCloud]:
        world = SmallCloud()
        with small_cloud(tmp_path, world) as running:
            self.clouds = running.clouds
            yield world

    @pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
    def test_a_request_that_is_heard_and_not_answered(
        self, folder: Path, world: SmallCloud, method: str
    ) -> None:
        """It is found by its tag, or asked for again; never done twice."""
        action = {"POST": Action.CREATE, "PUT": Action.UPDATE, "DELETE": Action.DELETE}[method]
        if action is not Action.CREATE:
            created = task(stack_of("shop", TEMPLATE), Action.CREATE)
            self.run(folder, lambda connection: connection.apply(created, NoEffects()))
        step = task(stack_of("shop", LONGER), action, "op-2")
        world.cut_after = {method}

        async def work(connection: Connection) -> Any:
            verb = connection.delete if action is Action.DELETE else connection.apply
            outcome = await verb(step, NoEffects())
            while outcome.failed:  # as the engine does
                seen = await connection.observe(step)
                if seen.sighting is CompletionStatus.DONE:
                    return seen.outcome
                outcome = await verb(step, NoEffects())
            return outcome

        assert not self.run(folder, work).failed
        assert world.created == ["shop"]
        assert world.alive("shop") is None or action is not Action.DELETE

    def test_a_stack_that_is_in_progress_is_waited_for_by_whoever_comes_back(
        self, folder: Path, world: SmallCloud
    ) -> None:
        world.looks_until_done = 1_000_000
        step = task(stack_of("slow", TEMPLATE), Action.CREATE)

        async def cut_off(connection: Connection) -> None:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(connection.apply(step, NoEffects()), 0.3)

        self.run(folder, cut_off)
        assert (
            self.run(folder, lambda connection: connection.observe(step)).sighting
            is CompletionStatus.NOT_DONE
        )
        world.stacks[next(iter(world.stacks))]["left"] = 2
        assert not self.run(folder, lambda connection: connection.apply(step, NoEffects())).failed
        assert world.created == ["slow"]
        assert self.run(folder, lambda connection: connection.observe(step)).sighting is CompletionStatus.DONE

    def test_a_stack_that_fails_says_why(self, folder: Path, world: SmallCloud) -> None:
        world.fails["shop"] = "No valid host was found"
        step = task(stack_of("shop", TEMPLATE), Action.CREATE)
        outcome = self.run(folder, lambda connection: connection.apply(step, NoEffects()))
        assert outcome.message == "CREATE_FAILED: No valid host was found"
        del world.fails["shop"]
        seen = self.run(folder, lambda connection: connection.read(stack_of("shop", TEMPLATE), None))
        assert [change.field for change in seen.changes or ()] == ["status"]
        assert not self.run(folder, lambda connection: connection.apply(step, NoEffects())).failed
        assert world.created == ["shop"]

    @pytest.mark.parametrize(("status", "passing"), [(503, True), (403, False)])
    def test_refusals(self, folder: Path, world: SmallCloud, status: int, passing: bool) -> None:
        world.refuse["POST"] = (status, "not now")
        step = task(stack_of("shop", TEMPLATE), Action.CREATE)
        outcome = self.run(folder, lambda connection: connection.apply(step, NoEffects()))
        assert (outcome.status, outcome.passing) == (OutcomeStatus.FAILED, passing)
        assert "not now" in (outcome.message or "")

    def test_patience_ends(self, folder: Path, world: SmallCloud) -> None:
        world.looks_until_done = 1_000_000
        step = task(stack_of("slow", TEMPLATE), Action.CREATE, timeout=0.3)
        outcome = self.run(folder, lambda connection: connection.apply(step, NoEffects()))
        assert outcome.message == "it is still CREATE_IN_PROGRESS after 0.3 seconds"


@pytest.fixture(scope="module")
def heat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    with cloud(tmp_path_factory.mktemp("cloud")) as running:
        yield running


@pytest.mark.slow
class TestHeat(HeatContract):
    """Keystone and Heat as they are released."""

    @pytest.fixture(autouse=True)
    def _cloud(self, heat: Cloud) -> None:
        self.clouds = heat.clouds
