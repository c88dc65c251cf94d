"""Ensembles of Unfurl, as far as they say what there is: the service template, inputs, and the recorded instances."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec.structs import replace

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.syntax.dialects import ToscaDialect, dialect_of, document_of
from sabir.languages.tosca.syntax.documents import LoadedTopology, RecordedInstance
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.files import DocumentFiles
from sabir.languages.tosca.syntax.includes import Layers, gather_layers
from sabir.languages.tosca.syntax.loader import TopologyLoader
from sabir.source.packages import PackageFile
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, plain_data, text_of
from sabir.text import Place

NO_SINGLE_TEMPLATE: Final = tosca_rule(
    code="TOSCA:E030",
    title="no single service template to evaluate",
    why="The package holds none, or several that nothing tells apart. Name the file instead of the folder.",
    when="evaluate",
)


_HEAD: Final = 8192
_PROJECT: Final = rb"(?m)^kind[ \t]*:[ \t]*[\"']?Project\b"
_STATUS: Final = ("unknown", "ok", "degraded", "error", "pending", "absent")
_DEFAULT: Final = ToscaDialect("tosca_simple_unfurl_1_0_0", 1, ("simple", "unfurl"))


def is_ensemble(file: PackageFile) -> bool:
    return b"unfurl/" in file.raw()[:_HEAD] and b"apiVersion" in file.raw()[:_HEAD]


def is_project(file: PackageFile) -> bool:
    """Whether it only says where the ensembles of a project are, and what they share."""
    return is_ensemble(file) and re.search(_PROJECT, file.raw()[:_HEAD]) is not None


def load_ensemble(files: DocumentFiles, file: PackageFile) -> LoadedTopology:
    gathering = TopologyLoader(files)
    root = document_of(file, gathering.findings)
    if root is None:
        return LoadedTopology(topology=None, findings=tuple(gathering.findings), files=(file.name,))
    if is_project(file):
        return _load_project(files, file, root)
    layers = gather_layers(gathering, file, root)
    if not layers.templates:  # as Unfurl has it, there is nothing in it then
        gathering.findings.extend(_check_template_key(file, root))
    gathering.profiles["unfurl"] = None
    dialect = _find_dialect(layers)
    for source, template in layers.templates:
        gathering.mains.add(source.name)
        gathering.read_document(source, template, dialect, prefix="")
    recorded: dict[str, RecordedInstance] = {}
    for status in reversed(layers.statuses):
        recorded.update(_read_instances(status))
    return LoadedTopology(
        topology=gathering.topology(file, dialect),
        findings=gathering.unique_findings(),
        files=tuple(gathering.seen),
        inputs=layers.inputs,
        values=layers.values,
        recorded=recorded,
    )


def _check_template_key(file: PackageFile, root: YamlMapping) -> Iterator[Finding]:
    """A finding for a key that was meant to hold the service template."""
    spec = root.get("spec")
    for entry in spec.entries if isinstance(spec, YamlMapping) else ():
        key = text_of(entry.key)
        if key is not None and (hint := did_you_mean(key, ["service_template"])) is not None:
            place = Place(file.source, entry.key.span)
            yield NO_SINGLE_TEMPLATE.at(
                place, f"this ensemble has {key!r} and no service template", hint=hint
            )


def _load_project(files: DocumentFiles, file: PackageFile, root: YamlMapping) -> LoadedTopology:
    """The ensemble that a project begins with: the one that says `default`, else the only or usual one."""
    folder = posixpath.dirname(file.name)
    for name in _ensembles_of(root):
        ensemble = files.read(posixpath.normpath(posixpath.join(folder, name)))
        if ensemble is not None and is_ensemble(ensemble) and not is_project(ensemble):
            loaded = load_ensemble(files, ensemble)
            return replace(loaded, files=(file.name, *loaded.files))
    message = "this project has no ensemble that can be read"
    hint = "name one under 'ensembles:', as '- file: ensemble/ensemble.yaml'"
    finding = NO_SINGLE_TEMPLATE.about_file(file.source, message, hint=hint)
    return LoadedTopology(topology=None, findings=(finding,), files=(file.name,))


def _ensembles_of(project: YamlMapping) -> Iterator[str]:
    """The files of its ensembles, the one to begin with first."""
    listed = project.get("ensembles")
    items = (
        [item for item in listed.items if isinstance(item, YamlMapping)]
        if isinstance(listed, YamlSequence)
        else []
    )
    default = project.get("default")
    first = None if not isinstance(default, YamlMapping) else text_of(default.get("ensemble"))
    for item in sorted(items, key=lambda item: not _is_default(item, first)):
        name = text_of(item.get("file"))
        if name is not None:
            yield name
    yield from ("ensemble/ensemble.yaml", "ensemble.yaml")


def _is_default(item: YamlMapping, alias: str | None) -> bool:
    flag = item.get("default")
    return (isinstance(flag, YamlScalar) and flag.value is True) or (
        alias is not None and text_of(item.get("alias")) == alias
    )


def _find_dialect(layers: Layers) -> ToscaDialect:
    for _, template in layers.templates:
        version = template.get("tosca_definitions_version")
        if isinstance(version, YamlScalar):
            return dialect_of(version.text) or _DEFAULT
    return _DEFAULT


def _read_instances(status: YamlNode | None) -> Iterator[tuple[str, RecordedInstance]]:
    """The instances that a status section records, whatever their depth, by the name of their template."""
    data = plain_data(status) if isinstance(status, YamlMapping) else None
    waiting = [data] if isinstance(data, dict) else []
    while waiting:
        here = waiting.pop()
        instances: Any = here.get("instances")
        for name, instance in instances.items() if isinstance(instances, dict) else ():
            if not isinstance(instance, dict):
                continue
            waiting.append(instance)
            template = instance.get("template")
            template_name = str(template).rpartition(":")[2] if isinstance(template, str) else str(name)
            attributes: Any = instance.get("attributes")
            ready: Any = instance.get("readyState", instance.get("status"))
            local = ready.get("effective", ready.get("local")) if isinstance(ready, dict) else ready
            yield (
                template_name,
                RecordedInstance(
                    attributes=_own_attributes(attributes) if isinstance(attributes, dict) else {},
                    status=local if isinstance(local, str) and local in _STATUS else None,
                    state=ready.get("state")
                    if isinstance(ready, dict) and isinstance(ready.get("state"), str)
                    else None,
                ),
            )


def _own_attributes(attributes: Mapping[Any, Any]) -> dict[str, Any]:
    """What the instance has, without what Unfurl notes for itself under names with a dot."""
    return {str(name): value for name, value in attributes.items() if not str(name).startswith(".")}
