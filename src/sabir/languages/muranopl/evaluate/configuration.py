"""Configuration of classes: one file a class, in the folder that `class_configs` of `[engine]` names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sabir.errors import UnusableInput
from sabir.source.text import Source
from sabir.source.yaml import compose, plain_data

__all__ = ["configuration_of", "read_class_configuration"]


def read_class_configuration(path: Path) -> dict[str, Mapping[str, Any]]:
    """Class name to properties. `path` is an ini file with `[engine] class_configs`, or the folder itself."""
    folder = path if path.is_dir() else _folder_of(path)
    found: dict[str, Mapping[str, Any]] = {}
    for file in sorted(folder.iterdir()):
        if file.suffix not in (".yaml", ".yml", ".json"):
            continue
        stream = compose(Source(str(file), file.read_text("utf-8-sig")))
        if stream.broken:
            raise UnusableInput(f"class configuration {str(file)!r}: {stream.problems[0].message}")
        documents = [document for document in stream.documents if document is not None]
        data = plain_data(documents[0]) if documents else {}
        if not isinstance(data, dict):
            raise UnusableInput(f"class configuration {str(file)!r} is no mapping of properties to values")
        found[file.stem] = {str(key): value for key, value in data.items()}
    return found


def configuration_of(data: object, name: str) -> dict[str, Mapping[str, Any]]:
    """Class configuration that was read already: class name to properties."""
    if not isinstance(data, dict) or not all(isinstance(one, dict) for one in data.values()):
        raise UnusableInput(f"the class configuration in {name} is no mapping of classes to their properties")
    return {str(key): value for key, value in data.items()}


def _folder_of(path: Path) -> Path:
    import configparser

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(path.read_text("utf-8-sig"), source=str(path))
        written = parser.get("engine", "class_configs")
    except (OSError, UnicodeDecodeError, configparser.Error) as error:
        raise UnusableInput(
            f"{str(path)!r} names no class_configs in its section [engine]: {error}"
        ) from error
    folder = path.parent / Path(written.strip())
    if not folder.is_dir():
        raise UnusableInput(f"class_configs of {str(path)!r} is no folder: {str(folder)!r}")
    return folder
