"""Parts of a definition that go to Kubernetes as they are: environment variables, life-cycle hooks.

They are held to the form Kubernetes takes, so that a mistake is found here and not when the object is sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from sabir.languages.ccp.syntax.reading import CONFLICT, EMPTY, Reading, join
from sabir.lazy import lazy_pattern
from sabir.source.yaml import YamlEntry, YamlMapping, YamlNode, YamlScalar, YamlSequence, plain_data

__all__ = ["read_env", "read_lifecycle"]

_env_name_pattern: Final = lazy_pattern(r"[ -<>-~]+")


class _Form(Struct, frozen=True):
    """Keys of a mapping with their forms; `one_of`: exactly one key may be there."""

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


def read_env(reading: Reading, node: YamlNode, path: str) -> Mapping[str, Any]:
    """One environment variable `{name, value | valueFrom}`."""
    mapping = reading.mapping(node, path)
    if mapping is None:
        return {}
    entries = reading.keys(mapping, path, ("name", "value", "valueFrom"), required=("name",))
    variable: dict[str, Any] = {}
    if "name" in entries:
        wanted = "printable and without '='"
        variable["name"] = reading.matching(
            entries["name"].value, f"{path}.name", _env_name_pattern(), wanted
        )
    if "value" in entries:
        variable["value"] = reading.text(entries["value"].value, f"{path}.value", blank=True)
    if "valueFrom" in entries:
        _check(reading, entries["valueFrom"].value, f"{path}.valueFrom", _VALUE_FROM)
        variable["valueFrom"] = _plain(entries["valueFrom"].value)
    if "value" in entries and "valueFrom" in entries:
        message = f"{path} has both value and valueFrom; Kubernetes takes one of them"
        reading.fail(CONFLICT, path, entries["valueFrom"].key, message)
    return variable


def read_lifecycle(reading: Reading, entry: YamlEntry, path: str) -> Mapping[str, Any]:
    reading.feature((0, 9, 0), path, entry)
    _check(reading, entry.value, path, _LIFECYCLE)
    data = _plain(entry.value)
    return data if isinstance(data, dict) else {}


def _check(reading: Reading, node: YamlNode, path: str, form: _Form | str) -> None:
    if isinstance(form, str):
        _check_leaf(reading, node, path, form)
        return
    mapping = reading.mapping(node, path)
    if mapping is None:
        return
    entries = reading.keys(mapping, path, tuple(form.keys), required=form.required)
    for name, entry in entries.items():
        _check(reading, entry.value, join(path, name), form.keys[name])
    if form.one_of and len(mapping.entries) != 1:
        message = f"{path} needs exactly one of {', '.join(form.keys)}"
        kind = CONFLICT if mapping.entries else EMPTY
        reading.fail(kind, path, node, message)


def _check_leaf(reading: Reading, node: YamlNode, path: str, form: str) -> None:
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
            _check(reading, item, item_path, _HEADER)
    elif form == "headers":
        reading.wrong_type(node, path, "an array")


def _plain(node: YamlNode) -> Any:
    return plain_data(node) if isinstance(node, YamlMapping) else {}
