"""What belongs to a machine as a whole: packages, users, groups. Each tells by itself whether it is as it should be."""

from __future__ import annotations

import grp
import pwd
import re

from sabir.deployments.hands.place import Fields, HandError, Place
from sabir.deployments.hands.whole import Whole, must, run

__all__ = ["Group", "Package", "User"]

_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]*[a-z0-9+.](:[a-z0-9]+)?")
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+:~-]*")
_APT = ("-y", "-q", "-o", "DPkg::Lock::Timeout=120", "-o", "Dpkg::Use-Pty=0")
"""Answers yes, and waits while somebody else installs."""


class Package(Whole):
    """A Debian package; `version` pins it."""

    def read(self, fields: Fields, place: Place) -> Fields:
        self.needs_whole(place)
        if not _PACKAGE.fullmatch(fields["name"]) or not _VERSION.fullmatch(fields.get("version") or "0"):
            # apt takes other words for files, patterns, options, and `name-` for the wish to remove it.
            raise HandError(
                f"{fields['name']!r} {fields.get('version') or ''} is no name and version of a package"
            )
        done = run("dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", "--", fields["name"])
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
        must("apt-get", "install", *_APT, "--allow-downgrades", "--no-install-recommends", "--", name)
        return {"changed": True, "fields": self.read(fields, place)["fields"]}

    def delete(self, task: Fields, place: Place) -> Fields:
        return _removed(self, task, place, "apt-get", "remove", *_APT)


class User(Whole):
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
        return self.brought(fields, place, *words)

    def delete(self, task: Fields, place: Place) -> Fields:
        """The home stays: what is in it is not ours."""
        return _removed(self, task, place, "userdel")


class Group(Whole):
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
        return self.brought(fields, place, *words)

    def delete(self, task: Fields, place: Place) -> Fields:
        return _removed(self, task, place, "groupdel")


def _removed(hand: Package | User | Group, task: Fields, place: Place, *words: str) -> Fields:
    """Taken away with a program of the system, when it is there."""
    if not hand.read(task["fields"], place)["exists"]:
        return {"changed": False}
    must(*words, "--", task["fields"]["name"])
    return {"changed": True}


def _group_of(number: int) -> str | None:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)
