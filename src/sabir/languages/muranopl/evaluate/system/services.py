"""Clients of cloud services: `User`, `Project`, `MistralClient`, `MetadefBrowser`, `NetworkExplorer`."""

from __future__ import annotations

import json
import math
import zlib
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any, Final
from uuid import UUID

from sabir.expressions.yaql import Variables
from sabir.languages.muranopl.evaluate.system.registry import SystemClass, pause_run, perform_effect
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.errors import NativeError
from sabir.languages.muranopl.model.objects import MuranoObject
from sabir.languages.muranopl.worlds.effects import EffectKind

EXPLORER: Final = SystemClass("io.murano.system.NetworkExplorer")
_NO_GATEWAY: Final = "murano.common.exceptions.RouterInfoException"
_TRIES: Final = 6  # attempts for a router without a gateway: half a minute
_PAUSE: Final = 5.0


def region_name(this: MuranoObject) -> str | None:
    """Return the region of a client: the one that it names, else the one that contains it."""
    name: str | None = this.properties.get("regionName")
    if name is not None:
        return name
    region = this.nearest_owner(this.cls.runtime.core_class("io.murano.CloudRegion"))
    return None if region is None else region.properties.get("name")


def _list_resources(this: MuranoObject, resource: str, **filters: Any) -> list[Any]:
    items: list[Any] = perform_effect(
        this.cls.runtime,
        EffectKind.NETWORK_LIST,
        region=region_name(this) or "",
        resource=resource,
        filters=filters,
    )
    return items


@EXPLORER.method("listNetworks")
def list_networks(this: MuranoObject, _variables: Variables) -> list[Any]:
    """Return all networks of the region."""
    return _list_resources(this, "networks")


@EXPLORER.method("listSubnetworks")
def list_subnetworks(this: MuranoObject, _variables: Variables) -> list[Any]:
    """Return all subnets of the region."""
    return _list_resources(this, "subnets")


@EXPLORER.method("listPorts")
def list_ports(this: MuranoObject, _variables: Variables) -> list[Any]:
    """Return all ports of the region."""
    return _list_resources(this, "ports")


@EXPLORER.method("listNeutronExtensions")
def list_extensions(this: MuranoObject, _variables: Variables) -> list[Any]:
    """Return the extensions of the network service."""
    return _list_resources(this, "extensions")


@EXPLORER.method("getDefaultRouter")
def default_router(this: MuranoObject, _variables: Variables) -> str:
    """Return the id of the configured router; create it if it is missing and the settings allow that."""
    settings = this.cls.runtime.settings
    name = settings.get("networking", "router_name")
    for attempt in range(_TRIES):
        routers = _list_resources(this, "routers", tenant_id=settings.project, name=name)
        if not routers:
            return _create_router(this, name)
        if routers[0].get("external_gateway_info") is not None:
            id_: str = routers[0]["id"]
            return id_
        if attempt < _TRIES - 1:
            pause_run(this.cls.runtime, _PAUSE)
    raise NativeError(_NO_GATEWAY, f"Please set external gateway for the router {name} ")


def _create_router(this: MuranoObject, name: str) -> str:
    runtime = this.cls.runtime
    if not runtime.settings.get("networking", "create_router"):
        raise NativeError("KeyError", f"'Router {name} was not found'")
    external = runtime.settings.get("networking", "external_network")
    key = "id" if _is_uuid(external) else "name"
    networks = [net for net in _list_resources(this, "networks", **{key: external}) if net["router:external"]]
    if not networks:
        raise NativeError("KeyError", f"'Router {name} could not be created, no external network found'")
    wanted = {
        "name": name,
        "external_gateway_info": {"network_id": networks[0]["id"]},
        "admin_state_up": True,
    }
    router = perform_effect(runtime, EffectKind.ROUTER_CREATE, region=region_name(this) or "", router=wanted)
    id_: str = router["id"]
    return id_


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


@EXPLORER.method("getAvailableCidr")
def available_cidr(
    this: MuranoObject, _variables: Variables, router: Any, network: Any, ip_version: Any
) -> str | None:
    """Return an address range that no network on the router uses; null if all are used.

    Each network starts its search at a different offset, so that concurrent requests rarely collide.
    """
    taken = _find_used_networks(this, router)
    ranges = _environment_ranges(this)
    start = zlib.crc32(str(network).encode())
    for offset in range(len(ranges)):
        candidate: IPv4Network | IPv6Network = ranges[(start + offset) % len(ranges)]
        if ip_version == 6:
            candidate = _map_to_ipv6(ranges[(start + offset) % len(ranges)])
        if not any(candidate.version == net.version and candidate.overlaps(net) for net in taken):
            return str(candidate)
    return None


def _map_to_ipv6(net: IPv4Network) -> IPv6Network:
    """Return the range among the IPv6 addresses that represent IPv4 addresses."""
    return IPv6Network((int(net.network_address) | 0xFFFF << 32, net.prefixlen + 96))


def _environment_ranges(this: MuranoObject) -> list[IPv4Network]:
    settings = this.cls.runtime.settings
    for_environments = _bit_count(settings.get("networking", "max_environments"))
    for_hosts = _bit_count(settings.get("networking", "max_hosts"))
    width = 32 - for_hosts - for_environments
    net = IPv4Network(f"{settings.get('networking', 'env_ip_template')}/{width}", strict=False)
    return list(net.subnets(new_prefix=32 - for_hosts))


def _bit_count(count: int) -> int:
    return math.ceil(math.log2(max(int(count), 1)))


def _find_used_networks(this: MuranoObject, router: Any) -> list[IPv4Network | IPv6Network]:
    if not router:
        return []
    ports = _list_resources(this, "ports", device_id=router)
    ids = {address.get("subnet_id") for port in ports for address in port.get("fixed_ips") or ()}
    return [
        ip_network(net["cidr"], strict=False) for net in _list_resources(this, "subnets") if net["id"] in ids
    ]


@EXPLORER.method("getDefaultDns")
def default_dns(this: MuranoObject, _variables: Variables, ip_version: Any) -> list[str]:
    """Return the configured DNS servers of an IP version, 4 by default."""
    servers = this.cls.runtime.settings.get("networking", "default_dns")
    return [server for server in servers if _address_version(server) == (ip_version or 4)]


def _address_version(address: str) -> int | None:
    try:
        return ip_address(address).version
    except ValueError:
        return None


@EXPLORER.method("getExternalNetworkIdForRouter")
def external_network_of_router(this: MuranoObject, _variables: Variables, router: Any) -> str | None:
    """Return the id of the external network of a router; null if it has no gateway."""
    return _find_gateway(this, router)


@EXPLORER.method("getExternalNetworkIdForNetwork")
def external_network_of_network(this: MuranoObject, _variables: Variables, network: Any) -> str | None:
    """Return the network itself if it is external, else the external network that a router connects it to."""
    networks = _list_resources(this, "networks", id=network)
    if networks and networks[0].get("router:external"):
        id_: str = network
        return id_
    ports = _list_resources(this, "ports", device_owner="network:router_interface", network_id=network)
    return next((gateway for port in ports if (gateway := _find_gateway(this, port.get("device_id")))), None)


def _find_gateway(this: MuranoObject, router: Any) -> str | None:
    routers = _list_resources(this, "routers", id=router)
    gateway = routers[0].get("external_gateway_info") if routers else None
    return gateway.get("network_id") if gateway else None


USER: Final = SystemClass("io.murano.User")
PROJECT: Final = SystemClass("io.murano.Project")
MISTRAL: Final = SystemClass("io.murano.system.MistralClient")
METADEFS: Final = SystemClass("io.murano.system.MetadefBrowser")
_MISTRAL_FAILED: Final = "murano.engine.system.workflowclient.MistralError"
_POLL: Final = 2.0  # seconds between two checks of a workflow
_PATIENCE: Final = 600
_INTERNAL: Final = ("openstack", "__execution", "task")  # entries of the output that Mistral adds


# -- people -----------------------------------------------------------------------------------------------------------


def _current_user(this: MuranoClass, _variables: Variables) -> MuranoObject:
    runtime = this.runtime
    fields = perform_effect(runtime, EffectKind.USER, id=runtime.settings.user)
    return _build_identity(this, fields, "email", ("links", "enabled", "default_project_id"))


def _current_project(this: MuranoClass, _variables: Variables) -> MuranoObject:
    runtime = this.runtime
    fields = perform_effect(runtime, EffectKind.PROJECT, id=runtime.settings.project)
    return _build_identity(this, fields, "description", ("links", "enabled", "parent_id"))


def _build_identity(
    cls: MuranoClass, fields: dict[str, Any], text: str, dropped: tuple[str, ...]
) -> MuranoObject:
    rest = {name: value for name, value in fields.items() if name not in dropped}
    properties = {
        "id": rest.pop("id"),
        "name": rest.pop("name"),
        "domain": rest.pop("domain_id", "Default"),
        text: rest.pop(text, None),
        "extra": rest,
    }
    return cls.runtime.loader.instantiate({cls: properties}, None, cls)


# The environment belongs to the user who runs it.
for _name in ("getCurrent", "getEnvironmentOwner"):
    USER.methods[_name] = _current_user
    PROJECT.methods[_name] = _current_project


# -- workflows --------------------------------------------------------------------------------------------------------


@MISTRAL.method("upload")
def upload_workflow(this: MuranoObject, _variables: Variables, definition: str) -> None:
    """Upload the definition of a workflow to Mistral."""
    perform_effect(
        this.cls.runtime, EffectKind.WORKFLOW_UPLOAD, region=_workflow_region(this), definition=definition
    )


@MISTRAL.method("run")
def run_workflow(
    this: MuranoObject, _variables: Variables, name: str, timeout: Any, inputs: Any, params: Any
) -> Any:
    """Return the output of a workflow when it has ended; with a timeout of 0 the id of the execution at once."""
    runtime = this.cls.runtime
    execution = perform_effect(
        runtime,
        EffectKind.WORKFLOW_RUN,
        region=_workflow_region(this),
        name=name,
        input=inputs,
        params=params,
    )
    if timeout == 0:
        return execution["id"]
    seconds = _PATIENCE if timeout is None else timeout
    while execution["state"] not in ("ERROR", "SUCCESS"):
        if seconds <= 0:
            raise NativeError(_MISTRAL_FAILED, f"Mistral run timed out. Execution id: {execution['id']}.")
        pause_run(runtime, _POLL)
        seconds -= _POLL
        execution = perform_effect(
            runtime, EffectKind.WORKFLOW_READ, region=_workflow_region(this), id=execution["id"]
        )
    if execution["state"] == "ERROR":
        raise NativeError(
            _MISTRAL_FAILED,
            f"Mistral execution completed with ERROR. Execution id: {execution['id']}. "
            f"Output: {execution['output']}",
        )
    output = json.loads(execution["output"])
    return {key: value for key, value in output.items() if key not in _INTERNAL}


def _workflow_region(this: MuranoObject) -> str:
    name = this.properties.get("regionName")
    if name is None:
        environment = this.nearest_owner(this.cls.runtime.core_class("io.murano.Environment"))
        name = None if environment is None else environment.properties.get("region")
    return name or ""


# -- metadata definitions ---------------------------------------------------------------------------------------------


@METADEFS.method("getNamespaces")
def list_namespaces(this: MuranoObject, _variables: Variables, resource_type: str) -> Any:
    """Return the metadata namespaces for a resource type."""
    return _ask_once(this, EffectKind.NAMESPACES, resourceType=resource_type)


@METADEFS.method("getObjects")
def list_namespace_objects(this: MuranoObject, _variables: Variables, namespace: str) -> Any:
    """Return the objects of a metadata namespace."""
    return _ask_once(this, EffectKind.NAMESPACE_OBJECTS, namespace=namespace)


def _ask_once(this: MuranoObject, kind: EffectKind, **arguments: Any) -> Any:
    """Perform each query once and remember the result, unless the object was created without caching."""
    if this.native is None:
        this.native = {}
    key = (kind, *arguments.values())
    if key not in this.native or not this.properties.get("cache", True):
        this.native[key] = perform_effect(this.cls.runtime, kind, region=region_name(this) or "", **arguments)
    return this.native[key]
