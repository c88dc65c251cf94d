"""Examples for the rules of resources, and what these have in common."""

from __future__ import annotations

from typing import Final

from sabir.diagnostics.rules import Example, Rule

__all__ = ["resources_rule"]

_GOOD: Final[Example] = {
    "resources.yaml": "sabir: resources/1\nresources:\n  motd:\n    kind: file\n    fields: {path: etc/motd, content: hello}\n"
}


def resources_rule(number: str, title: str, why: str, text: str, *, run: bool = False) -> Rule:
    return Rule(
        code=f"RES:{number}",
        title=title,
        why=why,
        bad={"resources.yaml": f"sabir: resources/1\n{text}"},
        good=_GOOD,
        language="resources",
        when="evaluate" if run else "check",
    )
