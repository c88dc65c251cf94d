"""Deploying: order, failures, unknown outcomes, what is recorded, what comes next."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path

import pytest

from sabir.deployments.store.records import DeploymentState
from sabir.graph.values import Sensitive, Unknown
from sabir.resources.outcome import Outcome, OutcomeStatus, ResourceReading
from sabir.resources.resource import Resource
from sabir.resources.step import Action
from tests.deployments.fake import WorldConnection, resource
from tests.deployments.setting import Setting


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    return Setting.at(tmp_path)


def actions(setting: Setting) -> list[str]:
    log = [f"{action} {address}" for action, address in setting.world.log]
    setting.world.log.clear()
    return log


def test_order_and_nothing_to_do_afterwards(setting: Setting) -> None:
    things = [resource("c", "b"), resource("b", "a"), resource("a")]
    result = setting.deploy(*things)
    assert result.state is DeploymentState.DONE
    assert result.counts == {"done": 3}
    assert actions(setting) == ["create a", "create b", "create c"]
    assert setting.plan(things).steps == ()
    assert setting.deploy(*things).counts == {}
    assert actions(setting) == []


def test_update_replace_and_delete(setting: Setting) -> None:
    setting.deploy(resource("a"), resource("b", "a"), resource("c", "b", desired={"place": "x"}))
    actions(setting)
    result = setting.deploy(resource("a", value=2), resource("c", "a", desired={"place": "y"}))
    assert result.state is DeploymentState.DONE
    log = actions(setting)
    assert sorted(log) == ["create c", "delete b", "delete c", "update a"]
    assert log.index("delete c") < log.index("create c")
    assert log.index("delete c") < log.index("delete b")
    with closing(setting.store()) as store:
        assert [*store.records()] == ["a", "c"]


def test_everything_goes_in_reverse(setting: Setting) -> None:
    setting.deploy(resource("a"), resource("b", "a"), resource("c", "b"))
    actions(setting)
    setting.deploy()
    assert actions(setting) == ["delete c", "delete b", "delete a"]
    assert setting.world.things == {}


def test_a_failure_stops_what_depends_on_it_and_nothing_else(setting: Setting) -> None:
    setting.world.fails["b"] = [Outcome(status=OutcomeStatus.FAILED, message="no room")]
    things = [resource("a"), resource("b", "a"), resource("c", "b"), resource("d")]
    result = setting.deploy(*things)
    assert result.state is DeploymentState.FAILED
    assert result.failures == (("b", "no room"),)
    assert result.counts == {"done": 2, "failed": 1, "cancelled": 1}
    assert actions(setting) == ["create a", "create d"]
    assert setting.deploy(*things).state is DeploymentState.DONE
    assert actions(setting) == ["update b", "create c"]


def test_a_passing_failure_is_tried_again(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sabir.deployments.engine.state_machine._FIRST_PAUSE", 0.01)
    refused = Outcome(status=OutcomeStatus.FAILED, message="refused", passing=True)
    setting.world.fails["a"] = [refused, refused]
    assert setting.deploy(resource("a")).state is DeploymentState.DONE
    assert setting.world.begun == ["a", "a", "a"]


def test_an_exception_after_the_effect_is_looked_up(setting: Setting) -> None:
    setting.world.raises.add("a")
    assert setting.deploy(resource("a")).state is DeploymentState.DONE
    assert actions(setting) == ["create a"]


@pytest.mark.parametrize("blind", [False, True])
def test_a_timeout(setting: Setting, blind: bool) -> None:
    setting.world.hangs.add("a")
    setting.world.blind = blind
    result = setting.deploy(resource("a", timeout=0.05, retries=0), resource("b", "a"))
    expected = DeploymentState.UNKNOWN if blind else DeploymentState.FAILED
    assert result.state is expected
    assert "0.05 seconds" in result.failures[0][1]


def test_what_is_unknown_waits_and_what_depends_on_it_too(setting: Setting) -> None:
    world = setting.world
    world.raises.add("a")
    world.blind = True
    things = [resource("a"), resource("b", "a"), resource("c")]
    assert setting.deploy(*things).state is DeploymentState.UNKNOWN
    plan = setting.plan(things)
    assert [address for address, _ in plan.waiting] == ["a", "b"]
    assert plan.steps == ()
    world.blind = False
    actions(setting)
    assert setting.deploy(*things).state is DeploymentState.DONE
    assert actions(setting) == ["create b"]


def test_values_come_back(setting: Setting) -> None:
    things = [
        resource("a"),
        resource("b", "a", desired={"value": ["see", Unknown(of="a|out")]}),
    ]
    plan = setting.plan(things)
    assert plan.steps[1].unforeseen == ("value",)
    assert setting.deploy(*things).state is DeploymentState.DONE
    assert setting.world.things["b"] == {"value": ["see", "of a"]}
    assert setting.plan(things).steps == ()


def test_a_value_that_never_comes_fails_its_step(setting: Setting) -> None:
    result = setting.deploy(resource("a"), resource("b", "a", desired={"value": Unknown(of="a|other")}))
    assert result.failures == (
        ("b", "the value of value is still not known: no step before it gave a.other"),
    )


@pytest.mark.parametrize("unknown", [Unknown(of="nobody|x"), Unknown(why="it rests on a.out")])
def test_a_value_that_no_step_gives_is_put_off(setting: Setting, unknown: Unknown) -> None:
    plan = setting.plan([resource("a"), resource("b", desired={"value": unknown}), resource("c", "b")])
    assert [step.key for step in plan.steps] == ["a"]
    assert [address for address, _ in plan.later] == ["b", "c"]


def test_reactions(setting: Setting) -> None:
    def things(value: int) -> list[Resource]:
        reacting = resource("r", kind="job", reacts_to=(resource("a").address,))
        return [resource("a", value=value), reacting, resource("b")]

    setting.deploy(*things(1))
    actions(setting)
    setting.deploy(*things(1))
    assert actions(setting) == []
    setting.deploy(*things(2))
    assert actions(setting) == ["update a", "run r"]


def test_secrets_are_sealed(setting: Setting, tmp_path: Path) -> None:
    thing = resource("a", desired={"value": Sensitive("canary-4711")})
    setting.deploy(thing)
    assert setting.plan([thing]).steps == ()
    changed = setting.plan([resource("a", desired={"value": Sensitive("other")})])
    assert "canary" not in repr(changed.steps[0].changes)
    for file in tmp_path.iterdir():
        assert b"canary-4711" not in file.read_bytes()
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600


def test_parallel_and_lanes(setting: Setting) -> None:
    setting.options["parallel"] = 3
    setting.deploy(*(resource(f"a{number}") for number in range(20)))
    assert setting.world.most == 3
    setting.world.most = 0
    setting.deploy(
        *(resource(f"a{number}") for number in range(20)),
        *(resource(f"b{number}", lane="one") for number in range(5)),
    )
    assert setting.world.most == 1


REPORT = {"value": 1}


@pytest.mark.parametrize("there", [None, {"value": 2}], ids=["missing", "different"])
def test_a_resource_that_only_reports_is_not_changed(setting: Setting, there: dict[str, int] | None) -> None:
    if there is not None:
        setting.world.things["a"] = there
    reported = resource("a", desired=REPORT, report_only=True)
    result = setting.deploy(reported, resource("b", "a"))
    assert (result.state, result.counts) == (DeploymentState.DONE, {"non_compliant": 1, "done": 1})
    assert actions(setting) == ["create b"]
    (ended,) = (event for event in setting.events if event.state == "non_compliant")
    assert (ended.action, ended.changed) == (Action.CHECK, False)
    assert ended.message == ("not found" if there is None else "differs from the desired state: value")
    with closing(setting.store()) as store:
        assert [*store.records()] == ["b"]
    setting.deploy()
    assert actions(setting) == ["delete b"]
    assert setting.world.things == ({} if there is None else {"a": there})


@pytest.mark.parametrize("kind", ["thing", "job"])
def test_a_resource_that_only_reports_and_complies_is_done(setting: Setting, kind: str) -> None:
    setting.world.things["a"] = REPORT
    assert setting.deploy(resource("a", desired=REPORT, kind=kind, report_only=True)).counts == {"done": 1}
    assert actions(setting) == []
    assert setting.deploy().counts == {}


def test_an_interrupted_report_is_not_taken_for_a_creation(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is there as desired was not created by the step, so it is neither recorded nor deleted."""
    setting.world.things["a"] = REPORT
    setting.world.lies.add("a")
    reported = resource("a", desired=REPORT, report_only=True)

    async def cancel(*_: object) -> ResourceReading:
        raise asyncio.CancelledError

    with monkeypatch.context() as patch:
        patch.setattr(WorldConnection, "read", cancel)
        setting.deploy(reported)
    setting.deploy(reported)
    with closing(setting.store()) as store:
        assert [*store.records()] == []
    setting.deploy()
    assert setting.world.things == {"a": REPORT}


def test_a_purge_has_its_own_action(setting: Setting) -> None:
    gone = resource("a", purges=True)
    with closing(setting.store()) as store:
        (step,) = setting.plan([gone], store).steps
    assert (step.action, step.action.sign, step.reason) == (Action.PURGE, "-", "purge")
    setting.deploy(gone)
    assert actions(setting) == ["purge a"]
    assert setting.plan([gone]).steps == ()
    assert setting.plan([resource("a", value=2, purges=True)]).counts == {Action.PURGE: 1}
    assert setting.plan([gone], repair=True).counts == {Action.CHECK: 1}
