"""Operations on another machine, by the address of the host of their node: a real sshd of this machine."""

from __future__ import annotations

import getpass
import hashlib
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sabir.cli.main import main
from tests.deployments.sshd import Sshd, sshd, why_not

pytestmark = [pytest.mark.slow, pytest.mark.skipif(why_not() is not None, reason=str(why_not()))]

_TEMPLATE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Machine:
    derived_from: tosca.nodes.Compute
    properties: {{credential: {{type: tosca.datatypes.Credential, required: false}}}}
    interfaces: {{Standard: {{operations: {{create: {machine}}}}}}}
  App:
    derived_from: tosca.nodes.SoftwareComponent
    attributes: {{told: {{type: string}}}}
    artifacts:
      words: {{type: tosca.artifacts.File, file: files/words.txt}}
      large: {{type: tosca.artifacts.File, file: files/large.bin}}
    interfaces:
      Standard:
        operations:
          create:
            implementation: {{primary: scripts/app.sh, dependencies: [scripts/lib.sh]}}
            inputs: {{file: {{type: string, default: {{get_artifact: [SELF, words]}}}}}}
            outputs: {{told: [SELF, told]}}
          delete: scripts/gone.sh
topology_template:
  node_templates:
    server:
      type: Machine
      properties: {{credential: {{user: {user}, token: '', keys: {{private: {key}}}}}}}
      {address}
      capabilities: {{endpoint: {{properties: {{port: {port}}}}}}}
    app: {{type: App, requirements: [{{host: server}}]}}
  outputs: {{told: {{value: {{get_attribute: [app, told]}}}}}}
"""


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sshd]:
    (tmp_path / "sshd").mkdir()
    with sshd(tmp_path / "sshd") as server:
        home = tmp_path / "home"
        (home / ".ssh").mkdir(parents=True)
        known = (tmp_path / "sshd" / "known_hosts").read_text()
        (home / ".ssh" / "known_hosts").write_text(known.replace("127.0.0.1", "127.1"))
        monkeypatch.setenv("HOME", str(home))
        yield server


def _write(folder: Path, machine: Sshd, address: str, create: str) -> Path:
    template = folder / "service" / "service.yaml"
    (folder / "service" / "scripts").mkdir(parents=True)
    (folder / "service" / "files").mkdir()
    template.write_text(
        _TEMPLATE.format(
            user=getpass.getuser(),
            key=machine.folder / "id",
            port=machine.port,
            address=address,
            machine=create,
        )
    )
    (folder / "service" / "scripts" / "app.sh").write_text(
        '. scripts/lib.sh\ntold="$(words) from ${SSH_CONNECTION:+afar}"\npwd > "'
        + str(folder)
        + '/where"\nsha256sum files/large.bin > "'
        + str(folder)
        + '/sum"\n'
    )
    (folder / "service" / "scripts" / "lib.sh").write_text('words() { cat "$file"; }\n')
    (folder / "service" / "scripts" / "gone.sh").write_text(f'echo "$SABIR_HOST" > {folder}/gone\n')
    (folder / "service" / "scripts" / "where.sh").write_text("public_address=127.1\n")
    (folder / "service" / "files" / "words.txt").write_text("greetings")
    (folder / "service" / "files" / "large.bin").write_text("small")
    return template


@pytest.mark.parametrize(
    ("address", "create"),
    [
        pytest.param("attributes: {public_address: '127.1'}", "{}", id="written"),
        pytest.param(
            "attributes: {}",
            "{implementation: {primary: scripts/where.sh, operation_host: ORCHESTRATOR}, outputs: {public_address: [SELF, public_address]}}",
            id="given out by the machine's own operation",
        ),
    ],
)
def test_a_script_runs_on_the_host_of_its_node(
    tmp_path: Path, machine: Sshd, capsys: pytest.CaptureFixture[str], address: str, create: str
) -> None:
    template = _write(tmp_path, machine, address, create)
    large = template.parent / "files" / "large.bin"
    large.write_bytes(random.Random(1).randbytes(900_000))
    words = [str(template), "--here", "--trust", "scripts", "--yes", "--allow-delete", "all"]
    assert main(["deploy", *words]) == 0
    assert (tmp_path / "sum").read_text().split()[0] == hashlib.sha256(large.read_bytes()).hexdigest()
    assert (tmp_path / "where").read_text().strip() != str(template.parent)
    capsys.readouterr()
    assert main(["compile", str(template), "--format", "json"]) == 0
    assert main(["facts", str(template)]) == 0
    assert "greetings from afar" in capsys.readouterr().out
    assert main(["deploy", *words]) == 0
    assert main(["destroy", *words]) == 0
    assert (tmp_path / "gone").read_text() == "server\n"


@pytest.mark.skipif(
    not Path(sys.executable).with_name("ansible-playbook").exists(), reason="ansible-core is not installed"
)
def test_a_playbook_logs_into_the_host_of_its_node(
    tmp_path: Path, machine: Sshd, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The program ssh does not ask HOME where its own files are.
    hosts = tmp_path / "sshd" / "known_hosts"
    monkeypatch.setenv("ANSIBLE_SSH_ARGS", f"-F none -o UserKnownHostsFile={hosts}")
    # `raw` asks for a terminal, which a sshd without root may not be able to give to its user.
    monkeypatch.setenv("ANSIBLE_SSH_USETTY", "False")
    template = _write(tmp_path, machine, "attributes: {public_address: '127.1'}", "{}")
    text = template.read_text().replace(
        "{primary: scripts/app.sh, dependencies: [scripts/lib.sh]}", "play.yaml"
    )
    template.write_text(text)
    (template.parent / "play.yaml").write_text(
        "- hosts: all\n  gather_facts: false\n  tasks:\n"
        "    - {raw: 'echo ${SSH_CONNECTION:+afar}', register: said}\n"
        "    - set_stats: {data: {told: '{{ said.stdout | trim }}'}}\n"
    )
    words = [str(template), "--here", "--trust", "scripts", "--yes", "--allow-delete", "all"]
    assert main(["deploy", *words]) == 0
    assert main(["query", str(template), "::server::app::told[=afar]"]) == 0
    assert main(["destroy", *words]) == 0
