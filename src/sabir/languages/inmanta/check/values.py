"""Values that stand alone: they are statements, and do nothing."""

from __future__ import annotations

from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.languages.inmanta.model.definitions import Definitions
from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.examples import inmanta_rule
from sabir.languages.inmanta.syntax.walking import walk

__all__ = ["UNUSED_VALUE", "check_values"]

UNUSED_VALUE: Final = inmanta_rule(
    "INM:W007",
    "a value that nobody uses",
    "A value may stand where a statement does, and nothing comes of it: a name before `=` may be missing, or a `.name` "
    "before the multiplicity of a relation.",
)


def check_values(definitions: Definitions) -> list[Finding]:
    findings: list[Finding] = []
    for space in definitions.project.namespaces.values():
        for node in walk(*space.statements):
            if isinstance(node, nodes.ExpressionStatement) and not isinstance(
                node.value, nodes.Call | nodes.Construct
            ):
                message = "this is a value, and nothing is done with it"
                findings.append(
                    UNUSED_VALUE.at(space.place(node.start, node.end), message, hint="assign it to a name")
                )
    return findings
