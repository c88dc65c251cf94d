"""Execution plans: from the template of a package to the message for an agent, with files and signature.

Format 1 is a list of scripts, sent as base64. In format 2 a plan names scripts, and every script its files.
Each file gets an id and is sent with the plan: as text, as base64 if the name is in `<…>`, or as an address
that the agent downloads from. An agent with the public key rejects plans without a signature.

`io.murano.system.Resources` reads files under `Resources/` of the package whose code calls it.
"""

from __future__ import annotations

import base64
import copy
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from sabir.diagnostics.reasons import explain_error
from sabir.expressions.yaql import Variables
from sabir.languages.muranopl.evaluate.system.registry import SystemClass, caller_class
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError, NativeError
from sabir.source.packages import PackageFile
from sabir.source.yaml import YamlNode, YamlScalar, YamlSequence, plain_data

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey


ReadResource = Callable[[str], bytes]
"""The content of a file of the package's resources."""
_SCRIPTS: Final = "scripts/"


def build_plan(
    template: Any, read: ReadResource, *, new_id: Callable[[], str], stamp: Callable[[], int]
) -> dict[str, Any]:
    """Return the plan of a template, with all files that it names."""
    if not isinstance(template, Mapping):
        raise NativeError("ValueError", "Incorrect execution plan ")
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
        """Replace the names of the files of a script by their ids."""
        if "EntryPoint" not in script:
            raise NativeError("ValueError", f"No entry point in script {name}")
        if script["Type"] == "Application":
            script["EntryPoint"] = self.id_of(script["EntryPoint"])
        if "Files" in script:
            script["Files"] = [self.id_of(file) for file in script["Files"]]

    def id_of(self, file: Any) -> str:
        """Return the id of a file. `file` is a name, `<name>`, an address, or `{name: name or address}`."""
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


RESOURCES: Final = SystemClass("io.murano.system.Resources")


def resource_file(cls: MuranoClass, name: str) -> PackageFile:
    """Return a file of the package of a class."""
    file = cls.package.resource(name)
    if file is None:
        raise MuranoError(UNUSABLE_VALUE, f"package {cls.package.name} has no file Resources/{name}")
    recorder = cls.runtime.recorder
    if recorder is not None:
        recorder.read_resource(name, file.source)
    return file


def _find_resource_file(this: MuranoClass, variables: Variables, name: str, owner: Any) -> PackageFile:
    if owner is not None and not isinstance(owner, MuranoClass):
        owner = (caller_class(variables) or this).resolve(str(owner))
    return resource_file(owner or caller_class(variables) or this, name)


@RESOURCES.method("string")
def read_string(this: MuranoClass, variables: Variables, name: str, owner: Any, binary: Any) -> str:
    """Return a resource file as a string; `binary` decodes it as Latin-1, one character per byte."""
    file = _find_resource_file(this, variables, name, owner)
    return file.raw().decode("latin-1") if binary else file.source.text


@RESOURCES.method("json")
def read_json(this: MuranoClass, variables: Variables, name: str, owner: Any) -> Any:
    """Return the data of a JSON resource file; raise `MuranoError` if it is malformed."""
    import json

    file = _find_resource_file(this, variables, name, owner)
    try:
        return json.loads(file.source.text)
    except ValueError as error:
        raise MuranoError(UNUSABLE_VALUE, f"Resources/{name} is no JSON: {explain_error(error)}") from None


@RESOURCES.method("yaml")
def read_yaml(this: MuranoClass, variables: Variables, name: str, owner: Any) -> Any:
    """Return the data of the first document of a YAML resource file; null if it is empty."""
    stream = _find_resource_file(this, variables, name, owner).yaml
    if stream.broken:
        raise MuranoError(UNUSABLE_VALUE, f"Resources/{name}: {stream.findings[0].message}")
    documents = [document for document in stream.documents if document is not None]
    return _with_dates_as_texts(documents[0]) if documents else None


def _with_dates_as_texts(node: YamlNode) -> Any:
    """Return the data of a node with dates as strings: template versions look like dates."""
    if isinstance(node, YamlScalar):
        return node.text if isinstance(node.value, date) else node.value
    if isinstance(node, YamlSequence):
        return [_with_dates_as_texts(item) for item in node.items]
    return {_convert_key(entry.key): _with_dates_as_texts(entry.value) for entry in node.entries}


def _convert_key(node: YamlNode) -> Any:
    return _with_dates_as_texts(node) if isinstance(node, YamlScalar) else str(plain_data(node))


def _private_key(path: str) -> RSAPrivateKey | None:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    file = Path(path).expanduser()
    if not file.exists():
        return None
    key = load_pem_private_key(file.read_bytes(), password=None)
    return key if isinstance(key, RSAPrivateKey) else None


def public_key(path: str) -> str:
    """Return the public half as PEM with a final line break; empty if there is no such key."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    key = _private_key(path)
    if key is None:
        return ""
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.PKCS1).decode("ascii")
