"""Programs on a cloud: the stack of an environment is made, changed, left alone, gone on with after a kill, and taken away.

The small cloud runs everywhere; with SABIR_TEST_OPENSTACK the same runs against a real Heat.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from sabir.deployments.drivers.heat.driver import DRIVER
from sabir.resources.driver import DriverContext
from sabir.resources.target import Target
from tests.openstack.cloud import cloud
from tests.openstack.small_cloud import SmallCloud, small_cloud

pytestmark = pytest.mark.filterwarnings("ignore:Support for InfluxDB")

MANIFEST = """\
Format: MuranoPL/1.4
Type: Application
FullName: demo
Name: Demo
Classes: {demo.App: App.yaml}
"""
CLASSES = """\
Namespaces: {=: demo, std: io.murano}
Name: App
Extends: std:Application
Properties:
  words: {Contract: [$.string()]}
  output: {Contract: $, Usage: Out}
Methods:
  deploy:
    Body:
      - $stack: $.find(std:Environment).stack
      - $template:
          resources: $.words.toDict($, dict(type => 'OS::Heat::Value', properties => dict(value => $)))
          outputs:
            all: {value: ready}
      - $stack.updateTemplate($template)
      - $stack.push()
      - $.output: $stack.output()
  stackName:
    Scope: Public
    Body:
      Return: $.find(std:Environment).stack.name
"""
MODEL = """\
'?': {id: env, type: io.murano.Environment}
name: demo
applications:
  - '?': {id: app, type: demo.App}
    words: [one]
"""
ENVIRONMENT = """\
name: demo
targets:
  cloud: {driver: openstack-heat, cloud: here, clouds_file: clouds.yaml}
parts:
  demo: {path: package, model: model.yaml}
"""


class Demo:
    """The environment in a folder, and its cloud."""

    def __init__(self, folder: Path, clouds: Path) -> None:
        self.folder = folder
        self.clouds = clouds
        for name, text in {
            "package/manifest.yaml": MANIFEST,
            "package/Classes/App.yaml": CLASSES,
            "model.yaml": MODEL,
            "sabir.yaml": ENVIRONMENT,
        }.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        shutil.copy(clouds, folder / "clouds.yaml")

    def sabir(self, verb: str, *words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "sabir.cli", verb, str(self.folder), *words, "--trust", "scripts"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ended.returncode in (0, 3), ended.stderr + ended.stdout
        return ended

    def sabir_plain(self, verb: str, *words: str) -> str:
        command = [sys.executable, "-m", "sabir.cli", verb, str(self.folder), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def stack(self, name: str) -> dict[str, Any] | None:
        """The stack as the cloud has it: its template and tags."""
        target = Target(
            name="cloud", driver="openstack-heat", settings={"cloud": "here", "clouds_file": "clouds.yaml"}
        )

        async def look() -> dict[str, Any] | None:
            async with DRIVER.connect(target, DriverContext(folder=self.folder)) as connection:
                found = await connection.heat.find(name)
                return None if found is None else dict(await connection.heat.template(found))

        return asyncio.run(look())


@pytest.fixture(params=["small", pytest.param("real", marks=pytest.mark.slow)])
def demo(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Demo]:
    place = tmp_path / "cloud"
    place.mkdir()
    sky = small_cloud(place, SmallCloud()) if request.param == "small" else cloud(place)
    with sky as running:
        yield Demo(tmp_path / "demo", running.clouds)


@pytest.mark.rows("M-116")
def test_the_stack_of_an_environment_lives_with_it(demo: Demo) -> None:
    planned = demo.sabir("plan")
    assert "+ one (OS::Heat::Value)" in planned.stdout, planned.stdout
    demo.sabir("deploy", "--yes")
    name = json.loads(
        demo.sabir("call", "app.stackName", "--yes", "--format", "json").stdout.splitlines()[-1]
    )
    name = _named(name)
    template = demo.stack(name)
    assert template is not None
    assert [*template["resources"]] == ["one"]
    assert "nothing to do" in demo.sabir("deploy", "--yes").stderr

    (demo.folder / "model.yaml").write_text(MODEL.replace("[one]", "[one, two]"))
    planned = demo.sabir("plan")
    assert f"heat.update {name}: + two (OS::Heat::Value)" in planned.stdout
    demo.sabir("deploy", "--yes")
    template = demo.stack(name)
    assert template is not None
    assert sorted(template["resources"]) == ["one", "two"]

    demo.sabir("destroy", "--yes", "--allow-delete", "1")
    assert demo.stack(name) is None


def _named(told: Any) -> str:
    texts = [value for value in _values(told) if isinstance(value, str) and value.startswith("murano-")]
    assert texts, told
    return texts[0]


def _values(told: Any) -> list[Any]:
    if isinstance(told, dict):
        return [value for item in told.values() for value in _values(item)]
    return [told]


@pytest.mark.parametrize("kind", ["row", "answer"])
def test_what_the_existing_engine_deployed_is_gone_on_with(tmp_path: Path, kind: str) -> None:
    """The environment is known by a dump alone; its stack is updated, and no second one is built.

    An answer of the client does not tell the stack: it has to be named.
    """
    place = tmp_path / "cloud"
    place.mkdir()
    world = SmallCloud()
    with small_cloud(place, world) as running:
        before = Demo(tmp_path / "before", running.clouds)
        before.sabir("deploy", "--yes")
        row = _row(before)
        (dump := tmp_path / "dump.json").write_text(json.dumps([row] if kind == "row" else _answer(row)))
        words = () if kind == "row" else (f"env={world.created[0]}",)

        after = Demo(tmp_path / "after", running.clouds)
        (after.folder / "model.yaml").unlink()
        if kind == "answer":
            with pytest.raises(AssertionError, match="does not tell the stack of 'production'"):
                after.sabir("adopt", "--murano", str(dump))
            with pytest.raises(AssertionError, match="'other' is no stack of Murano"):
                after.sabir("adopt", "env=other", "--murano", str(dump))
            (after.folder / "model.yaml").unlink()
        adopted = after.sabir("adopt", *words, "--murano", str(dump)).stdout
        assert "demo/env (murano-program): taken over" in adopted
        assert (after.folder / "model.yaml").exists(), "the model is written from the dump"
        model = (after.folder / "model.yaml").read_text()
        assert "_actions" not in model

        (after.folder / "model.yaml").write_text(MODEL.replace("[one]", "[one, two]"))
        planned = after.sabir("plan").stdout
        assert "heat.create" not in planned
        after.sabir("deploy", "--yes")
        assert len(world.created) == 1
        template = after.stack(world.created[0])
        assert template is not None
        assert sorted(template["resources"]) == ["one", "two"]


def _answer(row: dict[str, Any]) -> dict[str, Any]:
    """What the client shows of an environment."""
    objects = json.loads(row["description"])["Objects"]
    return {"id": "env", "name": row["name"], "status": "ready", "services": objects["applications"]}


def _row(demo: Demo) -> dict[str, Any]:
    """The environment as the existing engine would have it in its database."""
    facts = json.loads(demo.sabir_plain("facts", "--format", "json"))["facts"]
    storage = next(fact["value"] for fact in facts if fact["name"].endswith("|storage"))
    return {"id": "env", "name": "production", "description": json.dumps(storage)}
