"""What an attack is: its files, the command, and how it has to end."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct

__all__ = ["CANARY", "TOSCA", "Attack", "Content", "archive"]

CANARY: Final = "canary-5f3a9c"
"""Stands in a file beside the project and in a variable of the environment; no output may hold it."""

Content = str | bytes


class Attack(Struct, frozen=True, kw_only=True):
    """`words`: the command, with PATH for the project; `says`: what its report holds. Bounds hold for `--limits strict`."""

    attack: str
    door: str
    files: Callable[[], Mapping[str, Content]]
    words: tuple[str, ...]
    links: tuple[tuple[str, str], ...] = ()
    """Symbolic links of the project and where they lead."""
    ends: int
    says: str
    cpu: float = 5.0
    """Most seconds of processor time, the start of the interpreter included."""
    megabytes: int = 400
    """Most memory of the process."""
    is_limited: bool = True
    """Whether the command takes `--limits`."""
    is_heavy: bool = False
    """Whether it also has to end without harm under the limits for people at work."""


TOSCA: Final = "tosca_definitions_version: tosca_simple_yaml_1_3\n"


def archive(files: Mapping[str, Content]) -> Mapping[str, Content]:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return {"package.zip": buffer.getvalue()}
