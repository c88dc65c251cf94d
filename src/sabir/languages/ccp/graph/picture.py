"""The dependency picture: services with their units, and who waits for whom; nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sabir.graph import EdgeKind, Graph, Instance, Record
from sabir.graph.edges import edge_kinds
from sabir.languages.ccp.check.phases import check_deployment
from sabir.languages.ccp.model.loading import load_deployment
from sabir.languages.ccp.model.units import Unit, Units
from sabir.languages.language import EvaluationRequest, Renderer, Rendering, RenderRequest
from sabir.source.packages import LoadedPackage

__all__ = ["picture_renderer", "units_graph"]


def units_graph(units: Units) -> Graph:
    """Services, and in them their containers and single commands with what they wait for."""
    instances: list[Instance] = []
    for service in units.definitions:
        instances.append(Instance(id=service, type="ccp::Service", language="ccp", name=service))
        instances.extend(_unit(units, unit) for unit in units.of_service(service))
    return Graph(instances)


def _unit(units: Units, unit: Unit) -> Instance:
    return Instance(
        id=unit.id,
        type="ccp::Container" if unit.command is None else "ccp::SingleCommand",
        language="ccp",
        name=unit.id.partition("/")[2],
        owner=unit.service,
        relations=Record.of({"waits for": units.needs[unit.id]}),
        kinds=edge_kinds(relations=(("waits for", EdgeKind.DEPENDS_ON),)),
    )


def picture_renderer(suffix: str) -> Renderer:
    def render(package: LoadedPackage, request: EvaluationRequest, render: RenderRequest, /) -> Rendering:
        del render
        checked = check_deployment(load_deployment(package, request))
        findings = checked.findings
        if checked.resolved is None:
            return Rendering(files={}, findings=findings)
        text = "".join(_view(suffix)(units_graph(checked.resolved.units)))
        return Rendering(files={f"dependencies.{suffix}": text}, findings=findings)

    return render


def _view(suffix: str) -> Callable[[Graph], Iterable[str]]:
    if suffix == "dot":
        from sabir.graph.views.diagrams import dot_view

        return dot_view
    if suffix == "mermaid":
        from sabir.graph.views.diagrams import mermaid_view

        return mermaid_view
    from sabir.graph.views.svg import svg_view

    return svg_view
