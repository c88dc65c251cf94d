"""Origins of attributes: the key of the definition, the template line, the configuration behind it.

Some attributes are computed rather than defined: replicas, full image names, hosts, external links.
Secret values of a deployment stay marked wherever their text goes: environment variables, files,
arguments.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import structs
from msgspec.structs import replace

from sabir.expressions.template.findings import Piece
from sabir.expressions.template.tags import read_tags
from sabir.graph import AttributeRead, How, Origin
from sabir.graph.graph import Instance
from sabir.graph.record import Record
from sabir.graph.secrets import Secrets, secret_texts
from sabir.graph.values import Sensitive, Value
from sabir.languages.ccp.model.deployment import ResolvedDeployment
from sabir.languages.ccp.syntax.deployment import INPUTS, Deployment
from sabir.languages.ccp.syntax.images import image_name, image_settings
from sabir.languages.ccp.syntax.nodes import Definition, MappingNode, WorkloadKind
from sabir.languages.ccp.syntax.recording.templates import MAPPING
from sabir.provenance import Cell, Chains
from sabir.source.yaml import YamlScalar
from sabir.text import EMPTY_SPAN, Place, Source, Span

# Objects that hold a section of the configuration as it is.
_SECTIONS: Final = {
    "globals": "configs",
    "nodes-config": "nodes",
    "global-secrets": "secret_configs",
    "registry-key": "registry",
}
_DEFAULTS: Final = "service/files/defaults.yaml"


class AttributeOrigins(Chains):
    """The origins of attributes: recorded steps become origins, settings the places that set them."""

    def __init__(self, deployment: Deployment, *, full: bool, inputs: Mapping[str, Origin]) -> None:
        super().__init__()
        self.deployment = deployment
        self.full = full
        self.inputs = inputs
        """Where inputs came from that somebody computed."""

    def attribute_of(self, cell: Cell) -> AttributeRead | Origin:
        (kind, instance), path = cell
        layers = [("services", instance, "configs"), ("secret_configs",), ("configs",)]
        if kind == MAPPING:
            layers = [("services", instance, "mapping")]
        elif path[0] in ("namespace", "cluster_domain"):  # which stand over those of the configuration
            layers.insert(2, ("kubernetes",))
        return next(
            origin
            for layer in (*layers, layers[-1])
            for origin in self.of_config(*layer, *path)
            if layer is layers[-1] or self.has(*layer, *path)
        )

    def has(self, *path: str | int) -> bool:
        value: object = self.deployment.configuration.data
        for step in path:
            try:
                value = value[step]  # type: ignore[index]
            except (KeyError, IndexError, TypeError):
                return False
        return True

    def of(
        self,
        definition: Definition,
        node: MappingNode,
        names: tuple[str, ...],
        instance: str,
        reads: Mapping[str, tuple[AttributeRead, ...]],
        computed: Mapping[str, Origin],
    ) -> Record[Origin]:
        """Return the origin of each attribute of a node. Attributes without one share the node's own.

        `reads` has what relations depend on.
        """
        spans = {
            entry.key.value: entry.value.span
            for entry in node.yaml.entries
            if isinstance(entry.key, YamlScalar) and isinstance(entry.key.value, str)
        }
        if "dependencies" in spans:
            spans["depends_on"] = spans["dependencies"]
        of_node = Origin(node.place, How.LITERAL)
        origins = {
            name: self.of_value(definition, spans[name]) if name in spans else of_node for name in names
        }
        origins |= {name: origin for name, origin in computed.items() if name not in spans}
        if "dsl_version" in origins:
            origins["dsl_version"] = Origin(definition.version_place, How.LITERAL)
        if self.full:
            for name, read in reads.items():
                written = origins[name]
                origins[name] = Origin(written.place, written.how, (*written.sources, *read), written.note)
        for name in self.deployment.overrides.of(instance) & origins.keys():
            origins[name] = Origin(node.place, How.OVERRIDE)
        return Record.of(origins)

    def of_value(self, definition: Definition, span: Span) -> Origin:
        """Return the origin of what is written in a span of a definition."""
        assert definition.rendered is not None
        place = definition.rendered.place(span)
        expressions = self._expressions(definition, span)
        sources: tuple[Origin | AttributeRead, ...] = ()
        if self.full and definition.trace is not None:
            sources = (
                *self._find_include_origins(definition, span, place),
                *self.sources(definition.trace.over(span)),
            )
        if not expressions:
            return Origin(place, How.LITERAL, sources)
        return Origin(place, How.TEMPLATE, sources, note=expressions[0])

    def _find_include_origins(self, definition: Definition, span: Span, place: Place) -> Iterator[Origin]:
        """Return the origins of text that comes from other templates."""
        for piece in self._pieces(definition, span):
            if piece.source is not place.source and piece.strip():
                yield Origin(Place(piece.source, Span(piece.offset, piece.offset + len(piece))), How.TEMPLATE)

    def _expressions(self, definition: Definition, span: Span) -> list[str]:
        """Return the template expressions that wrote a part of this span of the rendered text."""
        return [
            tag.text
            for piece in self._pieces(definition, span)
            if not piece.exact and (tag := read_tags(piece.source.text).output_at(piece.offset)) is not None
        ]

    def _pieces(self, definition: Definition, span: Span) -> tuple[Piece, ...]:
        lines = definition.rendered.lines if definition.rendered is not None else None
        if lines is None:
            return ()
        first = max(bisect_right(lines.starts, span.start) - 1, 0)
        last = bisect_right(lines.starts, max(span.end - 1, span.start))
        return lines.pieces[first:last]

    def of_file(self, definition: Definition, name: str) -> Origin | None:
        """Return the origin of a file's text, which is rendered where the containers run."""
        file = self.deployment.content(definition, name)
        return None if file is None else Origin(Place(file.source, Span(0, len(file.source.text))), How.FILE)

    def of_config(self, *path: str | int, all_layers: bool = False) -> Iterator[Origin]:
        """Return the origin of a configuration path: the effective layer, or each of its layers."""
        configuration = self.deployment.configuration
        value: object = configuration.data
        for step in path:
            try:
                value = value[step]  # type: ignore[index]
            except (KeyError, IndexError, TypeError):
                value = None
        for leaf in _list_leaf_paths(value, path):
            places = configuration.places(*leaf) if all_layers else (configuration.place(*leaf),)
            for place in places:
                how = How.DEFAULT if _is_default(place.source) else How.INPUT
                input_origin = self._input_origin(place, ".".join(map(str, leaf[1:])))
                yield input_origin or Origin(place, how, note=".".join(map(str, leaf)))

    def _input_origin(self, place: Place, name: str) -> Origin | None:
        """Return the origin of an input, which no file contains."""
        if place.source.name != INPUTS:
            return None
        while name and name not in self.inputs:
            name = name.rpartition(".")[0]
        return self.inputs.get(name)

    def of_configuration(self, name: str) -> Origin:
        """Return the origin of an object that no service requested."""
        section = _SECTIONS.get(name)
        configuration = self.deployment.configuration
        if section is None:
            place = Place(configuration.layers[0][0], EMPTY_SPAN)
            return Origin(place, How.RENDERED, note="made for every deployment")
        return Origin(configuration.key_place(section), How.RENDERED, note=f"made from {section}")


def _is_default(source: Source) -> bool:
    """Return whether a layer of the configuration is a default of the framework or a component."""
    return (source.name.startswith("<") and source.name != INPUTS) or source.name.endswith(_DEFAULTS)


def _list_leaf_paths(value: object, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    """Return the paths of all values that contain no others."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _list_leaf_paths(item, (*path, str(key)))
    elif isinstance(value, list) and value:
        for position, item in enumerate(value):
            yield from _list_leaf_paths(item, (*path, position))
    else:
        yield path


def compute_attributes(
    resolved: ResolvedDeployment,
    definition: Definition,
    origins: AttributeOrigins,
    containers: tuple[Origin | AttributeRead, ...],
) -> tuple[dict[str, Value], dict[str, Origin]]:
    """Return computed attributes and their origins.

    `containers` is what decided which containers exist.
    """
    service, configuration = definition.service, resolved.deployment.configuration
    values: dict[str, Value] = {}
    sources: dict[str, tuple[tuple[str, ...], ...]] = {}
    if service.kind is not WorkloadKind.DAEMON_SET:
        values["replicas"] = configuration.section("replicas").get(service.name, 1)
        sources["replicas"] = (("replicas", service.name),)
    names = dict.fromkeys(container.image for container in service.containers)
    values["images"] = [image_name(configuration, name) for name in names]
    sources["images"] = tuple(
        dict.fromkeys(path for name in names for path in image_settings(configuration, name))
    )
    hosts = resolved.topology.services.get(service.name) if resolved.topology is not None else None
    if hosts is not None:
        values["hosts"] = [*hosts]
        nodes = (("nodes", pattern, "roles") for pattern in configuration.section("nodes"))
        sources["hosts"] = (*nodes, ("roles",), ("kubernetes", "cluster_nodes"))
    links: list[Value] = [*_list_links(definition, configuration.configs)]
    if links:
        values["links"] = links
        sources["links"] = (("configs", "ingress"), ("configs", "k8s_external_ip"))
    computed = {name: _build_origin(definition, name, paths, origins) for name, paths in sources.items()}
    images = computed["images"]
    computed["images"] = structs.replace(images, sources=(*images.sources, *containers))
    return values, computed


def _build_origin(
    definition: Definition, name: str, paths: tuple[tuple[str, ...], ...], origins: AttributeOrigins
) -> Origin:
    service = definition.service
    place = service.name_place
    reads: list[Origin | AttributeRead] = []
    if origins.full:
        reads += [source for path in paths if origins.has(*path) for source in origins.of_config(*path)]
        if name == "images":
            reads += [
                AttributeRead(f"{service.name}/{container.name}", "image") for container in service.containers
            ]
        elif name == "links":
            reads.append(AttributeRead(service.name, "ports"))
        else:
            reads.append(AttributeRead(service.name, "name"))
    return Origin(place, How.RENDERED, tuple(reads), f"{name} of service {service.name}")


def _list_links(definition: Definition, configs: dict[str, Any]) -> Iterator[str]:
    """Return the addresses of a service's ports outside the cluster."""
    written = configs.get("ingress")
    ingress: Mapping[str, Any] = written if isinstance(written, dict) else {}
    for port in definition.service.ports:
        if ingress.get("enabled") and port.ingress:
            number = f":{ingress['port']}" if ingress.get("port") else ""
            yield f"https://{port.ingress}.{ingress.get('domain')}{number}"
        elif port.external is not None:
            yield f"http://{configs.get('k8s_external_ip')}:{port.external}"


_MOST: Final = 3000


def secrets_of(deployment: Deployment) -> Secrets:
    """Return the strings of `secret_configs`, the registry password, and the data of secrets."""
    return Secrets(
        (text for value in _list_secret_values(deployment) for text in secret_texts(Sensitive(value)) or ()),
        most=_MOST,
        names=_list_public_names(deployment),
    )


def _list_public_names(deployment: Deployment) -> Iterator[str]:
    """Return the names of services and containers. They are part of addresses, so hiding them is useless."""
    for definition in deployment.definitions:
        yield definition.service.name
        yield from (container.name for container in definition.service.containers)


def _list_secret_values(deployment: Deployment) -> Iterator[Value]:
    configuration = deployment.configuration
    yield configuration.secret_configs
    yield configuration.data.get("registry", {}).get("password")
    for definition in deployment.definitions:
        yield from (secret.data for secret in definition.secrets.values())


def mark_instance(instance: Instance, secrets: Secrets) -> Instance:
    layout, before = instance.attributes.layout, instance.attributes.row
    row = tuple(
        value if secrets.is_name(name, value) else secrets.mark_sensitive(value)
        for name, value in zip(layout.keys, before, strict=True)
    )
    if all(new is old for new, old in zip(row, before, strict=True)):
        return instance
    return replace(instance, attributes=Record(layout, row))
