"""`inmanta.module`, `inmanta.config` and similar: what plugins can ask about their project."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

__all__ = ["Config", "InmantaModuleRequirement", "convert_boolean", "project_class"]


def project_class(project: SimpleNamespace) -> type:
    """Return the class `Project`, which has one instance."""

    class Project:
        @classmethod
        def get(cls, main_file: str = "main.cf") -> SimpleNamespace:  # noqa: ARG003
            return project

    return Project


class Config:
    """The configuration. It is empty while a model is evaluated, so every option has its default."""

    @classmethod
    def get(cls, section: str | None = None, name: str | None = None, default_value: Any = None) -> Any:  # noqa: ARG003
        return default_value

    @classmethod
    def is_set(cls, section: str, name: str) -> bool:  # noqa: ARG003
        return False


class InmantaModuleRequirement:
    """A required module and its versions, `name>=1.0`."""

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
    """Return a boolean from a boolean or a word such as `yes`."""
    if isinstance(value, bool):
        return value
    word = str(value).lower()
    if word not in _WORDS:
        raise ValueError(f"not a boolean: {value}")
    return _WORDS[word]
