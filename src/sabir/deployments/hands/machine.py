"""What belongs to a machine as a whole: packages, services, users, groups. Each tells by itself whether it is as it should be."""

from __future__ import annotations

import grp
import os
import pwd
import shutil
import subprocess

from sabir.deployments.hands.place import Fields, HandError, Place

__all__ = ["Group", "Package", "Service", "User"]


def _run(*words: str, timeout: float = 1800.0) -> subprocess.CompletedProcess[str]:
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
        raise HandError(f"there is no program {words[0]!r} on this machine") from None
    except subprocess.TimeoutExpired:
        raise HandError(f"{words[0]} took longer than {timeout:g} seconds") from None


def _must(*words: str) -> None:
    done = _run(*words)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        last = said[-1] if said else f"status {done.returncode}"
        raise HandError(f"{' '.join(words[:2])}: {last}", passing="lock" in last.lower())


class _Whole:
    """Kinds that are compared field by field."""

    def read(self, fields: Fields, place: Place) -> Fields:
        raise NotImplementedError

    def observe(self, task: Fields, place: Place) -> Fields:
        seen = self.read(task["fields"], place)
        if task["action"] == "delete":
            return {"sighting": "not done" if seen["exists"] else "done"}
        return {"sighting": "done" if self.fits(task["fields"], seen) else "not done"}

    def fits(self, fields: Fields, seen: Fields) -> bool:
        return bool(seen["exists"]) and all(
            seen["fields"].get(name) == value for name, value in fields.items() if value is not None
        )

    def needs_whole(self, place: Place) -> None:
        if place.root != "/":
            raise HandError("it belongs to the machine as a whole, and this target is a folder of it")


class Package(_Whole):
    """A Debian package; `version` pins it."""

    def read(self, fields: Fields, place: Place) -> Fields:
        self.needs_whole(place)
        done = _run("dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", fields["name"])
        status, _, version = done.stdout.partition(" ")
        if done.returncode or status != "installed":
            return {"exists": False, "fields": {}}
        return {"exists": True, "fields": {"name": fields["name"], "version": version}}

    def apply(self, task: Fields, place: Place) -> Fields:
        fields = task["fields"]
        if self.fits(fields, self.read(fields, place)):
            return {"changed": False}
        version = fields.get("version")
        name = f"{fields['name']}={version}" if version else fields["name"]
        _must("apt-get", "install", "-y", "-q", "--allow-downgrades", "--no-install-recommends", name)
        return {"changed": True, "fields": self.read(fields, place)["fields"]}

    def delete(self, task: Fields, place: Place) -> Fields:
        if not self.read(task["fields"], place)["exists"]:
            return {"changed": False}
        _must("apt-get", "remove", "-y", "-q", task["fields"]["name"])
        return {"changed": True}


class Service(_Whole):
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
        shown = _run("systemctl", "show", "-p", "LoadState,ActiveState,UnitFileState", "--", name).stdout
        told = dict(line.split("=", 1) for line in shown.splitlines() if "=" in line)
        if told.get("LoadState") in (None, "not-found"):
            return {"exists": False, "fields": {}}
        state = "running" if told.get("ActiveState") in ("active", "activating", "reloading") else "stopped"
        enabled = told.get("UnitFileState", "").startswith(("enabled", "static"))
        return {"exists": True, "fields": {"name": name, "state": state, "enabled": enabled}}

    def change(self, fields: Fields, seen: Fields, *, restart: bool) -> None:
        name, enabled, state = fields["name"], fields.get("enabled"), fields.get("state")
        if enabled is not None and enabled != seen["enabled"]:
            _must("systemctl", "enable" if enabled else "disable", "--", name)
        if restart and state != "stopped":
            _must("systemctl", "restart", "--", name)
        elif state is not None and state != seen["state"]:
            _must("systemctl", "start" if state == "running" else "stop", "--", name)

    def call(self, fields: Fields, operation: str) -> None:
        _must("systemctl", operation, "--", fields["name"])


class _Runit:
    def read(self, fields: Fields) -> Fields:
        described = os.path.join(fields.get("available") or "/etc/sv", fields["name"])
        link = self._link(fields)
        if not os.path.isdir(described) and not os.path.isdir(link):
            return {"exists": False, "fields": {}}
        running = os.path.isdir(link) and _run("sv", "status", link).stdout.startswith("run:")
        seen = {
            "name": fields["name"],
            "state": "running" if running else "stopped",
            "enabled": os.path.isdir(link),
        }
        return {"exists": True, "fields": seen}

    def change(self, fields: Fields, seen: Fields, *, restart: bool) -> None:
        link, enabled, state = self._link(fields), fields.get("enabled"), fields.get("state")
        if enabled and not seen["enabled"]:
            os.symlink(os.path.join(fields.get("available") or "/etc/sv", fields["name"]), link)
            self._await_supervisor(link)
        if restart and state != "stopped":
            _must("sv", "restart", link)
        elif state is not None and os.path.isdir(link):
            _must("sv", "up" if state == "running" else "down", link)
        if enabled is False and seen["enabled"]:
            os.unlink(link)

    def call(self, fields: Fields, operation: str) -> None:
        _must("sv", operation, self._link(fields))

    def _await_supervisor(self, link: str) -> None:
        """runsvdir looks for new services every five seconds."""
        import time

        end = time.monotonic() + 12.0
        while not os.path.exists(os.path.join(link, "supervise", "ok")):
            if time.monotonic() > end:
                raise HandError(f"nobody supervises {link}: is runsvdir running?", passing=True)
            time.sleep(0.1)

    def _link(self, fields: Fields) -> str:
        return os.path.join(fields.get("directory") or "/etc/service", fields["name"])


def _manager(fields: Fields) -> _Systemd | _Runit:
    manager = fields.get("manager")
    if manager is None:
        manager = (
            "systemd" if os.path.isdir("/run/systemd/system") else "runit" if shutil.which("sv") else None
        )
    if manager is None:
        raise HandError("neither systemd nor runit is at work on this machine")
    return _Systemd() if manager == "systemd" else _Runit()


class User(_Whole):
    def read(self, fields: Fields, place: Place) -> Fields:
        self.needs_whole(place)
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

    def apply(self, task: Fields, place: Place) -> Fields:
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
        _must(*words, "--", fields["name"])
        return {"changed": True}

    def delete(self, task: Fields, place: Place) -> Fields:
        """The home stays: what is in it is not ours."""
        if not self.read(task["fields"], place)["exists"]:
            return {"changed": False}
        _must("userdel", "--", task["fields"]["name"])
        return {"changed": True}


class Group(_Whole):
    def read(self, fields: Fields, place: Place) -> Fields:
        self.needs_whole(place)
        try:
            entry = grp.getgrnam(fields["name"])
        except KeyError:
            return {"exists": False, "fields": {}}
        return {"exists": True, "fields": {"name": entry.gr_name, "gid": entry.gr_gid}}

    def fits(self, fields: Fields, seen: Fields) -> bool:
        return super().fits({name: value for name, value in fields.items() if name != "system"}, seen)

    def apply(self, task: Fields, place: Place) -> Fields:
        fields = task["fields"]
        seen = self.read(fields, place)
        if self.fits(fields, seen):
            return {"changed": False}
        words: list[str] = ["groupmod" if seen["exists"] else "groupadd"]
        if fields.get("gid") is not None:
            words += ["-g", str(fields["gid"])]
        if fields.get("system") and not seen["exists"]:
            words.append("-r")
        _must(*words, "--", fields["name"])
        return {"changed": True}

    def delete(self, task: Fields, place: Place) -> Fields:
        if not self.read(task["fields"], place)["exists"]:
            return {"changed": False}
        _must("groupdel", "--", task["fields"]["name"])
        return {"changed": True}


def _group_of(number: int) -> str | None:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)
