"""Heat templates on machines that are there already."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.languages.muranopl.worlds.effects import EffectKind, EffectRequest, WorldError
from sabir.languages.muranopl.worlds.machines import MachineCloud, PoolTemplate, find_unsupported_types
from sabir.languages.muranopl.worlds.simulated import SimulatedWorld

MACHINE = {"id": "one:22", "address": "10.0.0.1", "hostname": "one"}
TEMPLATE: dict[str, Any] = {
    "resources": {
        "net": {"type": "OS::Neutron::Net"},
        "port": {"type": "OS::Neutron::Port", "properties": {"network": {"get_resource": "net"}}},
        "fip": {"type": "OS::Neutron::FloatingIP", "properties": {"port_id": {"get_resource": "port"}}},
        "web": {
            "type": "OS::Nova::Server",
            "properties": {"name": "web", "networks": [{"port": {"get_resource": "port"}}]},
        },
    },
    "parameters": {"colour": {"type": "string", "default": "blue"}},
}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"get_resource": "web"}, "one:22"),
        ({"get_resource": "net"}, "net"),
        ({"get_attr": ["web", "first_address"]}, "10.0.0.1"),
        (
            {"get_attr": ["web", "addresses", "anything"]},
            [{"addr": "10.0.0.1", "version": 4, "OS-EXT-IPS:type": "fixed"}],
        ),
        ({"get_attr": ["port", "fixed_ips", 0, "ip_address"]}, "10.0.0.1"),
        ({"get_attr": ["fip", "floating_ip_address"]}, "10.0.0.1"),
        ({"get_attr": ["net", "name"]}, None),
        ({"get_param": "colour"}, "green"),
        ({"list_join": ["-", ["a", {"get_param": "colour"}]]}, "a-green"),
        (
            {"str_replace": {"template": "http://host/", "params": {"host": {"get_attr": ["web", "name"]}}}},
            "http://one/",
        ),
        ([{"a": 1}], [{"a": 1}]),
    ],
)
def test_functions_of_templates(value: Any, expected: Any) -> None:
    assert PoolTemplate(TEMPLATE, {"web": MACHINE}, {"colour": "green"}).value(value) == expected


def test_what_no_machine_stands_in_for_is_named() -> None:
    resources = {
        "disk": {"type": "OS::Cinder::Volume"},
        "balancer": {"type": "OS::Neutron::LBaaS::Pool"},
        **TEMPLATE["resources"],
    }
    assert find_unsupported_types({"resources": resources}) == [
        "OS::Cinder::Volume",
        "OS::Neutron::LBaaS::Pool",
    ]


class Pool(SimulatedWorld):
    """Machines for two servers; it remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.free = ["one", "two"]
        self.asked: list[tuple[str, Any]] = []
        self.answer: Any = {"ErrorCode": 0, "Body": None, "FormatVersion": "2.0.0"}

    def perform(self, effect: EffectRequest) -> Any:
        self.asked.append(
            (effect.kind.value, effect.arguments.get("name") or effect.arguments.get("machine"))
        )
        match effect.kind:
            case EffectKind.MACHINE_CLAIM:
                if not self.free:
                    raise WorldError("NoMachineLeft", "no machine is left")
                name = self.free.pop(0)
                return {"id": name, "address": name, "hostname": name}
            case EffectKind.MACHINE_RELEASE:
                self.free.append(effect.arguments["machine"])
                return None
            case EffectKind.MACHINE_PLAN:
                return self.answer
            case _:
                return super().perform(effect)


def _push(cloud: MachineCloud, *servers: str, kind: EffectKind = EffectKind.STACK_CREATE, **data: Any) -> Any:
    resources = {name: {"type": "OS::Nova::Server", "properties": data} for name in servers}
    return cloud.perform(
        EffectRequest(kind=kind, arguments={"stack": "s", "region": "", "template": {"resources": resources}})
    )


def test_servers_come_and_go_with_the_template() -> None:
    pool = Pool()
    cloud = MachineCloud(pool)
    assert _push(cloud, "a", "b")["status"] == "CREATE_COMPLETE"
    assert _push(cloud, "b", "c", kind=EffectKind.STACK_UPDATE)["status"] == "UPDATE_COMPLETE"
    assert pool.asked == [
        ("machine.claim", "a"),
        ("machine.claim", "b"),
        ("machine.release", "a"),
        ("machine.claim", "c"),
    ]
    again = MachineCloud(pool, cloud.stacks)
    again.perform(EffectRequest(kind=EffectKind.STACK_DELETE, arguments={"stack": "s", "region": ""}))
    assert sorted(pool.free) == ["one", "two"]
    assert again.stacks == {}


def test_a_pool_that_is_used_up_fails_the_stack() -> None:
    stack = _push(MachineCloud(Pool()), "a", "b", "c")
    assert (stack["status"], stack["reason"]) == ("CREATE_FAILED", "no machine is left")


def test_user_data_is_run_unless_it_installs_an_agent() -> None:
    pool = Pool()
    _push(MachineCloud(pool), "a", user_data="#!/bin/sh\ntouch /x\n")
    _push(MachineCloud(pool), "b", user_data="#!/bin/sh\npip install murano-agent\n")
    assert [kind for kind, _ in pool.asked] == ["machine.claim", "machine.plan", "machine.claim"]


def test_user_data_that_fails_fails_the_stack() -> None:
    pool = Pool()
    pool.answer = {"ErrorCode": 100, "Body": {"Message": "it broke"}}
    stack = _push(MachineCloud(pool), "a", user_data="#!/bin/sh\nfalse\n")
    assert stack["reason"] == "the user data of a failed on one: it broke"


def test_a_plan_for_nobody_is_never_answered() -> None:
    call = EffectRequest(kind=EffectKind.AGENT_CALL, arguments={"queue": "q", "host": "ghost", "plan": {}})
    with pytest.raises(WorldError, match="ghost, which has no machine"):
        MachineCloud(Pool()).perform(call)
