"""Deployments over HTTP: the real command line in processes of its own."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from sabir.server.service import SabirService
from sabir.server.store.tokens import Role
from tests.server.test_environments import DESCRIPTION, ENVIRONMENTS, Headers

pytestmark = pytest.mark.slow
WAITS = """\
        waits:
          kind: command
          requires: [etc]
          fields: {run: "touch TMP/began; while [ ! -e TMP/go ]; do sleep 0.05; done"}
"""


def until(holds: Callable[[], bool], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture
def environment(client: TestClient[Litestar], headers: Headers) -> Iterator[str]:
    admin = headers()
    created = client.post(ENVIRONMENTS, json={"name": "deployed"}, headers=admin).json()
    where = f"{ENVIRONMENTS}/{created['id']}"
    client.put(f"{where}/files/sabir.yaml", content=DESCRIPTION, headers=admin)
    yield where
    if client.get(f"{where}/status", headers=admin).json()["resources"]:
        follow(client, admin, where, {"verb": "destroy", "allow_delete": "all"})
    assert client.delete(where, headers=admin).status_code == 204


def follow(
    client: TestClient[Litestar], headers: dict[str, str], where: str, wanted: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Submit a job and follow it to its end: its events, and the job."""
    submitted = client.post(f"{where}/jobs", json=wanted, headers=headers)
    assert submitted.status_code == 202, submitted.text
    return events(client, headers, f"{where}/jobs/{submitted.json()['id']}")


def events(
    client: TestClient[Litestar], headers: dict[str, str], job: str, after: int | None = None
) -> tuple[list[Any], dict[str, Any]]:
    last = {} if after is None else {"Last-Event-ID": str(after)}
    told: list[Any] = []
    kind = "message"
    with client.stream("GET", f"{job}/events", headers={**headers, **last}) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        for line in answer.iter_lines():
            name, _, value = line.partition(": ")
            if name == "event":
                kind = value
            elif name == "data" and kind == "job":
                return told, json.loads(value)
            elif name == "data":
                told.append(json.loads(value))
    raise AssertionError("the stream ended without the job")


def test_deploy_follow_remember_destroy(
    client: TestClient[Litestar], headers: Headers, environment: str, service: SabirService
) -> None:
    operator = headers(Role.OPERATOR)
    plan = client.get(f"{environment}/plan", headers=operator).json()
    assert plan["counts"] == {"create": 2}
    told, job = follow(client, operator, environment, {"verb": "deploy", "plan": plan})
    assert job["state"] == "done", job
    assert [(event["event"], event.get("step")) for event in told][-2:] == [
        ("done", "files/motd"),
        ("end", None),
    ]
    where = f"{environment}/jobs/{job['id']}"
    assert events(client, operator, where, after=len(told) - 1)[0] == told[-1:]
    folder = service.environments.files(environment.rpartition("/")[2]).folder
    assert (folder / ".sabir/world/etc/motd").read_text() == "hello"

    (deployment,) = client.get(f"{environment}/history", headers=operator).json()
    assert (deployment["state"], deployment["audit"]["who"]) == ("done", "tester")
    detail = client.get(f"{environment}/history/1", headers=operator).json()
    assert [step["state"] for step in detail["steps"]] == ["done", "done"]
    assert client.get(f"{environment}/history/9", headers=operator).status_code == 404
    status = client.get(f"{environment}/status", headers=operator).json()
    # Where the service keeps its files is told to nobody.
    for record in (deployment, detail["deployment"], status["last"]):
        assert record["audit"]["path"] == "."
        assert str(folder.parent) not in json.dumps(record)
    assert [resource["address"] for resource in status["resources"]] == ["files/etc", "files/motd"]
    drift = client.get(f"{environment}/drift", headers=operator).json()
    assert {resource["state"] for resource in drift["resources"]} == {"as wanted"}
    assert client.get(f"{environment}/operations", headers=operator).json()["operations"] == []

    refused = client.delete(environment, headers=operator)
    assert refused.status_code == 409
    assert "2 resources" in refused.json()["error"]["message"]
    unsaid = client.post(f"{environment}/jobs", json={"verb": "destroy"}, headers=operator)
    assert unsaid.status_code == 400
    assert "allow_delete" in unsaid.text
    _, few = follow(client, operator, environment, {"verb": "destroy", "allow_delete": 1})
    assert (few["state"], "delete all 2" in few["message"]) == ("failed", True)
    moved = follow(client, operator, environment, {"verb": "deploy", "plan": plan})[1]
    assert moved["state"] == "failed"


def test_readers_plan_and_do_not_deploy(
    client: TestClient[Litestar], headers: Headers, environment: str
) -> None:
    reader = headers(Role.READER)
    assert client.post(f"{environment}/jobs", json={"verb": "deploy"}, headers=reader).status_code == 403
    _, job = follow(client, reader, environment, {"verb": "plan"})
    assert (job["state"], job["result"]["counts"]) == ("done", {"create": 2})


def test_a_deployment_is_stopped_and_gone_on_with(
    client: TestClient[Litestar], headers: Headers, environment: str, tmp_path: Path
) -> None:
    admin = headers()
    description = (
        DESCRIPTION.replace(
            "name: demo", f"name: demo\ntargets: {{here: {{driver: local, root: {tmp_path}}}}}"
        )
        .replace("requires: [etc]", "requires: [waits]")
        .replace("        motd:", WAITS.replace("TMP", str(tmp_path)) + "        motd:")
    )
    client.put(f"{environment}/files/sabir.yaml", content=description, headers=admin)
    without = client.get(f"{environment}/plan", headers=admin)
    assert without.status_code == 422
    assert "--trust scripts" in without.json()["error"]["message"]
    client.patch(environment, json={"trust": ["scripts"]}, headers=admin)
    submitted = client.post(f"{environment}/jobs", json={"verb": "deploy"}, headers=admin).json()
    job = f"{environment}/jobs/{submitted['id']}"
    until((tmp_path / "began").exists)
    assert client.post(f"{job}/stop", headers=admin).status_code == 202
    (tmp_path / "go").touch()
    told, ended = events(client, admin, job)
    assert ended["state"] == "interrupted", (ended, told)
    assert not (tmp_path / "etc/motd").exists()
    assert follow(client, admin, environment, {"verb": "deploy"})[1]["state"] == "done"
    assert (tmp_path / "etc/motd").read_text() == "hello"


def test_an_edit_waits_for_a_deployment(
    client: TestClient[Litestar], headers: Headers, environment: str, service: SabirService
) -> None:
    admin = headers()
    submitted = client.post(f"{environment}/jobs", json={"verb": "deploy"}, headers=admin).json()
    refused = client.put(f"{environment}/files/x", content=b"x", headers=admin)
    job = f"{environment}/jobs/{submitted['id']}"
    assert refused.status_code == 409, refused.text
    assert "wait for it" in refused.json()["error"]["message"]
    until(lambda: client.get(job, headers=admin).json()["state"] == "done")
    assert client.put(f"{environment}/files/x", content=b"x", headers=admin).status_code == 200
    assert client.get(f"{job}/log", headers=admin).status_code == 200
    assert client.get(f"{environment}/jobs", headers=admin).json()[0]["id"] == submitted["id"]
