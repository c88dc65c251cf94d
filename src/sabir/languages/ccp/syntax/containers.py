"""Readers of containers, volumes, commands and probes.

A probe is a command, or a mapping `{type: exec|httpGet, …}` (S-65).
"""

from __future__ import annotations

from typing import Any, Final

from sabir.languages.ccp.syntax.kubernetes import read_env, read_lifecycle
from sabir.languages.ccp.syntax.nodes import Command, Container, HttpProbe, Probe, Reference, Stage, Volume
from sabir.languages.ccp.syntax.reader import BAD_ENUM, BAD_FORMAT, OUT_OF_RANGE, NodeReader
from sabir.lazy import lazy_pattern
from sabir.source.yaml import YamlEntry, YamlMapping, YamlNode, YamlScalar, plain_data
from sabir.text import Place

_TIMES: Final = ("initialDelay", "timeout")
_FORMS: Final = {"exec": ("type", "command", *_TIMES), "httpGet": ("type", "path", "port", "scheme", *_TIMES)}
_SCHEMES: Final = ("HTTP", "HTTPS")
_LONGEST: Final = 86_400


def read_probe(reading: NodeReader, node: YamlNode, path: str) -> Probe | None:
    if isinstance(node, YamlScalar) and isinstance(node.value, str):
        command = reading.text(node, path)
        return Probe(path=path, place=reading.place(node), action=command, written=command)
    if not isinstance(node, YamlMapping):
        reading.wrong_type(node, path, "a command or a mapping with a type")
        return None
    if node.entries:
        reading.feature((0, 1, 0), path, node.entries[0])
    kind_node = node.get("type")
    if kind_node is None:
        reading.missing(node, path, "type", hint="exec or httpGet")
        return None
    before = len(reading.faults)
    kind = reading.choice(kind_node, f"{path}.type", tuple(_FORMS))
    if len(reading.faults) > before:
        return None
    required = ("command",) if kind == "exec" else ("path", "port")
    entries = reading.keys(node, path, _FORMS[kind], required=required)
    written: Any = plain_data(node)
    return Probe(
        path=path,
        place=reading.place(node),
        action=_read_exec_command(reading, entries, path)
        if kind == "exec"
        else _read_http_probe(reading, entries, path),
        written=written,
        timeout=_read_seconds(reading, entries, path, "timeout", 1),
        initial_delay=_read_seconds(reading, entries, path, "initialDelay", 0),
    )


def _read_exec_command(reading: NodeReader, entries: dict[str, YamlEntry], path: str) -> str:
    return reading.text(entries["command"].value, f"{path}.command") if "command" in entries else ""


def _read_http_probe(reading: NodeReader, entries: dict[str, YamlEntry], path: str) -> HttpProbe:
    url = reading.text(entries["path"].value, f"{path}.path") if "path" in entries else ""
    port = 1
    if "port" in entries:
        node = entries["port"].value
        if isinstance(node, YamlScalar) and isinstance(node.value, str) and node.value.isdecimal():
            port = int(node.value)
            if not 1 <= port <= 65535:
                reading.fail(
                    OUT_OF_RANGE, f"{path}.port", node, f"{path}.port must be in 1..65535, not {port}"
                )
        else:
            port = reading.integer(node, f"{path}.port", low=1, high=65535)
    return HttpProbe(path=url, port=port, scheme=_read_scheme(reading, entries, path))


def _read_scheme(reading: NodeReader, entries: dict[str, YamlEntry], path: str) -> str:
    entry = entries.get("scheme")
    if entry is None:
        return _SCHEMES[0]
    reading.feature((0, 7, 0), f"{path}.scheme", entry)
    value = reading.text(entry.value, f"{path}.scheme").upper()
    if value and value not in _SCHEMES:
        message = f"{path}.scheme must be HTTP or HTTPS, not {value!r}"
        reading.fail(BAD_ENUM, f"{path}.scheme", entry.value, message)
    return value


def _read_seconds(
    reading: NodeReader, entries: dict[str, YamlEntry], path: str, key: str, low: int
) -> int | None:
    if key not in entries:
        return None
    return reading.integer(entries[key].value, f"{path}.{key}", low=low, high=_LONGEST)


_absolute_pattern: Final = lazy_pattern(r"/[^\x00-\x1f:]*")

CONTAINER_KEYS: Final = (
    "name",
    "image",
    "probes",
    "volumes",
    "pre",
    "daemon",
    "post",
    "env",
    "privileged",
    "lifecycle",
)
VOLUME_KEYS: Final = ("name", "type", "path", "mount-path", "readOnly")
COMMAND_KEYS: Final = ("name", "command", "dependencies", "type", "files", "user", "secrets")
_SECRETS_SINCE: Final = (0, 6, 0)
_IMAGE_SINCE: Final = (0, 5, 0)


def read_container(reading: NodeReader, node: YamlNode, path: str) -> Container | None:
    mapping = reading.mapping(node, path)
    if mapping is None:
        return None
    entries = reading.keys(mapping, path, CONTAINER_KEYS, required=("name", "image", "daemon"))
    readiness, liveness = _read_probes(reading, entries, path)
    if "privileged" in entries:
        reading.feature((0, 1, 0), f"{path}.privileged", entries["privileged"])
    privileged = "privileged" in entries and reading.boolean(
        entries["privileged"].value, f"{path}.privileged"
    )
    name = reading.name(entries["name"].value, f"{path}.name") if "name" in entries else ""
    image = reading.text(entries["image"].value, f"{path}.image") if "image" in entries else ""
    daemon = (
        read_command(reading, entries["daemon"].value, f"{path}.daemon", Stage.DAEMON)
        if "daemon" in entries
        else None
    )
    return Container(
        path=path,
        place=reading.place(mapping),
        yaml=reading.tree(mapping),
        name=name,
        name_place=_value_place(reading, entries, "name", mapping),
        image=image,
        image_place=_value_place(reading, entries, "image", mapping),
        readiness=readiness,
        liveness=liveness,
        volumes=read_volumes(reading, entries, path),
        pre=_read_commands(reading, entries, path, Stage.PRE),
        daemon=daemon or _no_command(reading, mapping, path),
        post=_read_commands(reading, entries, path, Stage.POST),
        env=tuple(read_env(reading, *item) for item in _list_items(reading, entries, path, "env")),
        privileged=privileged,
        privileged_place=_value_place(reading, entries, "privileged", mapping) if privileged else None,
        lifecycle=read_lifecycle(reading, entries["lifecycle"], f"{path}.lifecycle")
        if "lifecycle" in entries
        else None,
    )


def _no_command(reading: NodeReader, mapping: YamlMapping, path: str) -> Command:
    """Return the stand-in for a daemon that is missing or invalid, which was reported."""
    place = reading.place(mapping)
    return Command(
        path=path, place=place, name_place=place, yaml=reading.tree(mapping), stage=Stage.DAEMON, command=""
    )


def _value_place(reading: NodeReader, entries: dict[str, YamlEntry], key: str, mapping: YamlMapping) -> Place:
    return reading.place(entries[key].value if key in entries else mapping)


def _list_items(
    reading: NodeReader, entries: dict[str, YamlEntry], path: str, key: str
) -> tuple[tuple[YamlNode, str], ...]:
    return tuple(reading.items(entries[key].value, f"{path}.{key}")) if key in entries else ()


def _read_probes(
    reading: NodeReader, entries: dict[str, YamlEntry], path: str
) -> tuple[Probe | None, Probe | None]:
    if "probes" not in entries:
        return None, None
    path = f"{path}.probes"
    mapping = reading.mapping(entries["probes"].value, path)
    if mapping is None:
        return None, None
    probes = reading.keys(mapping, path, ("readiness", "liveness"))
    readiness, liveness = (
        read_probe(reading, probes[key].value, f"{path}.{key}") if key in probes else None
        for key in ("readiness", "liveness")
    )
    return readiness, liveness


def read_volumes(reading: NodeReader, entries: dict[str, YamlEntry], path: str) -> tuple[Volume, ...]:
    volumes = (_read_volume(reading, *item) for item in _list_items(reading, entries, path, "volumes"))
    return tuple(volume for volume in volumes if volume is not None)


def _read_volume(reading: NodeReader, node: YamlNode, path: str) -> Volume | None:
    mapping = reading.mapping(node, path)
    if mapping is None:
        return None
    entries = reading.keys(mapping, path, VOLUME_KEYS, required=("name", "type"))
    kind = (
        reading.choice(entries["type"].value, f"{path}.type", ("host", "empty-dir"))
        if "type" in entries
        else None
    )
    paths: dict[str, str] = {
        key: _read_path(reading, entries[key], f"{path}.{key}")
        for key in ("path", "mount-path")
        if key in entries
    }
    if kind == "host":
        if "path" not in entries:
            reading.missing(mapping, path, "path", hint="the directory of the host to mount")
        elif ".." in paths["path"].split("/"):
            message = f"{path}.path must not contain '..'"
            reading.fail(BAD_FORMAT, f"{path}.path", entries["path"].value, message)
    elif kind == "empty-dir" and not entries.keys() & {"path", "mount-path"}:
        reading.missing(mapping, path, "mount-path", hint="where the container shall see it")
    mount_key = "mount-path" if "mount-path" in paths else "path"
    return Volume(
        path=path,
        place=reading.place(entries["name"].value if "name" in entries else mapping),
        name=reading.name(entries["name"].value, f"{path}.name") if "name" in entries else "",
        host_path=paths.get("path", "") if kind == "host" else None,
        mount_path=paths.get(mount_key, ""),
        mount_key=mount_key,
        read_only="readOnly" in entries and reading.boolean(entries["readOnly"].value, f"{path}.readOnly"),
    )


def _read_path(reading: NodeReader, entry: YamlEntry, path: str) -> str:
    return reading.match_text(entry.value, path, _absolute_pattern(), "an absolute path")


def _read_commands(
    reading: NodeReader, entries: dict[str, YamlEntry], path: str, stage: Stage
) -> tuple[Command, ...]:
    commands = (
        read_command(reading, *item, stage) for item in _list_items(reading, entries, path, stage.value)
    )
    return tuple(command for command in commands if command is not None)


def read_command(reading: NodeReader, node: YamlNode, path: str, stage: Stage) -> Command | None:
    mapping = reading.mapping(node, path)
    if mapping is None:
        return None
    kind = "local"
    if (kind_node := mapping.get("type")) is not None:
        # A daemon cannot run once per deployment, so `single` is not among its types.
        choices = ("local",) if stage is Stage.DAEMON else ("single", "local")
        before = len(reading.faults)
        kind = reading.choice(kind_node, f"{path}.type", choices)
        kind = "local" if len(reading.faults) > before else kind
    single = kind == "single"
    allowed = (*COMMAND_KEYS, "image") if single else COMMAND_KEYS
    entries = reading.keys(mapping, path, allowed, required=("name", "command") if single else ("command",))
    for key, since in (("secrets", _SECRETS_SINCE), ("image", _IMAGE_SINCE)):
        if key in entries:
            reading.feature(since, f"{path}.{key}", entries[key])
    return Command(
        path=path,
        place=reading.place(mapping),
        yaml=reading.tree(mapping),
        stage=stage,
        name=reading.name(entries["name"].value, f"{path}.name") if "name" in entries else None,
        name_place=_value_place(reading, entries, "name", mapping),
        command=reading.text(entries["command"].value, f"{path}.command") if "command" in entries else "",
        single=single,
        dependencies=read_references(reading, entries, path, "dependencies"),
        files=read_references(reading, entries, path, "files"),
        secrets=read_references(reading, entries, path, "secrets"),
        user=reading.text(entries["user"].value, f"{path}.user") if "user" in entries else None,
        image=reading.text(entries["image"].value, f"{path}.image") if "image" in entries else None,
    )


def read_references(
    reading: NodeReader, entries: dict[str, YamlEntry], path: str, key: str
) -> tuple[Reference, ...]:
    return tuple(
        Reference(path=item_path, place=reading.place(item), name=reading.text(item, item_path))
        for item, item_path in _list_items(reading, entries, path, key)
    )


def read_destination(reading: NodeReader, entries: dict[str, YamlEntry], path: str) -> str:
    if "path" not in entries:
        return ""
    return reading.match_text(entries["path"].value, f"{path}.path", _absolute_pattern(), "an absolute path")
