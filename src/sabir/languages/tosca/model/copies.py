"""`copy`: a node template that begins with what another says."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.near import did_you_mean
from sabir.languages.tosca.syntax.nodes import NodeTemplate

__all__ = ["write_out"]


def write_out(
    template: NodeTemplate, templates: Mapping[str, NodeTemplate], findings: list[Finding]
) -> NodeTemplate | None:
    """The template with what `copy` names taken in, its own keys first; None when that leaves it without a type."""
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
            findings.append(Finding(code="TOSCA:E029", message=message, place=here.place, hint=hint))
            return None if not here.type else replace(here, copy=None)
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
