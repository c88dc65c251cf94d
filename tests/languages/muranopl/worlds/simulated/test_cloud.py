"""The simulated world: stacks, agents, networks and workflows as a short description has them."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.languages.muranopl.worlds.effects import (
    EffectKind,
    EffectRequest,
    NotConnectedError,
    ProgramReport,
    WorldError,
)
from sabir.languages.muranopl.worlds.offline import RecordedWorld, UnconnectedWorld
from sabir.languages.muranopl.worlds.simulated import SimulatedWorld

STACK = {"region": "", "stack": "s"}


def _ask(world: Any, kind: EffectKind, **arguments: Any) -> Any:
    return world.perform(EffectRequest(kind=kind, arguments=arguments))


def _template(**outputs: Any) -> dict[str, Any]:
    return {"resources": {"vm": {}}, "outputs": {name: {"value": value} for name, value in outputs.items()}}


def test_a_stack_lives_until_it_is_deleted() -> None:
    world = SimulatedWorld()
    assert _ask(world, EffectKind.STACK_READ, **STACK) is None
    created = _ask(world, EffectKind.STACK_CREATE, **STACK, template=_template(), parameters={"a": 1})
    assert (created["status"], created["parameters"]) == ("CREATE_COMPLETE", {"a": 1})
    assert _ask(world, EffectKind.STACK_UPDATE, **STACK, template={})["status"] == "UPDATE_COMPLETE"
    assert _ask(world, EffectKind.STACK_DELETE, **STACK) is None
    with pytest.raises(WorldError, match="could not be found"):
        _ask(world, EffectKind.STACK_DELETE, **STACK)


@pytest.mark.parametrize(
    ("value", "begins"),
    [
        ({"get_resource": "vm"}, "simulated-vm"),
        ({"get_attr": ["fip", "floating_ip_address"]}, "203.0.113."),
        ({"get_attr": ["port", "fixed_ips", 0, "ip_address"]}, "10.0.0."),
        ("plain", "plain"),
    ],
)
def test_outputs_that_nothing_describes_are_made_up(value: Any, begins: str) -> None:
    world = SimulatedWorld()
    outputs = _ask(world, EffectKind.STACK_CREATE, **STACK, template=_template(x=value))["outputs"]
    assert outputs["x"].startswith(begins)


def test_addresses_of_a_machine_are_a_list() -> None:
    template = _template(x={"get_attr": ["vm", "addresses", "net"]})
    (address,) = _ask(SimulatedWorld(), EffectKind.STACK_CREATE, **STACK, template=template)["outputs"]["x"]
    assert address["addr"].startswith("10.0.0.")


def test_outputs_that_are_described_are_those_alone() -> None:
    world = SimulatedWorld({"heat": {"outputs": {"vm?": 1, "*-id": 2}}})
    template = _template(**{"vm1": "a", "vm1-id": "b", "other": "c"})
    outputs = _ask(world, EffectKind.STACK_CREATE, **STACK, template=template)["outputs"]
    assert outputs == {"vm1": 1, "vm1-id": 2}


def test_failures_are_counted_by_operation() -> None:
    failures = [
        {"operation": "create", "nth": 1, "status": "CREATE_FAILED", "reason": "no host"},
        {"operation": "update", "nth": 2, "http": 409},
    ]
    world = SimulatedWorld({"heat": {"failures": failures}})
    assert _ask(world, EffectKind.STACK_CREATE, **STACK, template={})["reason"] == "no host"
    assert _ask(world, EffectKind.STACK_UPDATE, **STACK, template={})["status"] == "UPDATE_COMPLETE"
    with pytest.raises(WorldError) as conflict:
        _ask(world, EffectKind.STACK_UPDATE, **STACK, template={})
    assert conflict.value.name == "heatclient.exc.HTTPConflict"


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        ({"FormatVersion": "2.0.0", "Name": "a"}, {"ErrorCode": 0, "Body": "first"}),
        ({"FormatVersion": "2.0.0", "Name": "b"}, {"ErrorCode": 100, "Body": {"Message": "no"}}),
        ({"FormatVersion": "2.0.0", "Name": "c"}, {"ErrorCode": 0, "Body": None}),
        ({"Name": "a"}, {"IsException": False}),
    ],
)
def test_the_first_rule_that_fits_answers(plan: dict[str, Any], expected: dict[str, Any]) -> None:
    rules = [{"name": "a", "result": "first"}, {"name": "b", "errorCode": 100, "result": {"Message": "no"}}]
    answer = _ask(SimulatedWorld({"agent": {"answers": rules}}), EffectKind.AGENT_CALL, queue="q", plan=plan)
    assert {key: answer[key] for key in expected} == expected


def test_a_rule_is_used_up_and_an_agent_may_be_silent() -> None:
    world = SimulatedWorld({"agent": {"answers": [{"queue": "*-vm", "silent": True, "times": 1}]}})
    plan = {"FormatVersion": "2.0.0"}
    assert _ask(world, EffectKind.AGENT_CALL, queue="e-vm", plan=plan) is None
    assert _ask(world, EffectKind.AGENT_CALL, queue="e-vm", plan=plan)["ErrorCode"] == 0


def test_lists_of_networks_are_filtered() -> None:
    described = {"neutron": {"networks": [{"id": "a"}, {"id": "b", "name": "x"}], "extensions": ["router"]}}
    world = SimulatedWorld(described)
    assert _ask(world, EffectKind.NETWORK_LIST, resource="networks", filters={"id": "b"}) == [
        {"id": "b", "name": "x"}
    ]
    assert _ask(world, EffectKind.NETWORK_LIST, resource="extensions") == [{"alias": "router"}]
    assert _ask(world, EffectKind.ROUTER_CREATE, router={"name": "r"})["id"] == "created-router"
    assert len(_ask(world, EffectKind.NETWORK_LIST, resource="routers", filters={"name": "r"})) == 1


def test_what_is_recorded_does_not_change_later() -> None:
    world = RecordedWorld(SimulatedWorld())
    template = _template()
    _ask(world, EffectKind.STACK_CREATE, **STACK, template=template)
    _ask(world, EffectKind.STACK_READ, **STACK)
    world.report(ProgramReport(level="info", source="vm", line="there"))
    template["resources"]["other"] = {}
    effect, report = world.events
    assert isinstance(effect, EffectRequest)
    assert (effect.kind, list(effect.arguments["template"]["resources"])) == (EffectKind.STACK_CREATE, ["vm"])
    assert isinstance(report, ProgramReport)


def test_without_a_world_questions_are_answered_and_changes_refused() -> None:
    world = UnconnectedWorld()
    assert _ask(world, EffectKind.NETWORK_LIST, resource="extensions")
    assert _ask(world, EffectKind.TRACK, instance="vm") is None
    with pytest.raises(NotConnectedError):
        _ask(world, EffectKind.STACK_CREATE, **STACK, template={})
    assert _ask(world, EffectKind.RANDOM, length=15) != _ask(world, EffectKind.RANDOM, length=15)
