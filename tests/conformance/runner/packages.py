"""Package-check cases: their form, what an adapter gives back, and the comparison of the README of that folder."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from tests.conformance.runner.case import Case
from tests.conformance.runner.loading import common_fields, malformed, read_yaml
from tests.conformance.runner.shape import (
    ANYTHING,
    FLAG,
    INTEGER,
    TEXT,
    TEXTS,
    Shape,
    each,
    one_of,
    one_or_more,
    optional,
    required,
)

__all__ = ["Adapter", "PackageCase", "PackageOptions", "PackageOutcome", "Reported", "load", "read_case"]

MAX_MEGABYTES = 200

_FINDING = Shape(
    {
        "code": required(TEXT),
        "severity": required(one_of("error", "warning")),
        "file": required(TEXT),
        "line": optional(one_or_more(INTEGER)),
    }
)
_OPTIONS = Shape(
    {"select": optional(TEXTS), "ignore": optional(TEXTS), "scope": optional(TEXTS), "strict": optional(FLAG)}
)
_CASE = Shape(
    {
        "id": required(TEXT),
        "level": optional(one_of("core", "spec", "extended")),
        "spec": optional(ANYTHING),
        "rows": optional(TEXTS),
        "why": optional(TEXT),
        "input": optional(one_of("file")),
        "input_path": optional(TEXT),
        "zip": optional(FLAG),
        "zip_prefix": optional(TEXT),
        "zip_entries": optional(each(Shape({"name": required(TEXT), "text": required(TEXT)}))),
        "options": optional(_OPTIONS),
        "max_seconds": optional(INTEGER),
        "expect": required(each(_FINDING)),
        "exit": required(INTEGER),
        "peer": optional(ANYTHING),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageOptions:
    """The options of `sabir check` of the same name; an empty list means: not given."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()
    strict: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageCase(Case):
    package: Path
    """The folder `package/` of the case; it need not exist."""
    input_path: str | None
    """Set for `input: file`: the path under `package/` that is given to the checker."""
    zipped: bool
    zip_prefix: str
    zip_entries: tuple[tuple[str, str], ...]
    options: PackageOptions
    max_seconds: int | None
    expect: tuple[dict[str, Any], ...]
    exit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """One finding: `file` relative to the package root, with `/` (for `input: file` the `input_path`); `line` from 1."""

    code: str
    severity: str
    file: str
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageOutcome:
    findings: tuple[Reported, ...] = ()
    exit: int = 0
    messages: tuple[str, ...] = field(default=(), compare=False)
    """What a person would read; shown with a failing case, never compared."""


class Adapter(Protocol):
    """`tests/conformance/adapters/packages.py` has to hold a function `run` of this form.

    `target` is what the checker is given: a folder, an archive or a file, which may not exist. The adapter checks it with
    `case.options` and gives back the findings and the exit status that the command line would have.
    """

    def __call__(self, case: PackageCase, target: Path) -> PackageOutcome: ...


def load(folder: Path) -> list[Case]:
    files = sorted(folder.glob("*/case.yaml"))
    return [read_case(file) for file in files]


def read_case(file: Path) -> Case:
    raw = read_yaml(file)
    problems = _CASE(raw, "") or _more_problems(file, raw)
    return malformed("packages", file, raw, problems) if problems else _build(file, raw)


def _more_problems(file: Path, raw: dict[str, Any]) -> list[str]:
    problems: list[str] = []
    if raw["id"] != file.parent.name:
        problems.append(f"id: {raw['id']!r} is not the name of the folder, {file.parent.name!r}")
    if ("input" in raw) != ("input_path" in raw):
        problems.append("input: file and input_path belong together")
    if not raw.get("zip") and ("zip_prefix" in raw or "zip_entries" in raw):
        problems.append("zip_prefix and zip_entries need zip: true")
    return problems


def _build(file: Path, raw: dict[str, Any]) -> Case:
    options = raw.get("options", {})
    return PackageCase(
        **common_fields("packages", file, raw),
        package=file.parent / "package",
        input_path=raw.get("input_path"),
        zipped=raw.get("zip", False),
        zip_prefix=raw.get("zip_prefix", ""),
        zip_entries=tuple((entry["name"], entry["text"]) for entry in raw.get("zip_entries", ())),
        options=PackageOptions(
            select=tuple(options.get("select", ())),
            ignore=tuple(options.get("ignore", ())),
            scope=tuple(options.get("scope", ())),
            strict=options.get("strict", False),
        ),
        max_seconds=raw.get("max_seconds"),
        expect=tuple(raw["expect"]),
        exit=raw["exit"],
    )
