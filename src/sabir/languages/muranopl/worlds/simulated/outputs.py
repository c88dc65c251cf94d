"""Values for outputs of a template, when nothing describes them: what the resource they speak of would give."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["invented_output"]

_DOCUMENTED: Final = "203.0.113"  # RFC 5737: addresses for examples


def invented_output(key: str, output: Any) -> Any:
    """The same value in every run, different for different outputs."""
    value = output.get("value", output.get("Value")) if isinstance(output, Mapping) else None
    return _value(value, key)


def _value(value: Any, key: str) -> Any:
    if isinstance(value, list):
        return [_value(item, f"{key}-{index}") for index, item in enumerate(value)]
    if not isinstance(value, Mapping):
        return value
    attribute = value.get("get_attr") or value.get("Fn::GetAtt")
    if attribute is not None:
        return _attribute([str(part) for part in attribute], key)
    resource = value.get("get_resource") or value.get("Ref")
    if resource is not None:
        return f"simulated-{resource}"
    return {name: _value(item, f"{key}-{name}") for name, item in value.items()}


def _attribute(path: list[str], key: str) -> Any:
    last = path[-1] if path else ""
    if last == "networks":
        return {"simulated": [_address("10.0.0", key)]}
    if "addresses" in path:
        address = {"addr": _address("10.0.0", key), "OS-EXT-IPS:type": "fixed", "version": 4}
        return [address] if len(path) > 2 else {"simulated": [address]}
    if last == "fixed_ips":
        return [{"ip_address": _address("10.0.0", key), "subnet_id": "simulated-subnet"}]
    if "floating" in last.lower() or "floating" in key.lower():
        return _address(_DOCUMENTED, key)
    if "ip" in last.split("_") or "address" in last:
        return _address("10.0.0", key)
    if last == "attachments":
        return []
    return f"simulated-{'-'.join(path)}"


def _address(net: str, key: str) -> str:
    return f"{net}.{zlib.crc32(key.encode()) % 250 + 3}"
