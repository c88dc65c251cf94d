"""The engine on a real store under random graphs, drivers that fail, hang, break off and lie, and deployments that are cut off.

Whatever comes: nothing is done without a written intent, nothing before what it requires is done and written, what is done stays
done; and when everything behaves again, and nobody lied, the world comes to what is wanted, each effect once.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from sabir.deployments.deployment import Deployer, DeployOptions, hold_environment
from sabir.deployments.engine.results import ProgressEvent
from sabir.deployments.store.records import RecordStatus, StepRecord, StepState
from sabir.resources.driver import DriverContext
from sabir.resources.outcome import Outcome, OutcomeStatus
from sabir.resources.resource import Resource
from sabir.resources.step import Action, Task
from tests.deployments.fake import resource
from tests.deployments.setting import Setting

NAMES = "abcdefg"
FAILED = Outcome(status=OutcomeStatus.FAILED, message="no")
NAME = st.sampled_from(NAMES)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Resource, ...]:
    """Each may require those before it, so there is no circle."""
    chosen = draw(st.lists(NAME, unique=True, max_size=len(NAMES)))
    described: list[Resource] = []
    for name in sorted(chosen):
        before = [str(other.address) for other in described]
        requires = draw(st.lists(st.sampled_from(before), unique=True, max_size=2)) if before else []
        kind = draw(st.sampled_from(["thing", "safe", "job"]))
        described.append(
            resource(name, *requires, kind=kind, value=draw(st.integers(1, 3)), timeout=0.05, retries=0)
        )
    return tuple(described)


class Deployments(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="sabir-laws-"))
        self.setting = Setting.at(self.folder)
        self.setting.world.on_effect = self.check_effect
        self.wanted: tuple[Resource, ...] = ()
        self.states: dict[tuple[int, str], StepState] = {}
        self.lied = False
        self.broken: list[str] = []

    def teardown(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    # What happens

    @initialize(graph=graphs())
    def begin(self, graph: tuple[Resource, ...]) -> None:
        self.wanted = graph

    @rule(graph=graphs())
    def want(self, graph: tuple[Resource, ...]) -> None:
        self.wanted = graph

    @rule(name=NAME, how=st.sampled_from(["fails", "raises", "hangs", "lies"]))
    def misbehave(self, name: str, how: str) -> None:
        world = self.setting.world
        if how == "fails":
            world.fails[name] = [FAILED]
        else:
            getattr(world, how).add(name)
            self.lied = self.lied or how == "lies"

    @rule(blind=st.booleans())
    def look_away(self, blind: bool) -> None:
        self.setting.world.blind = blind

    @rule(cut_after=st.one_of(st.none(), st.integers(0, 6)), twice=st.booleans())
    def deploy(self, cut_after: int | None, twice: bool) -> None:
        self._deploy(cut_after, twice=twice)

    @rule()
    def settle(self) -> None:
        """Everything behaves again: the world comes to what is wanted, unless an outcome is unknown for good or somebody lied."""
        world = self.setting.world
        world.fails.clear()
        for misbehaving in (world.raises, world.hangs, world.lies):
            misbehaving.clear()
        world.blind = False
        for _ in range(2):
            self._deploy(None, twice=False)
        if self.lied:
            return
        store = self.setting.store()
        records = store.records()
        store.close()
        assert all(record.status is RecordStatus.PRESENT for record in records.values())
        assert records.keys() == {str(each.address) for each in self.wanted}
        things = {name: fields["value"] for name, fields in world.things.items()}
        assert things == {str(each.address): each.desired["value"] for each in self.wanted}

    def _deploy(self, cut_after: int | None, *, twice: bool) -> None:
        seen: list[ProgressEvent] = []

        def watch(progress: ProgressEvent) -> None:
            seen.append(progress)
            if cut_after is not None and len(seen) == cut_after + 1:
                deployer.interrupt()
                if twice:
                    deployer.interrupt()

        store, context = self.setting.store(), DriverContext(environment="test")
        options = DeployOptions(watch=watch, parallel=3)
        with hold_environment(store, context, options) as writer:
            deployer = Deployer(store, writer, self.setting.known_targets(), context, options)
            deployer.recover()
            plan = self.setting.plan(self.wanted, store)
            if plan.steps:
                deployer.deploy(plan, verb="deploy", document={})
            else:
                deployer.let_go()
        self._remember(store.steps())
        store.close()

    # What must hold

    def check_effect(self, task: Task) -> None:
        """Called in the middle of a deployment: what is on the disk by then?"""
        store = self.setting.store()
        intents = {step.operation_id for step in store.steps(states=(StepState.INTENT,))}
        records = store.records()
        store.close()
        address = str(task.resource.address)
        if task.operation_id not in intents:
            self.broken.append(f"{address}: an effect without an intent")
        if task.action is not Action.DELETE:
            wanted = {str(each.address): each for each in self.wanted}
            for required in map(str, wanted[address].requires):
                record = records.get(required)
                if record is None or record.status is not RecordStatus.PRESENT:
                    self.broken.append(f"{address}: before {required} was done")

    def _remember(self, steps: list[StepRecord]) -> None:
        for step in steps:
            key = step.deployment, step.key
            if self.states.get(key) is StepState.DONE and step.state is not StepState.DONE:
                self.broken.append(f"{key}: done became {step.state.value}")
            self.states[key] = step.state

    @invariant()
    def nothing_is_broken(self) -> None:
        assert not self.broken


Deployments.TestCase.settings = settings(
    max_examples=int(os.environ.get("SABIR_LAWS", "12")),
    stateful_step_count=10,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TestDeployments = pytest.mark.slow(Deployments.TestCase)
