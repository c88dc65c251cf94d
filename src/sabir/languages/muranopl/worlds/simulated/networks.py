"""Neutron in memory: lists that are filtered, and a router that can be made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["Networks"]

_INVENTED: Final[Mapping[str, Any]] = {
    "routers": [
        {
            "id": "simulated-router",
            "name": "murano-default-router",
            "external_gateway_info": {"network_id": "simulated-external"},
        }
    ],
    "networks": [
        {"id": "simulated-external", "name": "ext-net", "router:external": True, "tenant_id": "admin"},
        {"id": "simulated-network", "name": "simulated", "router:external": False, "tenant_id": "project"},
    ],
    "subnets": [
        {
            "id": "simulated-subnet",
            "name": "simulated",
            "network_id": "simulated-network",
            "cidr": "192.168.0.0/24",
            "dns_nameservers": [],
            "gateway_ip": "192.168.0.1",
        }
    ],
    "ports": [],
    "extensions": ["security-group", "router"],
}


class Networks:
    def __init__(self, description: Mapping[str, Any] | None) -> None:
        self._lists: dict[str, list[Any]] = {
            name: list(items) for name, items in (description or _INVENTED).items() if items
        }
        self._is_invented = description is None

    def list(self, arguments: Mapping[str, Any]) -> list[Any]:
        resource, filters = arguments["resource"], dict(arguments.get("filters") or {})
        items = self._lists.get(resource, [])
        if resource == "extensions":
            return [{"alias": item} for item in items]
        # A router of the description belongs to the project that runs, unless it says otherwise.
        chosen = [
            item for item in items if all(item.get(name, value) == value for name, value in filters.items())
        ]
        if not chosen and self._is_invented:
            return [{**items[0], **filters}] if items else []
        return chosen

    def create_router(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        router = {**arguments["router"], "id": "created-router"}
        self._lists.setdefault("routers", []).append(router)
        return router
