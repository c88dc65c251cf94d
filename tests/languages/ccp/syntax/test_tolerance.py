"""A defect loses no more than its own part: the rest of the definition is read."""

from __future__ import annotations

import pytest

from tests.languages.ccp.building import deployment, service

TWO = (
    service("a", head="ports: [80]")
    + """\
  - name: b
    image: b
    daemon: {command: run-b}
files:
  f: {path: /f, content: f}
"""
)

WHOLE = ["a", "b", "port 80", "file f"]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (TWO, WHOLE),
        (TWO.replace("name: b", "name: [b]"), ["a", "", "port 80", "file f"]),
        (TWO.replace("  - name: b\n    image: b\n    daemon: {command: run-b}\n", "  - b\n"), ["a", "port 80", "file f"]),
        (TWO.replace("daemon: {command: run-b}", "daemon: 5"), WHOLE),
        (TWO.replace("daemon: {command: run-b}", "env: [A, {name: B, value: x}]"), WHOLE),
        (TWO.replace("ports: [80]", "ports: [x, 80, null]"), WHOLE),
        (TWO.replace("ports: [80]", "ports: 80"), ["a", "b", "file f"]),
        (TWO.replace("path: /f, ", ""), WHOLE),
        (TWO.replace("{path: /f, content: f}", "5"), ["a", "b", "port 80"]),
        (TWO.replace("service:", "servce:"), ["file f"]),
        (TWO + "secrets: 5\n", WHOLE),
        (TWO + "---\nmore: 1\n", WHOLE),
        # No YAML as a whole
        (TWO.replace("ports: [80]", "ports: [80"), ["a", "b", "file f"]),
        (TWO.replace("    image: b\n", "   image: b\n"), WHOLE),
        (TWO.replace("{path: /f, content: f}", "{path: /f, content: 'f}"), ["a", "b", "port 80"]),
        (TWO.replace("daemon: {command: run-b}", "daemon {command: run-b}"), ["a", "b", "port 80", "file f"]),
    ],
)  # fmt: skip
def test_the_rest_is_read(text: str, left: list[str]) -> None:
    result = deployment({"a": text})
    assert bool(result.faults) == (text != TWO)
    (definition,) = result.definitions
    parts = [container.name for container in definition.service.containers]
    parts += [f"port {port.internal}" for port in definition.service.ports]
    parts += [f"file {name}" for name in definition.files]
    assert parts == left


def test_nothing_is_concluded_from_what_is_left_of_a_broken_file() -> None:
    """The key that is missing may stand in the part that was lost."""
    result = deployment({"a": service("a").replace("name: a", "name: [a")})
    assert [fault.code for fault in result.faults] == ["CCP:E001"]
    assert len(result.definitions) == 1


def test_a_definition_that_cannot_be_rendered_leaves_the_others() -> None:
    result = deployment({"a": "{% if %}", "b": service("b"), "c": "[", "d": service("d")})
    assert [definition.service.name for definition in result.definitions] == ["b", "d"]
    assert len(result.faults) == 2
