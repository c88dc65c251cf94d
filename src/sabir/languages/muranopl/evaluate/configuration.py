"""Configuration of classes: one file a class, in the folder that `class_configs` of `[engine]` names."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from sabir.diagnostics.reasons import reason_of
from sabir.errors import UnusableInput
from sabir.session import Trust
from sabir.source.packages import is_below
from sabir.source.packages.file_access import read_named_file
from sabir.source.packages.limits import ReadProblem
from sabir.source.yaml import YamlMapping, YamlNode, YamlScalar, compose, plain_data
from sabir.text import Place, Source

__all__ = ["ClassConfiguration", "configuration_of", "read_class_configuration"]


class ClassConfiguration(Struct, frozen=True):
    """Values by class and property, and where they stand."""

    values: Mapping[str, Mapping[str, Any]] = {}
    places: Mapping[tuple[str, str], Place] = {}


def read_class_configuration(path: Path, trust: Trust) -> ClassConfiguration:
    """`path` is the folder, or an ini file that may name it: `[engine] class_configs`."""
    folder = path if path.is_dir() else _folder_of(path, trust)
    if folder is None:
        return ClassConfiguration()
    values: dict[str, Mapping[str, Any]] = {}
    places: dict[tuple[str, str], Place] = {}
    for file in sorted(folder.iterdir()):
        if file.suffix not in (".yaml", ".yml", ".json"):
            continue
        if not (trust.outside or is_below(file, folder)):
            raise UnusableInput(_leads_out(f"class configuration {str(file)!r}"))
        source = Source(str(file), _text(file))
        stream = compose(source)
        if stream.broken:
            raise UnusableInput(f"class configuration {str(file)!r}: {stream.findings[0].message}")
        documents = [document for document in stream.documents if document is not None]
        data = plain_data(documents[0]) if documents else {}
        if not isinstance(data, dict):
            raise UnusableInput(f"class configuration {str(file)!r} is no mapping of properties to values")
        values[file.stem] = {str(key): value for key, value in data.items()}
        if documents:
            places.update(_places(file.stem, documents[0], source))
    return ClassConfiguration(values, places)


def configuration_of(source: Source, node: YamlNode) -> ClassConfiguration:
    """Class configuration that was read already: class name to properties."""
    data: Any = plain_data(node)
    if not isinstance(data, dict) or not all(isinstance(section, dict) for section in data.values()):
        raise UnusableInput(
            f"the class configuration in {source.name} is no mapping of classes to their properties"
        )
    places: dict[tuple[str, str], Place] = {}
    for key, value in node.items() if isinstance(node, YamlMapping) else ():
        if isinstance(key, YamlScalar):
            places.update(_places(str(key.value), value, source))
    return ClassConfiguration({str(key): value for key, value in data.items()}, places)


def _places(cls: str, node: YamlNode, source: Source) -> Iterator[tuple[tuple[str, str], Place]]:
    for key, value in node.items() if isinstance(node, YamlMapping) else ():
        if isinstance(key, YamlScalar):
            yield (cls, str(key.value)), Place(source, value.span)


def _text(file: Path) -> str:
    try:
        return read_named_file(file).decode("utf-8-sig")
    except (ReadProblem, UnicodeDecodeError) as error:
        reason = "is no UTF-8 text" if isinstance(error, UnicodeDecodeError) else str(error)
        raise UnusableInput(f"class configuration {str(file)!r} {reason}") from error


def _leads_out(subject: str) -> str:
    return f"{subject} leads out of its folder and is not followed: allow it with --trust outside"


def _folder_of(path: Path, trust: Trust) -> Path | None:
    import configparser

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(_text(path), source=str(path))
    except configparser.Error as error:
        raise UnusableInput(f"{str(path)!r} is no ini file: {reason_of(error)}") from error
    written = parser.get("engine", "class_configs", fallback=None)
    if written is None:
        return None
    folder = path.parent / Path(written.strip())
    if not (trust.outside or is_below(folder, path.parent)):
        raise UnusableInput(_leads_out(f"class_configs of {str(path)!r}"))
    if not os.path.isdir(folder):
        raise UnusableInput(f"class_configs of {str(path)!r} is no folder: {str(folder)!r}")
    return folder
