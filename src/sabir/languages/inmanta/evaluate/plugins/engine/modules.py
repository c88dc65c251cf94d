"""`inmanta.module`, `inmanta.config` and the like: what plug-ins may ask about the project they belong to."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

__all__ = ["Config", "InmantaModuleRequirement", "convert_boolean", "project_class"]


def project_class(project: SimpleNamespace) -> type:
    """`Project`, of which there is one."""

    class Project:
        @classmethod
        def get(cls, main_file: str = "main.cf") -> SimpleNamespace:  # noqa: ARG003
            return project

    return Project


class Config:
    """The configuration: there is none while a model is evaluated, so that every option has its default."""

    @classmethod
    def get(cls, section: str | None = None, name: str | None = None, default_value: Any = None) -> Any:  # noqa: ARG003
        return default_value

    @classmethod
    def is_set(cls, section: str, name: str) -> bool:  # noqa: ARG003
        return False


class InmantaModuleRequirement:
    """`name>=1.0`: a module that is asked for, and its versions."""

    def __init__(self, requirement: str) -> None:
        import re

        match = re.match(r"\s*(?:inmanta-module-)?([A-Za-z0-9_-]+)\s*(.*)$", requirement)
        if match is None:
            raise ValueError(f"{requirement!r} is no requirement of a module")
        self.project_name = self.key = match[1].replace("-", "_")
        self.specifier = match[2]

    @classmethod
    def parse(cls, spec: str) -> InmantaModuleRequirement:
        return cls(spec)

    def __str__(self) -> str:
        return f"{self.key}{self.specifier}"


_WORDS: Mapping[str, bool] = {
    **dict.fromkeys(("1", "yes", "true", "on"), True),
    **dict.fromkeys(("0", "no", "false", "off"), False),
}


def convert_boolean(value: Any) -> bool:
    """A truth value, or a word for one."""
    if isinstance(value, bool):
        return value
    word = str(value).lower()
    if word not in _WORDS:
        raise ValueError(f"not a boolean: {value}")
    return _WORDS[word]
