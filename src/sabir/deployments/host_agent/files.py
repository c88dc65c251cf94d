"""Files, directories and links. Doing these twice is the same as doing them once."""

from __future__ import annotations

import contextlib
import grp
import hashlib
import os
import pwd
import shutil
import stat
from collections.abc import Generator
from typing import Any

from sabir.deployments.host_agent.root import Fields, HostAgentError, HostRoot, write_file

__all__ = ["Directory", "File", "Symlink", "remove_tree"]

_ITSELF = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_LARGEST = 1 << 20
"""Contents up to so many bytes are read back; of larger ones the digest."""


class _Entry:
    """What files and directories have in common: mode and owner."""

    def attributes(self, status: os.stat_result, fields: Fields) -> Fields:
        seen: Fields = {"mode": f"{stat.S_IMODE(status.st_mode):04o}"}
        if fields.get("owner") is not None:
            seen["owner"] = _user_name(status.st_uid)
        if fields.get("group") is not None:
            seen["group"] = _group_name(status.st_gid)
        return seen

    def set_attributes(self, path: str, fields: Fields, folder: int) -> None:
        """Of the file or directory itself: it is opened, and not through a link."""
        try:
            handle = os.open(os.path.basename(path), _ITSELF, dir_fd=folder)
            try:
                if fields.get("owner") is not None:
                    shutil.chown(handle, user=fields["owner"])
                if fields.get("group") is not None:
                    shutil.chown(handle, group=fields["group"])
                if fields.get("mode") is not None:
                    os.fchmod(handle, mode_of(fields))
            finally:
                os.close(handle)
        except (OSError, LookupError) as error:
            raise HostAgentError(f"{path}: {getattr(error, 'strerror', None) or error}") from error

    def observe(self, task: Fields, place: HostRoot) -> Fields:
        seen = self.read(task["fields"], place)
        if task["action"] == "delete":
            return {"sighting": "not done" if seen["exists"] else "done"}
        same = seen["exists"] and all(
            seen["fields"].get(name) == value
            for name, value in self.comparable(task["fields"]).items()
            if value is not None
        )
        return {"sighting": "done" if same else "not done"}

    def read(self, fields: Fields, place: HostRoot) -> Fields:
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
        raise HostAgentError(f"mode {mode!r} is no number in base 8, like 0644") from None


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
    def read(self, fields: Fields, place: HostRoot) -> Fields:
        path = place.path(fields["path"])
        try:
            with place.folder_of(path) as folder:
                status = _read_status(path, folder)
                if status is None:
                    return {"exists": False, "fields": {}}
                if not stat.S_ISREG(status.st_mode):
                    seen = {"path": fields["path"], "content": None, "is": _describe_kind(status)}
                    return {"exists": True, "fields": seen}
                handle = os.open(os.path.basename(path), _ITSELF, dir_fd=folder)
                content = self._content(handle, fields.get("content"))
        except (FileNotFoundError, NotADirectoryError):
            return {"exists": False, "fields": {}}
        except OSError as error:
            raise HostAgentError(f"{path} cannot be read: {error.strerror}") from error
        seen = dict(self.attributes(status, fields), path=fields["path"], content=content)
        return {"exists": True, "fields": seen}

    def _content(self, handle: int, wanted: Any) -> Any:
        with os.fdopen(handle, "rb") as file:
            if os.fstat(handle).st_size > _LARGEST:
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
        data = _content_bytes(fields)
        if len(data) > _LARGEST:
            return dict(fields, content={"sha256": hashlib.sha256(data).hexdigest()})
        return dict(fields, content=fields.get("content") or "")

    def apply(self, task: Fields, place: HostRoot) -> Fields:
        fields = task["fields"]
        path = place.path(fields["path"])
        is_private = bool(task.get("private")) and fields.get("mode") is None
        seen = self.read(fields, place)
        if seen["exists"]:
            there = seen["fields"]
            if there.get("is") is not None:
                raise HostAgentError(f"{path} is {there['is']}, no file: take it away first")
            wanted = self.comparable(fields)
            is_open = is_private and int(there["mode"], 8) & 0o077
            if not is_open and all(
                there.get(name) == value for name, value in wanted.items() if value is not None
            ):
                return {"changed": False}
        with _open_parent(path, place, make=True) as folder:
            if is_private:
                mode = 0o600
            else:
                mode = mode_of(fields) if fields.get("mode") is not None else _old_mode(path, folder)
            write_file(path, _content_bytes(fields), mode, folder)
            if fields.get("owner") is not None or fields.get("group") is not None:
                self.set_attributes(path, fields, folder)
        recorded = task.get("recorded") or {}
        if recorded.get("path") not in (None, fields["path"]):
            _delete_entry(place.path(recorded["path"]), place)
        return {"changed": True}

    def delete(self, task: Fields, place: HostRoot) -> Fields:
        return {"changed": _delete_entry(place.path(task["fields"]["path"]), place)}


@contextlib.contextmanager
def _open_parent(path: str, place: HostRoot, make: bool = False) -> Generator[int]:  # noqa: FBT001, FBT002  plain on both ends
    """The folder of a path, or the sentence that it cannot be entered."""
    try:
        with place.folder_of(path, make) as folder:
            yield folder
    except OSError as error:
        raise HostAgentError(f"the folder of {path} cannot be used: {error.strerror}") from error


def _read_status(path: str, folder: int) -> os.stat_result | None:
    """Of what is there, a link itself; None when there is nothing."""
    try:
        return os.stat(os.path.basename(path), dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _content_bytes(fields: Fields) -> bytes:
    content = fields.get("content")
    if content is None:
        return b""
    return content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape")


def _old_mode(path: str, folder: int) -> int:
    status = _read_status(path, folder)
    return 0o644 if status is None else stat.S_IMODE(status.st_mode)


def _describe_kind(status: os.stat_result) -> str:
    if stat.S_ISDIR(status.st_mode):
        return "a directory"
    return "a link" if stat.S_ISLNK(status.st_mode) else "something special"


def _delete_entry(path: str, place: HostRoot) -> bool:
    try:
        with place.folder_of(path) as folder:
            os.unlink(os.path.basename(path), dir_fd=folder)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise HostAgentError(f"{path} cannot be deleted: {error.strerror}") from error
    return True


class Directory(_Entry):
    def read(self, fields: Fields, place: HostRoot) -> Fields:
        path = place.path(fields["path"])
        status = _find_status(path, place)
        if status is None:
            return {"exists": False, "fields": {}}
        if not stat.S_ISDIR(status.st_mode):
            return {
                "exists": True,
                "fields": {"path": fields["path"], "mode": None, "is": _describe_kind(status)},
            }
        return {"exists": True, "fields": dict(self.attributes(status, fields), path=fields["path"])}

    def apply(self, task: Fields, place: HostRoot) -> Fields:
        fields = task["fields"]
        path = place.path(fields["path"])
        seen = self.read(fields, place)
        if seen["fields"].get("is") is not None:
            raise HostAgentError(f"{path} is {seen['fields']['is']}, no directory: take it away first")
        wanted = self.comparable(fields)
        if seen["exists"] and all(
            seen["fields"].get(name) == value
            for name, value in wanted.items()
            if value is not None and name in ("mode", "owner", "group")
        ):
            return {"changed": False}
        with _open_parent(path, place, make=True) as folder:
            try:
                if not seen["exists"]:
                    os.mkdir(os.path.basename(path), dir_fd=folder)
            except FileExistsError:
                pass
            except OSError as error:
                raise HostAgentError(f"the directory {path} cannot be made: {error.strerror}") from error
            self.set_attributes(path, fields, folder)
        return {"changed": True}

    def comparable(self, fields: Fields) -> Fields:
        return {name: value for name, value in super().comparable(fields).items() if name != "force"}

    def delete(self, task: Fields, place: HostRoot) -> Fields:
        """Gone when it is empty, or whatever is in it when that was asked for."""
        path = place.path(task["fields"]["path"])
        if _find_status(path, place) is None:
            return {"changed": False}
        try:
            with place.folder_of(path) as folder:
                if task["fields"].get("force"):
                    remove_tree(os.path.basename(path), folder)
                else:
                    os.rmdir(os.path.basename(path), dir_fd=folder)
        except OSError as error:
            if error.errno == 39:
                raise HostAgentError(f"{path} is not empty: empty it, or say force: true") from error
            raise HostAgentError(f"{path} cannot be deleted: {error.strerror}") from error
        return {"changed": True}


def _find_status(path: str, place: HostRoot) -> os.stat_result | None:
    try:
        with place.folder_of(path) as folder:
            return _read_status(path, folder)
    except (FileNotFoundError, NotADirectoryError):
        return None


def remove_tree(name: str, folder: int) -> None:
    """A folder in another one, with all that is in it; links are taken away, not followed."""
    handle = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
    try:
        with os.scandir(handle) as listed:
            entries = list(listed)
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                remove_tree(entry.name, handle)
            else:
                os.unlink(entry.name, dir_fd=handle)
    finally:
        os.close(handle)
    os.rmdir(name, dir_fd=folder)


class Symlink(_Entry):
    def read(self, fields: Fields, place: HostRoot) -> Fields:
        path = place.path(fields["path"])
        status = _find_status(path, place)
        if status is None:
            return {"exists": False, "fields": {}}
        target: str | None = None
        if stat.S_ISLNK(status.st_mode):
            with _open_parent(path, place) as folder:
                target = os.readlink(os.path.basename(path), dir_fd=folder)
        return {"exists": True, "fields": {"path": fields["path"], "to": target}}

    def apply(self, task: Fields, place: HostRoot) -> Fields:
        fields = task["fields"]
        path = place.path(fields["path"])
        seen = self.read(fields, place)
        if seen["exists"] and seen["fields"]["to"] is None:
            raise HostAgentError(f"{path} is there and no link: take it away first")
        if seen["exists"] and seen["fields"]["to"] == fields["to"]:
            return {"changed": False}
        name = os.path.basename(path)
        temporary = f"{name}.sabir-{os.urandom(4).hex()}"
        with _open_parent(path, place, make=True) as folder:
            try:
                os.symlink(fields["to"], temporary, dir_fd=folder)
                os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            except OSError as error:
                raise HostAgentError(f"the link {path} cannot be made: {error.strerror}") from error
        return {"changed": True}

    def delete(self, task: Fields, place: HostRoot) -> Fields:
        path = place.path(task["fields"]["path"])
        status = _find_status(path, place)
        if status is not None and not stat.S_ISLNK(status.st_mode):
            return {"changed": False}
        return {"changed": _delete_entry(path, place)}
