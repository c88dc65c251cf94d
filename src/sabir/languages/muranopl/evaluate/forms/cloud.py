"""Choices that a cloud offers to form fields: flavors, images, networks, key pairs, zones and applications.

A description of the cloud lists them as names, or as mappings with the details that a field filters by.
Without a description fields accept any value.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

from msgspec import Struct, field

from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import InputError
from sabir.expressions.patterns import PatternError, PatternRefusedError, compile_pattern, matches_start
from sabir.languages.muranopl.evaluate.forms.definition import FieldSpec

_NAMES: Final = ("keypairs", "securityGroups", "dnsZones")
_NAMED: Final = ("flavors", "zones", "networks", "volumes", "snapshots", "images")
"""A name alone stands for an entry that has it as its id, too."""
_FULL: Final = {"packages": ("fqn",), "applications": ("?",)}
_SECTIONS: Final = (*_NAMES, *_NAMED, *_FULL)


def read_cloud(described: Any) -> dict[str, Any]:
    """Return the sections of a description; raise an input error that names the first malformed part."""
    if not isinstance(described, Mapping):
        raise InputError(f"the description of a cloud is a mapping with {', '.join(_SECTIONS)}")
    return {str(name): _normalize_section(str(name), entries) for name, entries in described.items()}


def _normalize_section(name: str, entries: Any) -> list[Any]:
    if name not in _SECTIONS:
        hint = did_you_mean(name, _SECTIONS) or f"there are {', '.join(_SECTIONS)}"
        raise InputError(f"a cloud has no {name!r}; {hint}")
    if not isinstance(entries, list):
        raise InputError(f"{name} of a cloud is a list")
    return [_normalize_entry(f"{name}[{index}]", name, entry) for index, entry in enumerate(entries)]


def _normalize_entry(place: str, section: str, entry: Any) -> Any:
    if section in _NAMES:
        if not isinstance(entry, str):
            raise InputError(f"{place} of a cloud is a name, not {entry!r}")
        return entry
    if section in _NAMED and isinstance(entry, str):
        return {"id": entry, "name": entry}
    if not isinstance(entry, Mapping):
        raise InputError(f"{place} of a cloud is a mapping, not {entry!r}")
    if section in _NAMED:
        name = entry.get("name", entry.get("id"))
        if name is None:
            raise InputError(f"{place} of a cloud has neither id nor name")
        return {"id": name, **entry, "name": name}
    for key in _FULL[section]:
        if key not in entry:
            raise InputError(f"{place} of a cloud has no {key!r}")
    if section == "applications" and not {"type", "id"} <= {*_entry_header(entry)}:
        raise InputError(f"{place} of a cloud has no '?' with type and id")
    return entry


def _entry_header(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    header = entry["?"]
    return header if isinstance(header, Mapping) else {}


Choice = tuple[Any, str]
"""A value and the text by which it is chosen."""
_BOUNDS: Final = (("vcpus", "vcpus"), ("disk", "disk"), ("ram", "memory_mb"))


class Offers(Struct, frozen=True, kw_only=True):
    """Sections of a cloud description; None if there is none, so that fields accept anything."""

    cloud: Mapping[str, Any] | None = None
    applications: Sequence[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])

    def choices(self, spec: FieldSpec) -> list[Choice] | None:
        """Return the choices of a field; None if it has none, or accepts anything."""
        if spec.kind == "choice":
            return _parse_choices(spec.keys.get("choices") or [])
        offer = _OFFERS.get(spec.kind) if isinstance(spec.kind, str) else None
        if offer is not None:
            return None if self.cloud is None else offer(spec, self.cloud)
        return None if spec.kind in _FREE or self.cloud is None else self._objects(spec, self.cloud)

    def _objects(self, spec: FieldSpec, cloud: Mapping[str, Any]) -> list[Choice]:
        """Return the applications of the environment whose class is, or extends, one that the field names."""
        wanted = {spec.kind} if isinstance(spec.kind, str) else set(spec.kind)
        classes = {
            package["fqn"]
            for package in cloud.get("packages", ())
            if package["fqn"] in wanted or wanted.intersection(package.get("extends", ()))
        }
        fitting = [app for app in cloud.get("applications", ()) if app["?"]["type"] in classes]
        empty = spec.literal("emptyValueMessage") or "Select Application"
        return [("", str(empty)), *((app["?"]["id"], escape(str(app.get("name")))) for app in fitting)]


_FREE: Final = frozenset(
    ["string", "boolean", "clusterip", "password", "integer", "databaselist", "text", "choice", "floatingip"]
)


def _parse_choices(choices: Any) -> list[Choice]:
    pairs = choices.items() if isinstance(choices, Mapping) else choices
    return [(value, str(text)) for value, text in pairs]


def _by_text(choices: list[Choice]) -> list[Choice]:
    return sorted(choices, key=lambda choice: choice[1])


def _flavor_choices(spec: FieldSpec, cloud: Mapping[str, Any]) -> list[Choice]:
    needs = spec.literal("requirements") or {}
    fitting = [
        flavor
        for flavor in cloud.get("flavors", ())
        if all(
            needs.get(f"min_{need}", 0) <= flavor.get(key, 0) <= needs.get(f"max_{need}", float("inf"))
            for key, need in _BOUNDS
        )
    ]
    return _by_text([(flavor["id"], flavor["name"]) for flavor in fitting])


def _keypair_choices(_spec: FieldSpec, cloud: Mapping[str, Any]) -> list[Choice]:
    return [("", "No keypair"), *((name, name) for name in sorted(cloud.get("keypairs", ())))]


def _security_groups(_spec: FieldSpec, cloud: Mapping[str, Any]) -> list[Choice]:
    names = [name for name in sorted(cloud.get("securityGroups", ())) if not name.startswith("murano--")]
    return [("", "Application default security group"), *((name, name) for name in names)]


def _image_choices(spec: FieldSpec, cloud: Mapping[str, Any]) -> list[Choice]:
    wanted = spec.literal("imageType")
    choices: list[Choice] = []
    for image in cloud.get("images", ()):
        try:
            about = json.loads(image["murano"]) if image.get("murano") else None
        except ValueError:
            about = None
        if about is None or not _is_of_type(about.get("type"), wanted):
            continue
        status = image.get("status", "active")
        title = str(about.get("title", image.get("name")))
        choices.append((image["id"], title if status == "active" else f"{title} ({status})"))
    if not choices:
        return [("", "No images available")]
    return _by_text(choices) if len(choices) == 1 else [("", "Select Image"), *_by_text(choices)]


def _is_of_type(type_: Any, wanted: Any) -> bool:
    """Tell whether an image type matches a filter; `linux` also matches `linux.ubuntu`."""
    return wanted is None or type_ == wanted or str(type_).startswith(f"{wanted}.")


def _zone_choices(_spec: FieldSpec, cloud: Mapping[str, Any]) -> list[Choice]:
    names = [zone["name"] for zone in cloud.get("zones", ()) if zone.get("available", True)]
    return _by_text([(name, name) for name in names]) or [("", "No availability zones available")]


def _network_choices(spec: FieldSpec, cloud: Mapping[str, Any]) -> list[Choice]:
    pattern = spec.literal("filter")
    choices: list[Choice] = [
        ([network["id"], network.get("subnet")], str(network["name"]))
        for network in cloud.get("networks", ())
        if pattern is None or _matches_filter(str(pattern), str(network["name"]))
    ]
    return [([None, None], "Auto"), *choices] if spec.literal("allowAuto", default=True) else choices


def _matches_filter(pattern: str, name: str) -> bool:
    try:
        return matches_start(compile_pattern(pattern), name)
    except (PatternError, PatternRefusedError) as error:
        raise InputError(f"the filter {pattern!r} of a field cannot be used: {error}") from None


def _volume_choices(spec: FieldSpec, cloud: Mapping[str, Any]) -> list[Choice]:
    sections = [
        section
        for key, section in (("includeVolumes", "volumes"), ("includeSnapshots", "snapshots"))
        if spec.literal(key, default=True)
    ]
    choices = _by_text(
        [(item["id"], item["name"]) for section in sections for item in cloud.get(section, ())]
    )
    return [("", "Select volume" if choices else "No volumes available"), *choices]


def _dns_zones(_spec: FieldSpec, cloud: Mapping[str, Any]) -> list[Choice]:
    choices = _by_text([(zone, zone) for zone in cloud.get("dnsZones", ())])
    return [("", "No DNS zone" if choices else "No DNS zones available"), *choices]


_OFFERS: Final = {
    "flavor": _flavor_choices,
    "keypair": _keypair_choices,
    "securitygroup": _security_groups,
    "image": _image_choices,
    "azone": _zone_choices,
    "network": _network_choices,
    "volume": _volume_choices,
    "zone": _dns_zones,
}
