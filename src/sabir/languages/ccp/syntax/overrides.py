"""What if: values that stand in for those of a definition, by the instance and key that `compile` shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sabir.errors import UsageError
from sabir.graph.values import Value
from sabir.source.yaml.nodes import (
    Style,
    YamlEntry,
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    node_of,
    text_of,
)

__all__ = ["Overrides"]


class Overrides:
    """Values by `INSTANCE.KEY`; `used` are those that a definition had a place for."""

    def __init__(self, values: Mapping[str, Value]) -> None:
        self.values = values
        self.used: set[str] = set()

    def of(self, instance: str) -> frozenset[str]:
        """The keys of an instance that are overridden."""
        return frozenset(key.rpartition(".")[2] for key in self.values if key.rpartition(".")[0] == instance)

    def apply(self, document: YamlNode | None, instance: str | None) -> YamlNode | None:
        """The document of a definition with the values in it."""
        service = document.get("service") if isinstance(document, YamlMapping) else None
        if not self.values or not isinstance(document, YamlMapping) or not isinstance(service, YamlMapping):
            return document
        name = instance or text_of(service.get("name")) or ""
        document = _with(document, "service", self._service(service, name))
        files = document.get("files")
        if isinstance(files, YamlMapping):
            document = _with(document, "files", self._files(files, name))
        return document

    def _service(self, service: YamlMapping, name: str) -> YamlMapping:
        containers = service.get("containers")
        if isinstance(containers, YamlSequence):
            items = tuple(self._container(item, name) for item in containers.items)
            service = _with(service, "containers", YamlSequence(containers.span, items))
        return self._given(service, name)

    def _container(self, node: YamlNode, service: str) -> YamlNode:
        if not isinstance(node, YamlMapping):
            return node
        id_ = f"{service}/{text_of(node.get('name'))}"
        daemon = node.get("daemon")
        if isinstance(daemon, YamlMapping):
            node = _with(node, "daemon", self._given(daemon, f"{id_}/daemon"))
        for stage in ("pre", "post"):
            commands = node.get(stage)
            if isinstance(commands, YamlSequence):
                items = tuple(
                    self._command(item, service, f"{id_}/{stage}", position)
                    for position, item in enumerate(commands.items)
                )
                node = _with(node, stage, YamlSequence(commands.span, items))
        return self._given(node, id_)

    def _command(self, node: YamlNode, service: str, stage: str, position: int) -> YamlNode:
        if not isinstance(node, YamlMapping):
            return node
        name = text_of(node.get("name"))
        single = text_of(node.get("type")) == "single"
        return self._given(node, f"{service}/{name}" if single else f"{stage}/{name or position}")

    def _files(self, files: YamlMapping, service: str) -> YamlMapping:
        entries = (
            YamlEntry(one.key, self._given(one.value, f"{service}#{text_of(one.key)}"), one.merged)
            if isinstance(one.value, YamlMapping)
            else one
            for one in files.entries
        )
        return YamlMapping(files.span, tuple(entries), files.tag)

    def _given(self, node: YamlMapping, instance: str) -> YamlMapping:
        for subject, value in self.values.items():
            owner, _, key = subject.rpartition(".")
            if owner == instance:
                self.used.add(subject)
                node = _with(node, key, node_of(value, node.span))
        return node

    def reject_unused(self, known: Iterator[str]) -> None:
        """UsageError for an override that no definition had a place for."""
        from sabir.diagnostics.near import did_you_mean

        left = next((one for one in self.values if one not in self.used), None)
        if left is not None:
            instance = left.rpartition(".")[0]
            hint = (
                did_you_mean(instance, [*known])
                or "compile shows the services, containers, commands and files"
            )
            raise UsageError(f"--set {left}: no definition describes {instance or left!r}: {hint}")


def _with(mapping: YamlMapping, key: str, value: YamlNode) -> YamlMapping:
    """The mapping with one value replaced, or added at its end."""
    entries = tuple(
        YamlEntry(one.key, value, one.merged) if text_of(one.key) == key else one for one in mapping.entries
    )
    if not any(text_of(one.key) == key for one in entries):
        entries += (YamlEntry(YamlScalar.at(mapping.span, key, key, Style.PLAIN), value),)
    return YamlMapping(mapping.span, entries, mapping.tag)
