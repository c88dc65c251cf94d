"""The examples of the page are run as they stand there, by a real curl against a real service."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.server.conftest import archive
from tests.server.live import live_service
from tests.server.test_environments import DESCRIPTION

PAGE = Path(__file__).parents[2] / "docs/commands/serve.md"
UNIT = Path(__file__).parents[2] / "packaging/sabir.service"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl on this machine (Debian: apt install curl)")
def test_the_examples_of_the_page(tmp_path: Path) -> None:
    lines = [line.strip() for line in PAGE.read_text().splitlines() if line.startswith("    curl ")]
    assert len(lines) == 5
    (tmp_path / "web.zip").write_bytes(archive())
    (tmp_path / "sabir.yaml").write_text(DESCRIPTION)
    with live_service(tmp_path / "data") as service:
        variables = {"TOKEN": service.token}

        def run(line: str) -> str:
            command = line.replace("http://127.0.0.1:8642", service.url).replace(
                "curl", "curl -sS --fail-with-body", 1
            )
            environment = {**os.environ, **variables}
            done = subprocess.run(
                ["sh", "-c", command],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, (command, done.stdout, done.stderr)
            return done.stdout

        upload, create, write, deploy, follow = lines
        assert json.loads(run(upload))["full_name"] == "org.example.Web"
        variables["ID"] = json.loads(run(create))["id"]
        assert json.loads(run(write))["revision"] == 2
        variables["JOB"] = json.loads(run(deploy))["id"]
        assert '"event": "end", "deployment": 1, "state": "done"' in run(follow)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd on this machine")
def test_the_unit_is_understood(tmp_path: Path) -> None:
    unit = tmp_path / "sabir.service"
    unit.write_text(UNIT.read_text().replace("/opt/sabir/bin/sabir", "/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False
    )
    assert "sabir.service:" not in done.stderr, done.stderr
