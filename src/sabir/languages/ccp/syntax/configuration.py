"""The configuration of a deployment: defaults of framework and components, user's file, merged deeply."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from functools import lru_cache
from importlib import resources
from typing import Any

from msgspec import Struct

from sabir.expressions.template.findings import RenderedTemplate
from sabir.languages.ccp.runner.variables import merge_mappings
from sabir.languages.ccp.syntax.configuration_form import SectionForms, node_port_range_pattern
from sabir.languages.ccp.syntax.includes import FileLookup, documents_of
from sabir.languages.ccp.syntax.reader import NodeReader
from sabir.languages.ccp.syntax.rules import Fault
from sabir.languages.language import Document
from sabir.source.yaml import YamlMapping, YamlNode, YamlScalar, YamlSequence, compose
from sabir.text import EMPTY_SPAN, Place, Source


class Configuration(Struct, frozen=True, kw_only=True, eq=False):
    """Merged sections as plain data. `place` finds where a value was set last."""

    data: Mapping[str, Any]
    layers: tuple[tuple[Source, YamlMapping], ...] = ()
    readable: bool = True
    """False when a text of it could not be read at all, so that names may be missing through no fault of theirs."""

    @property
    def configs(self) -> dict[str, Any]:
        """What templates and containers see: `configs`, the namespace and the cluster domain."""
        return {**self.data["configs"], "namespace": self.namespace, "cluster_domain": self.cluster_domain}

    @property
    def secret_configs(self) -> dict[str, Any]:
        return dict(self.data["secret_configs"])

    @property
    def variables(self) -> dict[str, Any]:
        return merge_mappings(self.configs, self.secret_configs)

    @property
    def namespace(self) -> str:
        return str(self.data["kubernetes"]["namespace"])

    @property
    def cluster_domain(self) -> str:
        return str(self.data["kubernetes"]["cluster_domain"])

    @property
    def node_ports(self) -> tuple[int, int]:
        match = node_port_range_pattern().fullmatch(str(self.data["kubernetes"]["node_port_range"]))
        return (int(match[1]), int(match[2])) if match else (30000, 32767)

    @property
    def cluster_nodes(self) -> tuple[str, ...] | None:
        nodes = self.data["kubernetes"].get("cluster_nodes")
        return None if nodes is None else tuple(nodes)

    @property
    def dsl_version(self) -> str | None:
        """The version of another framework to check definitions against."""
        version = self.section("framework").get("dsl_version")
        return version if isinstance(version, str) else None

    def section(self, name: str) -> Mapping[str, Any]:
        values: Mapping[str, Any] | None = self.data.get(name)
        return {} if values is None else values  # asking whether there are any would count as reading them

    def place(self, *path: str | int) -> Place:
        """Return where the value at a path was set, in the outermost layer that has it."""
        last = self.layers[-1][0] if self.layers else Source("<configuration>", "")
        return next(self.places(*path), Place(last, EMPTY_SPAN))

    def key_place(self, *path: str) -> Place:
        """Return where the key of a path was written, for faults about names."""
        for source, root in reversed(self.layers):
            node: YamlNode | None = root
            for step in path[:-1]:
                node = node.get(step) if isinstance(node, YamlMapping) else None
            for entry in node.entries if isinstance(node, YamlMapping) else ():
                if isinstance(entry.key, YamlScalar) and entry.key.text == path[-1]:
                    return Place(source, entry.key.span)
        return self.place(*path)

    def places(self, *path: str | int) -> Iterator[Place]:
        """Return all places that set a path, outermost layer first."""
        for source, root in reversed(self.layers):
            node: YamlNode | None = root
            for step in path:
                if isinstance(node, YamlMapping):
                    node = node.get(str(step))
                elif isinstance(node, YamlSequence) and isinstance(step, int) and step < len(node.items):
                    node = node.items[step]
                else:
                    node = None
            if node is not None:
                yield Place(source, node.span)


@lru_cache(maxsize=1)
def _load_defaults() -> tuple[Source, YamlMapping]:
    text = resources.files("sabir.languages.ccp.library").joinpath("defaults.yaml").read_text("utf-8")
    source = Source("<framework defaults>", text)
    root = compose(source).documents[0]
    assert isinstance(root, YamlMapping)
    return source, root


def read_configuration(
    sources: Iterable[Source | Document], beside: FileLookup | None = None
) -> tuple[Configuration, list[Fault]]:
    """Merge these texts over the framework's defaults, in order."""
    faults: list[Fault] = []
    layers = [_load_defaults()]
    merged = data_of(layers[0][1])
    readable = True
    for layer in sources:
        roots = [*_read_layer(layer, beside, faults)]
        for _, root in roots:
            sections = {name: value for name, value in data_of(root).items() if isinstance(value, dict)}
            merged = merge_mappings(merged, sections)
        layers += roots
        text = layer.source.text if isinstance(layer, Document) else layer.text
        readable = readable and (bool(roots) or not text.strip())
    return Configuration(data=_with_whole_lines(merged), layers=tuple(layers), readable=readable), faults


def _with_whole_lines(data: dict[str, Any]) -> dict[str, Any]:
    """Return certificates and keys with a final line break, however quoted: templates join them."""
    for section in ("configs", "secret_configs"):
        security = data[section].get("security")
        tls = security.get("tls") if isinstance(security, dict) else None
        texts = {
            key: value + "\n"
            for key, value in (tls.items() if isinstance(tls, dict) else ())
            if isinstance(value, str) and value and not value.endswith("\n")
        }
        if texts:
            data = merge_mappings(data, {section: {"security": {"tls": texts}}})
    return data


def _read_layer(
    layer: Source | Document, beside: FileLookup | None, faults: list[Fault]
) -> Iterator[tuple[Source, YamlMapping]]:
    for source, document in documents_of(layer, beside, faults):
        reading = NodeReader(RenderedTemplate(source), faults)
        root = reading.mapping(document, "")
        if root is not None:
            SectionForms(reading).check(root)
            yield source, root


def data_of(node: YamlNode) -> Any:
    """Return plain data that JSON can hold. Base-60 numbers (`80:53` is two ports) and dates stay strings."""
    if isinstance(node, YamlMapping):
        return {
            entry.key.text if isinstance(entry.key, YamlScalar) else "?": data_of(entry.value)
            for entry in node.entries
        }
    if isinstance(node, YamlSequence):
        return [data_of(item) for item in node.items]
    value = node.value
    if isinstance(value, int | float) and not isinstance(value, bool) and ":" in node.text:
        return node.text
    if isinstance(value, date | bytes):
        return node.text
    return value
