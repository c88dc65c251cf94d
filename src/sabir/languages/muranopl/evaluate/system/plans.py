"""Execution plans: from the template of a package to what an agent is sent.

Format 1 is a list of scripts, sent as base64. In format 2 a plan names scripts, and every script its files; files get ids of their own
and go along with the plan: as text, as base64 where the name stands in `<…>`, or as an address that the agent downloads from.
"""

from __future__ import annotations

import base64
import copy
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from sabir.languages.muranopl.model.errors import NativeFailure

__all__ = ["ReadResource", "build_plan"]

ReadResource = Callable[[str], bytes]
"""The content of a file of the package's resources."""
_SCRIPTS: Final = "scripts/"


def build_plan(
    template: Any, read: ReadResource, *, new_id: Callable[[], str], stamp: Callable[[], int]
) -> dict[str, Any]:
    """The plan of a template, with all files that it names."""
    if not isinstance(template, Mapping):
        raise NativeFailure("ValueError", "Incorrect execution plan ")
    plan: dict[str, Any] = copy.deepcopy(dict(template))
    version = str(plan.get("FormatVersion") or "1.")
    if version.startswith("1."):
        names = plan.get("Scripts") or ()
        plan["Scripts"] = [base64.b64encode(read(_SCRIPTS + name)).decode("ascii") for name in names]
        plan["Stamp"] = stamp()
        return plan
    plan["ID"] = new_id()
    plan["Stamp"] = stamp()
    plan.setdefault("Action", "Execute")
    files = _Files(plan.setdefault("Files", {}), read, new_id)
    for name, script in (plan.get("Scripts") or {}).items():
        files.complete(name, script)
    return plan


class _Files:
    """The files of one plan: entries by id, ids by name."""

    def __init__(self, entries: dict[str, Any], read: ReadResource, new_id: Callable[[], str]) -> None:
        self.entries = entries
        self.ids: dict[str, str] = {entry["Name"]: id_ for id_, entry in entries.items()}
        self._read = read
        self._new_id = new_id

    def complete(self, name: str, script: dict[str, Any]) -> None:
        """Put ids in place of the names of files that a script has."""
        if "EntryPoint" not in script:
            raise NativeFailure("ValueError", f"No entry point in script {name}")
        if script["Type"] == "Application":
            script["EntryPoint"] = self.id_of(script["EntryPoint"])
        if "Files" in script:
            script["Files"] = [self.id_of(file) for file in script["Files"]]

    def id_of(self, file: Any) -> str:
        """`file` is a name, `<name>`, an address, or `{name: name or address}`."""
        label, value = next(iter(file.items())) if isinstance(file, Mapping) else (file, file)
        name = _bare_name(label)
        if name not in self.ids:
            id_ = self.ids[name] = self._new_id()
            self.entries[id_] = self._entry(name, value)
        return self.ids[name]

    def _entry(self, name: str, value: str) -> dict[str, Any]:
        if _is_address(value):
            return {"Name": name, "URL": value, "Type": "Downloadable"}
        if _is_binary(value):
            body = base64.b64encode(self._read(_SCRIPTS + value[1:-1])).decode("ascii")
            return {"Name": name, "BodyType": "Base64", "Body": body + "\n"}
        text = self._read(_SCRIPTS + value).decode("utf-8")
        return {"Name": name, "BodyType": "Text", "Body": text.replace("\r\n", "\n")}


def _bare_name(label: str) -> str:
    if _is_address(label):
        return label.rpartition("/")[2]
    return label[1:-1] if _is_binary(label) else label


def _is_address(value: str) -> bool:
    parts = urlsplit(value)
    return bool(parts.scheme and parts.netloc)


def _is_binary(value: str) -> bool:
    return value.startswith("<") and value.endswith(">")
