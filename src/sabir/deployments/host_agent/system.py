"""Services: who runs them (systemd, runit) is told to, and waited for.

What kinds that belong to a machine as a whole share: they run the programs of the system, and compare field by field.

What belongs to a machine as a whole: packages, users, groups. Each tells by itself whether it is as it should be.
"""

from __future__ import annotations

import grp
import os
import pwd
import re
import shutil
import subprocess
import time
from collections.abc import Callable

from sabir.deployments.host_agent.root import Fields, HostAgentError, HostRoot


def run_program(*words: str, timeout: float = 1800.0) -> subprocess.CompletedProcess[str]:
    variables = dict(os.environ, DEBIAN_FRONTEND="noninteractive", LC_ALL="C")
    try:
        return subprocess.run(
            words,
            capture_output=True,
            text=True,
            env=variables,
            stdin=subprocess.DEVNULL,
            timeout=timeout,
            check=False,
        )
    except FileNotFoundError:
        raise HostAgentError(f"there is no program {words[0]!r} on this machine") from None
    except subprocess.TimeoutExpired:
        raise HostAgentError(f"{words[0]} took longer than {timeout:g} seconds") from None


def run_checked(*words: str) -> None:
    done = run_program(*words)
    if done.returncode:
        last = process_output(done)
        raise HostAgentError(f"{' '.join(words[:2])}: {last}", passing="lock" in last.lower())


def process_output(done: subprocess.CompletedProcess[str]) -> str:
    lines = (done.stderr or done.stdout).strip().splitlines()
    return lines[-1] if lines else f"status {done.returncode}"


class SystemResource:
    """Kinds that are compared field by field."""

    def read(self, fields: Fields, place: HostRoot) -> Fields:
        raise NotImplementedError

    def observe(self, task: Fields, place: HostRoot) -> Fields:
        seen = self.read(task["fields"], place)
        if task["action"] == "delete":
            return {"sighting": "not done" if seen["exists"] else "done"}
        return {"sighting": "done" if self.fits(task["fields"], seen) else "not done"}

    def fits(self, fields: Fields, seen: Fields) -> bool:
        return bool(seen["exists"]) and all(
            seen["fields"].get(name) == value for name, value in fields.items() if value is not None
        )

    def create_resource(self, fields: Fields, place: HostRoot, *words: str) -> Fields:
        """Made by a program of the system. One that somebody who is gone had begun may end just before: then it is there."""
        try:
            run_checked(*words, "--", fields["name"])
        except HostAgentError:
            if not self.fits(fields, self.read(fields, place)):
                raise
        return {"changed": True}

    def require_system_root(self, place: HostRoot) -> None:
        if place.root != "/":
            raise HostAgentError("it belongs to the machine as a whole, and this target is a folder of it")


_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]*[a-z0-9+.](:[a-z0-9]+)?")
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+:~-]*")
_APT = ("-y", "-q", "-o", "DPkg::Lock::Timeout=120", "-o", "Dpkg::Use-Pty=0")
"""Answers yes, and waits while somebody else installs."""


class Package(SystemResource):
    """A Debian package; `version` pins it."""

    def read(self, fields: Fields, place: HostRoot) -> Fields:
        self.require_system_root(place)
        if not _PACKAGE.fullmatch(fields["name"]) or not _VERSION.fullmatch(fields.get("version") or "0"):
            # apt takes other words for files, patterns, options, and `name-` for the wish to remove it.
            raise HostAgentError(
                f"{fields['name']!r} {fields.get('version') or ''} is no name and version of a package"
            )
        done = run_program("dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", "--", fields["name"])
        status, _, version = done.stdout.partition(" ")
        if done.returncode or status != "installed":
            return {"exists": False, "fields": {}}
        return {"exists": True, "fields": {"name": fields["name"], "version": version}}

    def apply(self, task: Fields, place: HostRoot) -> Fields:
        fields = task["fields"]
        if self.fits(fields, self.read(fields, place)):
            return {"changed": False}
        version = fields.get("version")
        name = f"{fields['name']}={version}" if version else fields["name"]
        run_checked("apt-get", "install", *_APT, "--allow-downgrades", "--no-install-recommends", "--", name)
        return {"changed": True, "fields": self.read(fields, place)["fields"]}

    def delete(self, task: Fields, place: HostRoot) -> Fields:
        return _remove_resource(self, task, place, "apt-get", "remove", *_APT)


class User(SystemResource):
    def read(self, fields: Fields, place: HostRoot) -> Fields:
        self.require_system_root(place)
        try:
            entry = pwd.getpwnam(fields["name"])
        except KeyError:
            return {"exists": False, "fields": {}}
        groups = sorted(group.gr_name for group in grp.getgrall() if fields["name"] in group.gr_mem)
        seen = {
            "name": entry.pw_name,
            "uid": entry.pw_uid,
            "group": _group_of(entry.pw_gid),
            "home": entry.pw_dir,
            "shell": entry.pw_shell,
            "comment": entry.pw_gecos,
            "groups": groups,
        }
        return {"exists": True, "fields": seen}

    def fits(self, fields: Fields, seen: Fields) -> bool:
        told = {name: value for name, value in fields.items() if name not in ("system", "create_home")}
        if told.get("groups") is not None:
            told = dict(told, groups=sorted(told["groups"]))
        return super().fits(told, seen)

    def apply(self, task: Fields, place: HostRoot) -> Fields:
        fields = task["fields"]
        seen = self.read(fields, place)
        if self.fits(fields, seen):
            return {"changed": False}
        words = ["usermod" if seen["exists"] else "useradd"]
        for name, option in (
            ("uid", "-u"),
            ("group", "-g"),
            ("home", "-d"),
            ("shell", "-s"),
            ("comment", "-c"),
        ):
            if fields.get(name) is not None:
                words += [option, str(fields[name])]
        if fields.get("groups") is not None:
            words += ["-G", ",".join(fields["groups"])]
        if not seen["exists"]:
            words += ["-r"] if fields.get("system") else []
            words += ["-m"] if fields.get("create_home") else ["-M"]
        return self.create_resource(fields, place, *words)

    def delete(self, task: Fields, place: HostRoot) -> Fields:
        """The home stays: what is in it is not ours."""
        return _remove_resource(self, task, place, "userdel")


class Group(SystemResource):
    def read(self, fields: Fields, place: HostRoot) -> Fields:
        self.require_system_root(place)
        try:
            entry = grp.getgrnam(fields["name"])
        except KeyError:
            return {"exists": False, "fields": {}}
        return {"exists": True, "fields": {"name": entry.gr_name, "gid": entry.gr_gid}}

    def fits(self, fields: Fields, seen: Fields) -> bool:
        return super().fits({name: value for name, value in fields.items() if name != "system"}, seen)

    def apply(self, task: Fields, place: HostRoot) -> Fields:
        fields = task["fields"]
        seen = self.read(fields, place)
        if self.fits(fields, seen):
            return {"changed": False}
        words: list[str] = ["groupmod" if seen["exists"] else "groupadd"]
        if fields.get("gid") is not None:
            words += ["-g", str(fields["gid"])]
        if fields.get("system") and not seen["exists"]:
            words.append("-r")
        return self.create_resource(fields, place, *words)

    def delete(self, task: Fields, place: HostRoot) -> Fields:
        return _remove_resource(self, task, place, "groupdel")


def _remove_resource(hand: Package | User | Group, task: Fields, place: HostRoot, *words: str) -> Fields:
    """Taken away with a program of the system, when it is there."""
    if not hand.read(task["fields"], place)["exists"]:
        return {"changed": False}
    run_checked(*words, "--", task["fields"]["name"])
    return {"changed": True}


def _group_of(number: int) -> str | None:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


class SystemService(SystemResource):
    """A service of systemd or runit: running or stopped, started with the machine or not."""

    def read(self, fields: Fields, place: HostRoot) -> Fields:
        self.require_system_root(place)
        manager = _find_manager(fields)
        return manager.read(fields)

    def apply(self, task: Fields, place: HostRoot) -> Fields:
        fields = task["fields"]
        seen = self.read(fields, place)
        if not seen["exists"]:
            raise HostAgentError(f"there is no service {fields['name']!r} on this machine")
        if self.fits(fields, seen) and task["action"] != "run":
            return {"changed": False}
        _find_manager(fields).change(fields, seen["fields"], restart=task["action"] == "run")
        return {"changed": True}

    def delete(self, task: Fields, place: HostRoot) -> Fields:
        """The service itself belongs to its package: it is stopped and no longer started."""
        seen = self.read(task["fields"], place)
        if not seen["exists"]:
            return {"changed": False}
        fields = dict(task["fields"], state="stopped", enabled=False)
        if self.fits(fields, seen):
            return {"changed": False}
        _find_manager(fields).change(fields, seen["fields"], restart=False)
        return {"changed": True}

    def observe(self, task: Fields, place: HostRoot) -> Fields:
        if task["action"] != "delete":
            return super().observe(task, place)
        seen = self.read(task["fields"], place)
        stopped = not seen["exists"] or seen["fields"].get("state") == "stopped"
        return {"sighting": "done" if stopped else "not done"}

    def call(self, task: Fields, place: HostRoot, operation: str) -> Fields:
        self.require_system_root(place)
        _find_manager(task["fields"]).call(task["fields"], operation)
        return {"changed": True}

    def fits(self, fields: Fields, seen: Fields) -> bool:
        told = {name: fields[name] for name in ("state", "enabled") if fields.get(name) is not None}
        return super().fits(told, seen)


class _Systemd:
    def read(self, fields: Fields) -> Fields:
        name = fields["name"]
        shown = run_program("systemctl", "show", "-p", "LoadState,ActiveState,UnitFileState", "--", name)
        if shown.returncode:
            raise HostAgentError(f"systemd does not answer: {process_output(shown)}")
        told = dict(line.split("=", 1) for line in shown.stdout.splitlines() if "=" in line)
        if told.get("LoadState") in (None, "not-found"):
            return {"exists": False, "fields": {}}
        state = "running" if told.get("ActiveState") in ("active", "activating", "reloading") else "stopped"
        enabled = told.get("UnitFileState", "").startswith(("enabled", "static"))
        return {"exists": True, "fields": {"name": name, "state": state, "enabled": enabled}}

    def change(self, fields: Fields, seen: Fields, *, restart: bool) -> None:
        name, enabled, state = fields["name"], fields.get("enabled"), fields.get("state")
        if enabled is not None and enabled != seen["enabled"]:
            run_checked("systemctl", "enable" if enabled else "disable", "--", name)
        if restart and state != "stopped":
            run_checked("systemctl", "restart", "--", name)
        elif state is not None and state != seen["state"]:
            run_checked("systemctl", "start" if state == "running" else "stop", "--", name)

    def call(self, fields: Fields, operation: str) -> None:
        run_checked("systemctl", operation, "--", fields["name"])


class _Runit:
    def read(self, fields: Fields) -> Fields:
        described = self._service_directory(fields)
        link = self._link(fields)
        if not os.path.isdir(described) and not os.path.isdir(link):
            return {"exists": False, "fields": {}}
        running = os.path.isdir(link) and run_program("sv", "status", link).stdout.startswith("run:")
        seen = {
            "name": fields["name"],
            "state": "running" if running else "stopped",
            "enabled": os.path.isdir(link),
        }
        return {"exists": True, "fields": seen}

    def change(self, fields: Fields, seen: Fields, *, restart: bool) -> None:
        link, enabled, state = self._link(fields), fields.get("enabled"), fields.get("state")
        if enabled is False and seen["enabled"]:
            self._disable(link)
        elif enabled and not seen["enabled"]:
            os.symlink(self._service_directory(fields), link)
            self._await_supervisor(link)
        if not os.path.isdir(link):
            if state == "running":
                raise HostAgentError(f"runit runs only what is enabled, and {fields['name']!r} is not")
        elif restart and state != "stopped":
            run_checked("sv", "restart", link)
        elif state is not None:
            run_checked("sv", "up" if state == "running" else "down", link)
            self._await_state(link, state)

    def call(self, fields: Fields, operation: str) -> None:
        run_checked("sv", operation, self._link(fields))

    def _disable(self, link: str) -> None:
        """End it with its supervisor, which would otherwise stay until runsvdir looks again."""
        described = os.path.realpath(link)
        os.unlink(link)
        if _is_supervised(described):
            run_checked("sv", "shutdown", described)

    def _await_supervisor(self, link: str) -> None:
        """runsvdir looks for new services every five seconds."""
        if not _wait_until(lambda: _is_supervised(link)):
            raise HostAgentError(f"nobody supervises {link}: is runsvdir running?", passing=True)

    def _await_state(self, link: str, state: str) -> None:
        word = "run:" if state == "running" else "down:"
        if not _wait_until(lambda: run_program("sv", "status", link).stdout.startswith(word)):
            raise HostAgentError(
                f"it does not come to be {state}: {process_output(run_program('sv', 'status', link))}"
            )

    def _service_directory(self, fields: Fields) -> str:
        return os.path.join(fields.get("available") or "/etc/sv", fields["name"])

    def _link(self, fields: Fields) -> str:
        return os.path.join(fields.get("directory") or "/etc/service", fields["name"])


def _is_supervised(service: str) -> bool:
    """Files of an earlier supervisor may lie there still; only an answer counts."""
    return run_program("sv", "status", service).stdout.startswith(("run:", "down:", "finish:"))


def _wait_until(condition: Callable[[], bool], seconds: float = 12.0) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def _find_manager(fields: Fields) -> _Systemd | _Runit:
    manager = fields.get("manager")
    if manager is None:
        manager = (
            "systemd" if os.path.isdir("/run/systemd/system") else "runit" if shutil.which("sv") else None
        )
    if manager is None:
        raise HostAgentError("neither systemd nor runit is at work on this machine")
    return _Systemd() if manager == "systemd" else _Runit()
