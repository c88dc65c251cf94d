"""Origins of Kubernetes objects: what was read while they were made, as locations and graph values.

The digest of a container's content depends on files as they will be rendered, recorded while they are.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final

from sabir.graph import AttributeRead, How, Origin
from sabir.languages.ccp.evaluate.objects.content import RUNNER_SETTINGS
from sabir.languages.ccp.evaluate.objects.origins import Owner
from sabir.languages.ccp.evaluate.render import KubernetesObject
from sabir.languages.ccp.graph.origins import AttributeOrigins
from sabir.languages.ccp.model.deployment import ResolvedDeployment
from sabir.languages.ccp.model.templates import ContainerTemplates
from sabir.languages.ccp.model.units import Unit
from sabir.languages.ccp.syntax.component import collect_macros
from sabir.languages.ccp.syntax.deployment import trace_templates
from sabir.languages.ccp.syntax.nodes import Definition, File, MappingNode, Secret
from sabir.languages.ccp.syntax.recording.nodes import KEYS, PARTS
from sabir.languages.ccp.syntax.recording.statements import Trace
from sabir.provenance import Cell, Sources
from sabir.provenance import ValueSource as Recorded
from sabir.source.yaml import YamlEntry, YamlMapping, YamlNode, YamlScalar
from sabir.text import Place, Source, Span

_SECTIONS: Final = ("configs", "secret_configs")


class ContentOrigins:
    """The sources of content digests, used only with full provenance."""

    def __init__(self, resolved: ResolvedDeployment, origins: AttributeOrigins) -> None:
        self._origins = origins
        self._templates = ContainerTemplates(resolved)
        self._recorded = trace_templates(self._templates.load).leniently()

    def of_runner(self) -> Iterator[Origin]:
        """Return the settings that the runner itself reads."""
        for name in ("namespace", "cluster_domain"):
            yield from self._origins.of_config("kubernetes", name)
        for name in RUNNER_SETTINGS:
            for section in _SECTIONS:
                if self._origins.has(section, name):
                    yield from self._origins.of_config(section, name)

    def of_unit(self, unit: Unit) -> Iterator[Origin | AttributeRead]:
        """Return the templates of a unit's files, and what these read."""
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
        """Return whether a variable is a setting, not something only the pod knows."""
        return not isinstance(source, tuple) or self._templates.is_setting(str(source[1][0]))


Origination = Origin | AttributeRead


class ObjectOrigins:
    def __init__(self, resolved: ResolvedDeployment, origins: AttributeOrigins) -> None:
        self._resolved = resolved
        self._origins = origins
        self._contents = ContentOrigins(resolved, origins)
        self._instances: dict[MappingNode, tuple[str, Collection[str]]] = {}
        self._originations: dict[Cell, tuple[Origination, ...]] = {}
        self._definitions: dict[MappingNode, Definition] = {}
        if origins.full:
            self._definitions = {
                node: definition
                for definition in resolved.deployment.definitions
                for node in _list_nodes(definition)
            }

    def describe(self, node: MappingNode, instance: str, names: Collection[str]) -> None:
        """Register the instance of a node, with the names of its attributes and relations."""
        if self._origins.full:
            self._instances[node] = instance, names

    def of(self, rendered: KubernetesObject) -> tuple[Origin, dict[str, Origin]]:
        """Return the origin of the object itself, and of its parts."""
        whole = self._whole(rendered)
        if not self._origins.full:
            return whole, {}
        parts = rendered.made_from.parts
        rest = self._rests_on(whole, rendered.made_from.rest, rendered)
        return whole, {
            name: self._rests_on(whole, parts[name], rendered) if name in parts else rest
            for name in rendered.data
            if name not in ("apiVersion", "kind")
        }

    def which_containers(self, definition: Definition) -> tuple[Origination, ...]:
        """Return what decided which containers a service has."""
        return self._find_originations((definition.service, "containers")) if self._origins.full else ()

    def _whole(self, rendered: KubernetesObject) -> Origin:
        if rendered.definition is None:
            return self._origins.of_configuration(rendered.name)
        service = rendered.definition.service
        return Origin(service.name_place, How.RENDERED, note=f"made from service {service.name}")

    def _rests_on(self, whole: Origin, reads: Sources, rendered: KubernetesObject) -> Origin:
        sources: list[Origination] = []
        for cell in reads:
            assert isinstance(cell, tuple)
            if rendered.definition is None and cell[0] is Owner.CONFIGURATION:
                # It holds whole sections: a key in any layer is a key of the whole, whatever its value there.
                sources += self._origins.of_config(*cell[1], all_layers=True)
            else:
                sources += self._find_originations(cell)
        return Origin(whole.place, whole.how, tuple(sources), whole.note)

    def _find_originations(self, cell: Cell) -> tuple[Origination, ...]:
        """Return the origins, shared by all objects that read the same."""
        originations = self._originations.get(cell)
        if originations is None:
            originations = self._originations[cell] = tuple(self._of(cell))
        return originations

    def _of(self, cell: Cell) -> Iterator[Origination]:
        owner, name = cell
        if isinstance(owner, Definition):
            yield from self._of_definition(owner, name)
        elif isinstance(owner, MappingNode):
            yield from self._of_node(owner, name)
        elif owner is Owner.CONFIGURATION:
            yield from self._origins.of_config(*name)
        elif owner is Owner.HOSTS:
            topology = self._resolved.topology
            if topology is not None and topology.services.get(name[0]) is not None:
                yield AttributeRead(name[0], "hosts")
        elif owner is Owner.CONTENT:
            yield from self._of_content(name)
        elif owner is Owner.RUNNER:
            yield from self._contents.of_runner()
        elif owner is Owner.TEXT:
            yield from self._of_text(*name)
        elif owner is Owner.EXPORTS:
            for source in collect_macros(self._resolved.deployment.components).values():
                yield Origin(Place(source, Span(0, len(source.text))), How.FILE)

    # Texts of files

    def _of_content(self, unit_id: str) -> Iterator[Origination]:
        unit = self._resolved.units.all[unit_id]
        for name in unit.files:
            yield from self._of_text(unit.definition, name)
        yield from self._contents.of_unit(unit)

    def _of_text(self, definition: Definition, name: str) -> Iterator[Origin]:
        origin = self._origins.of_file(definition, name)
        if origin is not None:
            yield origin
        if name in self._resolved.deployment.replaced:
            yield from self._origins.of_config("files", name)

    # Values of definitions

    def _of_definition(self, definition: Definition, field: str) -> Iterator[Origination]:
        if field in ("configs", "mapping"):
            path = ("services", definition.service.name, field)
            if self._origins.has(*path):
                yield from self._origins.of_config(*path)
            return
        files, secrets = definition.files.values(), definition.secrets.values()
        parts = files if field == "files" else secrets
        text = definition.trace.text if definition.trace is not None else ""
        inner = [definition.service.yaml.span, *(part.yaml.span for part in (*files, *secrets))]
        yield from self._which(definition, Span(0, len(text)), [part.yaml for part in parts], inner)

    def _of_node(self, node: MappingNode, field: str) -> Iterator[Origination]:
        definition = self._definitions.get(node)
        if definition is None or (field == "name" and isinstance(node, File | Secret)):
            yield Origin(node.place, How.LITERAL)  # the key that it stands under
            return
        if field in PARTS:
            parts = [part.yaml for part in getattr(node, field)]
            entry = _find_entry(node.yaml, field)
            if entry is not None:
                span = Span(entry.key.span.end, entry.value.span.end)
                # Without its first line an item becomes a part of the one before it.
                for part in parts[1:]:
                    yield self._origins.of_value(definition, _start_span(part))
                yield from self._which(definition, span, parts, [part.span for part in parts])
                return
        yield from self._of_value(definition, node, field)

    def _of_value(self, definition: Definition, node: MappingNode, field: str) -> Iterator[Origination]:
        path = KEYS.get(field, (field,))
        instance, names = self._instances.get(node, ("", ()))
        name = "depends_on" if field == "dependencies" else path[0]
        if len(path) == 1 and name in names:
            yield AttributeRead(instance, name)
            return
        mapping: YamlNode = node.yaml
        for key in path:
            entry = _find_entry(mapping, key) if isinstance(mapping, YamlMapping) else None
            if entry is None:  # nothing is written: what decided that counts
                yield from self._which(definition, mapping.span, [], _entry_spans(mapping))
                return
            mapping = entry.value
        yield self._origins.of_value(definition, mapping.span)

    def _which(
        self, definition: Definition, span: Span, parts: Iterable[YamlNode], inner: Iterable[Span]
    ) -> Iterator[Origination]:
        """Return what decided which parts a span contains, and that it contains no others.

        Statements that ended inside `inner` decided something else.
        """
        trace = definition.trace
        if trace is None:
            return
        sources = [source for part in parts for source in trace.over(_start_span(part))]
        closed = sorted((span.start, trace.last(span)) for span in inner)
        for offset, decided_by in trace.gaps(span):
            position = bisect_left(closed, (offset, 0)) - 1
            if position < 0 or not _ends_in(trace, closed[position], offset, decided_by):
                sources += decided_by
        yield from self._origins.sources(sources)


def _ends_in(trace: Trace, part: tuple[int, int], offset: int, decided_by: Sources) -> bool:
    """Return whether a statement that ended at an offset belongs to a part that starts before it.

    It may end behind the part if it wrote the end of the part and not its start.
    """
    start, end = part
    if offset < end:
        return True
    decided = set(decided_by)
    return decided <= set(trace.at(end - 1)) and not decided <= set(trace.at(start))


def _entry_spans(node: YamlNode) -> list[Span]:
    entries = node.entries if isinstance(node, YamlMapping) else ()
    return [Span(entry.key.span.start, entry.value.span.end) for entry in entries]


def _list_nodes(definition: Definition) -> Iterator[MappingNode]:
    service = definition.service
    yield service
    for container in service.containers:
        yield container
        yield from container.commands
    yield from definition.files.values()
    yield from definition.secrets.values()


def _find_entry(mapping: YamlMapping, key: str) -> YamlEntry | None:
    entries = (
        entry for entry in mapping.entries if isinstance(entry.key, YamlScalar) and entry.key.value == key
    )
    return next(entries, None)


def _start_span(node: YamlNode) -> Span:
    return Span(node.span.start, node.span.start + 1)
