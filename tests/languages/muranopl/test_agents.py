"""A whole program whose servers have agents: stacks at a small cloud, plans through a real RabbitMQ to real murano-agents.

A server of the cloud is a machine that is thrown away; it boots by the user data of its template, which configures and starts the agent
of murano-agent 12.0.0 (SABIR_TEST_AGENT names its environment; `make endure` makes it).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from sabir.languages.muranopl.worlds.machines import PoolTemplate
from tests.deployments.drivers.amqp.rabbitmq import broker
from tests.deployments.drivers.amqp.rabbitmq import why_not as why_no_broker
from tests.openstack.small_cloud import SmallCloud, small_cloud
from tests.support.machines import Farm, Machine, farm, why_not

AGENT = os.environ.get("SABIR_TEST_AGENT")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:Support for InfluxDB"),
    pytest.mark.skipif(why_not() is not None, reason=str(why_not())),
    pytest.mark.skipif(why_no_broker() is not None, reason=str(why_no_broker())),
    pytest.mark.skipif(AGENT is None, reason="SABIR_TEST_AGENT names no environment with murano-agent"),
]

MANIFEST = """\
Format: MuranoPL/1.4
Type: Application
FullName: demo
Name: Demo
Classes: {demo.App: App.yaml}
"""
CLASSES = """\
Namespaces: {=: demo, std: io.murano, res: io.murano.resources, sys: io.murano.system}
Name: App
Extends: std:Application
Properties:
  instance: {Contract: $.class(res:Instance).notNull()}
  answer: {Contract: $.string(), Usage: Out}
Methods:
  deploy:
    Body:
      - $.instance.deploy()
      - $plan: sys:Resources.yaml('Install.template').bind(dict(name => $.instance.name))
      - $.answer: $.instance.agent.call($plan, new(sys:Resources))
      - $.find(std:Environment).reporter.report($this, format('{0} at {1}', $.answer, $.instance.ipAddresses))
  break:
    Scope: Public
    Body:
      - Try:
          - $.instance.agent.call(sys:Resources.yaml('Break.template'), new(sys:Resources))
        Catch:
          - With: 'murano.engine.system.agent.AgentException'
            As: failure
            Do:
              - Return: $failure.message
"""
INSTALL = """\
FormatVersion: 2.0.0
Version: 1.0.0
Name: Install
Parameters: {name: $name}
Body: return install(args.name).stdout
Scripts:
  install: {Type: Application, Version: 1.0.0, EntryPoint: install.sh, Files: [], Options: {captureStdout: true}}
"""
BREAK = INSTALL.replace("name: $name", "").replace("args.name", "").replace("install", "fail")
SCRIPT = """\
#!/bin/sh
echo begun >> /srv/begun
sleep 2
echo ended >> /srv/ended
echo "installed $1"
"""
FAIL = "#!/bin/sh\necho no >&2\nexit 5\n"
SERVER = """\
  - '?': {{id: app{number}, type: demo.App}}
    instance:
      '?': {{id: server{number}, type: io.murano.resources.LinuxMuranoInstance}}
      name: server{number}
      flavor: small
      image: debian
"""
MODEL = """\
'?': {id: env, type: io.murano.Environment}
name: demo
defaultNetworks:
  environment: {'?': {id: network, type: io.murano.resources.NovaNetwork}}
applications:
"""
ENVIRONMENT = """\
name: demo
targets:
  cloud: {driver: openstack-heat, cloud: here, clouds_file: clouds.yaml}
  agents: {driver: amqp, drops_duplicates: true}
parts:
  demo: {path: package, model: model.yaml, config: murano.conf}
"""
SETTINGS = "[rabbitmq]\nhost = 127.0.0.1\nport = {port}\nlogin = guest\npassword = guest\nvirtual_host = /\n"
BOOT = """\
set -e
ln -s {agent}/bin/muranoagent /usr/local/bin/muranoagent
mkdir -p /etc/systemd/system
cat > /usr/local/bin/systemctl <<'END'
#!/bin/sh
[ "$1" != restart ] || setsid $(sed -n 's/^ExecStart=//p' "/etc/systemd/system/$2") > /srv/agent.log 2>&1 &
END
chmod 755 /usr/local/bin/systemctl
cat > /srv/user-data
PATH=/usr/local/bin:$PATH sh /srv/user-data
"""


class Cloud(SmallCloud):
    """Servers of its stacks are machines of a farm."""

    def __init__(self, machines: Farm) -> None:
        super().__init__()
        self.farm = machines
        self.servers: dict[str, Machine] = {}

    def look(self, stack: dict[str, Any]) -> None:
        super().look(stack)
        if stack["stack_status"].endswith("COMPLETE"):
            for name in PoolTemplate(stack["template"], {}).servers():
                if name not in self.servers:
                    self.servers[name] = self.farm.machines[len(self.servers)]
                    self._boot(name, stack["template"])

    def outputs(self, stack: dict[str, Any]) -> dict[str, Any]:
        machines = {
            name: {"id": name, "address": machine.address, "hostname": machine.name}
            for name, machine in self.servers.items()
        }
        return PoolTemplate(stack["template"], machines).outputs()

    def _boot(self, name: str, template: dict[str, Any]) -> None:
        script = template["resources"][f"boot_script_{name}"]["properties"]["config"]
        machine = self.servers[name]
        options = ["-o", f"UserKnownHostsFile={self.farm.keys}/known_hosts", "-i", str(self.farm.keys / "id")]
        ended = subprocess.run(
            [
                "ssh",
                "-p",
                str(machine.port),
                *options,
                f"root@{machine.address}",
                BOOT.format(agent=AGENT_PATH),
            ],
            input=script,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr


AGENT_PATH = Path(AGENT or "").absolute()


class Demo:
    def __init__(self, folder: Path, clouds: Path, port: int, cloud: Cloud) -> None:
        self.folder = folder
        self.cloud = cloud
        texts = {
            "package/manifest.yaml": MANIFEST,
            "package/Classes/App.yaml": CLASSES,
            "package/Resources/Install.template": INSTALL,
            "package/Resources/Break.template": BREAK,
            "package/Resources/scripts/install.sh": SCRIPT,
            "package/Resources/scripts/fail.sh": FAIL,
            "murano.conf": SETTINGS.format(port=port),
            "sabir.yaml": ENVIRONMENT,
            "clouds.yaml": clouds.read_text(),
        }
        for name, text in texts.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        self.describe(2)

    def describe(self, servers: int) -> None:
        applications = "".join(SERVER.format(number=number) for number in range(1, servers + 1))
        (self.folder / "model.yaml").write_text(MODEL + applications)

    def words(self, verb: str, *words: str) -> list[str]:
        return [sys.executable, "-m", "sabir.cli", verb, str(self.folder), *words, "--trust", "scripts"]

    def sabir(self, verb: str, *words: str) -> subprocess.CompletedProcess[str]:
        ended = subprocess.run(self.words(verb, *words), capture_output=True, text=True, check=False)
        assert ended.returncode in (0, 3), ended.stderr + ended.stdout
        return ended

    def marks(self, name: str) -> list[int]:
        """How often the plans of each server began, or ended."""
        files = [machine.root / "srv" / name for machine in self.cloud.servers.values()]
        return [file.read_text().count("\n") if file.exists() else 0 for file in files]

    def killed_when(self, mark: str) -> None:
        """A deployment that is killed as soon as some server has the mark."""
        process = subprocess.Popen(self.words("deploy", "--yes"), stderr=subprocess.PIPE, text=True)
        while not any(self.marks(mark)):
            assert process.poll() is None, process.communicate()[1]
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.fixture
def demo(tmp_path: Path) -> Generator[Demo]:
    for name in ("cloud", "broker"):
        (tmp_path / name).mkdir()
    with farm(tmp_path / "farm", 3) as machines, broker(tmp_path / "broker") as port:
        cloud = Cloud(machines)
        with small_cloud(tmp_path / "cloud", cloud) as running:
            yield Demo(tmp_path / "demo", running.clouds, port, cloud)


@pytest.mark.parametrize("mark", ["begun", "ended"])
def test_a_program_with_agents_lives_through_a_kill(demo: Demo, mark: str) -> None:
    demo.killed_when(mark)
    told = demo.sabir("deploy", "--yes").stderr
    assert "installed server1 at" in told, told
    assert "installed server2 at" in told, told
    assert demo.marks("begun") == demo.marks("ended") == [1, 1], "no plan was run twice"
    assert "nothing to do" in demo.sabir("deploy", "--yes").stderr

    broken = demo.sabir("call", "app1.break", "--yes", "--format", "json").stdout
    assert "'exitCode': 5" in broken, broken

    demo.describe(3)
    demo.sabir("deploy", "--yes")
    assert demo.marks("ended")[-1] == 1

    demo.sabir("destroy", "--yes", "--allow-delete", "1")
    assert all(stack["stack_status"] == "DELETE_COMPLETE" for stack in demo.cloud.stacks.values())
