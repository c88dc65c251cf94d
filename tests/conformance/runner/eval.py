"""Eval cases: their form and what an adapter gives back (tests/conformance/eval/README.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from tests.conformance.runner.case import Case
from tests.conformance.runner.loading import case_lists, common_fields, malformed, read_yaml
from tests.conformance.runner.shape import (
    ANYTHING,
    FLAG,
    MAPPING,
    TEXT,
    TEXTS,
    Shape,
    each,
    mapping_of,
    one_of,
    one_or_more,
    optional,
    required,
)

__all__ = ["NO_VALUE", "Adapter", "EvalCase", "EvalError", "EvalOutcome", "load"]

ERROR_KINDS = (
    "syntax",
    "undefined-variable",
    "unknown-special-key",
    "unknown-function",
    "unknown-lookup",
    "bad-arguments",
    "missing-input",
    "validation",
    "not-found",
    "file-not-found",
    "template",
    "no-result",
    "null-result",
    "no-task",
    "python-not-found",
    "python-raised",
)
_FIXTURES = "fixtures.yaml"
_PROJECT_FIXTURES = Path(__file__).resolve().parents[1] / "eval" / _FIXTURES


class _NoValue:
    def __repr__(self) -> str:
        return "(nothing)"


NO_VALUE = _NoValue()

_HEX = Shape({"$bytes": required(TEXT)})


def _content(value: Any, path: str) -> list[str]:
    return [] if isinstance(value, str) else _HEX(value, path)


_FILE_RULE = Shape(
    {"$bytes": optional(TEXT), "$dir": optional(FLAG), "$prefix": optional(TEXT)},
    exactly_one=(("$bytes", "$dir", "$prefix"),),
)


def _file_rule(value: Any, path: str) -> list[str]:
    return [] if value is None or isinstance(value, str) else _FILE_RULE(value, path)


_OUTCOME = Shape(
    {
        "value": optional(ANYTHING),
        "values": optional(each(ANYTHING)),
        "error": optional(Shape({"kind": required(one_or_more(one_of(*ERROR_KINDS)))})),
        "sensitive": optional(FLAG),
        "redacted": optional(ANYTHING),
        "files": optional(mapping_of(_file_rule)),
    }
)
_INSTANCE = Shape({"attributes": optional(MAPPING), "status": optional(TEXT), "state": optional(TEXT)})


def _tree(value: Any, path: str) -> list[str]:
    return _RESOURCE(value, path)


_RESOURCE = Shape(
    {
        "name": required(TEXT),
        "attributes": optional(MAPPING),
        "children": optional(each(_tree)),
        "status": optional(TEXT),
        "state": optional(TEXT),
    }
)
_SET_UP = {
    "tree": optional(_tree),
    "tosca": optional(MAPPING),
    "inputs": optional(mapping_of(ANYTHING)),
    "instances": optional(mapping_of(_INSTANCE)),
    "locals": optional(mapping_of(ANYTHING)),
    "secrets": optional(mapping_of(ANYTHING)),
    "vault_password": optional(TEXT),
    "files": optional(mapping_of(_content)),
    "env": optional(mapping_of(TEXT)),
    "at": optional(TEXT),
    "vars": optional(mapping_of(ANYTHING)),
}
_CASE = Shape(
    {
        "id": required(TEXT),
        "spec": optional(TEXT),
        "why": optional(TEXT),
        "rows": optional(TEXTS),
        "fixture": optional(TEXT),
        **_SET_UP,
        "expr": optional(ANYTHING),
        "value": optional(ANYTHING),
        "check_files": optional(TEXTS),
        "expect": required(_OUTCOME),
        "also": optional(each(_OUTCOME)),
        "basis": optional(one_of("document", "reading")),
        "peer": optional(ANYTHING),
    },
    exactly_one=(("expr", "value"),),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalCase(Case):
    """A case with its fixture taken in.

    is_value   True: `expression` is a value in which embedded expressions and templates are replaced (map mode);
               False: an expression, to be evaluated in list mode and in single mode
    env        set already when the adapter runs, as is the current directory, and `files` are written
    `<DIR>` and `<PROJECT>` in `expression` and `env` are real paths by the time an adapter sees the case.
    """

    tree: Mapping[str, Any] | None
    tosca: Mapping[str, Any] | None
    inputs: Mapping[str, Any]
    instances: Mapping[str, Any]
    locals: Mapping[str, Any]
    secrets: Mapping[str, Any]
    vault_password: str | None
    files: Mapping[str, Any]
    env: Mapping[str, str]
    at: str | None
    vars: Mapping[str, Any]
    expression: Any
    is_value: bool
    outcomes: tuple[dict[str, Any], ...]
    """The right outcomes: `expect`, then those of `also`; one is enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalError:
    kind: str
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalOutcome:
    """What evaluation gave, as plain data with the encoded values of the README:

    `{"$instance": name}`, `{"$capability": "node/name"}`, `{"$relationship": "source/name"}`, `{"$artifact": name}`,
    `{"$status": name}` or the integer, `{"$state": name}` or the integer, bytes or `{"$bytes": hex}`.

    values     list mode (expression cases)
    value      single mode, or map mode for value cases
    sensitive  the result or some part of it is marked sensitive
    redacted   the result when it is written out for a log or a saved document
    """

    value: Any = NO_VALUE
    values: Any = NO_VALUE
    error: EvalError | None = None
    sensitive: bool = False
    redacted: Any = field(default=NO_VALUE)


class Adapter(Protocol):
    """`tests/conformance/adapters/eval.py` has to hold a function `run` of this form.

    `folder` is the directory of the ensemble (`<DIR>`), its parent the project's root (`<PROJECT>`). The runner has
    written the files, set the environment and made `folder` the current directory, and reads the files afterwards.
    """

    def __call__(self, case: EvalCase, folder: Path) -> EvalOutcome: ...


def load(folder: Path) -> list[Case]:
    fixtures = _fixtures(folder)
    cases: list[Case] = []
    for file, raw in case_lists(folder, leave_out=frozenset({_FIXTURES})):
        problems = _CASE(raw, "")
        name = raw.get("fixture") if isinstance(raw, dict) else None
        if not problems and name is not None and name not in fixtures:
            problems = [f"fixture: there is none called {name!r}"]
        whole = {} if problems else {**fixtures.get(name or "", {}), **raw}
        cases.append(malformed("eval", file, raw, problems) if problems else _build(file, raw, whole))
    return cases


def _fixtures(folder: Path) -> dict[str, dict[str, Any]]:
    """Those of the folder; a folder without such a file uses the project's."""
    own = folder / _FIXTURES
    fixtures: dict[str, dict[str, Any]] = read_yaml(own if own.is_file() else _PROJECT_FIXTURES)
    return fixtures


def _build(file: Path, raw: dict[str, Any], whole: dict[str, Any]) -> Case:
    return EvalCase(
        **common_fields("eval", file, raw),
        tree=whole.get("tree"),
        tosca=whole.get("tosca"),
        inputs=whole.get("inputs", {}),
        instances=whole.get("instances", {}),
        locals=whole.get("locals", {}),
        secrets=whole.get("secrets", {}),
        vault_password=whole.get("vault_password"),
        files=whole.get("files", {}),
        env=whole.get("env", {}),
        at=whole.get("at"),
        vars=whole.get("vars", {}),
        expression=whole["value"] if "value" in whole else whole["expr"],
        is_value="value" in whole,
        outcomes=(whole["expect"], *whole.get("also", ())),
    )
