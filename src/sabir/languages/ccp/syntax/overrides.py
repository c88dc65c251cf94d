"""Overrides: values of definitions by instance and key, and templates that a configuration replaces.

Template replacements are written as `files: {NAME: PATH}`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import InputError, UsageError
from sabir.graph.values import Value
from sabir.languages.ccp.syntax.configuration import Configuration
from sabir.languages.ccp.syntax.includes import FileLookup
from sabir.languages.ccp.syntax.rules import Fault, build_fault, ccp_rule
from sabir.source.packages import PackageFile
from sabir.source.yaml.nodes import YamlEntry, YamlMapping, YamlNode, YamlSequence, node_of, text_of


class Overrides:
    """Values by `INSTANCE.KEY`; `used` are those that matched a definition."""

    def __init__(self, values: Mapping[str, Value]) -> None:
        self.values = values
        self.used: set[str] = set()

    def of(self, instance: str) -> frozenset[str]:
        """Return the overridden keys of an instance."""
        return frozenset(key.rpartition(".")[2] for key in self.values if key.rpartition(".")[0] == instance)

    def apply(self, document: YamlNode | None, instance: str | None) -> YamlNode | None:
        """Return the document of a definition with the overrides applied."""
        service = document.get("service") if isinstance(document, YamlMapping) else None
        if not self.values or not isinstance(document, YamlMapping) or not isinstance(service, YamlMapping):
            return document
        name = instance or text_of(service.get("name")) or ""
        document = _replace_entry(document, "service", self._service(service, name))
        files = document.get("files")
        if isinstance(files, YamlMapping):
            document = _replace_entry(document, "files", self._files(files, name))
        return document

    def _service(self, service: YamlMapping, name: str) -> YamlMapping:
        containers = service.get("containers")
        if isinstance(containers, YamlSequence):
            items = tuple(self._container(item, name) for item in containers.items)
            service = _replace_entry(service, "containers", YamlSequence(containers.span, items))
        return self._apply_values(service, name)

    def _container(self, node: YamlNode, service: str) -> YamlNode:
        if not isinstance(node, YamlMapping):
            return node
        id_ = f"{service}/{text_of(node.get('name'))}"
        daemon = node.get("daemon")
        if isinstance(daemon, YamlMapping):
            node = _replace_entry(node, "daemon", self._apply_values(daemon, f"{id_}/daemon"))
        for stage in ("pre", "post"):
            commands = node.get(stage)
            if isinstance(commands, YamlSequence):
                items = tuple(
                    self._command(item, service, f"{id_}/{stage}", position)
                    for position, item in enumerate(commands.items)
                )
                node = _replace_entry(node, stage, YamlSequence(commands.span, items))
        return self._apply_values(node, id_)

    def _command(self, node: YamlNode, service: str, stage: str, position: int) -> YamlNode:
        if not isinstance(node, YamlMapping):
            return node
        name = text_of(node.get("name"))
        single = text_of(node.get("type")) == "single"
        return self._apply_values(node, f"{service}/{name}" if single else f"{stage}/{name or position}")

    def _files(self, files: YamlMapping, service: str) -> YamlMapping:
        entries = (
            YamlEntry(
                entry.key, self._apply_values(entry.value, f"{service}#{text_of(entry.key)}"), entry.merged
            )
            if isinstance(entry.value, YamlMapping)
            else entry
            for entry in files.entries
        )
        return YamlMapping(files.span, tuple(entries), files.tag)

    def _apply_values(self, node: YamlMapping, instance: str) -> YamlMapping:
        for subject, value in self.values.items():
            owner, _, key = subject.rpartition(".")
            if owner == instance:
                self.used.add(subject)
                node = _replace_entry(node, key, node_of(value, node.span))
        return node

    def reject_unused(self, instances: Iterator[str]) -> None:
        """Raise UsageError for an override that matched no definition."""
        from sabir.diagnostics.suggestions import did_you_mean

        left = next((subject for subject in self.values if subject not in self.used), None)
        if left is not None:
            instance = left.rpartition(".")[0]
            hint = (
                did_you_mean(instance, [*instances])
                or "compile shows the services, containers, commands and files"
            )
            raise UsageError(f"--set {left}: no definition describes {instance or left!r}: {hint}")


def _replace_entry(mapping: YamlMapping, key: str, value: YamlNode) -> YamlMapping:
    """Return the mapping with one value replaced, or added at its end."""
    entries = tuple(
        YamlEntry(entry.key, value, entry.merged) if text_of(entry.key) == key else entry
        for entry in mapping.entries
    )
    if not any(text_of(entry.key) == key for entry in entries):
        entries += (YamlEntry(node_of(key, mapping.span), value),)
    return YamlMapping(mapping.span, entries, mapping.tag)


NO_REPLACEMENT = ccp_rule(
    code="CCP:E034",
    title="template that should replace another is not there",
    why="`files` of the configuration maps names of files to templates that are used instead, named from its own folder.",
)

REPLACES_NOTHING = ccp_rule(
    code="CCP:W024",
    title="template that replaces no file",
    why="`files` of the configuration goes by the names that definitions give their files; no definition has this one.",
)


def find_replacements(
    configuration: Configuration, beside: FileLookup | None, names: set[str], faults: list[Fault]
) -> dict[str, PackageFile]:
    """Return the replacing templates by file name; `names` are those that definitions have."""
    replaced: dict[str, PackageFile] = {}
    for name, path in configuration.section("files").items():
        place = configuration.place("files", name)
        where = f"files.{name}"
        if name not in names:
            message = f"{where}: no definition has a file of that name"
            hint = did_you_mean(name, names)
            faults.append(
                build_fault(
                    REPLACES_NOTHING, where, configuration.key_place("files", name), message, hint=hint
                )
            )
        problem = "there is no such file"
        try:
            file = beside(place.source, str(path)) if beside is not None else None
        except InputError as error:
            file, problem = None, str(error)
        if file is None or file.defect is not None:
            problem = problem if file is None else "it is no UTF-8 text"
            faults.append(
                build_fault(NO_REPLACEMENT, where, place, f"{where}: {path!r} cannot be used: {problem}")
            )
        else:
            replaced[name] = file
    return replaced
