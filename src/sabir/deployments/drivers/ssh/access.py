"""From the settings of a target to a connection. The key of a host is always checked; nothing is accepted silently.

A machine that is reached through a command of this one: a container, or namespaces, without ssh.

`podman exec -i web`, `docker exec -i web`, `nsenter -a -t 4711`, `lxc-attach -n web --`: each starts a program inside with its input and
output here. What the hands began goes on inside when the command ends, as it does when a connection of ssh breaks.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Protocol

import asyncssh
from msgspec import Struct

from sabir.diagnostics.reasons import explain_error
from sabir.errors import DeployError, UnreachableError
from sabir.graph.values import Value, reveal_value
from sabir.resources.driver import DriverContext
from sabir.resources.target import Target

_PIECE: Final = 1 << 16


class CommandTransport:
    """Stands where a connection of ssh would: it starts a program there and closes again."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._started: _TransportProcess | None = None

    async def create_process(self, command: str, /, *, encoding: None) -> _TransportProcess:  # noqa: ARG002  # bytes, as with ssh
        process = await asyncio.create_subprocess_exec(
            *self._words, "/bin/sh", "-c", command, stdin=PIPE, stdout=PIPE, stderr=PIPE
        )
        self._started = _TransportProcess(process)
        return self._started

    def close(self) -> None:
        self.abort()

    def abort(self) -> None:
        if self._started is not None:
            self._started.kill()

    async def wait_closed(self) -> None:
        if self._started is not None:
            await self._started.drain()
            await self._started.wait_closed()


class _TransportProcess:
    """A process with the names that processes of ssh have."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self.stdin: Any = process.stdin
        self.stdout: Any = process.stdout
        self.stderr: Any = process.stderr

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()

    async def drain(self) -> None:
        """Read what nobody wants any more: a process counts as ended only when its output has been read to the end."""
        for stream in (self.stdout, self.stderr):
            while await stream.read(_PIECE):
                pass

    async def wait_closed(self) -> None:
        await self._process.wait()


_CONNECT_SECONDS: Final = 20.0
_KEEPALIVE_SECONDS: Final = 15.0
_ALL_HOSTS: Final = Path("/etc/ssh/ssh_known_hosts")


class Access(Struct, frozen=True, kw_only=True, eq=False):
    """How a host is reached. It holds secrets: it is never shown."""

    target: str
    host: str
    known_hosts: tuple[Path, ...]
    root: str
    port: int | None = None
    user: str | None = None
    key: Path | None = None
    passphrase: str | None = None
    password: str | None = None
    python: str = "python3"
    sudo: bool = False
    through: tuple[str, ...] = ()
    """A command of this machine that starts programs there, in place of ssh."""
    connect_seconds: float = _CONNECT_SECONDS
    keepalive_seconds: float = _KEEPALIVE_SECONDS

    def problem(self, words: str) -> DeployError:
        return DeployError(self.sentence(words))

    def sentence(self, words: str) -> str:
        port = "" if self.port is None else f":{self.port}"
        return f"target {self.target!r} ({self.host}{port}): {words}"

    @property
    def credentials(self) -> str:
        if self.key is not None:
            return f"the key {str(self.key)!r}"
        return "the password" if self.password is not None else "the keys of the agent and of ~/.ssh"


def access_to(target: Target, context: DriverContext) -> Access:
    settings: dict[str, Any] = {name: reveal_value(value) for name, value in target.settings.items()}
    access = Access(
        target=target.name,
        known_hosts=_find_known_hosts(settings.pop("known_hosts", None), context),
        through=tuple(map(str, settings.pop("through", None) or ())),
        key=_resolve_file(settings.pop("key", None), context),
        **{name: value for name, value in settings.items() if value is not None},
    )
    if access.through and not context.session.trust.scripts:
        raise access.problem(
            f"it is reached by running {access.through[0]!r} here: allow it with --trust scripts"
        )
    if access.host.startswith("-") or not access.host.strip():
        raise access.problem("this is no name of a host")
    if access.port is not None and not 0 < access.port < 1 << 16:
        raise access.problem("this is no number of a port")
    if min(access.connect_seconds, access.keepalive_seconds) <= 0:
        raise access.problem("connect_seconds and keepalive_seconds must be more than 0")
    for file in (access.key, *(access.known_hosts if target.settings.get("known_hosts") else ())):
        if file is not None and not os.access(file, os.R_OK):
            raise access.problem(f"there is no file {str(file)!r} that can be read")
    return access


def _resolve_file(name: Value, context: DriverContext) -> Path | None:
    return None if name is None else context.folder / Path(str(name)).expanduser()


def _find_known_hosts(name: Value, context: DriverContext) -> tuple[Path, ...]:
    named = _resolve_file(name, context)
    if named is not None:
        return (named,)
    usual = (Path("~/.ssh/known_hosts").expanduser(), _ALL_HOSTS)
    return tuple(file for file in usual if os.access(file, os.R_OK))


class _Client(asyncssh.SSHClient):
    """Remembers the key of a host that is not known, to name it. It accepts none."""

    def __init__(self, access: Access) -> None:
        self.access = access
        self.refusal: str | None = None

    def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
        trusted = asyncssh.match_known_hosts(_host_key_files(self.access), host, addr, port)[0]
        shown = f"{key.get_algorithm()} {key.get_fingerprint()}"
        where = str(self.access.known_hosts[0]) if self.access.known_hosts else "~/.ssh/known_hosts"
        if trusted:
            self.refusal = (
                f"it shows another key ({shown}) than the one in {where}: either it was installed anew, or somebody stands in "
                "between. Ask who runs it; if it is right, take the old line out of that file and add the new key"
            )
        else:
            self.refusal = (
                f"its key is not known: {shown}. Compare that with the host itself (ssh-keygen -lf "
                f"/etc/ssh/ssh_host_*_key.pub); if it is the same: ssh-keyscan -p {port} {host} >> {where}"
            )
        return False


def _host_key_files(access: Access) -> Any:
    return [str(file) for file in access.known_hosts] or b""


class HostTransport(Protocol):
    """What programs are started over: a connection of ssh, or a command of this machine."""

    def create_process(self, command: str, /, *, encoding: None) -> Awaitable[Any]: ...

    def abort(self) -> None: ...

    def close(self) -> None: ...

    async def wait_closed(self) -> None: ...


async def connect(access: Access) -> HostTransport:
    """A way to the host, or the sentence that says why there is none."""
    if not access.through:
        return await _connect_ssh(access)
    if shutil.which(access.through[0]) is None:
        raise access.problem(
            f"it is reached through {access.through[0]!r}, and there is no such program here"
        )
    return CommandTransport(access.through)


async def _connect_ssh(access: Access) -> asyncssh.SSHClientConnection:
    client = _Client(access)
    try:
        return (await asyncssh.create_connection(lambda: client, access.host, **_ssh_options(access)))[0]
    except asyncssh.HostKeyNotVerifiable as error:
        raise access.problem(client.refusal or error.reason) from error
    except asyncssh.PermissionDenied as error:
        user = "the user of this machine" if access.user is None else repr(access.user)
        raise access.problem(f"it does not let {user} in with {access.credentials}") from error
    except (asyncssh.KeyImportError, asyncssh.KeyEncryptionError) as error:
        raise access.problem(f"{access.credentials} cannot be used: {explain_error(error)}") from error
    except socket.gaierror as error:
        raise access.problem(f"there is no such host: {error.strerror}") from error
    except TimeoutError as error:
        words = f"no answer within {access.connect_seconds:g} seconds"
        raise UnreachableError(access.sentence(words)) from error
    except (asyncssh.ConnectionLost, OSError) as error:
        number = getattr(error, "errno", None)
        words = str(error) if number is None else os.strerror(number)
        raise UnreachableError(access.sentence(f"it cannot be reached: {words}")) from error
    except (asyncssh.Error, ValueError) as error:
        raise access.problem(f"no connection: {explain_error(error)}") from error


def _ssh_options(access: Access) -> dict[str, Any]:
    options: dict[str, Any] = {
        "known_hosts": _host_key_files(access),
        "connect_timeout": access.connect_seconds,
        "login_timeout": access.connect_seconds,
        "keepalive_interval": access.keepalive_seconds,
        "keepalive_count_max": 3,
        "port": access.port,
        "username": access.user,
        "client_keys": None if access.key is None else [str(access.key)],
        "passphrase": access.passphrase,
        "password": access.password,
    }
    return {name: value for name, value in options.items() if value is not None}
