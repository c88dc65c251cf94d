"""Renders what the runner will render in a container: same variables, functions and macros, sandboxed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct, structs

from sabir.expressions.patterns import compile_pattern, matches_start
from sabir.expressions.template.findings import RenderError, TemplateFinding
from sabir.expressions.template.sandbox import is_template
from sabir.languages.ccp.model.deployment import ResolvedDeployment
from sabir.languages.ccp.model.topology import node_configs
from sabir.languages.ccp.model.units import Unit
from sabir.languages.ccp.runner.network import address_function
from sabir.languages.ccp.runner.templates import import_line
from sabir.languages.ccp.runner.variables import PodInfo, container_variables
from sabir.languages.ccp.syntax.component import collect_macros
from sabir.languages.ccp.syntax.deployment import Deployment, make_sandbox
from sabir.languages.ccp.syntax.nodes import Definition
from sabir.text import Place, Source, Span

_ADDRESS: Final = "192.0.2.1"
"""Stands for addresses that only a pod knows; one of those that are kept for documentation."""
_MOST_NODES: Final = 20
_POD_NAMES: Final = frozenset(container_variables((), {}, PodInfo("", "", "", ""), lambda _: _ADDRESS))


class RenderedText(Struct, frozen=True, kw_only=True, eq=False):
    """A text as a container would get it; None if the template fails."""

    text: str | None
    findings: tuple[TemplateFinding, ...] = ()
    """Why it fails; or the names that are not defined and therefore empty."""


class RenderedFile(RenderedText, frozen=True, kw_only=True, eq=False):
    name: str
    source: Source


class ContainerTemplates:
    """The templates of all units of a deployment."""

    def __init__(self, resolved: ResolvedDeployment) -> None:
        self.deployment: Deployment = resolved.deployment
        self.topology = resolved.topology
        self.macros = collect_macros(self.deployment.components)
        self.imports = import_line(self.macros)
        self.node_configs = node_configs(self.deployment.configuration)
        self._layers = (self.deployment.configuration.configs, self.deployment.configuration.secret_configs)
        self._base = container_variables(self._layers, {}, PodInfo("", "", "", ""), lambda _: _ADDRESS)
        self._sandbox = make_sandbox(self.load, keep_trailing_newline=False)
        self.definition: Definition | None = None
        """The one whose files are being rendered: they include each other by the names that it gives them."""

    def nodes(self, unit: Unit) -> list[str]:
        """Return representative nodes of a unit: one for each distinct set of configurations."""
        if not self.node_configs:
            return [""]
        hosts = self.topology.services.get(unit.service) if self.topology is not None else None
        names = hosts or self.deployment.configuration.cluster_nodes or ("",)
        kinds = {self._patterns(node): node for node in reversed(names)}
        return [*reversed(kinds.values())][:_MOST_NODES]

    def _patterns(self, node: str) -> tuple[str, ...]:
        return tuple(
            pattern for pattern in self.node_configs if matches_start(compile_pattern(pattern), node)
        )

    def variables(self, unit: Unit, node: str) -> dict[str, Any]:
        definition = unit.definition
        pod = PodInfo(
            node=node or "node",
            name=f"{unit.service}-pod",
            service=unit.service,
            role=unit.name,
            host_network=definition.service.host_network,
        )
        layers: tuple[Mapping[str, Any], ...] = (self._base, definition.configs)
        variables = container_variables(layers, self.node_configs, pod, lambda _: _ADDRESS)
        variables["address"] = address_function(variables, definition.mapping)
        return variables

    def is_setting(self, name: str) -> bool:
        """Return whether a variable comes from the configuration, not from the pod."""
        return name not in _POD_NAMES

    def files(self, unit: Unit, variables: Mapping[str, Any]) -> Iterator[RenderedFile]:
        """Return the files of a unit. Missing contents are reported by another rule."""
        for name in unit.files:
            source = self.content(unit.definition, name)
            if source is not None:
                rendered = self._render(unit, source, variables)
                yield RenderedFile(name=name, source=source, text=rendered.text, findings=rendered.findings)

    def content(self, definition: Definition, name: str) -> Source | None:
        """Return the template of a file by its name in the definition."""
        content = self.deployment.content(definition, name) if name in definition.files else None
        return content.source if content is not None and content.defect is None else None

    def command(self, unit: Unit, place: Place, text: str, variables: Mapping[str, Any]) -> RenderedText:
        """Return a command as rendered in the container."""
        if not is_template(text):
            return RenderedText(text=text)
        rendered = self._render(unit, Source(place.source.name, text), variables)
        findings = (structs.replace(finding, place=place) for finding in rendered.findings)
        return RenderedText(text=rendered.text, findings=tuple(findings))

    def _render(self, unit: Unit, source: Source, variables: Mapping[str, Any]) -> RenderedText:
        self.definition = unit.definition
        template = Source(source.name, self.imports + source.text)
        try:
            rendered, findings = self._sandbox.render_leniently(template, variables)
        except RenderError as failed:
            return RenderedText(text=None, findings=self._shift_findings(failed.findings, source))
        return RenderedText(text=rendered.source.text, findings=self._shift_findings(findings, source))

    def load(self, name: str) -> Source | None:
        """Return what templates include: files of the same definition, and shared macros."""
        source = None if self.definition is None else self.content(self.definition, name)
        return source or self.macros.get(name)

    def _shift_findings(
        self, findings: Iterable[TemplateFinding], source: Source
    ) -> tuple[TemplateFinding, ...]:
        """Return findings at their locations in the file, which lacks the added import line."""
        return tuple(
            structs.replace(finding, place=_shift_place(finding.place, source, len(self.imports)))
            if finding.place.source.name == source.name
            else finding
            for finding in findings
        )


def _shift_place(place: Place, source: Source, length: int) -> Place:
    end = len(source.text)
    start, stop = (min(max(offset - length, 0), end) for offset in (place.span.start, place.span.end))
    return Place(source, Span(start, stop))
