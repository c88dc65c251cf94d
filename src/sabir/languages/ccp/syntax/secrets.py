"""Secrets, which came after the document (S-73): a Secret object and where it is mounted."""

from __future__ import annotations

from typing import Any, Final

from sabir.languages.ccp.syntax.containers import read_destination
from sabir.languages.ccp.syntax.nodes import Secret
from sabir.languages.ccp.syntax.reading import (
    BAD_FORMAT,
    CONFIG_KEY,
    DNS_LABEL,
    Reading,
    dns_subdomain_pattern,
    join,
    octal_pattern,
)
from sabir.lazy import lazy_pattern
from sabir.source.yaml import YamlEntry, YamlScalar

__all__ = ["read_secret"]

_SECRET: Final = ("path", "secret", "type", "data")
_relative_pattern: Final = lazy_pattern(r"(?!(.*/)?\.\.(/|$))[^\x00-\x1f]*[^\x00-\x1f/]")
_LARGEST_MODE: Final = 0o777


def read_secret(reading: Reading, name: str, entry: YamlEntry) -> Secret | None:
    path = join("secrets", name)
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
        secret_name = reading.matching(
            inner["secretName"].value, f"{path}.secret.secretName", dns_subdomain_pattern(), wanted
        )
    mode = (
        _mode(reading, inner["defaultMode"], f"{path}.secret.defaultMode") if "defaultMode" in inner else None
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


def _mode(reading: Reading, entry: YamlEntry, path: str) -> int | None:
    node = entry.value
    if isinstance(node, YamlScalar) and isinstance(node.value, str):
        text = reading.matching(node, path, octal_pattern(), 'three or four octal digits, as in "0400"')
        return int(text, 8) if text else None
    return reading.integer(node, path, low=0, high=_LARGEST_MODE)


def _secret_items(reading: Reading, entries: dict[str, YamlEntry], path: str) -> list[dict[str, Any]]:
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
            item["key"] = reading.matching(
                entry["key"].value, f"{item_path}.key", CONFIG_KEY, "the key of a Secret"
            )
        if "path" in entry:
            wanted = "a path inside the volume, without '..'"
            item["path"] = reading.matching(
                entry["path"].value, f"{item_path}.path", _relative_pattern(), wanted
            ).lstrip("/")
        if "mode" in entry and (mode := _mode(reading, entry["mode"], f"{item_path}.mode")) is not None:
            item["mode"] = mode
        out.append(item)
    return out


def _secret_data(reading: Reading, entries: dict[str, YamlEntry], path: str) -> dict[str, str] | None:
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
