"""Inmanta cases: their form, what an adapter gives back, and the comparison of tests/conformance/inmanta/README.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from tests.conformance.runner.case import Case
from tests.conformance.runner.loading import common_fields, load_lists
from tests.conformance.runner.shape import (
    ANYTHING,
    FLAG,
    INTEGER,
    TEXT,
    TEXTS,
    Shape,
    each,
    mapping_of,
    one_or_more,
    optional,
    required,
)

__all__ = [
    "Adapter",
    "InmantaCase",
    "InmantaError",
    "InmantaOutcome",
    "InmantaWarning",
    "Instance",
    "Relation",
    "load",
]

_ERROR = Shape(
    {
        "kind": required(one_or_more(TEXT)),
        "file": optional(TEXT),
        "line": optional(one_or_more(INTEGER)),
        "locations": optional(each(INTEGER)),
        "count": optional(INTEGER),
    }
)
_WARNING = Shape({"kind": required(TEXT), "line": required(INTEGER), "file": optional(TEXT)})
_OUTCOME = Shape(
    {
        "vars": optional(mapping_of(ANYTHING)),
        "instances": optional(mapping_of(each(mapping_of(ANYTHING)))),
        "ok": optional(FLAG),
        "warnings": optional(each(_WARNING)),
        "error": optional(_ERROR),
    }
)


def _text_or_null(value: Any, path: str) -> list[str]:
    return [] if value is None else TEXT(value, path)


_CASE = Shape(
    {
        "id": required(TEXT),
        "spec": optional(TEXT),
        "rows": optional(TEXTS),
        "why": optional(TEXT),
        "files": required(mapping_of(_text_or_null)),
        "expect": required(_OUTCOME),
        "also": optional(each(_OUTCOME)),
        "peer": optional(ANYTHING),
        "quirk": optional(FLAG),
        "beyond_spec": optional(FLAG),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class InmantaCase(Case):
    files: Mapping[str, str | None]
    outcomes: tuple[dict[str, Any], ...]
    """The right outcomes: `expect`, then those of `also`; one is enough."""


@dataclass(slots=True, eq=False)
class Instance:
    """One instance; the same instance is the same object wherever it appears. May refer to itself through `attributes`.

    entity      exact type: `Name` for the entities of main.cf, `module::Name` for others
    attributes  every attribute and relation; `requires` and `provides` may be there or not
    """

    entity: str
    attributes: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        shown = {
            name: _brief(value)
            for name, value in self.attributes.items()
            if name not in ("requires", "provides")
        }
        return f"{self.entity}({', '.join(f'{name}={value}' for name, value in shown.items())})"


def _brief(value: Any) -> str:
    if isinstance(value, Instance):
        return f"<{value.entity}>"
    if isinstance(value, Relation):
        return "{" + ", ".join(_brief(item) for item in value.items) + "}"
    return repr(value)


@dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """The value of a relation whose upper bound is above 1: instances without order."""

    items: tuple[Instance, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class InmantaError:
    """One reported error. `file` relative to the project, with `/`; `lines` are all lines that its message names."""

    kind: str
    file: str
    line: int
    lines: tuple[int, ...] = ()
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InmantaWarning:
    kind: str
    line: int
    file: str = "main.cf"


@dataclass(frozen=True, slots=True, kw_only=True)
class InmantaOutcome:
    """How the compile ended. Values: None, bool, int, float, str, list, dict, `Instance`, `Relation`.

    variables  the top-level variables of main.cf
    instances  every instance of the model, those of `std` too
    errors     all errors that are reported together; empty when the project compiles
    """

    variables: Mapping[str, Any] = field(default_factory=dict)
    instances: tuple[Instance, ...] = ()
    errors: tuple[InmantaError, ...] = ()
    warnings: tuple[InmantaWarning, ...] = ()


class Adapter(Protocol):
    """`tests/conformance/adapters/inmanta.py` has to hold a function `run` of this form.

    `folder` is the project: the files of the case are there, with the module.yml and project.yml that the README asks for.
    """

    def __call__(self, case: InmantaCase, folder: Path) -> InmantaOutcome: ...


def load(folder: Path) -> list[Case]:
    return load_lists("inmanta", folder, _CASE, _build)


def _build(file: Path, raw: dict[str, Any]) -> Case:
    return InmantaCase(
        **common_fields("inmanta", file, raw),
        files=raw["files"],
        outcomes=(raw["expect"], *raw.get("also", ())),
    )
