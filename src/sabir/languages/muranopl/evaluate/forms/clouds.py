"""The description of a cloud that forms choose from: names, or mappings with what a field needs to know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import UnusableInput

__all__ = ["read_cloud"]

_NAMES: Final = ("keypairs", "securityGroups", "dnsZones")
_NAMED: Final = ("flavors", "zones", "networks", "volumes", "snapshots", "images")
"""A name alone stands for an entry that has it as its id, too."""
_FULL: Final = {"packages": ("fqn",), "applications": ("?",)}
_SECTIONS: Final = (*_NAMES, *_NAMED, *_FULL)


def read_cloud(described: Any) -> dict[str, Any]:
    """The sections of a description; `UnusableInput` names what is not as it should be."""
    if not isinstance(described, Mapping):
        raise UnusableInput(f"the description of a cloud is a mapping with {', '.join(_SECTIONS)}")
    return {str(name): _section(str(name), entries) for name, entries in described.items()}


def _section(name: str, entries: Any) -> list[Any]:
    if name not in _SECTIONS:
        hint = did_you_mean(name, _SECTIONS) or f"there are {', '.join(_SECTIONS)}"
        raise UnusableInput(f"a cloud has no {name!r}; {hint}")
    if not isinstance(entries, list):
        raise UnusableInput(f"{name} of a cloud is a list")
    return [_entry(f"{name}[{index}]", name, entry) for index, entry in enumerate(entries)]


def _entry(place: str, section: str, entry: Any) -> Any:
    if section in _NAMES:
        if not isinstance(entry, str):
            raise UnusableInput(f"{place} of a cloud is a name, not {entry!r}")
        return entry
    if section in _NAMED and isinstance(entry, str):
        return {"id": entry, "name": entry}
    if not isinstance(entry, Mapping):
        raise UnusableInput(f"{place} of a cloud is a mapping, not {entry!r}")
    if section in _NAMED:
        name = entry.get("name", entry.get("id"))
        if name is None:
            raise UnusableInput(f"{place} of a cloud has neither id nor name")
        return {"id": name, **entry, "name": name}
    for key in _FULL[section]:
        if key not in entry:
            raise UnusableInput(f"{place} of a cloud has no {key!r}")
    if section == "applications" and not {"type", "id"} <= {*_header(entry)}:
        raise UnusableInput(f"{place} of a cloud has no '?' with type and id")
    return entry


def _header(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    header = entry["?"]
    return header if isinstance(header, Mapping) else {}
