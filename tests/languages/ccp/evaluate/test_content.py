"""What makes pods roll and Jobs run again: what they will see, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from tests.languages.ccp.building import objects, service

FILES = {
    "web": service(
        "web",
        container="pre:\n- {name: sync, type: single, command: 'sync {{ web.level }}', files: [sync.conf]}\n",
        daemon="command: run\nfiles: [web.conf]",
        tail="files:\n  web.conf: {path: /etc/web.conf, content: web.j2}\n  sync.conf: {path: /s, content: sync.j2}\n",
    ),
    "service/files/web.j2": "port = {{ web.port }}\n{{ shared.line() }}\n",
    "service/files/sync.j2": "mode = {{ web.mode }}\n",
    "exports/shared.j2": "{% macro line() %}{{ web.shared }}{% endmacro %}",
}
CONFIG = {"web.port": "80", "web.mode": "fast", "web.level": "1", "web.shared": "s", "web.unused": "u"}


def _config(values: dict[str, str]) -> str:
    return "configs:\n  web:\n" + "".join(f"    {key[4:]}: '{value}'\n" for key, value in values.items())


def _contents(made: dict[str, Any]) -> tuple[str, str]:
    env = made["Deployment/web"]["spec"]["template"]["spec"]["containers"][0]["env"]
    (pod,) = (variable["value"] for variable in env if variable["name"] == "CCP_CONTENT")
    return pod, made["Job/web-sync"]["metadata"]["annotations"]["sabir/content"]


@pytest.mark.parametrize(
    ("change", "rolls", "runs_again"),
    [
        ({}, False, False),
        ({"web.unused": "x"}, False, False),
        ({"web.port": "81"}, True, False),
        ({"web.shared": "x"}, True, False),
        ({"web.mode": "slow"}, False, True),
        ({"web.level": "2"}, False, True),
    ],
)
def test_settings(change: dict[str, str], *, rolls: bool, runs_again: bool) -> None:
    before = _contents(objects(FILES, _config(CONFIG)))
    after = _contents(objects(FILES, _config({**CONFIG, **change})))
    assert (before[0] != after[0], before[1] != after[1]) == (rolls, runs_again)


@pytest.mark.parametrize(
    ("name", "old", "new", "rolls", "runs_again"),
    [
        ("service/files/web.j2", "port", "Port", True, False),
        ("service/files/sync.j2", "mode", "Mode", False, True),
        ("exports/shared.j2", "}}", "}}!", True, False),
        ("web", "/s,", "/t,", False, True),
    ],
)
def test_files(name: str, old: str, new: str, *, rolls: bool, runs_again: bool) -> None:
    before = _contents(objects(FILES, _config(CONFIG)))
    after = _contents(objects({**FILES, name: FILES[name].replace(old, new)}, _config(CONFIG)))
    assert (before[0] != after[0], before[1] != after[1]) == (rolls, runs_again)


@pytest.mark.parametrize(
    ("head", "container", "privileged"),
    [
        ("", "", False),
        ("hostNetwork: true", "", True),
        ("hostPID: true", "", True),
        ("", "privileged: true\n", True),
        ("", "volumes:\n- {name: v, type: host, path: /v}\n", True),
        ("", "volumes:\n- {name: v, type: empty-dir, path: /v}\n", False),
    ],
)
def test_a_namespace_says_when_pods_reach_their_hosts(head: str, container: str, *, privileged: bool) -> None:
    made = objects({"web": service("web", head=head, container=container)})
    labels = made["Namespace/ccp"]["metadata"]["labels"]
    assert (labels.get("pod-security.kubernetes.io/enforce") == "privileged") is privileged


def test_images_are_pulled_as_configured() -> None:
    files = {"web": service("web", container="pre:\n- {name: sync, type: single, command: sync}\n")}
    made = objects(files, "kubernetes: {image_pull_policy: Always}\n")
    pods = (made["Deployment/web"], made["Job/web-sync"])
    policies = [one["spec"]["template"]["spec"]["containers"][0]["imagePullPolicy"] for one in pods]
    assert policies == ["Always", "Always"]
    assert "imagePullPolicy" not in str(objects(files))
