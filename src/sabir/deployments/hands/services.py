"""Services: who runs them (systemd, runit) is told to, and waited for."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable

from sabir.deployments.hands.place import Fields, HandError, Place
from sabir.deployments.hands.whole import Whole, must, run, said

__all__ = ["Service"]


class Service(Whole):
    """A service of systemd or runit: running or stopped, started with the machine or not."""

    def read(self, fields: Fields, place: Place) -> Fields:
        self.needs_whole(place)
        manager = _manager(fields)
        return manager.read(fields)

    def apply(self, task: Fields, place: Place) -> Fields:
        fields = task["fields"]
        seen = self.read(fields, place)
        if not seen["exists"]:
            raise HandError(f"there is no service {fields['name']!r} on this machine")
        if self.fits(fields, seen) and task["action"] != "run":
            return {"changed": False}
        _manager(fields).change(fields, seen["fields"], restart=task["action"] == "run")
        return {"changed": True}

    def delete(self, task: Fields, place: Place) -> Fields:
        """The service itself belongs to its package: it is stopped and no longer started."""
        seen = self.read(task["fields"], place)
        if not seen["exists"]:
            return {"changed": False}
        fields = dict(task["fields"], state="stopped", enabled=False)
        if self.fits(fields, seen):
            return {"changed": False}
        _manager(fields).change(fields, seen["fields"], restart=False)
        return {"changed": True}

    def observe(self, task: Fields, place: Place) -> Fields:
        if task["action"] != "delete":
            return super().observe(task, place)
        seen = self.read(task["fields"], place)
        stopped = not seen["exists"] or seen["fields"].get("state") == "stopped"
        return {"sighting": "done" if stopped else "not done"}

    def call(self, task: Fields, place: Place, operation: str) -> Fields:
        self.needs_whole(place)
        _manager(task["fields"]).call(task["fields"], operation)
        return {"changed": True}

    def fits(self, fields: Fields, seen: Fields) -> bool:
        told = {name: fields[name] for name in ("state", "enabled") if fields.get(name) is not None}
        return super().fits(told, seen)


class _Systemd:
    def read(self, fields: Fields) -> Fields:
        name = fields["name"]
        shown = run("systemctl", "show", "-p", "LoadState,ActiveState,UnitFileState", "--", name)
        if shown.returncode:
            raise HandError(f"systemd does not answer: {said(shown)}")
        told = dict(line.split("=", 1) for line in shown.stdout.splitlines() if "=" in line)
        if told.get("LoadState") in (None, "not-found"):
            return {"exists": False, "fields": {}}
        state = "running" if told.get("ActiveState") in ("active", "activating", "reloading") else "stopped"
        enabled = told.get("UnitFileState", "").startswith(("enabled", "static"))
        return {"exists": True, "fields": {"name": name, "state": state, "enabled": enabled}}

    def change(self, fields: Fields, seen: Fields, *, restart: bool) -> None:
        name, enabled, state = fields["name"], fields.get("enabled"), fields.get("state")
        if enabled is not None and enabled != seen["enabled"]:
            must("systemctl", "enable" if enabled else "disable", "--", name)
        if restart and state != "stopped":
            must("systemctl", "restart", "--", name)
        elif state is not None and state != seen["state"]:
            must("systemctl", "start" if state == "running" else "stop", "--", name)

    def call(self, fields: Fields, operation: str) -> None:
        must("systemctl", operation, "--", fields["name"])


class _Runit:
    def read(self, fields: Fields) -> Fields:
        described = self._described(fields)
        link = self._link(fields)
        if not os.path.isdir(described) and not os.path.isdir(link):
            return {"exists": False, "fields": {}}
        running = os.path.isdir(link) and run("sv", "status", link).stdout.startswith("run:")
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
            os.symlink(self._described(fields), link)
            self._await_supervisor(link)
        if not os.path.isdir(link):
            if state == "running":
                raise HandError(f"runit runs only what is enabled, and {fields['name']!r} is not")
        elif restart and state != "stopped":
            must("sv", "restart", link)
        elif state is not None:
            must("sv", "up" if state == "running" else "down", link)
            self._await_state(link, state)

    def call(self, fields: Fields, operation: str) -> None:
        must("sv", operation, self._link(fields))

    def _disable(self, link: str) -> None:
        """End it with its supervisor, which would otherwise stay until runsvdir looks again."""
        described = os.path.realpath(link)
        os.unlink(link)
        if _is_supervised(described):
            must("sv", "shutdown", described)

    def _await_supervisor(self, link: str) -> None:
        """runsvdir looks for new services every five seconds."""
        if not _waited(lambda: _is_supervised(link)):
            raise HandError(f"nobody supervises {link}: is runsvdir running?", passing=True)

    def _await_state(self, link: str, state: str) -> None:
        word = "run:" if state == "running" else "down:"
        if not _waited(lambda: run("sv", "status", link).stdout.startswith(word)):
            raise HandError(f"it does not come to be {state}: {said(run('sv', 'status', link))}")

    def _described(self, fields: Fields) -> str:
        return os.path.join(fields.get("available") or "/etc/sv", fields["name"])

    def _link(self, fields: Fields) -> str:
        return os.path.join(fields.get("directory") or "/etc/service", fields["name"])


def _is_supervised(service: str) -> bool:
    """Files of an earlier supervisor may lie there still; only an answer counts."""
    return run("sv", "status", service).stdout.startswith(("run:", "down:", "finish:"))


def _waited(condition: Callable[[], bool], seconds: float = 12.0) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def _manager(fields: Fields) -> _Systemd | _Runit:
    manager = fields.get("manager")
    if manager is None:
        manager = (
            "systemd" if os.path.isdir("/run/systemd/system") else "runit" if shutil.which("sv") else None
        )
    if manager is None:
        raise HandError("neither systemd nor runit is at work on this machine")
    return _Systemd() if manager == "systemd" else _Runit()
