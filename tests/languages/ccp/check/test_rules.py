"""Rules beyond the conformance cases: kind and path of what is reported."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.languages.ccp.check.review import is_sensitive
from sabir.languages.ccp.model.units import find_cycles, start_order
from tests.conformance.adapters.ccp import KINDS
from tests.languages.ccp.building import checked, kinds, service

SINGLE = "pre:\n- {name: %s, type: single, command: x}\n"

CASES: list[tuple[str, dict[str, str], str | None, list[tuple[str, str]]]] = [
    ("port pair with a bad half", {"a": service("a", head="ports: ['80:x']")}, None, [("bad-format", "service.ports[0]")]),
    ("port mapping of numbers", {"a": service("a", head="ports: [{80: 30080}]")}, None, []),
    ("port mapping without cont", {"a": service("a", head="ports: [{node: 30080}]")}, None, [("missing-key", "service.ports[0].cont")]),
    ("port null", {"a": service("a", head="ports: [null]")}, None, [("wrong-type", "service.ports[0]")]),
    ("port float", {"a": service("a", head="ports: [80.5]")}, None, [("wrong-type", "service.ports[0]")]),
    ("ingress name", {"a": service("a", head="ports: [{cont: 80, ingress: ''}]")}, None, [("empty", "service.ports[0].ingress")]),
    ("node port of two services", {"a": service("a", head="ports: ['80:30080']"), "b": service("b", head="ports: ['81:30080']")}, None, [("conflict", "service.ports[0]")]),
    ("env value number", {"a": service("a", container="env: [{name: A, value: 5}]")}, None, [("wrong-type", "service.containers[0].env[0].value")]),
    ("env value empty", {"a": service("a", container="env: [{name: A, value: ''}]")}, None, []),
    ("env valueFrom unknown", {"a": service("a", container="env: [{name: A, valueFrom: {field: x}}]")}, None, [("unknown-key", "service.containers[0].env[0].valueFrom.field")]),
    ("lifecycle unknown hook", {"a": service("a", container="lifecycle: {onStop: {}}")}, None, [("unknown-key", "service.containers[0].lifecycle.onStop")]),
    ("probe without command", {"a": service("a", container="probes: {liveness: {type: exec}}")}, None, [("missing-key", "service.containers[0].probes.liveness.command")]),
    ("probe with a key of the other type", {"a": service("a", container="probes: {liveness: {type: exec, command: x, port: 5}}")}, None, [("unknown-key", "service.containers[0].probes.liveness.port")]),
    ("probe timeout 0", {"a": service("a", container="probes: {liveness: {type: exec, command: x, timeout: 0}}")}, None, [("out-of-range", "service.containers[0].probes.liveness.timeout")]),
    ("probe scheme", {"a": service("a", container="probes: {liveness: {type: httpGet, path: /, port: 1, scheme: ftp}}")}, None, [("bad-enum", "service.containers[0].probes.liveness.scheme")]),
    ("image of a local command", {"a": service("a", daemon="image: b")}, None, [("unknown-key", "service.containers[0].daemon.image")]),
    ("daemon of type single", {"a": service("a", daemon="type: single")}, None, [("bad-enum", "service.containers[0].daemon.type")]),
    ("name with capitals", {"a": service("A")}, None, [("bad-format", "service.containers[0].name"), ("bad-format", "service.name")]),
    ("long Job name", {"a": service("a" * 40, container=SINGLE % ("b" * 40))}, None, [("bad-format", "service.containers[0].pre[0].name")]),
    ("two Jobs of one name", {"a": service("a", container=SINGLE % "b-c"), "b": service("a-b", container=SINGLE % "c")}, None, [("duplicate-name", "service.containers[0].pre[0].name")]),
    ("command called like its container", {"a": service("a", container=SINGLE % "a")}, None, [("duplicate-name", "service.containers[0].pre[0].name")]),
    ("two mounts at one path", {"a": service("a", container="volumes:\n- {name: x, type: empty-dir, path: /d}\n- {name: y, type: host, path: /y, mount-path: /d}")}, None, [("conflict", "service.containers[0].volumes[1].mount-path")]),
    ("file key", {"a": service("a", tail="files: {a b: {path: /x, content: x}}"), "service/files/x": ""}, None, [("bad-format", "files.a b")]),
    ("content outside", {"a": service("a", tail="files: {x: {path: /x, content: ../web.yaml}}")}, None, [("missing-content", "files.x.content")]),
    ("secret mode text", {"a": service("a", tail="secrets: {s: {path: /s, secret: {secretName: s, defaultMode: '9'}}}")}, None, [("bad-format", "secrets.s.secret.defaultMode")]),
    ("local command as dependency", {"a": service("a", container="pre: [{name: p, command: x}]", daemon="dependencies: [p]")}, None, [("unknown-dependency", "service.containers[0].daemon.dependencies[0]")]),
    ("unknown suffix", {"a": service("a", daemon="dependencies: ['a:remote']")}, None, [("unknown-dependency", "service.containers[0].daemon.dependencies[0]")]),
    ("waits for itself", {"a": service("a", daemon="dependencies: [a]")}, None, [("dependency-cycle", "")]),
    ("replicas as text", {"a": service("a")}, "replicas: {a: '3'}", [("wrong-type", "replicas.a")]),
    ("replicas of a DaemonSet", {"a": service("a", head="kind: DaemonSet")}, "replicas: {a: 3}", [("conflict", "replicas.a")]),
    ("replicas of nothing", {"a": service("a")}, "replicas: {b: 3}", [("unknown-service", "replicas.b")]),
    ("node pattern", {"a": service("a")}, "nodes: {'[': {roles: [x]}}", [("bad-format", "nodes.[")]),
    ("node port range", {"a": service("a")}, "kubernetes: {node_port_range: 9-1}", [("bad-format", "kubernetes.node_port_range")]),
    ("instance without definition", {"a": service("a")}, "services: {b: {configs: {}}}", [("missing-key", "services.b.service_def")]),
    ("instance of a service's name", {"a": service("a"), "b": service("b")}, "services: {b: {service_def: a}}", [("duplicate-name", "services.b")]),
    ("two documents", {"a": service("a") + "---\nx: 1\n"}, None, [("yaml-syntax", "")]),
    ("empty definition", {"a": "\n"}, None, [("wrong-type", "")]),
    ("definition that is a list", {"a": "- x\n"}, None, [("wrong-type", "")]),
    ("version number", {"a": service("a").replace("0.9.0", "0.9")}, None, [("wrong-type", "dsl_version")]),
    ("version with leading zero", {"a": service("a").replace("0.9.0", "0.09.0")}, None, [("bad-version", "dsl_version")]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("files", "config", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_kinds(files: dict[str, str], config: str | None, expected: list[tuple[str, str]]) -> None:
    assert kinds(files, config) == expected


def test_all_errors_of_a_phase_are_reported_together() -> None:
    files = {
        "a": service("a", head="kind: X\nports: [0]"),
        "b": "{{ nothing.here }} {{ other }}",
        "c": service("c", daemon="dependencies: [nobody]"),
    }
    assert kinds(files) == [
        ("bad-enum", "service.kind"),
        ("out-of-range", "service.ports[0]"),
        ("undefined-variable", ""),
        ("undefined-variable", ""),
    ]


def test_an_instance_does_not_repeat_what_its_definition_does_wrong() -> None:
    config = "services: {b: {service_def: a}, c: {service_def: a}}"
    assert kinds({"a": service("a", head="kind: X")}, config) == [("bad-enum", "service.kind")]


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("{{ web.prot }}", "the template uses 'web.prot', which is not defined", "did you mean 'web.port'?"),
        ("{{ wbe }}", "the template uses 'wbe', which is not defined", "did you mean 'web'?"),
        (
            "{{ web['prot'] }}",
            "the template uses 'web.prot', which is not defined",
            "did you mean 'web.port'?",
        ),
    ],
)
def test_undefined_names_have_a_near_name(text: str, message: str, hint: str) -> None:
    (error,) = checked({"a": service("a", head=f"ports: [{text}]")}, "configs: {web: {port: 80}}").errors
    assert (error.message, error.hint) == (message, hint)


def _warnings(*args: Any) -> list[str]:
    return sorted(KINDS[fault.code] for fault in checked(*args).warnings)


@pytest.mark.rows("C-099")
def test_review() -> None:
    container = """
    privileged: true
    probes: {liveness: alive}
    volumes: [{name: host, type: host, path: /etc/kubernetes}, {name: own, type: host, path: /var/lib/a}]
    """
    files = {"a": service("a", head="hostPID: true", container=container).replace("0.9.0", "0.0.1")}
    assert _warnings(files) == [
        "host-namespace",
        "latest-tag",
        "liveness-timeout",
        "newer-feature",
        "no-readiness",
        "privileged",
        "sensitive-host-path",
    ]


@pytest.mark.parametrize(
    ("path", "sensitive"),
    [
        ("/", True),
        ("/etc", True),
        ("/etc/x/", True),
        ("//etc", True),
        ("/etcetera", False),
        ("/var/lib/mysql", False),
    ],
)
def test_sensitive_paths(path: str, *, sensitive: bool) -> None:
    assert is_sensitive(path) is sensitive


def test_cycles_and_order() -> None:
    needs = {"a": ("b",), "b": ("c", "d"), "c": ("b",), "d": (), "e": ("e",), "f": ("d",)}
    assert find_cycles(needs) == [("b", "c"), ("e",)]
    assert start_order({"a": ("b",), "b": (), "c": ("a", "b"), "d": ()}) == [("b", "d"), ("a",), ("c",)]


def test_a_long_chain_needs_no_recursion() -> None:
    needs = {str(number): (str(number + 1),) for number in range(50_000)} | {"50000": ("0",)}
    assert len(find_cycles(needs)[0]) == 50_001
