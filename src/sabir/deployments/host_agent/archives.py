"""Archives: a zip or tar whose files are kept in a folder."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import json
import os
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator

from sabir.deployments.host_agent.root import Fields, HostAgentError, HostRoot, write_file

__all__ = ["Archive"]

_MOST_ENTRIES = 100_000
_LARGEST = 4 << 30
_HONEST = 64 << 20
_RATIO = 100
"""So many times its size an archive may hold, once that is more than a little: what packs better was made to fill disks."""
_BROKEN = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, struct.error),
    *(EOFError, OSError, NotImplementedError, RuntimeError, ValueError),
)
_LIST = ".sabir-archive.json"


class Archive:
    """Unpacked into its own folder, with a list of what came out of it; that list tells drift and what to take away."""

    def read(self, fields: Fields, place: HostRoot) -> Fields:
        listed = _read_manifest(place.path(fields["path"]))
        if listed is None:
            return {"exists": False, "fields": {}}
        path = place.path(fields["path"])
        whole = all(
            _file_digest(os.path.join(path, name)) == digest for name, digest in listed["files"].items()
        )
        return {
            "exists": True,
            "fields": {"path": fields["path"], "digest": listed["digest"] if whole else "changed"},
        }

    def apply(self, task: Fields, place: HostRoot) -> Fields:
        fields = task["fields"]
        path = place.path(fields["path"])
        data = fields["content"]
        data = data if isinstance(data, bytes) else data.encode("utf-8", "surrogateescape")
        digest = hashlib.sha256(data).hexdigest()
        if self.read(fields, place)["fields"].get("digest") == digest:
            return {"changed": False}
        old = _read_manifest(path)
        files: dict[str, str] = {}
        inner = HostRoot(path)
        for name, mode, content in _read_entries(data):
            _write_entry(inner.path(name), content, mode, place)
            files[name] = hashlib.sha256(content).hexdigest()
        for name in old["files"] if old is not None else ():
            if name not in files:
                _delete_entry(inner.path(name), place)
        listed = json.dumps({"digest": digest, "files": files}).encode("utf-8")
        _write_entry(os.path.join(path, _LIST), listed, 0o644, place)
        return {"changed": True}

    def delete(self, task: Fields, place: HostRoot) -> Fields:
        path = place.path(task["fields"]["path"])
        inner = HostRoot(path)
        listed = _read_manifest(path)
        names = [] if listed is None else [*listed["files"]]
        for name in [*names, _LIST]:
            _delete_entry(inner.path(name), place)
        for folder, _, _ in sorted(os.walk(path), reverse=True):
            with contextlib.suppress(OSError), place.folder_of(folder) as above:
                os.rmdir(os.path.basename(folder), dir_fd=above)  # only when it is empty
        return {"changed": bool(names)}

    def observe(self, task: Fields, place: HostRoot) -> Fields:
        seen = self.read(task["fields"], place)
        if task["action"] == "delete":
            return {"sighting": "not done" if seen["exists"] else "done"}
        data = task["fields"]["content"]
        data = data if isinstance(data, bytes) else data.encode("utf-8", "surrogateescape")
        same = seen["fields"].get("digest") == hashlib.sha256(data).hexdigest()
        return {"sighting": "done" if same else "not done"}


def _write_entry(path: str, content: bytes, mode: int, place: HostRoot) -> None:
    try:
        with place.folder_of(path, make=True) as folder:
            write_file(path, content, mode, folder)
    except OSError as error:
        raise HostAgentError(f"{path} cannot be written: {error.strerror}") from error


def _delete_entry(path: str, place: HostRoot) -> None:
    with contextlib.suppress(FileNotFoundError, NotADirectoryError), place.folder_of(path) as folder:
        os.unlink(os.path.basename(path), dir_fd=folder)


def _read_manifest(path: str) -> Fields | None:
    """What came out of the archive that is there: digests by name; None when there is none."""
    try:
        with open(os.path.join(path, _LIST), encoding="utf-8") as file:
            listed = json.load(file)
        is_list = isinstance(listed["files"], dict) and isinstance(listed["digest"], str)
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    return listed if is_list else None


def _file_digest(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return ""


def _read_entries(data: bytes) -> Iterator[tuple[str, int, bytes]]:
    """Plain files only, within bounds: no link, no device. Sizes are looked at before anything is unpacked."""
    most = min(_LARGEST, max(_HONEST, len(data) * _RATIO))
    total = 0
    try:
        for count, (name, mode, size, read) in enumerate(_list_members(data)):
            total += size
            if count > _MOST_ENTRIES or total > most:
                raise HostAgentError(
                    f"the archive holds too much: {_MOST_ENTRIES} files and {most} bytes are allowed"
                )
            yield name, mode, read()
    except _BROKEN as error:
        raise HostAgentError(
            "the archive cannot be read: it is neither a ZIP nor a TAR archive, or it is damaged"
        ) from error


def _list_members(data: bytes) -> Iterator[tuple[str, int, int, Callable[[], bytes]]]:
    """Name, mode, size, and what unpacks it."""
    if data[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for entry in archive.infolist():
                if not entry.filename:
                    raise HostAgentError("a file in the archive has no name")
                if not entry.filename.endswith("/"):
                    mode = (entry.external_attr >> 16) & 0o777 or 0o644
                    yield entry.filename, mode, entry.file_size, functools.partial(archive.read, entry)
        return
    with tarfile.open(fileobj=io.BytesIO(data)) as packed:
        for member in packed:
            if member.isfile():
                yield (
                    member.name,
                    member.mode & 0o777,
                    member.size,
                    functools.partial(_read_member, packed, member),
                )
            elif not member.isdir():
                raise HostAgentError(f"{member.name!r} in the archive is neither a file nor a folder")


def _read_member(packed: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    opened = packed.extractfile(member)
    return opened.read() if opened else b""
