"""Readers of a definition's top level: service, files, secrets, dsl_version.

Secrets were added after the document (S-73): a Secret object and where it is mounted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from sabir.languages.ccp.syntax.containers import read_container, read_destination
from sabir.languages.ccp.syntax.kubernetes import PortRange, read_port
from sabir.languages.ccp.syntax.nodes import File, Secret, Service, WorkloadKind
from sabir.languages.ccp.syntax.reader import (
    BAD_FORMAT,
    CONFIG_KEY,
    CONFLICT,
    DNS_LABEL,
    WRONG_TYPE,
    NodeReader,
    dns_subdomain_pattern,
    join_path,
    octal_pattern,
)
from sabir.lazy import lazy_pattern
from sabir.source.yaml import YamlEntry, YamlMapping, YamlNode, YamlScalar
from sabir.text import EMPTY_SPAN, Place

_SECRET: Final = ("path", "secret", "type", "data")
_relative_pattern: Final = lazy_pattern(r"(?!(.*/)?\.\.(/|$))[^\x00-\x1f]*[^\x00-\x1f/]")
_LARGEST_MODE: Final = 0o777


def read_secret(reading: NodeReader, name: str, entry: YamlEntry) -> Secret | None:
    path = join_path("secrets", name)
    reading.key_matching(entry, name, path, DNS_LABEL, "must be a DNS label, since the volume is called so")
    mapping = reading.mapping(entry.value, path)
    if mapping is None:
        return None
    entries = reading.keys(mapping, path, _SECRET, required=("path", "secret"))
    source = reading.mapping(entries["secret"].value, f"{path}.secret") if "secret" in entries else None
    inner = (
        reading.keys(
            source, f"{path}.secret", ("secretName", "defaultMode", "items"), required=("secretName",)
        )
        if source is not None
        else {}
    )
    secret_name = ""
    if "secretName" in inner:
        wanted = "the name of a Secret (lower-case letters, digits, '-' and '.')"
        secret_name = reading.match_text(
            inner["secretName"].value, f"{path}.secret.secretName", dns_subdomain_pattern(), wanted
        )
    mode = (
        _read_mode(reading, inner["defaultMode"], f"{path}.secret.defaultMode")
        if "defaultMode" in inner
        else None
    )
    return Secret(
        path=path,
        place=reading.place(entry.key),
        yaml=reading.tree(mapping),
        name=name,
        mount_path=read_destination(reading, entries, path),
        secret_name=secret_name,
        type=reading.text(entries["type"].value, f"{path}.type") if "type" in entries else "Opaque",
        default_mode=mode,
        items=tuple(_secret_items(reading, inner, f"{path}.secret")),
        data=_secret_data(reading, entries, path),
    )


def _read_mode(reading: NodeReader, entry: YamlEntry, path: str) -> int | None:
    node = entry.value
    if isinstance(node, YamlScalar) and isinstance(node.value, str):
        text = reading.match_text(node, path, octal_pattern(), 'three or four octal digits, as in "0400"')
        return int(text, 8) if text else None
    return reading.integer(node, path, low=0, high=_LARGEST_MODE)


def _secret_items(reading: NodeReader, entries: dict[str, YamlEntry], path: str) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for node, item_path in (
        reading.items(entries["items"].value, f"{path}.items") if "items" in entries else ()
    ):
        mapping = reading.mapping(node, item_path)
        if mapping is None:
            continue
        entry = reading.keys(mapping, item_path, ("key", "path", "mode"), required=("key", "path"))
        item: dict[str, Any] = {}
        if "key" in entry:
            item["key"] = reading.match_text(
                entry["key"].value, f"{item_path}.key", CONFIG_KEY, "the key of a Secret"
            )
        if "path" in entry:
            wanted = "a path inside the volume, without '..'"
            item["path"] = reading.match_text(
                entry["path"].value, f"{item_path}.path", _relative_pattern(), wanted
            ).lstrip("/")
        if "mode" in entry and (mode := _read_mode(reading, entry["mode"], f"{item_path}.mode")) is not None:
            item["mode"] = mode
        out.append(item)
    return out


def _secret_data(reading: NodeReader, entries: dict[str, YamlEntry], path: str) -> dict[str, str] | None:
    if "data" not in entries:
        return None
    path = f"{path}.data"
    mapping = reading.mapping(entries["data"].value, path)
    if mapping is None:
        return None
    data: dict[str, str] = {}
    for key, entry in reading.entries(mapping, path).items():
        if not CONFIG_KEY.fullmatch(key):
            reading.fail(
                BAD_FORMAT, f"{path}.{key}", entry.key, f"{path}: {key!r} cannot be a key of a Secret"
            )
        data[key] = reading.text(entry.value, f"{path}.{key}", blank=True)
    return data


TOP_KEYS: Final = ("dsl_version", "service", "files", "secrets")
SERVICE_KEYS: Final = (
    "name",
    "kind",
    "containers",
    "ports",
    "hostNetwork",
    "hostPID",
    "hostIPC",
    "strategy",
    "antiAffinity",
    "annotations",
    "headless",
)
_SINCE: Final = {"antiAffinity": (0, 2, 0), "annotations": (0, 3, 0), "headless": (0, 8, 0)}
FILE_KEYS: Final = ("path", "content", "perm", "user")
_file_path_pattern: Final = lazy_pattern(r"/[^\x00-\x1f]*[^/\x00-\x1f]")
_LONGEST_NAME: Final = 63


class Sections(Struct, frozen=True, kw_only=True, eq=False):
    version: str
    version_place: Place
    service: Service
    written_name: str
    files: Mapping[str, File]
    secrets: Mapping[str, Secret]


def read_sections(
    reading: NodeReader, document: YamlNode | None, *, node_ports: PortRange, instance: str | None
) -> Sections | None:
    """Return the typed sections; None if the text is not a mapping.

    A mistake is reported and loses only its own part.
    """
    if document is None:
        reading.fail(WRONG_TYPE, "", EMPTY_SPAN, "the definition is empty")
        return None
    mapping = reading.mapping(document, "")
    if mapping is None:
        return None
    entries = reading.keys(mapping, "", TOP_KEYS, required=("dsl_version", "service"))
    version = _read_version(reading, entries["dsl_version"].value) if "dsl_version" in entries else ""
    service = (
        _read_service(reading, entries["service"].value, node_ports, instance)
        if "service" in entries
        else None
    )
    files = read_files(reading, entries)
    secrets = _read_named_entries(reading, entries, "secrets")
    if "secrets" in entries:
        reading.feature((0, 6, 0), "secrets", entries["secrets"])
    read_secrets = {name: read_secret(reading, name, entry) for name, entry in secrets.items()}
    node = mapping.get("service")
    name_node = node.get("name") if isinstance(node, YamlMapping) else None
    written = (
        name_node.value if isinstance(name_node, YamlScalar) and isinstance(name_node.value, str) else ""
    )
    return Sections(
        version=version,
        version_place=reading.place(entries["dsl_version"].value if "dsl_version" in entries else mapping),
        service=service or _no_service(reading, mapping),
        written_name=written,
        files=files,
        secrets={name: secret for name, secret in read_secrets.items() if secret is not None},
    )


def _read_version(reading: NodeReader, node: YamlNode) -> str:
    """Read the version. `0.4` is a number for YAML, and would not be a version in quotes either."""
    if isinstance(node, YamlScalar) and isinstance(node.value, float | int):
        reading.wrong_type(node, "dsl_version", "a version MAJOR.MINOR.PATCH", hint=f"as in {node.text}.0")
        return ""
    return reading.text(node, "dsl_version", blank=True)


def _no_service(reading: NodeReader, mapping: YamlMapping) -> Service:
    """Return the stand-in for a missing or invalid service, so that files and secrets are kept."""
    place = reading.place(mapping)
    return Service(
        path="service",
        place=place,
        yaml=reading.tree(mapping),
        name="",
        name_place=place,
        pod_annotations={},
        service_annotations={},
    )


def _read_service(
    reading: NodeReader, node: YamlNode, node_ports: PortRange, instance: str | None
) -> Service | None:
    mapping = reading.mapping(node, "service")
    if mapping is None:
        return None
    entries = reading.keys(mapping, "service", SERVICE_KEYS, required=("name", "containers"))
    for key, since in _SINCE.items():
        if key in entries:
            reading.feature(since, f"service.{key}", entries[key])
    containers = [
        container
        for item in (
            reading.items(entries["containers"].value, "service.containers")
            if "containers" in entries
            else ()
        )
        if (container := read_container(reading, *item)) is not None
    ]
    ports = [
        port
        for item in (reading.items(entries["ports"].value, "service.ports") if "ports" in entries else ())
        if (port := read_port(reading, *item, node_ports)) is not None
    ]
    kind = _read_choice(reading, entries, "kind", tuple(kind.value for kind in WorkloadKind))
    strategy = _read_choice(reading, entries, "strategy", ("RollingUpdate", "Recreate"))
    if kind == "StatefulSet" and strategy == "Recreate":
        message = "service.strategy Recreate: a Kubernetes StatefulSet replaces its pods one by one and has no Recreate"
        hint = "leave strategy out, or make it a Deployment"
        reading.fail(CONFLICT, "service.strategy", entries["strategy"].value, message, hint=hint)
    annotations = _read_annotations(reading, entries)
    name = reading.name(entries["name"].value, "service.name") if "name" in entries else ""
    service = Service(
        path="service",
        place=reading.place(mapping),
        yaml=reading.tree(mapping),
        name=instance or name,
        name_place=reading.place(entries["name"].value if "name" in entries else mapping),
        kind=WorkloadKind(kind or "Deployment"),
        containers=tuple(containers),
        ports=tuple(ports),
        host_network=_read_flag(reading, entries, "hostNetwork"),
        host_pid=_read_flag(reading, entries, "hostPID"),
        host_ipc=_read_flag(reading, entries, "hostIPC"),
        headless=_read_flag(reading, entries, "headless"),
        recreate=strategy == "Recreate",
        anti_affinity=_read_choice(reading, entries, "antiAffinity", ("local", "global"), nullable=True),
        pod_annotations=annotations.get("pod", {}),
        service_annotations=annotations.get("service", {}),
    )
    _check_long_names(reading, service)
    return service


def _check_long_names(reading: NodeReader, service: Service) -> None:
    """Check the length of object names that are joined from two others."""
    for container in service.containers:
        for command in container.single_commands:
            job = f"{service.name}-{command.name}"
            if service.name and command.name and len(job) > _LONGEST_NAME:
                message = f"{command.path}.name: the Job would be called {job!r}, {len(job)} characters; 63 is the most"
                reading.note(BAD_FORMAT, f"{command.path}.name", command.name_place, message)
    apart = service.headless or service.kind is WorkloadKind.STATEFUL_SET
    if (
        apart
        and any(port.external for port in service.ports)
        and len(service.name) > _LONGEST_NAME - len("-external")
    ):
        message = f"service.name: the Service {service.name}-external would have more than 63 characters"
        reading.note(BAD_FORMAT, "service.name", service.name_place, message)


def _read_flag(reading: NodeReader, entries: dict[str, YamlEntry], key: str) -> bool:
    return key in entries and reading.boolean(entries[key].value, f"service.{key}")


def _read_choice(
    reading: NodeReader,
    entries: dict[str, YamlEntry],
    key: str,
    choices: tuple[str, ...],
    *,
    nullable: bool = False,
) -> str | None:
    if key not in entries:
        return None
    node = entries[key].value
    if nullable and isinstance(node, YamlScalar) and node.value is None:
        return None
    return reading.choice(node, f"service.{key}", choices)


def _read_annotations(reading: NodeReader, entries: dict[str, YamlEntry]) -> dict[str, dict[str, str]]:
    """Read `{pod: {…}, service: {…}}` (S-63); null is the default."""
    path = "service.annotations"
    node = entries["annotations"].value if "annotations" in entries else None
    if node is None or (isinstance(node, YamlScalar) and node.value is None):
        return {}
    mapping = reading.mapping(node, path)
    if mapping is None:
        return {}
    targets: dict[str, dict[str, str]] = {}
    for target, entry in reading.keys(mapping, path, ("pod", "service")).items():
        inner = reading.mapping(entry.value, f"{path}.{target}")
        if inner is not None:
            targets[target] = {
                key: reading.text(annotation.value, f"{path}.{target}.{key}", blank=True)
                for key, annotation in reading.entries(inner, f"{path}.{target}").items()
            }
    return targets


def _read_named_entries(
    reading: NodeReader, entries: dict[str, YamlEntry], section: str
) -> dict[str, YamlEntry]:
    """Return the entries of a section that maps names to things."""
    if section not in entries:
        return {}
    mapping = reading.mapping(entries[section].value, section)
    return {} if mapping is None else reading.entries(mapping, section)


def read_files(reading: NodeReader, entries: dict[str, YamlEntry]) -> dict[str, File]:
    """Read the section `files`: names to files."""
    files: dict[str, File] = {}
    for name, entry in _read_named_entries(reading, entries, "files").items():
        path = join_path("files", name)
        wanted = "cannot be a key of a ConfigMap (letters, digits, '-', '_' and '.')"
        reading.key_matching(entry, name, path, CONFIG_KEY, wanted)
        file = read_file(reading, name, entry.value, path, at=entry.key)
        if file is not None:
            files[name] = file
    return files


def read_file(reading: NodeReader, name: str, node: YamlNode, path: str, *, at: YamlNode) -> File | None:
    """Read a file; `at` is the node to show in messages."""
    mapping = reading.mapping(node, path)
    if mapping is None:
        return None
    entries = reading.keys(mapping, path, FILE_KEYS, required=("path", "content"))
    texts = {
        key: reading.text(entries[key].value, f"{path}.{key}")
        for key in ("content", "user")
        if key in entries
    }
    perm = None
    if "perm" in entries:
        perm = reading.match_text(
            entries["perm"].value, f"{path}.perm", octal_pattern(), 'three or four octal digits, as in "0644"'
        )
    return File(
        path=path,
        place=reading.place(at),
        yaml=reading.tree(mapping),
        name=name,
        destination=_read_file_path(reading, entries, path),
        content=texts.get("content", ""),
        content_place=reading.place(entries["content"].value if "content" in entries else mapping),
        perm=perm,
        user=texts.get("user"),
    )


def _read_file_path(reading: NodeReader, entries: dict[str, YamlEntry], path: str) -> str:
    if "path" not in entries:
        return ""
    wanted = "the absolute path of a file"
    return reading.match_text(entries["path"].value, f"{path}.path", _file_path_pattern(), wanted)
