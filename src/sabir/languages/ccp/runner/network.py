"""Addresses of network interfaces."""

from __future__ import annotations

import fcntl
import socket
import struct

from sabir.languages.ccp.runner.variables import Pod

__all__ = ["interface_address"]

_SIOCGIFADDR = 0x8915


def interface_address(interface: str, pod: Pod, pod_address: str | None) -> str:
    """The address of an interface. A pod with a network of its own has one address, however its interface is called;
    an interface that is not there has that of the pod, and the loopback address when that is not known either."""
    if pod_address is not None and not pod.host_network:
        return pod_address
    return _asked(interface) or pod_address or "127.0.0.1"


def _asked(interface: str) -> str | None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            packed = fcntl.ioctl(probe.fileno(), _SIOCGIFADDR, struct.pack("256s", interface.encode()[:15]))
        except OSError:
            return None
    return socket.inet_ntoa(packed[20:24])
