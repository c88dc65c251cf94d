"""Runs commands through the shell, as a user, in a process group that receives all signals.

Commands of OpenStack clients get credentials in their environment: 89 real command lines rely on that.
"""

from __future__ import annotations

import logging
import os
import pwd
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .etcd import authority_file
from .network import address_function

LOG = logging.getLogger("ccp-runner")
FORWARDED = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
_TICK = 0.1


class CommandFailed(Exception):
    """Raised if a command exited with another code than 0, or could not be started."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


class StopRequest(Exception):
    """Raised if the container was told to stop."""

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by signal {number}")
        self.number = number


class Identity(NamedTuple):
    name: str
    uid: int
    gid: int
    home: str


def identity_of(user: str) -> Identity:
    """Return a user of the container, by name or number."""
    try:
        record = pwd.getpwuid(int(user)) if user.isdigit() else pwd.getpwnam(user)
    except KeyError:
        if user.isdigit():
            return Identity(user, int(user), int(user), "/")
        raise CommandFailed(f"there is no user {user!r} in this image", 1) from None
    return Identity(record.pw_name, record.pw_uid, record.pw_gid, record.pw_dir)


def exit_code(status: int) -> int:
    """Return the exit code as a shell reports it: 128 plus the number of a signal."""
    return 128 - status if status < 0 else status


class Supervisor:
    """Starts commands, forwards signals to them, and reaps orphaned processes."""

    def __init__(self, stop_grace: float = 20.0) -> None:
        self._running: subprocess.Popen[bytes] | None = None
        self._daemon: subprocess.Popen[bytes] | None = None
        self._stop_grace = stop_grace
        self._kill_at = 0.0
        self.stopping: int | None = None

    def listen(self) -> None:
        for number in FORWARDED:
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: Any) -> None:
        del frame
        LOG.info("got signal %d", number)
        if number != signal.SIGHUP and self.stopping is None:
            self.stopping = number
            self._kill_at = time.monotonic() + self._stop_grace
        for process in (self._running, self._daemon):
            if process is not None and process.poll() is None:
                _signal_group(process, number)

    def pause(self, seconds: float) -> None:
        """Sleep, unless the container is told to stop."""
        deadline = time.monotonic() + seconds
        while True:
            self.check()
            self.reap()
            left = deadline - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(left, _TICK))

    def check(self) -> None:
        """Raise if the container is told to stop, or its daemon has exited."""
        if self.stopping is not None:
            raise StopRequest(self.stopping)
        code = self._daemon.poll() if self._daemon is not None else None
        if code is not None:
            raise CommandFailed(f"the daemon ended with status {exit_code(code)}", exit_code(code) or 1)

    def run(
        self,
        command: str,
        user: str | None = None,
        *,
        timeout: float = 0,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Run a command to its end; raise `CommandFailed` unless it succeeds."""
        self.check()
        process = _start_process(command, user, environment or {})
        self._running = process
        self._pass_on(process)
        try:
            code = self._wait(process, time.monotonic() + timeout if timeout else None)
        finally:
            self._running = None
        self.check()
        if code is None:
            raise CommandFailed(f"{command!r} took more than {timeout:g} s", 124)
        if code != 0:
            raise CommandFailed(f"{command!r} ended with status {exit_code(code)}", exit_code(code))

    def _wait(self, process: subprocess.Popen[bytes], deadline: float | None) -> int | None:
        """Return the status of the process, or None after a timeout. A stop request starts a grace period."""
        while True:
            try:
                return process.wait(_TICK)
            except subprocess.TimeoutExpired:
                self.reap()
            if self.stopping is not None:
                if time.monotonic() > self._kill_at:
                    return _kill_group(process)
            elif deadline is not None and time.monotonic() > deadline:
                _kill_group(process)
                return None

    def start_daemon(
        self, command: str, user: str | None = None, environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        self.check()
        self._daemon = _start_process(command, user, environment or {})
        self._pass_on(self._daemon)
        return self._daemon

    def _pass_on(self, process: subprocess.Popen[bytes]) -> None:
        """Forward a signal that arrived while the process was being started."""
        if self.stopping is not None:
            _signal_group(process, self.stopping)

    def end_daemon(self) -> None:
        """Terminate a running daemon, and kill it after the grace period."""
        process = self._daemon
        if process is None or process.poll() is not None:
            return
        if self.stopping is None:  # else it has the signal already
            _signal_group(process, signal.SIGTERM)
            self._kill_at = time.monotonic() + self._stop_grace
        while time.monotonic() < self._kill_at:
            try:
                process.wait(_TICK)
            except subprocess.TimeoutExpired:
                self.reap()
            else:
                return
        LOG.warning("the daemon did not end within %g s; killing it", self._stop_grace)
        _kill_group(process)

    def reap(self) -> None:
        """Reap orphans, which the first process of a container inherits."""
        own = {process.pid for process in (self._running, self._daemon) if process is not None}
        while True:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if ended is None or ended.si_pid in own:
                    return
                os.waitpid(ended.si_pid, os.WNOHANG)
            except ChildProcessError:
                return


def _kill_group(process: subprocess.Popen[bytes]) -> int:
    _signal_group(process, signal.SIGKILL)
    return process.wait()


def _signal_group(process: subprocess.Popen[bytes], number: int) -> None:
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        LOG.debug("process group %d is gone already", process.pid)


def _start_process(command: str, user: str | None, extra: Mapping[str, str]) -> subprocess.Popen[bytes]:
    environment = {**os.environ, **extra}
    become: Callable[[], None] | None = None
    if user is not None:
        become = _switch_user(identity_of(user), environment)
    try:
        return subprocess.Popen(
            ["/bin/sh", "-c", command], env=environment, start_new_session=True, preexec_fn=become
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise CommandFailed(f"{command!r} cannot be started: {error}", 126) from error


def _switch_user(identity: Identity, environment: dict[str, str]) -> Callable[[], None] | None:
    environment.update({"HOME": identity.home, "USER": identity.name, "LOGNAME": identity.name})
    if os.geteuid() == identity.uid:
        return None
    if os.geteuid() != 0:
        raise CommandFailed(
            f"only root can run a command as {identity.name!r}; the image runs as {os.geteuid()}", 1
        )

    def become() -> None:
        if identity.name.isdigit():
            os.setgroups([])
        else:
            os.initgroups(identity.name, identity.gid)
        os.setgid(identity.gid)
        os.setuid(identity.uid)

    return become


CLIENTS = ("openstack", "cinder", "glance", "heat", "ironic", "murano", "neutron", "nova", "sahara", "swift")
"""Commands whose first word is one of these, unless `runner.credentials` of the configuration lists others."""


def client_environment(
    command: str, variables: Mapping[str, Any], mapping: Mapping[str, str]
) -> dict[str, str]:
    """Return the OS_… variables for a client command; nothing for others or without an account."""
    options = _as_mapping(variables.get("runner"))
    clients = options.get("credentials", CLIENTS)
    account = _as_mapping(variables.get("openstack"))
    keystone = _as_mapping(variables.get("keystone"))
    if not clients or _first_word(command) not in clients or "user_name" not in account:
        return {}
    address = address_function(variables, mapping)
    port = keystone.get("admin_port") or keystone.get("public_port")
    domain = str(account.get("domain_name") or "default")
    environment = {
        "OS_IDENTITY_API_VERSION": "3",
        "OS_INTERFACE": "internal",
        "OS_USERNAME": str(account["user_name"]),
        "OS_PASSWORD": str(account.get("user_password") or ""),
        "OS_PROJECT_NAME": str(account.get("project_name") or account["user_name"]),
        "OS_USER_DOMAIN_NAME": domain,
        "OS_PROJECT_DOMAIN_NAME": domain,
        "OS_AUTH_URL": address("keystone", port, with_scheme=True) + "/v3",
    }
    if _as_mapping(keystone.get("tls")).get("enabled"):
        environment["OS_CACERT"] = authority_file()
    return environment


def _first_word(command: str) -> str:
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        words = command.split()
    # Assignments before the command belong to it.
    return next((word for word in words if "=" not in word), "")


def _as_mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
