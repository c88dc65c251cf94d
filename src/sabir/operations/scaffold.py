"""New projects: a small valid project in each language.

The files are in `projects/KIND`. These placeholders are replaced in names and contents: `{{name}}` as given,
`{{variable}}` with underscores instead of dashes, `{{word}}` as lower-case letters only, `{{Class}}` in camel
case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from sabir.errors import UsageError
from sabir.operations.files import write_folder

KINDS: Final = {
    "muranopl": "an application package with a class, a form and a model",
    "inmanta": "a model with entities, a relation and an implementation",
    "ccp": "a component with a service, its defaults and a configuration file",
    "tosca": "a service template with node types, an input and an output",
    "environment": "three parts in three languages, wired together",
}
_NAME: Final = "[a-z][a-z0-9]*(-[a-z0-9]+)*"
# YAML and templates read these as values of their own, wherever a name stands without quotes.
_RESERVED: Final = frozenset(["true", "false", "null", "none", "yes", "no", "on", "off", "y", "n", "self"])


def new_project(kind: str, name: str, folder: Path) -> list[Path]:
    """Write a project into a directory that is new or empty; return the files."""
    if not re.fullmatch(_NAME, name):
        raise UsageError(
            f"{name!r} is no name for a project: small letters, digits and dashes, as in web-shop"
        )
    if name in _RESERVED:
        raise UsageError(f"{name!r} means something else in YAML and templates: take a longer name")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{str(folder)!r} is there already: name a folder that is not, or is empty")
    contents = {
        _fill_template(path, name): content
        if path.endswith(".png")
        else _fill_template(content.decode(), name).encode()
        for path, content in _template_files(files("sabir.operations") / "projects" / kind, "")
    }
    return sorted(write_folder(folder, contents))


def _template_files(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _template_files(entry, f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name, entry.read_bytes()


def _fill_template(text: str, name: str) -> str:
    words = {
        "name": name,
        "variable": name.replace("-", "_"),
        "word": name.replace("-", ""),
        "Class": "".join(part.capitalize() for part in name.split("-")),
    }
    return re.sub(r"\{\{(name|variable|word|Class)\}\}", lambda match: words[match[1]], text)
