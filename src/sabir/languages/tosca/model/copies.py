"""`copy`: a node template that begins with what another says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import NodeTemplate

__all__ = ["WRONG_COPY", "write_out"]

WRONG_COPY: Final = tosca_rule(
    code="TOSCA:E029",
    title="a copy of something that is not there",
    why="copy names the template to begin with; it must exist, must not lead back to the copy, and in TOSCA 2.0 must not be a copy itself.",
)


def write_out(
    template: NodeTemplate, templates: Mapping[str, NodeTemplate], findings: list[Finding]
) -> NodeTemplate:
    """The template with what `copy` names taken in, its own keys first."""
    seen = {template.name}
    here = template
    while here.copy is not None:
        source = templates.get(here.copy)
        if source is None or source.name in seen:
            reason, hint = "copies itself", None
            if source is None:
                reason = f"copies {here.copy!r}, which is no node template"
                hint = did_you_mean(here.copy, templates)
            message = f"node template {template.name!r} {reason}"
            findings.append(WRONG_COPY.at(here.place, message, hint=hint))
            return replace(here, copy=None)
        if source.copy is not None and template.origin.second:
            message = f"node template {template.name!r} copies {source.name!r}, which is a copy itself"
            findings.append(WRONG_COPY.at(here.place, message, hint=f"copy {source.copy!r}"))
            return replace(_merged(here, source), copy=None)
        seen.add(source.name)
        here = _merged(here, source)
    return here


def _merged(template: NodeTemplate, source: NodeTemplate) -> NodeTemplate:
    return replace(
        template,
        type=template.type or source.type,
        properties={**source.properties, **template.properties},
        attributes={**source.attributes, **template.attributes},
        capabilities={**source.capabilities, **template.capabilities},
        requirements=template.requirements or source.requirements,
        interfaces={**source.interfaces, **template.interfaces},
        artifacts={**source.artifacts, **template.artifacts},
        copy=source.copy,
    )
