"""How a rule of the language is written down, and the small components that its examples are made of."""

from __future__ import annotations

from functools import partial
from typing import Final

from sabir.diagnostics.rules import Rule

__all__ = ["TOPOLOGY", "ccp_rule", "example", "second_service"]

ccp_rule: Final = partial(Rule, language="ccp")

Files = dict[str, str]


def example(
    *,
    head: str = "dsl_version: 0.9.0",
    service: str = "",
    container: str = "",
    daemon: str = "",
    tail: str = "",
    config: str = "images: {tag: '1.0'}\n",
    **files: str,
) -> Files:
    """A component with one service, grown at the places given."""
    lines = [head, "service:", "  name: web", *_indented(service, 2), "  containers:", "  - name: web"]
    lines += ["    image: web", *_indented(container, 4)]
    if "probes:" not in container:
        lines += ["    probes: {readiness: check-web}"]
    lines += ["    daemon:", "      command: run-web", *_indented(daemon, 6), *_indented(tail, 0)]
    named = {name.replace("__", "/").replace("_dot_", "."): text for name, text in files.items()}
    return {"service/web.yaml": "\n".join(lines) + "\n", "ccp.yaml": config, **named}


def _indented(text: str, by: int) -> list[str]:
    return [" " * by + line for line in text.splitlines()]


def second_service(daemon: str = "", service: str = "") -> str:
    return "\n".join(
        [
            "dsl_version: 0.9.0",
            "service:",
            "  name: db",
            *_indented(service, 2),
            "  containers:",
            "  - name: db",
            "    image: db",
            "    probes: {readiness: check-db}",
            "    daemon:",
            "      command: run-db",
            *_indented(daemon, 6),
            "",
        ]
    )


TOPOLOGY: Final = (
    "images: {tag: '1.0'}\nkubernetes: {cluster_nodes: [node1]}\nnodes: {node1: {roles: [front]}}\n"
)
