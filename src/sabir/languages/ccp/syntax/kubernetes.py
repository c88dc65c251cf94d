"""Readers of the parts that are passed to Kubernetes: environment variables, lifecycle hooks, ports.

They are checked against the form Kubernetes accepts, so that a mistake is found before an object is
sent. A port (S-62) is `8080`, `"8080"`, `8080:30080`, `{8080: 30080}` or `{cont: , node: , ingress: }`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from sabir.languages.ccp.syntax.nodes import Port
from sabir.languages.ccp.syntax.reader import (
    BAD_FORMAT,
    CONFLICT,
    EMPTY,
    OUT_OF_RANGE,
    NodeReader,
    dns_subdomain_pattern,
    join_path,
)
from sabir.lazy import lazy_pattern
from sabir.source.yaml import YamlEntry, YamlMapping, YamlNode, YamlScalar, YamlSequence, plain_data

_env_name_pattern: Final = lazy_pattern(r"[ -<>-~]+")


class _Form(Struct, frozen=True):
    """Keys of a mapping with their forms; `one_of`: exactly one key is required."""

    keys: Mapping[str, _Form | str]
    required: tuple[str, ...] = ()
    one_of: bool = False


_KEY_REF: Final = _Form({"name": "text", "key": "text", "optional": "boolean"}, ("key",))
_VALUE_FROM: Final = _Form(
    {
        "fieldRef": _Form({"fieldPath": "text", "apiVersion": "text"}, ("fieldPath",)),
        "resourceFieldRef": _Form(
            {"resource": "text", "containerName": "text", "divisor": "any"}, ("resource",)
        ),
        "configMapKeyRef": _KEY_REF,
        "secretKeyRef": _KEY_REF,
    },
    one_of=True,
)
_HEADER: Final = _Form({"name": "text", "value": "text"}, ("name", "value"))
_HANDLER: Final = _Form(
    {
        "exec": _Form({"command": "texts"}),
        "httpGet": _Form(
            {"path": "text", "port": "port", "host": "text", "scheme": "text", "httpHeaders": "headers"},
            ("port",),
        ),
        "tcpSocket": _Form({"port": "port", "host": "text"}, ("port",)),
        "sleep": _Form({"seconds": "integer"}, ("seconds",)),
    },
    one_of=True,
)
_LIFECYCLE: Final = _Form({"postStart": _HANDLER, "preStop": _HANDLER, "stopSignal": "text"})


def read_env(reading: NodeReader, node: YamlNode, path: str) -> Mapping[str, Any]:
    """Read one environment variable `{name, value | valueFrom}`."""
    mapping = reading.mapping(node, path)
    if mapping is None:
        return {}
    entries = reading.keys(mapping, path, ("name", "value", "valueFrom"), required=("name",))
    variable: dict[str, Any] = {}
    if "name" in entries:
        wanted = "printable and without '='"
        variable["name"] = reading.match_text(
            entries["name"].value, f"{path}.name", _env_name_pattern(), wanted
        )
    if "value" in entries:
        variable["value"] = reading.text(entries["value"].value, f"{path}.value", blank=True)
    if "valueFrom" in entries:
        _check_form(reading, entries["valueFrom"].value, f"{path}.valueFrom", _VALUE_FROM)
        variable["valueFrom"] = _mapping_data(entries["valueFrom"].value)
    if "value" in entries and "valueFrom" in entries:
        message = f"{path} has both value and valueFrom; Kubernetes takes one of them"
        reading.fail(CONFLICT, path, entries["valueFrom"].key, message)
    return variable


def read_lifecycle(reading: NodeReader, entry: YamlEntry, path: str) -> Mapping[str, Any]:
    reading.feature((0, 9, 0), path, entry)
    _check_form(reading, entry.value, path, _LIFECYCLE)
    data = _mapping_data(entry.value)
    return data if isinstance(data, dict) else {}


def _check_form(reading: NodeReader, node: YamlNode, path: str, form: _Form | str) -> None:
    if isinstance(form, str):
        _check_leaf(reading, node, path, form)
        return
    mapping = reading.mapping(node, path)
    if mapping is None:
        return
    entries = reading.keys(mapping, path, tuple(form.keys), required=form.required)
    for name, entry in entries.items():
        _check_form(reading, entry.value, join_path(path, name), form.keys[name])
    if form.one_of and len(mapping.entries) != 1:
        message = f"{path} needs exactly one of {', '.join(form.keys)}"
        kind = CONFLICT if mapping.entries else EMPTY
        reading.fail(kind, path, node, message)


def _check_leaf(reading: NodeReader, node: YamlNode, path: str, form: str) -> None:
    if form == "text":
        reading.text(node, path, blank=True)
    elif form == "boolean":
        reading.boolean(node, path)
    elif form == "integer":
        reading.integer(node, path, low=0, high=2**31)
    elif form == "port":
        if not (isinstance(node, YamlScalar) and isinstance(node.value, str) and node.value):
            reading.integer(node, path, low=1, high=65535)
    elif form == "texts":
        for item, item_path in reading.items(node, path):
            reading.text(item, item_path, blank=True)
    elif form == "headers" and isinstance(node, YamlSequence):
        for item, item_path in reading.items(node, path):
            _check_form(reading, item, item_path, _HEADER)
    elif form == "headers":
        reading.wrong_type(node, path, "an array")


def _mapping_data(node: YamlNode) -> Any:
    return plain_data(node) if isinstance(node, YamlMapping) else {}


_number_pattern: Final = lazy_pattern(r"[0-9]{1,9}")
_pair_pattern: Final = lazy_pattern(r"([0-9]{1,9}):([0-9]{1,9})")
_KEYS: Final = ("cont", "node", "ingress")
_LOWEST, _HIGHEST = 1, 65535

PortRange = tuple[int, int]


def read_port(reading: NodeReader, node: YamlNode, path: str, node_ports: PortRange) -> Port | None:
    if isinstance(node, YamlMapping):
        return _from_mapping(reading, node, path, node_ports)
    # A plain 80:53 is a base-60 number to YAML 1.1; here its text counts.
    if isinstance(node, YamlScalar) and ":" in node.text and not isinstance(node.value, bool):
        pair = _pair_pattern().fullmatch(node.text.strip())
        if pair is None:
            _bad_text(reading, node, path)
            return None
        return _build_port(reading, node, path, int(pair[1]), int(pair[2]), node_ports=node_ports)
    number = _read_port_number(reading, node, path)
    return None if number is None else _build_port(reading, node, path, number, None, node_ports=node_ports)


def _bad_text(reading: NodeReader, node: YamlScalar, path: str) -> None:
    message = f"{path} must be a port or internal:external, not {node.text!r}"
    reading.fail(BAD_FORMAT, path, node, message, hint="as in 8080 or 8080:30080")


def _read_port_number(reading: NodeReader, node: YamlNode, path: str) -> int | None:
    if isinstance(node, YamlScalar):
        if type(node.value) is int:
            return node.value
        if isinstance(node.value, str):
            if _number_pattern().fullmatch(node.value.strip()):
                return int(node.value)
            if not node.value.strip():
                reading.fail(EMPTY, path, node, f"{path} must not be empty")
            else:
                _bad_text(reading, node, path)
            return None
    reading.wrong_type(node, path, "a port")
    return None


def _build_port(
    reading: NodeReader,
    node: YamlNode,
    path: str,
    internal: int,
    external: int | None,
    *,
    node_ports: PortRange,
) -> Port:
    problems = [
        text for text in (_internal_problem(internal), _external_problem(external, node_ports)) if text
    ]
    if problems:
        reading.fail(
            OUT_OF_RANGE, path, node, f"{path}: {' and '.join(problems)}", hint=_range_hint(problems)
        )
    return Port(path=path, place=reading.place(node), internal=internal, external=external)


def _internal_problem(port: int) -> str | None:
    return None if _LOWEST <= port <= _HIGHEST else f"{port} is no port ({_LOWEST}..{_HIGHEST})"


def _external_problem(port: int | None, node_ports: PortRange) -> str | None:
    low, high = node_ports
    if port is None or low <= port <= high:
        return None
    return f"{port} is outside the range of node ports ({low}..{high})"


def _range_hint(problems: list[str]) -> str | None:
    if any("node ports" in problem for problem in problems):
        return "the second number is the port on every node; kubernetes.node_port_range changes the range"
    return None


def _from_mapping(reading: NodeReader, node: YamlMapping, path: str, node_ports: PortRange) -> Port | None:
    if len(node.entries) == 1:
        key, value = node.entries[0].key, node.entries[0].value
        if isinstance(key, YamlScalar) and _number_pattern().fullmatch(key.text):
            external = _read_port_number(reading, value, path)
            return _build_port(reading, node, path, int(key.text), external, node_ports=node_ports)
    entries = reading.keys(node, path, _KEYS, required=("cont",))
    if node.entries:
        reading.feature((0, 1, 0), path, node.entries[0])
    numbers: dict[str, int | None] = {"cont": None, "node": None}
    for key_name in numbers:
        if key_name not in entries:
            continue
        value, value_path = entries[key_name].value, f"{path}.{key_name}"
        number = _read_port_number(reading, value, value_path)
        numbers[key_name] = number
        if number is not None:
            problem = (
                _internal_problem(number) if key_name == "cont" else _external_problem(number, node_ports)
            )
            if problem:
                message = f"{value_path}: {problem}"
                reading.fail(OUT_OF_RANGE, value_path, value, message, hint=_range_hint([problem]))
    ingress = None
    if "ingress" in entries:
        wanted = "a host name without its domain"
        ingress = reading.match_text(
            entries["ingress"].value, f"{path}.ingress", dns_subdomain_pattern(), wanted
        )
    internal = numbers["cont"]
    if internal is None:
        return None
    return Port(
        path=path,
        place=reading.place(node),
        internal=internal,
        external=numbers["node"],
        ingress=ingress or None,
    )
