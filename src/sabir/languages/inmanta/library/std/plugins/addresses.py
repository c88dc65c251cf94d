"""Network addresses, dates and encodings: tests for typedefs, and small computations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sabir.diagnostics.reasons import explain_error
from sabir.languages.inmanta.evaluate.plugins.api import PluginException
from sabir.languages.inmanta.library.std.plugins.registry import plugin

__all__: list[str] = []


def _load_ipaddress() -> Any:
    import ipaddress  # only for models that compute with addresses

    return ipaddress


def _is_accepted(parse: Callable[[str], object], value: str) -> bool:
    try:
        parse(value)
    except ValueError:
        return False
    return True


def _parse_interface(value: str) -> Any:
    try:
        return _load_ipaddress().ip_interface(value)
    except ValueError as error:
        raise PluginException(explain_error(error)) from None


def _parse_network(value: str) -> Any:
    try:
        return _load_ipaddress().ip_network(value, strict=False)
    except ValueError as error:
        raise PluginException(explain_error(error)) from None


@plugin
def is_ipv4_address(value: str) -> bool:
    """Return whether a string is an IPv4 address."""
    return _is_accepted(_load_ipaddress().IPv4Address, value)


@plugin
def is_ipv6_address(value: str) -> bool:
    """Return whether a string is an IPv6 address."""
    return _is_accepted(_load_ipaddress().IPv6Address, value)


@plugin
def is_ipv4_network(value: str) -> bool:
    """Return whether a string is an IPv4 network without host bits."""
    return _is_accepted(_load_ipaddress().IPv4Network, value)


@plugin
def is_ipv6_network(value: str) -> bool:
    """Return whether a string is an IPv6 network without host bits."""
    return _is_accepted(_load_ipaddress().IPv6Network, value)


@plugin
def is_ipv4_interface(value: str) -> bool:
    return "/" in value and _is_accepted(_load_ipaddress().IPv4Interface, value)


@plugin
def is_ipv6_interface(value: str) -> bool:
    return "/" in value and _is_accepted(_load_ipaddress().IPv6Interface, value)


@plugin
def is_valid_ip(addr: str) -> bool:
    """Return whether a string is an IPv4 address in dotted form."""
    return _is_accepted(_load_ipaddress().IPv4Address, addr)


@plugin
def is_date(value: str) -> bool:
    from datetime import date

    return _is_accepted(date.fromisoformat, value)


@plugin
def is_datetime(value: str) -> bool:
    from datetime import datetime

    return _is_accepted(datetime.fromisoformat, value)


@plugin
def is_time(value: str) -> bool:
    from datetime import time

    return _is_accepted(time.fromisoformat, value)


@plugin
def is_base64_encoded(s: str) -> bool:
    import base64

    return _is_accepted(lambda text: base64.b64decode(text, validate=True), s)


@plugin
def ipnet(addr: str, what: str) -> Any:
    """Return a part of `address/prefix`: `ip`, `prefixlen`, `netmask` or `network`."""
    interface = _parse_interface(addr)
    if what == "ip":
        return str(interface.ip)
    if what == "prefixlen":
        return interface.network.prefixlen
    if what == "netmask":
        return str(interface.netmask)
    if what == "network":
        return str(interface.network.network_address)
    raise PluginException(f"{what!r} is no part of a network; there are ip, prefixlen, netmask and network")


@plugin
def ipindex(addr: str, position: int, keep_prefix: bool = False) -> str:  # noqa: FBT001, FBT002
    """Return the address at a position of a network."""
    network = _parse_network(addr)
    if not -network.num_addresses <= position < network.num_addresses:
        raise PluginException(f"{addr} has no address at position {position}")
    address = str(network[position])
    return f"{address}/{network.prefixlen}" if keep_prefix else address


@plugin
def add_to_ip(addr: str, n: int) -> str:
    """Return the address `n` after another."""
    try:
        return str(_load_ipaddress().ip_address(addr) + n)
    except ValueError as error:
        raise PluginException(explain_error(error)) from None


@plugin
def ip_address_from_interface(ip_interface: str) -> str:
    return str(_parse_interface(ip_interface).ip)


@plugin
def prefixlen(addr: str) -> int:
    return int(_parse_interface(addr).network.prefixlen)


@plugin
def prefixlength_to_netmask(prefixlen: int) -> str:
    if not 0 <= prefixlen <= 32:
        raise PluginException(f"{prefixlen} is no length of a prefix: it is between 0 and 32")
    return str(_load_ipaddress().IPv4Network(f"0.0.0.0/{prefixlen}").netmask)


@plugin
def netmask(addr: str) -> str:
    return str(_parse_interface(addr).netmask)


@plugin
def network_address(addr: str) -> str:
    return str(_parse_interface(addr).network.network_address)


@plugin
def cidr_to_network(cidr: str) -> str:
    """Return the address of a network without its prefix length."""
    return str(_parse_network(cidr).network_address)
