"""`+include` in ensembles: other files merged in while an ensemble is loaded, what is written in the file itself first.

Followed where whole documents or sections are merged: in the ensemble, in its `spec`, in its service template and the sections of that
(`node_templates`, `node_types` …). `+?include` may name a file that is not there. `+/a/b` merges a part of the same document (`pointers`).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any, Final

from sabir.languages.tosca.syntax.dialects import document_of
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.loader import TopologyLoader
from sabir.languages.tosca.syntax.pointers import merge_pointers
from sabir.languages.tosca.syntax.project import ProjectValues, context_values
from sabir.source.packages import PackageFile
from sabir.source.yaml.nodes import YamlEntry, YamlMapping, YamlNode, YamlScalar, plain_data, text_of
from sabir.text import Place

UNFOLLOWED_DIRECTIVE: Final = tosca_rule(
    code="TOSCA:W031",
    title="a directive of an ensemble that is not followed",
    why="Unfurl merges other files into an ensemble while it loads it. sabir follows `+include` in the ensemble, its spec, its service "
    "template and the sections of that, when the file is there and in the project, and `+/path` within a document; other directives, or "
    "files further inside, it does not follow.",
)


_MOST: Final = 100
_TOPOLOGY: Final = ("topology_template",)


class Layers:
    """What an ensemble and the files it includes hold; the earlier ones count."""

    def __init__(self) -> None:
        self.templates: list[tuple[PackageFile, YamlMapping]] = []
        self.inputs: dict[str, Any] = {}
        self.statuses: list[YamlNode] = []
        self.values = ProjectValues()


def gather_layers(gathering: TopologyLoader, file: PackageFile, root: YamlMapping) -> Layers:
    layers = Layers()
    _Gatherer(gathering, layers).ensemble(file, root)
    return layers


class _Gatherer:
    def __init__(self, gathering: TopologyLoader, layers: Layers) -> None:
        self._gathering = gathering
        self._layers = layers
        self._open: list[str] = []
        self._count = 0

    def ensemble(self, file: PackageFile, root: YamlMapping) -> None:
        root = merge_pointers(root, file.source.text)
        remaining, included = self._split_directives(file, root)
        spec, status = remaining.get("spec"), remaining.get("status")
        if isinstance(spec, YamlMapping):
            self._spec(file, spec)
        if status is not None:
            self._layers.statuses.append(status)
        for key in ("environment", "context"):
            context = remaining.get(key)
            data = plain_data(context) if isinstance(context, YamlMapping) else {}
            if isinstance(data, Mapping):
                values = context_values({str(name): value for name, value in data.items()})
                self._layers.values = values.under(self._layers.values)
        self._report_nested_directives(
            file, (entry.value for entry in remaining.entries if text_of(entry.key) != "spec")
        )
        for other, document in included:
            self.ensemble(other, document)
            self._open.pop()

    def _spec(self, file: PackageFile, node: YamlMapping) -> None:
        remaining, included = self._split_directives(file, node)
        for key in ("service_template", "tosca"):
            template = remaining.get(key)
            if isinstance(template, YamlMapping):
                self._template(file, template)
                break
        inputs = remaining.get("inputs")
        data = plain_data(inputs) if isinstance(inputs, YamlMapping) else {}
        for name, value in data.items() if isinstance(data, Mapping) else ():
            self._layers.inputs.setdefault(str(name), value)
        for other, document in included:
            self._spec(other, document)
            self._open.pop()

    def _template(self, file: PackageFile, node: YamlMapping) -> None:
        remaining, included = self._split_directives(file, node)
        later: list[tuple[PackageFile, YamlMapping]] = []
        remaining = self._sections(file, remaining, (), later)
        self._report_nested_directives(file, (entry.value for entry in remaining.entries))
        self._layers.templates.append((file, remaining))
        for other, document in later:
            self._template(other, document)
        for other, document in included:
            self._template(other, document)
            self._open.pop()

    def _sections(
        self,
        file: PackageFile,
        node: YamlMapping,
        path: tuple[str, ...],
        later: list[tuple[PackageFile, YamlMapping]],
    ) -> YamlMapping:
        """The template without the directives in its sections; what these name is read later, as templates that hold that section."""
        entries: list[YamlEntry] = []
        for entry in node.entries:
            key, value = text_of(entry.key), entry.value
            if key is None or not isinstance(value, YamlMapping):
                entries.append(entry)
                continue
            here = (*path, key)
            remaining, included = self._split_directives(file, value)
            for other, document in included:
                later.append((other, _wrap_document(document, here)))
                self._open.pop()
            if here == _TOPOLOGY:
                remaining = self._sections(file, remaining, here, later)
            entries.append(YamlEntry(entry.key, remaining, entry.merged))
        return YamlMapping(node.span, tuple(entries), node.tag)

    def _split_directives(
        self, file: PackageFile, node: YamlMapping
    ) -> tuple[YamlMapping, Iterator[tuple[PackageFile, YamlMapping]]]:
        """The mapping without its directives, and the documents that these name, each open while it is read."""
        directives = [entry for entry in node.entries if _is_directive(entry.key)]
        if not directives:
            return node, iter(())
        remaining = YamlMapping(
            node.span, tuple(entry for entry in node.entries if not _is_directive(entry.key)), node.tag
        )

        def included() -> Iterator[tuple[PackageFile, YamlMapping]]:
            for entry in directives:
                layer = self._document(file, text_of(entry.key) or "", entry.value)
                if layer is not None:
                    self._open.append(layer[0].name)
                    yield layer

        return remaining, included()

    def _document(
        self, file: PackageFile, directive: str, node: YamlNode
    ) -> tuple[PackageFile, YamlMapping] | None:
        place = Place(file.source, node.span)
        target = text_of(node.get("file")) if isinstance(node, YamlMapping) else text_of(node)
        if "include" not in directive or target is None:
            self._missing(
                f"the directive {directive!r} is not followed: what it would bring is missing here", place
            )
            return None
        name = posixpath.normpath(posixpath.join(posixpath.dirname(file.name), target))
        included = self._gathering.files.read(name)
        self._count += 1
        if included is None:
            if "?" not in directive:
                self._missing(
                    f"{directive} names {target!r}, which is not there or lies outside of the project", place
                )
            return None
        if name in self._open or self._count > _MOST:
            self._missing(f"{directive} of {target!r} leads back to this file", place)
            return None
        root = document_of(included, self._gathering.findings)
        return None if root is None else (included, root)

    def _report_nested_directives(self, file: PackageFile, nodes: Iterator[YamlNode]) -> None:
        """Directives further inside, which merge parts and not documents."""
        waiting = list(nodes)
        while waiting:
            node = waiting.pop()
            if not isinstance(node, YamlMapping):
                continue
            for entry in node.entries:
                if _is_directive(entry.key):
                    message = f"the directive {text_of(entry.key)!r} is not followed: what it would bring is missing here"
                    self._missing(message, Place(file.source, entry.key.span))
                else:
                    waiting.append(entry.value)

    def _missing(self, message: str, place: Place) -> None:
        self._gathering.findings.append(UNFOLLOWED_DIRECTIVE.at(place, message))
        self._gathering.complete = False


def _wrap_document(document: YamlMapping, path: tuple[str, ...]) -> YamlMapping:
    """A document as the value of a section."""
    for key in reversed(path):
        name = YamlScalar.at(document.span, key, key)
        document = YamlMapping(document.span, (YamlEntry(name, document),))
    return document


def _is_directive(key: YamlNode) -> bool:
    text = key.value if isinstance(key, YamlScalar) else None
    return isinstance(text, str) and text.startswith(("+", "?include"))
