"""`io.murano.system.Resources`: the files below `Resources/` of the package whose code asks."""

from __future__ import annotations

from datetime import date
from typing import Any, Final

from sabir.diagnostics.reasons import reason_of
from sabir.expressions.yaql import Variables
from sabir.languages.muranopl.evaluate.system.registry import SystemClass, calling
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError
from sabir.source.packages import PackageFile
from sabir.source.yaml import YamlNode, YamlScalar, YamlSequence, plain_data

__all__ = ["RESOURCES", "resource_file"]

RESOURCES: Final = SystemClass("io.murano.system.Resources")


def resource_file(cls: MuranoClass, name: str) -> PackageFile:
    """A file of the package of a class."""
    file = cls.package.resource(name)
    if file is None:
        raise MuranoError(UNUSABLE_VALUE, f"package {cls.package.name} has no file Resources/{name}")
    recorder = cls.runtime.recorder
    if recorder is not None:
        recorder.read_resource(name, file.source)
    return file


def _file(this: MuranoClass, variables: Variables, name: str, owner: Any) -> PackageFile:
    if owner is not None and not isinstance(owner, MuranoClass):
        owner = (calling(variables) or this).resolve(str(owner))
    return resource_file(owner or calling(variables) or this, name)


@RESOURCES.method("string")
def string(this: MuranoClass, variables: Variables, name: str, owner: Any, binary: Any) -> str:
    file = _file(this, variables, name, owner)
    return file.raw().decode("latin-1") if binary else file.source.text


@RESOURCES.method("json")
def json_(this: MuranoClass, variables: Variables, name: str, owner: Any) -> Any:
    import json

    file = _file(this, variables, name, owner)
    try:
        return json.loads(file.source.text)
    except ValueError as error:
        raise MuranoError(UNUSABLE_VALUE, f"Resources/{name} is no JSON: {reason_of(error)}") from None


@RESOURCES.method("yaml")
def yaml_(this: MuranoClass, variables: Variables, name: str, owner: Any) -> Any:
    stream = _file(this, variables, name, owner).yaml
    if stream.broken:
        raise MuranoError(UNUSABLE_VALUE, f"Resources/{name}: {stream.findings[0].message}")
    documents = [document for document in stream.documents if document is not None]
    return _with_dates_as_texts(documents[0]) if documents else None


def _with_dates_as_texts(node: YamlNode) -> Any:
    """The data of a node. What looks like a date is a text: templates have versions that do."""
    if isinstance(node, YamlScalar):
        return node.text if isinstance(node.value, date) else node.value
    if isinstance(node, YamlSequence):
        return [_with_dates_as_texts(item) for item in node.items]
    return {_key(entry.key): _with_dates_as_texts(entry.value) for entry in node.entries}


def _key(node: YamlNode) -> Any:
    return _with_dates_as_texts(node) if isinstance(node, YamlScalar) else str(plain_data(node))
