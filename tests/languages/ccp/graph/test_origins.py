"""A name is shown, though a password is the same plain word."""

from __future__ import annotations

from pathlib import Path

import sabir
from sabir.graph.values import Sensitive

_SERVICE = """\
dsl_version: 0.1.0
service:
  name: rabbitmq
  containers:
    - name: rabbitmq
      image: rabbitmq
      env: [{name: PASS, value: "{{ rabbitmq.password }}"}]
      daemon: {command: run}
"""


def test_names_stay_and_values_do_not(tmp_path: Path) -> None:
    files = tmp_path / "service" / "files"
    files.mkdir(parents=True)
    (files / "defaults.yaml").write_text("configs: {rabbitmq: {port: 5672}}\n")
    (files.parent / "rabbitmq.yaml").write_text(_SERVICE)
    (tmp_path / "ccp.yaml").write_text("secret_configs: {rabbitmq: {password: rabbitmq}}\n")
    graph = sabir.compile(tmp_path).graph
    container = graph["rabbitmq/rabbitmq"].attributes
    assert (container["name"], container["image"]) == ("rabbitmq", "rabbitmq")
    assert container["env"] == [{"name": "PASS", "value": Sensitive("rabbitmq")}]
    metadata = graph["Deployment/rabbitmq"].attributes["metadata"]
    assert isinstance(metadata, dict)
    assert metadata["name"] == "rabbitmq"
