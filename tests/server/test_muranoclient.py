"""The real client of Murano against a real service: `make endure` installs it and names its folder in SABIR_TEST_MURANOCLIENT."""

from __future__ import annotations

import os
import re
import subprocess
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.server.live import live_service
from tests.server.test_murano import PACKAGE, TARGETS

CLIENT = os.environ.get("SABIR_TEST_MURANOCLIENT")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not CLIENT, reason="SABIR_TEST_MURANOCLIENT names no environment with python-muranoclient"
    ),
]

Murano = Callable[..., str]


@pytest.fixture
def murano(tmp_path: Path) -> Iterator[Murano]:
    """Run the client against a service of its own."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "murano.yaml").write_text(TARGETS)
    with live_service(data, "--trust", "scripts") as service:
        line = [f"{CLIENT}/bin/murano", "--murano-url", service.url, "--os-auth-token", service.token]

        def call(*arguments: str) -> str:
            words = [*line, "--os-no-client-auth", *arguments]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            return done.stdout + done.stderr

        yield call


def cell(table: str, row: str) -> str:
    """The id in the last line that holds a text and an id."""
    ids = [re.search(r"[0-9a-f]{32}", line) for line in table.splitlines() if row in line]
    last = [match[0] for match in ids if match is not None]
    assert last, table
    return last[-1]


def repeat(call: Callable[[], str], text: str) -> str:
    for _ in range(30):
        answer = call()
        if text in answer:
            return answer
        time.sleep(0.2)
    raise AssertionError(answer)


@pytest.mark.rows("V-137", "V-138", "V-140", "M-140", "M-194")
def test_a_day_with_the_client(murano: Murano, tmp_path: Path) -> None:
    package = tmp_path / "hello"
    for name, text in PACKAGE.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    manifest = package / "manifest.yaml"
    # The client itself finds mistakes in manifests; this one only the service does.
    manifest.write_text(PACKAGE["manifest.yaml"].replace("MuranoPL/1.4", "MuranoPL/1.3"))
    refused = murano("package-import", str(package))
    assert "Classes/Hello.yaml:14: MPL:E044 Scope came with format 1.4" in refused
    assert "(HTTP 400)" in refused
    assert "com.example.Hello" not in murano("package-list")
    manifest.write_text(PACKAGE["manifest.yaml"])

    category = cell(murano("category-create", "Web"), "Web")
    assert "com.example.Hello" in murano("package-import", str(package), "-c", "Web")
    assert "Skipping" in murano("package-import", str(package), "--exists-action", "s")
    stored = cell(
        murano("package-import", str(package), "-c", "Web", "--exists-action", "u"), "com.example.Hello"
    )
    assert "com.example.Hello" in murano("package-show", stored)
    assert "Greeter" in murano("package-update", stored, "--name", "Greeter", "--tags", "a", "b")
    assert "Greeter" in murano("category-show", category)
    murano("package-download", stored, str(tmp_path / "copy.zip"))
    assert (tmp_path / "copy.zip").stat().st_size > 100

    environment = cell(murano("environment-create", "env"), "env")
    assert "envtwo" in murano("environment-rename", environment, "envtwo")
    session = cell(murano("environment-session-create", environment), "id")
    edits = tmp_path / "edits.json"
    edits.write_text(
        '[{"op":"add","path":"/-","value":{"?":{"type":"com.example.Hello","id":"a1"},"who":"bob"}}]'
    )
    murano("environment-apps-edit", environment, str(edits), "--session-id", session)
    edits.write_text('[{"op":"replace","path":"/applications/0/who","value":"carol"}]')
    assert "carol" in murano("environment-model-edit", environment, str(edits), "--session-id", session)
    assert "carol" in murano("environment-model-show", environment, "--session-id", session)
    assert "carol" in murano("environment-deploy", environment, "--session-id", session)
    repeat(lambda: murano("deployment-list", environment), "success")
    assert "a1_greet" in murano("environment-show", "envtwo")
    assert "com.example.Hello" in murano("app-show", environment)
    called = murano(
        "environment-action-call", environment, "--action-id", "a1_greet", "--arguments", "who=dan"
    )
    task = cell(called, "task, id")
    repeat(lambda: murano("environment-action-get-result", environment, "--task-id", task), "hello dan")
    assert "bye erin" in murano("static-action-call", "com.example.Hello", "wave", "--arguments", "who=erin")
    assert "json-schema.org" in murano("class-schema", "com.example.Hello")
    assert "com.example.Hello.wave" in murano("class-schema", "com.example.Hello", "greet", "wave")
    murano("environment-delete", environment)
    repeat(lambda: "there" if environment in murano("environment-list") else "gone", "gone")
    assert "Deleted package" in murano("package-delete", stored)
    assert "Web" not in murano("category-delete", category)


def test_templates_and_bundles(murano: Murano, tmp_path: Path) -> None:
    """A bundle of packages that lie beside it, a template of applications, and an environment that begins with them."""
    with zipfile.ZipFile(tmp_path / "com.example.Hello.zip", "w") as packed:
        for name, text in PACKAGE.items():
            packed.writestr(name, text)
    (tmp_path / "all.bundle").write_text('{"Packages": [{"Name": "com.example.Hello"}]}')
    murano("bundle-import", str(tmp_path / "all.bundle"))
    assert "com.example.Hello" in murano("package-list")

    template = cell(murano("env-template-create", "web"), "web")
    assert "already (HTTP 409)" in murano("env-template-create", "web")
    application = tmp_path / "application.json"
    application.write_text('{"?": {"type": "com.example.Hello", "id": "a1"}, "who": "bob"}')
    assert "com.example.Hello" in murano("env-template-add-app", template, str(application))
    assert "webtwo" in murano("env-template-update", template, "webtwo")
    assert "webtwo" in murano("env-template-list")
    clone = cell(murano("env-template-clone", template, "copy"), "| id ")
    assert "a1" not in murano("env-template-del-app", clone, "a1")
    assert "no application 'a1'" in murano("env-template-del-app", clone, "a1")
    made = murano("env-template-create-env", template, "env")
    environment, session = cell(made, "environment_id"), cell(made, "session_id")
    assert template not in murano("env-template-delete", template)
    assert "not found" in murano("env-template-show", template)
    assert "bob" in murano("environment-deploy", environment, "--session-id", session)
    repeat(lambda: murano("deployment-list", "--all-environments"), "success")
    assert "a1_greet" in murano("app-show", environment, "-p", "/a1")
