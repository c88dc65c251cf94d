"""The shop of the examples on real machines: deployed, left alone, asked, scaled, made smaller, killed and resumed, taken away."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.machines import Farm, Machine, farm, why_not

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(why_not() is not None, reason=str(why_not())),
    pytest.mark.skipif(not Path("/usr/lib/postgresql").is_dir(), reason="no PostgreSQL on this machine"),
]

SHOP = Path("examples/murano/shop")


class Shop:
    """A copy of the example with machines of its own."""

    def __init__(self, folder: Path, machines: Farm) -> None:
        self.folder = folder
        self.farm = machines
        shutil.copytree(SHOP, folder)
        description = yaml.safe_load((folder / "sabir.yaml").read_text())
        hosts = machines.hosts()
        hosts[0]["names"] = ["database"]
        description["targets"]["farm"].update(machines.settings(), hosts=hosts)
        (folder / "sabir.yaml").write_text(yaml.safe_dump(description))

    def sabir(self, verb: str, *words: str) -> subprocess.CompletedProcess[str]:
        ended = subprocess.run(self.words(verb, *words), capture_output=True, text=True, check=False)
        assert ended.returncode in (0, 3), ended.stderr
        return ended

    def words(self, verb: str, *words: str) -> list[str]:
        return [sys.executable, "-m", "sabir.cli", verb, str(self.folder), *words, "--trust", "scripts"]

    def deploy(self) -> str:
        return self.sabir("deploy", "--yes").stderr

    def edit(self, change: Callable[[dict[str, Any]], None]) -> None:
        file = self.folder / "model.yaml"
        model = yaml.safe_load(file.read_text())
        change(model)
        file.write_text(yaml.safe_dump(model, sort_keys=False))

    def machine(self, server: str) -> Machine | None:
        """Who has been claimed for a server."""
        for machine in self.farm.machines:
            claim = machine.root / "var/lib/sabir/claim"
            if claim.exists() and claim.read_text().endswith(f"/{server}"):
                return machine
        return None

    def page(self, server: str) -> str:
        machine = self.machine(server)
        assert machine is not None
        with urllib.request.urlopen(f"http://{machine.address}:8080/", timeout=10) as answer:
            return str(answer.read().decode())

    def plans(self) -> int:
        """How many plans were run to their end, on all machines."""
        marks = (
            mark for machine in self.farm.machines for mark in machine.root.glob("var/lib/sabir/operations/*")
        )
        outputs = (mark / "outputs" for mark in marks)
        return sum('"answer"' in output.read_text() for output in outputs if output.exists())


@pytest.fixture(params=["ssh", "namespaces"])
def shop(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Shop]:
    with farm(tmp_path / "farm", 3, with_sshd=request.param == "ssh") as machines:
        yield Shop(tmp_path / "shop", machines)


def _website(model: dict[str, Any]) -> dict[str, Any]:
    application: dict[str, Any] = model["applications"][1]
    return application


def _without_website(model: dict[str, Any]) -> None:
    del model["applications"][1]


@pytest.mark.rows("M-117")
def test_a_shop_lives_on_ordinary_machines(shop: Shop) -> None:
    planned = shop.sabir("plan")
    assert planned.returncode == 3
    assert "agent.call database: Install the database" in planned.stdout
    told = shop.deploy()
    assert "the shop is open at http://" in told
    assert "<li>lantern</li><li>rope</li>" in shop.page("web-1")
    plans = shop.plans()

    assert "nothing to do" in shop.deploy()
    assert shop.sabir("plan").returncode == 0
    assert shop.plans() == plans, "what is as it should be is left alone"

    assert "2" in shop.sabir("call", "database.count", "--yes").stdout

    shop.edit(lambda model: _website(model)["servers"].update(numItems=2))
    planned = shop.sabir("plan")
    assert "+ web-2 (OS::Nova::Server)" in planned.stdout
    assert "Install the database" not in planned.stdout, "only what changes is done"
    shop.deploy()
    assert "lantern" in shop.page("web-1")
    assert "lantern" in shop.page("web-2")

    shop.edit(_without_website)
    assert "- web-1" in shop.sabir("plan").stdout
    shop.deploy()
    assert shop.machine("web-1") is None
    assert shop.machine("web-2") is None
    assert shop.machine("database") is not None

    shop.sabir("destroy", "--yes", "--allow-delete", "1")
    assert shop.machine("database") is None
    assert not any((machine.root / "srv/shop/database").exists() for machine in shop.farm.machines)


def test_a_deployment_that_is_killed_is_gone_on_with(shop: Shop) -> None:
    process = subprocess.Popen(shop.words("deploy", "--yes"), stderr=subprocess.DEVNULL)
    begun = shop.farm.machines[0].root / "srv/shop/database/data"
    while not begun.exists():
        assert process.poll() is None
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert shop.plans() == 0, "it was killed while the first plan ran"

    shop.deploy()
    assert "lantern" in shop.page("web-1")
    assert shop.plans() == 2, "the plan went on without sabir, and was found"
    assert "nothing to do" in shop.deploy()


def test_another_description_is_not_mixed_with_what_was_begun(shop: Shop) -> None:
    process = subprocess.Popen(shop.words("deploy", "--yes"), stderr=subprocess.DEVNULL)
    while shop.machine("database") is None:
        assert process.poll() is None
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()

    shop.edit(lambda model: _website(model).update(title="Another shop"))
    refused = subprocess.run(shop.words("deploy", "--yes"), capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "the program differs from its record at run/1" in refused.stderr
    shop.deploy()
    assert "Another shop" in shop.page("web-1")
    assert sum(shop.machine(server) is not None for server in ("database", "web-1")) == 2
