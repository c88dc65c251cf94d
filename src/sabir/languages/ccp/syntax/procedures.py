"""Procedures: actions (`service/actions/*.yaml`) and upgrades (`service/upgrade/*.yaml`).

An action is one command in its own image. An upgrade is a chain of steps: commands, services to stop,
services to update to their new definition. Upgrades are templates like definitions. Actions are plain
YAML, because their arguments (`action_parameters`) are known only in their container.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, Final

from sabir.expressions.template.findings import RenderedTemplate
from sabir.languages.ccp.syntax.component import Component
from sabir.languages.ccp.syntax.configuration import data_of
from sabir.languages.ccp.syntax.containers import read_references, read_volumes
from sabir.languages.ccp.syntax.nodes import Command, File, MappingNode, Reference, Stage, Volume
from sabir.languages.ccp.syntax.reader import BAD_FORMAT, CONFIG_KEY, NodeReader, join_path
from sabir.languages.ccp.syntax.rules import Fault
from sabir.languages.ccp.syntax.sections import read_file, read_files
from sabir.source.packages import PackageFile
from sabir.source.yaml import YamlEntry, YamlMapping, YamlNode, YamlScalar, compose
from sabir.text import Place, Source

ACTION_PARAMETERS: Final = "action_parameters"
"""The variable under which templates of an action see what it was asked with."""

_ACTION_KEYS: Final = (
    "name",
    "image",
    "command",
    "dependencies",
    "files",
    "parameters",
    "restart_policy",
    "user",
)
_PARAMETER_KEYS: Final = ("key", "default_value")
_UPGRADE_KEYS: Final = ("name", "image", "steps")
_STEP_KEYS: Final = ("name", "type")
_COMMAND_KEYS: Final = ("command", "files", "dependencies", "volumes", "topology_key", "user", "image")
_RESTARTS: Final = ("never", "always")

Render = Callable[[Component, Source], RenderedTemplate | None]


class StepKind(Enum):
    COMMAND = "single"
    ROLL = "rolling-upgrade"
    KILL = "kill-services"


class Action(MappingNode, frozen=True, kw_only=True, eq=False):
    component: Component
    name: str
    name_place: Place
    image: str
    image_place: Place
    command: Command
    files: Mapping[str, File]
    parameters: Mapping[str, Any]
    """What can be said when it is called, with defaults."""
    restarts: bool
    """Whether a command that fails is tried again."""


class UpgradeStep(MappingNode, frozen=True, kw_only=True, eq=False):
    kind: StepKind
    name: str
    name_place: Place
    command: Command | None = None
    volumes: tuple[Volume, ...] = ()
    services: tuple[Reference, ...] | None = None
    """Those to stop or to roll; None: all of the component."""
    topology_key: Reference | None = None
    """The entry of a role whose nodes the command may run on."""


class Upgrade(MappingNode, frozen=True, kw_only=True, eq=False):
    component: Component
    variant: str
    """The name of its file; `default` is the one that is meant when none is named."""
    name: str
    name_place: Place
    image: str
    image_place: Place
    steps: tuple[UpgradeStep, ...]
    files: Mapping[str, File]


Procedure = Action | Upgrade


def read_procedures(
    components: Iterable[Component], render: Render, faults: list[Fault]
) -> tuple[Procedure, ...]:
    """Return the actions and upgrades of all components, in file order."""
    return tuple(
        procedure for component in components for procedure in _read_component(component, render, faults)
    )


def _read_component(component: Component, render: Render, faults: list[Fault]) -> Iterator[Procedure]:
    for file in component.below("service/actions/"):
        reading = NodeReader(RenderedTemplate(file.source), faults)
        yield from _read_actions(reading, component, _read_document(reading, file))
    for file in component.below("service/upgrade/"):
        rendered = render(component, file.source) if file.defect is None else RenderedTemplate(file.source)
        if rendered is not None:
            reading = NodeReader(rendered, faults)
            yield from _read_upgrade(reading, component, _read_document(reading, file), file.name)


def _read_document(reading: NodeReader, file: PackageFile) -> YamlMapping | None:
    if file.defect is not None:
        reading.fail(BAD_FORMAT, "", file.defect.place.span, file.defect.message)
        return None
    stream = compose(reading.rendered.source)
    reading.take_defects(stream)
    first = None if stream.broken or not stream.documents else stream.documents[0]
    return None if first is None else reading.mapping(first, "")


def _read_actions(reading: NodeReader, component: Component, root: YamlMapping | None) -> Iterator[Action]:
    entries = reading.keys(root, "", ("actions",), required=("actions",)) if root is not None else {}
    for node, path in reading.items(entries["actions"].value, "actions") if "actions" in entries else ():
        mapping = reading.mapping(node, path)
        if mapping is not None:
            yield _read_action(reading, component, mapping, path)


def _read_action(reading: NodeReader, component: Component, mapping: YamlMapping, path: str) -> Action:
    entries = reading.keys(mapping, path, _ACTION_KEYS, required=("name", "image", "command"))
    files = _read_action_files(reading, entries, path)
    references = tuple(Reference(path=file.path, place=file.place, name=name) for name, file in files.items())
    restart = entries.get("restart_policy")
    name, name_place = _read_name(reading, entries, mapping, path)
    return Action(
        path=path,
        place=reading.place(mapping),
        yaml=reading.tree(mapping),
        component=component,
        name=name,
        name_place=name_place,
        image=_read_text(reading, entries, path, "image"),
        image_place=_value_place(reading, entries, mapping, "image"),
        command=_read_command(reading, entries, mapping, path, files=references),
        files=files,
        parameters=_read_parameters(reading, entries, path),
        restarts=restart is not None
        and reading.choice(restart.value, f"{path}.restart_policy", _RESTARTS) == "always",
    )


def _read_action_files(reading: NodeReader, entries: dict[str, YamlEntry], path: str) -> dict[str, File]:
    """Read the files of an action, a list in which each is named by its content."""
    files: dict[str, File] = {}
    for node, item in reading.items(entries["files"].value, f"{path}.files") if "files" in entries else ():
        content = node.get("content") if isinstance(node, YamlMapping) else None
        name = content.text if isinstance(content, YamlScalar) else str(len(files))
        if not CONFIG_KEY.fullmatch(name):
            name = f"file-{len(files) + 1}"
        file = read_file(reading, name, node, item, at=content or node)
        if file is not None:
            files[name] = file
    return files


def _read_parameters(reading: NodeReader, entries: dict[str, YamlEntry], path: str) -> dict[str, Any]:
    parameters: dict[str, Any] = {}
    key = f"{path}.parameters"
    for node, item in reading.items(entries["parameters"].value, key) if "parameters" in entries else ():
        mapping = reading.mapping(node, item)
        inner = reading.keys(mapping, item, _PARAMETER_KEYS, required=("key",)) if mapping is not None else {}
        if "key" in inner:
            default = inner.get("default_value")
            name = reading.text(inner["key"].value, f"{item}.key")
            parameters[name] = None if default is None else data_of(default.value)
    return parameters


def _read_upgrade(
    reading: NodeReader, component: Component, root: YamlMapping | None, file: str
) -> Iterator[Upgrade]:
    entries = reading.keys(root, "", ("upgrade", "files"), required=("upgrade",)) if root is not None else {}
    mapping = reading.mapping(entries["upgrade"].value, "upgrade") if "upgrade" in entries else None
    if mapping is None:
        return
    inner = reading.keys(mapping, "upgrade", _UPGRADE_KEYS, required=_UPGRADE_KEYS)
    items = reading.items(inner["steps"].value, "upgrade.steps") if "steps" in inner else ()
    steps = tuple(step for item in items if (step := _read_step(reading, *item)) is not None)
    name, name_place = _read_name(reading, inner, mapping, "upgrade")
    yield Upgrade(
        path="upgrade",
        place=reading.place(mapping),
        yaml=reading.tree(mapping),
        component=component,
        variant=file.rpartition("/")[2].removesuffix(".yaml"),
        name=name,
        name_place=name_place,
        image=_read_text(reading, inner, "upgrade", "image"),
        image_place=_value_place(reading, inner, mapping, "image"),
        steps=steps,
        files=read_files(reading, entries),
    )


def _read_step(reading: NodeReader, node: YamlNode, path: str) -> UpgradeStep | None:
    mapping = reading.mapping(node, path)
    if mapping is None:
        return None
    written = mapping.get("type")
    kinds = tuple(kind.value for kind in StepKind)
    kind = (
        StepKind(reading.choice(written, f"{path}.type", kinds)) if written is not None else StepKind.COMMAND
    )
    runs = kind is StepKind.COMMAND
    allowed = (*_STEP_KEYS, *(_COMMAND_KEYS if runs else ("services",)))
    entries = reading.keys(mapping, path, allowed, required=("name", "command") if runs else ("name",))
    name, name_place = _read_name(reading, entries, mapping, path)
    files = read_references(reading, entries, path, "files")
    return UpgradeStep(
        path=path,
        place=reading.place(mapping),
        yaml=reading.tree(mapping),
        kind=kind,
        name=name,
        name_place=name_place,
        command=_read_command(reading, entries, mapping, path, files=files) if runs else None,
        volumes=read_volumes(reading, entries, path),
        services=read_references(reading, entries, path, "services") if "services" in entries else None,
        topology_key=_read_reference(reading, entries, path, "topology_key"),
    )


def _read_reference(
    reading: NodeReader, entries: dict[str, YamlEntry], path: str, key: str
) -> Reference | None:
    if key not in entries:
        return None
    node = entries[key].value
    return Reference(
        path=join_path(path, key), place=reading.place(node), name=reading.text(node, join_path(path, key))
    )


def _read_command(
    reading: NodeReader,
    entries: dict[str, YamlEntry],
    mapping: YamlMapping,
    path: str,
    *,
    files: tuple[Reference, ...],
) -> Command:
    """Read a single command, as definitions have them."""
    node = entries.get("name")
    return Command(
        path=path,
        place=_value_place(reading, entries, mapping, "command"),
        yaml=reading.tree(mapping),
        stage=Stage.PRE,
        name=node.value.text if node is not None and isinstance(node.value, YamlScalar) else "",
        name_place=_value_place(reading, entries, mapping, "name"),
        command=_read_text(reading, entries, path, "command"),
        single=True,
        dependencies=read_references(reading, entries, path, "dependencies"),
        files=files,
        user=_read_text(reading, entries, path, "user") or None,
        image=_read_text(reading, entries, path, "image") or None,
    )


def _read_name(
    reading: NodeReader, entries: dict[str, YamlEntry], mapping: YamlMapping, path: str
) -> tuple[str, Place]:
    name = reading.name(entries["name"].value, f"{path}.name") if "name" in entries else ""
    return name, _value_place(reading, entries, mapping, "name")


def _read_text(reading: NodeReader, entries: dict[str, YamlEntry], path: str, key: str) -> str:
    return reading.text(entries[key].value, f"{path}.{key}") if key in entries else ""


def _value_place(reading: NodeReader, entries: dict[str, YamlEntry], mapping: YamlMapping, key: str) -> Place:
    return reading.place(entries[key].value if key in entries else mapping)
