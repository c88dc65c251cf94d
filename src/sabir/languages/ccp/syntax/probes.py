"""Probes: a command, or a mapping `{type: exec|httpGet, …}` (S-65)."""

from __future__ import annotations

from typing import Any, Final

from sabir.languages.ccp.syntax.nodes import HttpProbe, Probe
from sabir.languages.ccp.syntax.reading import BAD_ENUM, OUT_OF_RANGE, Reading
from sabir.source.yaml import YamlEntry, YamlMapping, YamlNode, YamlScalar, plain_data

__all__ = ["read_probe"]

_TIMES: Final = ("initialDelay", "timeout")
_FORMS: Final = {"exec": ("type", "command", *_TIMES), "httpGet": ("type", "path", "port", "scheme", *_TIMES)}
_SCHEMES: Final = ("HTTP", "HTTPS")
_LONGEST: Final = 86_400


def read_probe(reading: Reading, node: YamlNode, path: str) -> Probe | None:
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
        action=_exec(reading, entries, path) if kind == "exec" else _http(reading, entries, path),
        written=written,
        timeout=_seconds(reading, entries, path, "timeout", 1),
        initial_delay=_seconds(reading, entries, path, "initialDelay", 0),
    )


def _exec(reading: Reading, entries: dict[str, YamlEntry], path: str) -> str:
    return reading.text(entries["command"].value, f"{path}.command") if "command" in entries else ""


def _http(reading: Reading, entries: dict[str, YamlEntry], path: str) -> HttpProbe:
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
    return HttpProbe(path=url, port=port, scheme=_scheme(reading, entries, path))


def _scheme(reading: Reading, entries: dict[str, YamlEntry], path: str) -> str:
    entry = entries.get("scheme")
    if entry is None:
        return _SCHEMES[0]
    reading.feature((0, 7, 0), f"{path}.scheme", entry)
    value = reading.text(entry.value, f"{path}.scheme").upper()
    if value and value not in _SCHEMES:
        message = f"{path}.scheme must be HTTP or HTTPS, not {value!r}"
        reading.fail(BAD_ENUM, f"{path}.scheme", entry.value, message)
    return value


def _seconds(reading: Reading, entries: dict[str, YamlEntry], path: str, key: str, low: int) -> int | None:
    if key not in entries:
        return None
    return reading.integer(entries[key].value, f"{path}.{key}", low=low, high=_LONGEST)
