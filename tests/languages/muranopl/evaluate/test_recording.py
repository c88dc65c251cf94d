"""The recording cloud: stack templates, execution plans, the order of actions."""

from __future__ import annotations

import pytest

from sabir.languages.language import EvaluationRequest
from sabir.languages.muranopl.evaluate.preparing import prepare
from sabir.languages.muranopl.evaluate.system.recording import RecordingCloud
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
      - $environment: $.find(std:Environment)
      - $environment.securityGroupManager.addGroupIngress([{FromPort => $.port}])
      - $.instance.deploy()
      - $plan: sys:Resources.yaml('Deploy.template').bind(dict(port => $.port))
      - $.instance.agent.call($plan, null)
"""
MODEL = """\
'?': {id: env, type: io.murano.Environment}
name: production
applications:
  - '?': {id: app, type: demo.Root}
    port: 8080
    instance:
      '?': {id: vm, type: io.murano.resources.LinuxMuranoInstance}
      name: web-1
      flavor: m1.small
      image: ubuntu
"""


@pytest.mark.rows("M-116", "M-117", "M-118", "M-119")
def test_actions_are_recorded_in_order() -> None:
    cloud = RecordingCloud()
    package = MemoryPackage(
        files(CLASSES, MODEL, **{"Resources/Deploy.template": "Parameters: {port: $port}\n"})
    )
    prepared = prepare(package, EvaluationRequest(), system=cloud.system)
    session = prepared.session
    assert session is not None, prepared.findings
    assert session.runtime.root is not None
    session.call(session.runtime.root, "deploy", from_outside=True)
    assert [(one["action"], one["object"]) for one in cloud.actions if one["action"] != "stack"] == [
        ("security group", session.runtime.root.properties["securityGroupManager"].id),
        ("plan", "vm"),
    ]
    assert [one["action"] for one in cloud.actions] == ["security group", "stack", "plan"]
    properties = {"name": "web-1", "flavor": "m1.small", "image": "ubuntu"}
    server = {"type": "OS::Nova::Server", "properties": properties}
    assert cloud.actions[1]["template"] == {"resources": {"web-1": server}}
    assert cloud.actions[2]["plan"] == {"Parameters": {"port": 8080}}
