"""The files of an Inmanta case as a project folder, by the set-up rules of the README."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.support.files import write_files

__all__ = ["project_texts", "write_project"]

_PROJECT = "name: case\nmodulepath: [libs]\ndownloadpath: libs\nrepo: []\n"


def write_project(files: Mapping[str, str | None], folder: Path) -> None:
    write_files(folder, project_texts(files))


def project_texts(files: Mapping[str, str | None]) -> dict[str, str]:
    texts: dict[str, str | None] = {"project.yml": _PROJECT}
    for path in files:
        parts = path.split("/")
        if parts[0] == "libs" and len(parts) > 2:
            texts[f"libs/{parts[1]}/module.yml"] = f"name: {parts[1]}\nversion: 0.1\nlicense: x\n"
    texts.update(files)
    # No text: this file must not exist, and no rule above may bring it.
    return {path: text for path, text in texts.items() if text is not None}
