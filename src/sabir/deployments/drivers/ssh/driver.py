"""The driver of other machines."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Final

from sabir.deployments.drivers.machine import MachineConnection, MachineDriver
from sabir.extras import require_extra
from sabir.resources.driver import Connection, DriverContext
from sabir.resources.fields import Field, FieldType
from sabir.resources.target import Target


class SshDriver(MachineDriver):
    """The kinds of this machine, on another."""

    name: Final = "ssh"

    def settings(self) -> Mapping[str, Field]:
        return {
            "host": Field(about="its name or address", required=True),
            "root": Field(
                about="the folder on it that everything is kept below; / for the whole machine", required=True
            ),
            "port": Field(about="default 22", type=FieldType.INTEGER),
            "user": Field(about="who logs in; default: the user of this machine"),
            "key": Field(about="the file of a private key; else the agent and the keys of ~/.ssh"),
            "passphrase": Field(about="of that key", sensitive=True),
            "password": Field(about="of the user, where keys are not enough", sensitive=True),
            "known_hosts": Field(about="the file with the keys of hosts; default ~/.ssh/known_hosts"),
            "python": Field(about="an interpreter on it, 3.9 or newer; default python3"),
            "sudo": Field(about="become root by sudo, which must ask for no password", type=FieldType.FLAG),
            "through": Field(
                about="a command of this machine that starts programs there, in place of ssh: [podman, exec, -i, web]",
                type=FieldType.LIST,
            ),
            "connect_seconds": Field(about="how long connecting may take; default 20", type=FieldType.NUMBER),
            "keepalive_seconds": Field(
                about="how often to make sure that it is still there; default 15", type=FieldType.NUMBER
            ),
        }

    @asynccontextmanager
    async def connect(self, target: Target, context: DriverContext) -> AsyncGenerator[Connection]:
        with require_extra("ssh", f"target {target.name!r}"):
            from sabir.deployments.drivers.ssh.access import access_to
            from sabir.deployments.drivers.ssh.hosts import Host
        # Two targets of an environment may be the same host; each has its turn.
        turn = hashlib.sha256(f"{context.environment}\0{target.name}".encode()).hexdigest()[:32]
        host = Host(access_to(target, context), turn)
        try:
            await host.line()
            yield MachineConnection(host)
        finally:
            await host.close()


DRIVER: Final = SshDriver()
