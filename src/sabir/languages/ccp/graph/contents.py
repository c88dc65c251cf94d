"""What the digest of a container's content rests on: files as they will be rendered, recorded while they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from sabir.graph import AttributeRead, Origin
from sabir.languages.ccp.evaluate.objects.content import RUNNER_SETTINGS
from sabir.languages.ccp.graph.origins import Origins
from sabir.languages.ccp.model.resolved import ResolvedDeployment
from sabir.languages.ccp.model.templates import ContainerTemplates
from sabir.languages.ccp.model.units import Unit
from sabir.languages.ccp.syntax.deployment import recorded_templates
from sabir.provenance import ValueSource as Recorded
from sabir.text import Source

__all__ = ["ContentOrigins"]

_SECTIONS: Final = ("configs", "secret_configs")


class ContentOrigins:
    """Only asked for when everything is recorded."""

    def __init__(self, resolved: ResolvedDeployment, origins: Origins) -> None:
        self._origins = origins
        self._templates = ContainerTemplates(resolved)
        self._recorded = recorded_templates(self._templates.load).leniently()

    def of_runner(self) -> Iterator[Origin]:
        """The settings that the runner itself reads."""
        for name in ("namespace", "cluster_domain"):
            yield from self._origins.of_config("kubernetes", name)
        for name in RUNNER_SETTINGS:
            for section in _SECTIONS:
                if self._origins.has(section, name):
                    yield from self._origins.of_config(section, name)

    def of_unit(self, unit: Unit) -> Iterator[Origin | AttributeRead]:
        """The templates of its files, and what these read."""
        if unit.files:
            for pattern in self._templates.node_configs:
                yield from self._origins.of_config("nodes", pattern, "configs")
        for node in self._templates.nodes(unit):
            variables = self._templates.variables(unit, node)
            variables.pop("address")
            for name in unit.files:
                source = self._templates.content(unit.definition, name)
                if source is not None:
                    yield from self._of_file(unit, source, variables)

    def _of_file(
        self, unit: Unit, source: Source, variables: Mapping[str, Any]
    ) -> Iterator[Origin | AttributeRead]:
        self._templates.definition = unit.definition
        template = Source(source.name, self._templates.imports + source.text)
        trace = self._recorded.trace(template, unit.service, variables, unit.definition.mapping)
        if trace is None:  # it takes too long, or fails: whatever it may read
            yield from self._origins.of_config()
            return
        read = dict.fromkeys(
            source for sources in trace.sources for source in sources if self._is_setting(source)
        )
        yield from self._origins.sources(tuple(read))

    def _is_setting(self, source: Recorded) -> bool:
        """Not what only the pod knows."""
        return not isinstance(source, tuple) or self._templates.is_setting(str(source[1][0]))
