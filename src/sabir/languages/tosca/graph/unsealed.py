"""Secrets that programs write on other machines: only here is somebody who can encrypt them, and that is said before anything runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.graph.values import Sensitive
from sabir.languages.tosca.graph.lifecycles import Lifecycles
from sabir.languages.tosca.graph.programs import INPUTS
from sabir.languages.tosca.graph.subjects import node_of
from sabir.languages.tosca.syntax.examples import tosca_rule

__all__ = ["unsealed_findings"]


UNSEALED: Final = tosca_rule(
    code="TOSCA:W092",
    title="secrets that stay as they are on another machine",
    why="What a program leaves in the folder `secrets` is encrypted when it ends, but only where sabir runs. On another machine the folder "
    "is one that only its user may read, and the files in it stay in clear. Run the operation here (`operation_host: "
    "ORCHESTRATOR`), or let the program encrypt them.",
    when="plan",
)


def unsealed_findings(lifecycles: Lifecycles) -> Iterator[Finding]:
    for _, command in lifecycles.all_commands():
        if command.target is None:
            continue
        environment = lifecycles.desired(command)["environment"]
        text = environment.get(INPUTS) if isinstance(environment, dict) else None
        text = text.value if isinstance(text, Sensitive) else text
        folder = f"/secrets/{node_of(command.subject).name}"
        if isinstance(text, str) and folder in text:
            name = f"{node_of(command.subject).name}/{command.operation.interface}.{command.operation.name}"
            yield UNSEALED.at(
                command.operation.definition.place,
                f"what {name} writes into its folder of secrets on {command.target} is not encrypted",
            )
