"""Keystone and the metadata definitions of Glance in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["Directory"]


class Directory:
    def __init__(self, keystone: Mapping[str, Any] | None, glance: Mapping[str, Any] | None) -> None:
        self._users: Mapping[str, Any] | None = None if keystone is None else keystone.get("users") or {}
        self._projects: Mapping[str, Any] | None = (
            None if keystone is None else keystone.get("projects") or {}
        )
        self._namespaces: Mapping[str, Any] = (glance or {}).get("namespaces") or {}
        self._properties: Mapping[str, Any] = (glance or {}).get("properties") or {}

    def user(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return _entry(self._users, arguments["id"])

    def project(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return _entry(self._projects, arguments["id"])

    def namespaces(self, arguments: Mapping[str, Any]) -> list[dict[str, Any]]:
        wanted = arguments["resourceType"]
        return [{"namespace": name} for name, types in self._namespaces.items() if wanted in types]

    def objects(self, arguments: Mapping[str, Any]) -> list[dict[str, Any]]:
        names = self._properties.get(arguments["namespace"]) or ()
        return [{"name": name, "properties": {name: {}}} for name in names]


def _entry(entries: Mapping[str, Any] | None, id_: str) -> dict[str, Any]:
    if entries is None:
        return {"id": id_, "name": id_, "domain_id": "default"}
    return dict(entries[id_])
