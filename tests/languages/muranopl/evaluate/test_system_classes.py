"""Native classes: stacks, plans for agents, networks, in a simulated world."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabir.languages.language import EvaluationRequest
from sabir.languages.muranopl.evaluate.preparation import prepare_run
from sabir.languages.muranopl.evaluate.system.plans import build_plan
from sabir.languages.muranopl.evaluate.system.stacks import merge_templates
from sabir.languages.muranopl.model.errors import NativeError
from sabir.languages.muranopl.worlds.effects import EffectKind, EffectRequest, ProgramReport
from sabir.languages.muranopl.worlds.offline import RecordedWorld
from sabir.languages.muranopl.worlds.simulated import SimulatedWorld
from sabir.source.packages import MemoryPackage
from tests.languages.muranopl.packages import files

CLASSES = """\
  res: io.murano.resources
  sys: io.murano.system
Name: Root
Extends: std:Application
Properties:
  instance:
    Contract: $.class(res:Instance).notNull()
  port:
    Contract: $.int().notNull()
Methods:
  deploy:
    Body:
      - $rule: dict(FromPort => $.port, ToPort => $.port, IpProtocol => tcp, External => true)
      - $.instance.getRegion().securityGroupManager.addGroupIngress([$rule])
      - $.instance.deploy()
      - $plan: sys:Resources.yaml('Deploy.template').bind(dict(port => $.port))
      - $.instance.agent.call($plan, new(sys:Resources))
"""
MODEL = """\
'?': {id: env, type: io.murano.Environment}
name: production
defaultNetworks:
  environment: {'?': {type: io.murano.resources.NeutronNetwork}, name: net}
applications:
  - '?': {id: app, type: demo.Root}
    port: 8080
    instance:
      '?': {id: vm, type: io.murano.resources.LinuxMuranoInstance}
      name: web-1
      flavor: m1.small
      image: ubuntu
"""
PLAN = "FormatVersion: 2.0.0\nParameters: {port: $port}\nBody: return 1\nScripts: {}\n"


@pytest.mark.rows("M-116", "M-117", "M-118", "M-119")
def test_a_machine_in_a_network_with_an_agent() -> None:
    world = RecordedWorld(SimulatedWorld())
    package = MemoryPackage(files(CLASSES, MODEL, **{"Resources/Deploy.template": PLAN}))
    prepared = prepare_run(package, EvaluationRequest(), world=world)
    session = prepared.session
    assert session is not None, prepared.findings
    assert session.runtime.root is not None
    session.call(session.runtime.root, "deploy", from_outside=True)
    effects = [event for event in world.events if isinstance(event, EffectRequest)]
    assert [effect.kind for effect in effects] == [
        EffectKind.STACK_CREATE,
        EffectKind.STACK_UPDATE,
        EffectKind.TRACK,
        EffectKind.AGENT_CALL,
    ]
    server = effects[1].arguments["template"]["resources"]["web-1"]
    assert (server["type"], server["properties"]["image"]) == ("OS::Nova::Server", "ubuntu")
    assert effects[3].arguments["plan"]["Parameters"] == {"port": 8080}
    (address,) = session.find_object("vm").properties["ipAddresses"]
    assert address.startswith("10.0.0.")


# -- security groups --------------------------------------------------------------------------------------------------

AWS = """\
  sys: io.murano.system
Name: Root
Extends: std:Application
Properties:
  caught:
    Contract: $.string()
    Usage: InOut
Methods:
  deploy:
    Body:
      - $manager: new(sys:AwsSecurityGroupManager, $.find(std:Environment).regions.values().first())
      - $rules:
          - {{FromPort: 80, ToPort: 80, IpProtocol: tcp, External: true}}
          - {{FromPort: 443, ToPort: 443, IpProtocol: tcp, External: {external}, Ethertype: {ethertype}}}
      - Try:
          - $manager.{method}($rules)
        Catch:
          - With: sys:UnsupportedPropertyValue
            As: e
            Do:
              - $.caught: $e.message
      - $.find(std:Environment).regions.values().first().stack.push()
"""
ROOT = """\
'?': {id: env, type: io.murano.Environment}
name: production
defaultNetworks:
  environment: {'?': {type: io.murano.resources.NovaNetwork}}
applications:
  - '?': {id: app, type: demo.Root}
"""


@pytest.mark.parametrize("method", ["addGroupIngress", "addGroupEgress"])
@pytest.mark.parametrize(
    ("ethertype", "external", "refused"),
    [("IPv6", "true", True), ("IPv6", "false", True), ("IPv4", "true", False), ("null", "true", False)],
)
def test_an_aws_group_refuses_rules_for_ipv6(
    method: str, ethertype: str, external: str, refused: bool
) -> None:
    """As Murano does; nothing of the rules is in the template."""
    world = RecordedWorld(SimulatedWorld())
    text = AWS.format(method=method, ethertype=ethertype, external=external)
    prepared = prepare_run(MemoryPackage(files(text, ROOT)), EvaluationRequest(), world=world)
    session = prepared.session
    assert session is not None, prepared.findings
    assert session.runtime.root is not None
    session.call(session.runtime.root, "deploy", from_outside=True)
    message = "Unable to add security group. IPv6 is not supported."
    assert session.find_object("app").properties["caught"] == (message if refused else None)
    (template,) = (
        event.arguments["template"]
        for event in world.events
        if isinstance(event, EffectRequest) and event.kind is EffectKind.STACK_CREATE
    )
    ports = {
        rule["FromPort"]
        for group in template["resources"].values()
        for rules in (
            group["properties"].get("SecurityGroupIngress"),
            group["properties"].get("SecurityGroupEgress"),
        )
        for rule in rules or ()
    }
    assert ports == ({"-1"} if refused else {"-1", "80", "443"})
    reported = [event.line for event in world.events if isinstance(event, ProgramReport)]
    assert (message in reported) is refused


# -- templates --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"a": {"b": 1}}, {"a": {"c": 2}}, {"a": {"b": 1, "c": 2}}),
        ({"a": [1, 2]}, {"a": [2, 3, 3]}, {"a": [1, 2, 3]}),
        ({"a": "x"}, {"a": "y"}, {"a": "y"}),
        ({"a": "x"}, {"a": None}, {"a": "x"}),
        ({"a": None}, {"a": "x"}, {"a": None}),
    ],
)
def test_templates_are_joined(old: Any, new: Any, expected: Any) -> None:
    before = copy.deepcopy(old)
    assert merge_templates(old, new) == expected
    assert old == before


@pytest.mark.parametrize(
    ("old", "new"), [({"a": {}}, {"a": "x"}), ({"a": 1}, {"a": "x"}), ({"a": []}, {"a": {}})]
)
def test_values_of_other_kinds_are_refused(old: Any, new: Any) -> None:
    with pytest.raises(NativeError) as failure:
        merge_templates(old, new)
    assert "at /a" in failure.value.finding().message


TEMPLATES = st.recursive(
    st.integers() | st.text(max_size=3),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
).filter(lambda value: isinstance(value, dict))


@given(TEMPLATES)
def test_joining_a_template_with_itself_changes_nothing(template: Any) -> None:
    assert merge_templates(template, template) == template
    assert merge_templates({}, template) == template == merge_templates(template, {})


# -- plans ------------------------------------------------------------------------------------------------------------

FILES = {"scripts/run.sh": b"echo\r\n", "scripts/a.bin": b"\x00\xff"}


def _plan(template: Any) -> dict[str, Any]:
    numbers = iter(range(100))
    return build_plan(template, FILES.__getitem__, new_id=lambda: f"id{next(numbers)}", stamp=lambda: 7)


def test_a_plan_of_the_first_format_carries_its_scripts() -> None:
    assert _plan({"Scripts": ["a.bin"], "Commands": []}) == {"Scripts": ["AP8="], "Commands": [], "Stamp": 7}


@pytest.mark.parametrize(
    ("file", "entry"),
    [
        ("run.sh", {"Name": "run.sh", "BodyType": "Text", "Body": "echo\n"}),
        ("<a.bin>", {"Name": "a.bin", "BodyType": "Base64", "Body": "AP8=\n"}),
        ({"local": "run.sh"}, {"Name": "local", "BodyType": "Text", "Body": "echo\n"}),
        ("http://x.test/d/f.tar", {"Name": "f.tar", "URL": "http://x.test/d/f.tar", "Type": "Downloadable"}),
        ({"f": "http://x.test/f"}, {"Name": "f", "URL": "http://x.test/f", "Type": "Downloadable"}),
    ],
)
def test_files_of_a_plan(file: Any, entry: dict[str, Any]) -> None:
    script = {"Type": "Application", "EntryPoint": "run.sh", "Files": [file, file]}
    plan = _plan({"FormatVersion": "2.0.0", "Scripts": {"go": script}})
    first, second = plan["Scripts"]["go"]["Files"]
    assert first == second
    assert plan["Files"][first] == entry
    assert (plan["ID"], plan["Action"]) == ("id0", "Execute")
    assert script["EntryPoint"] == "run.sh", "the template of the package stays as it is"


def test_files_that_a_plan_brings_are_found_by_name() -> None:
    script = {"Type": "Application", "EntryPoint": "x.sh"}
    plan = _plan({"FormatVersion": "2.1.0", "Files": {"f": {"Name": "x.sh"}}, "Scripts": {"go": script}})
    assert (plan["Scripts"]["go"]["EntryPoint"], list(plan["Files"])) == ("f", ["f"])


@pytest.mark.parametrize(
    "template", ["text", {"FormatVersion": "2.0.0", "Scripts": {"go": {"Type": "Puppet"}}}]
)
def test_what_is_no_plan_is_refused(template: Any) -> None:
    with pytest.raises(NativeError) as failure:
        _plan(template)
    assert failure.value.names == ("ValueError",)
