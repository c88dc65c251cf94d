"""Files, directories and links. Doing these twice is the same as doing them once."""

from __future__ import annotations

import grp
import hashlib
import os
import pwd
import shutil
import stat
from typing import Any

from sabir.deployments.hands.place import Fields, HandError, Place, write_file

__all__ = ["Directory", "File", "Symlink"]

_LARGEST = 1 << 20
"""Contents up to so many bytes are read back; of larger ones the digest."""


class _Entry:
    """What files and directories have in common: mode and owner."""

    def attributes(self, path: str, fields: Fields) -> Fields:
        status = os.lstat(path)
        seen: Fields = {"mode": f"{stat.S_IMODE(status.st_mode):04o}"}
        if fields.get("owner") is not None:
            seen["owner"] = _user_name(status.st_uid)
        if fields.get("group") is not None:
            seen["group"] = _group_name(status.st_gid)
        return seen

    def set_attributes(self, path: str, fields: Fields) -> None:
        try:
            if fields.get("owner") is not None:
                shutil.chown(path, user=fields["owner"])
            if fields.get("group") is not None:
                shutil.chown(path, group=fields["group"])
            if fields.get("mode") is not None:
                os.chmod(path, mode_of(fields))
        except (OSError, LookupError) as error:
            raise HandError(f"{path}: {getattr(error, 'strerror', None) or error}") from error

    def observe(self, task: Fields, place: Place) -> Fields:
        seen = self.read(task["fields"], place)
        if task["action"] == "delete":
            return {"sighting": "not done" if seen["exists"] else "done"}
        same = seen["exists"] and all(
            seen["fields"].get(name) == value
            for name, value in self.comparable(task["fields"]).items()
            if value is not None
        )
        return {"sighting": "done" if same else "not done"}

    def read(self, fields: Fields, place: Place) -> Fields:
        raise NotImplementedError

    def comparable(self, fields: Fields) -> Fields:
        """The fields as a read gives them."""
        if fields.get("mode") is None:
            return fields
        return dict(fields, mode=f"{mode_of(fields):04o}")


def mode_of(fields: Fields) -> int:
    mode = fields["mode"]
    try:
        return stat.S_IMODE(int(str(mode), 8))
    except ValueError:
        raise HandError(f"mode {mode!r} is no number in base 8, like 0644") from None


def _user_name(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def _group_name(number: int) -> str:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


class File(_Entry):
    def read(self, fields: Fields, place: Place) -> Fields:
        path = place.path(fields["path"])
        try:
            status = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return {"exists": False, "fields": {}}
        if not stat.S_ISREG(status.st_mode):
            return {"exists": True, "fields": {"path": fields["path"], "content": None, "is": _kind(status)}}
        seen = self.attributes(path, fields)
        try:
            seen.update(
                path=fields["path"], content=self._content(path, status.st_size, fields.get("content"))
            )
        except OSError as error:
            raise HandError(f"{path} cannot be read: {error.strerror}") from error
        return {"exists": True, "fields": seen}

    def _content(self, path: str, size: int, wanted: Any) -> Any:
        with open(path, "rb") as file:
            if size > _LARGEST:
                digest = hashlib.sha256()
                for piece in iter(lambda: file.read(_LARGEST), b""):
                    digest.update(piece)
                return {"sha256": digest.hexdigest()}
            data = file.read()
        if isinstance(wanted, bytes):
            return data
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return data

    def comparable(self, fields: Fields) -> Fields:
        fields = super().comparable(fields)
        data = _data(fields)
        if len(data) > _LARGEST:
            return dict(fields, content={"sha256": hashlib.sha256(data).hexdigest()})
        return dict(fields, content=fields.get("content") or "")

    def apply(self, task: Fields, place: Place) -> Fields:
        fields = task["fields"]
        path = place.path(fields["path"])
        seen = self.read(fields, place)
        if seen["exists"]:
            there = seen["fields"]
            if there.get("is") is not None:
                raise HandError(f"{path} is {there['is']}, no file: take it away first")
            wanted = self.comparable(fields)
            if all(there.get(name) == value for name, value in wanted.items() if value is not None):
                return {"changed": False}
        place.make_parent(path)
        write_file(
            path, _data(fields), mode_of(fields) if fields.get("mode") is not None else _old_mode(path)
        )
        if fields.get("owner") is not None or fields.get("group") is not None:
            self.set_attributes(path, fields)
        recorded = task.get("recorded") or {}
        if recorded.get("path") not in (None, fields["path"]):
            _unlink(place.path(recorded["path"]))
        return {"changed": True}

    def delete(self, task: Fields, place: Place) -> Fields:
        return {"changed": _unlink(place.path(task["fields"]["path"]))}


def _data(fields: Fields) -> bytes:
    content = fields.get("content")
    if content is None:
        return b""
    return content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape")


def _old_mode(path: str) -> int:
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except OSError:
        return 0o644


def _kind(status: os.stat_result) -> str:
    if stat.S_ISDIR(status.st_mode):
        return "a directory"
    return "a link" if stat.S_ISLNK(status.st_mode) else "something special"


def _unlink(path: str) -> bool:
    try:
        os.unlink(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise HandError(f"{path} cannot be deleted: {error.strerror}") from error
    return True


class Directory(_Entry):
    def read(self, fields: Fields, place: Place) -> Fields:
        path = place.path(fields["path"])
        if not os.path.lexists(path):
            return {"exists": False, "fields": {}}
        if os.path.islink(path) or not os.path.isdir(path):
            return {
                "exists": True,
                "fields": {"path": fields["path"], "mode": None, "is": _kind(os.lstat(path))},
            }
        return {"exists": True, "fields": dict(self.attributes(path, fields), path=fields["path"])}

    def apply(self, task: Fields, place: Place) -> Fields:
        fields = task["fields"]
        path = place.path(fields["path"])
        seen = self.read(fields, place)
        if seen["fields"].get("is") is not None:
            raise HandError(f"{path} is {seen['fields']['is']}, no directory: take it away first")
        wanted = self.comparable(fields)
        if seen["exists"] and all(
            seen["fields"].get(name) == value
            for name, value in wanted.items()
            if value is not None and name in ("mode", "owner", "group")
        ):
            return {"changed": False}
        try:
            os.makedirs(path, exist_ok=True)
        except OSError as error:
            raise HandError(f"the directory {path} cannot be made: {error.strerror}") from error
        self.set_attributes(path, fields)
        return {"changed": True}

    def comparable(self, fields: Fields) -> Fields:
        return {name: value for name, value in super().comparable(fields).items() if name != "force"}

    def delete(self, task: Fields, place: Place) -> Fields:
        """Gone when it is empty, or whatever is in it when that was asked for."""
        path = place.path(task["fields"]["path"])
        if not os.path.lexists(path):
            return {"changed": False}
        try:
            if task["fields"].get("force"):
                shutil.rmtree(path)
            else:
                os.rmdir(path)
        except OSError as error:
            if error.errno == 39:
                raise HandError(f"{path} is not empty: empty it, or say force: true") from error
            raise HandError(f"{path} cannot be deleted: {error.strerror}") from error
        return {"changed": True}


class Symlink(_Entry):
    def read(self, fields: Fields, place: Place) -> Fields:
        path = place.path(fields["path"])
        if not os.path.lexists(path):
            return {"exists": False, "fields": {}}
        target: str | None = os.readlink(path) if os.path.islink(path) else None
        return {"exists": True, "fields": {"path": fields["path"], "to": target}}

    def apply(self, task: Fields, place: Place) -> Fields:
        fields = task["fields"]
        path = place.path(fields["path"])
        seen = self.read(fields, place)
        if seen["exists"] and seen["fields"]["to"] is None:
            raise HandError(f"{path} is there and no link: take it away first")
        if seen["exists"] and seen["fields"]["to"] == fields["to"]:
            return {"changed": False}
        place.make_parent(path)
        temporary = f"{path}.sabir-{os.urandom(4).hex()}"
        try:
            os.symlink(fields["to"], temporary)
            os.replace(temporary, path)
        except OSError as error:
            raise HandError(f"the link {path} cannot be made: {error.strerror}") from error
        return {"changed": True}

    def delete(self, task: Fields, place: Place) -> Fields:
        path = place.path(task["fields"]["path"])
        if os.path.lexists(path) and not os.path.islink(path):
            return {"changed": False}
        return {"changed": _unlink(path)}
