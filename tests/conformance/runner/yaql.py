"""YAQL cases: their form, what an adapter gives back, and the comparison of tests/conformance/yaql/README.md."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from tests.conformance.runner.case import Case
from tests.conformance.runner.loading import common_fields, load_lists
from tests.conformance.runner.shape import ANYTHING, FLAG, TEXT, Shape, one_of, optional, required

__all__ = ["Adapter", "YaqlCase", "YaqlError", "YaqlOutcome", "load"]

_ERROR = Shape({"kind": required(one_of("parse", "eval")), "peerKind": optional(ANYTHING)})
_EXPECT = Shape({"result": optional(ANYTHING), "error": optional(_ERROR)}, exactly_one=(("result", "error"),))
_CASE = Shape(
    {
        "id": required(TEXT),
        "spec": optional(TEXT),
        "why": optional(TEXT),
        "expr": required(TEXT),
        "data": optional(ANYTHING),
        "unordered": optional(FLAG),
        "expect": required(_EXPECT),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class YaqlCase(Case):
    """Evaluate `expression` with `data` as `$`."""

    expression: str
    data: Any
    unordered: bool
    expect: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class YaqlError:
    kind: Literal["parse", "eval"]
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class YaqlOutcome:
    """`result` as plain data: None, bool, int, float, str, list, dict. Tuples, sets and lazy lists are lists by then."""

    result: Any = None
    error: YaqlError | None = None


class Adapter(Protocol):
    """`tests/conformance/adapters/yaql.py` has to hold a function `run` of this form.

    It evaluates with the settings of the Murano engine: camelCase names, at most 2000 items of a lazy list and 512 KiB
    of one value (beyond: an `eval` error), tuples and sets given back as lists. It must use a fresh context per case.
    """

    def __call__(self, case: YaqlCase) -> YaqlOutcome: ...


def load(folder: Path) -> list[Case]:
    return load_lists("yaql", folder, _CASE, _build)


def _build(file: Path, raw: dict[str, Any]) -> Case:
    return YaqlCase(
        **common_fields("yaql", file, raw),
        expression=raw["expr"],
        data=raw.get("data"),
        unordered=raw.get("unordered", False),
        expect=raw["expect"],
    )
