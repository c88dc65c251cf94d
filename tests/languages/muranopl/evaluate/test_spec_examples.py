"""The two example classes of document 000, as they stand there."""

from __future__ import annotations

import pytest

from sabir.languages.muranopl.model.errors import ContractViolationError, MuranoError
from tests.languages.muranopl.packages import load

PORT = """
Namespaces:
  =: io.murano.apps.docker
  std: io.murano

Name: ApplicationPort

Properties:
  port:
    Contract: $.int().notNull().check($ > 0 and $ < 65536)

  scope:
    Contract: $.string().notNull().check($ in list(public, cloud, host, internal))
    Default: private

  protocol:
    Contract: $.string().notNull().check($ in list(TCP, UDP))
    Default: TCP

Methods:
  getRepresentation:
    Body:
      Return:
        port: $.port
        scope: $.scope
        protocol: $.protocol
"""
PROVIDER = """
Namespaces:
  =: io.murano.applications
  res: io.murano.resources
  std: io.murano

Name: TemplateServerProvider

Properties:
  template:
    Contract: $.template(res:Instance, excludeProperties => [name]).notNull()
  serverNamePattern:
    Contract: $.string().notNull()
  threshold:
    Contract: $.int().check($ > 0)

Methods:
  createReplica:
    Arguments:
      - index:
          Contract: $.int().notNull()
      - owner:
          Contract: $.class(std:Object)
    Body:
      - If: $index < $this.threshold
        Then:
          - $template: $this.template
          - $template.name: $this.serverNamePattern.format($index)
          - $template['?'].name: format('Server {0}', $index)
          - Return: new($template, $owner)
        Else:
          - Return: null
"""
TYPE = "io.murano.apps.docker.ApplicationPort"


@pytest.mark.rows("M-073", "M-077", "M-078")
def test_application_port() -> None:
    session = load(PORT, {"?": {"id": "p", "type": TYPE}, "port": "80", "scope": "host"})
    root = session.runtime.root
    assert root is not None
    assert sorted(root.cls.members) == ["port", "protocol", "scope"]
    assert session.call(root, "getRepresentation") == {"port": 80, "scope": "host", "protocol": "TCP"}


@pytest.mark.rows("M-076", "M-110")
def test_the_default_of_the_example_breaks_its_own_contract() -> None:
    with pytest.raises(ContractViolationError) as caught:
        load(PORT, {"?": {"id": "p", "type": TYPE}, "port": 80})
    assert str(caught.value).startswith(f"[{TYPE}.scope] 'private' does not satisfy")


@pytest.mark.rows("M-086", "M-087", "M-089", "M-092")
def test_template_server_provider() -> None:
    template = {"?": {"type": "io.murano.resources.LinuxMuranoInstance"}, "flavor": "m1.small", "image": "x"}
    model = {
        "?": {"id": "provider", "type": "io.murano.applications.TemplateServerProvider"},
        "template": template,
        "serverNamePattern": "s-{0}",
        "threshold": 1,
    }
    session = load(PROVIDER, model)
    root = session.runtime.root
    assert root is not None
    made = session.call(root, "createReplica", [0, root])
    assert (made.properties["name"], made.name, made.owner) == ("s-0", "Server 0", root)
    assert made.cls.name == "io.murano.resources.LinuxMuranoInstance"
    assert session.call(root, "createReplica", [1, root]) is None
    with pytest.raises(MuranoError, match="a required value is missing"):
        session.call(made, "deploy")
