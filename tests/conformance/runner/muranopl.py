"""MuranoPL cases: their form, what an adapter gives back, and the comparison of tests/conformance/muranopl/README.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from tests.conformance.runner.case import Case
from tests.conformance.runner.loading import common_fields, load_lists
from tests.conformance.runner.shape import (
    ANYTHING,
    MAPPING,
    TEXT,
    TEXTS,
    Check,
    Shape,
    each,
    mapping_of,
    one_of,
    one_or_more,
    optional,
    required,
)

__all__ = [
    "NO_RESULT",
    "Adapter",
    "MuranoCall",
    "MuranoCase",
    "MuranoError",
    "MuranoOutcome",
    "is_number",
    "load",
]


class _NoResult:
    def __repr__(self) -> str:
        return "(no result: nothing was called)"


NO_RESULT = _NoResult()

_ERROR = Shape(
    {
        "kind": required(one_or_more(TEXT)),
        "phase": required(one_or_more(one_of("load", "call", "serialize"))),
        "names": optional(TEXTS),
        "message": optional(ANYTHING),
        "extra": optional(ANYTHING),
        "textHas": optional(TEXTS),
        "peerKind": optional(ANYTHING),
    }
)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value: Any, path: str) -> list[str]:
    return [] if is_number(value) else [f"{path}: a number wanted, not {value!r}"]


_OUTCOME = Shape(
    {
        "result": optional(ANYTHING),
        "resultAtMost": optional(_number),
        "trace": optional(each(ANYTHING)),
        "model": optional(MAPPING),
        "error": optional(_ERROR),
    }
)
_CALL = Shape(
    {
        "method": required(TEXT),
        "args": optional(each(ANYTHING)),
        "kwargs": optional(mapping_of(ANYTHING)),
        "object": optional(TEXT),
        "class": optional(TEXT),
        "via": optional(one_of("api")),
    }
)
_FORMAT: Check = ANYTHING
_CASE = Shape(
    {
        "id": required(TEXT),
        "spec": optional(TEXT),
        "rows": optional(TEXTS),
        "why": optional(TEXT),
        "classes": required(TEXT),
        "format": optional(_FORMAT),
        "config": optional(mapping_of(mapping_of(ANYTHING))),
        "model": optional(MAPPING),
        "previous": optional(MAPPING),
        "call": optional(_CALL),
        "expect": optional(_OUTCOME),
        "expectAny": optional(each(_OUTCOME)),
        "peer": optional(ANYTHING),
        "note": optional(TEXT),
    },
    exactly_one=(("expect", "expectAny"),),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MuranoCall:
    """`on_class` set: call on the class; else on the object with the id `on_object` (`root`: the root object)."""

    method: str
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    on_object: str = "root"
    on_class: str | None = None
    via_api: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MuranoCase(Case):
    classes: str
    format: str
    config: Mapping[str, Mapping[str, Any]]
    model: dict[str, Any] | None
    previous: dict[str, Any] | None
    call: MuranoCall | None
    outcomes: tuple[dict[str, Any], ...]
    """The right outcomes; one is enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MuranoError:
    """`names`, `message` and `extra` of an uncaught `Throw`; `text` is what the user is shown."""

    kind: str
    phase: Literal["load", "call", "serialize"]
    names: tuple[str, ...] = ()
    message: str | None = None
    extra: Any = None
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MuranoOutcome:
    """How the run ended.

    result  plain data; an object is `{"$object": "class.Name"}`, a reference to a class `{"$type": "class.Name"}`
    trace   the values given to `trace()` in order, in the same form; also when the run ended with an error
    model   the root object written back as object model after the call, None when it was not loaded or not written.
            `_actions` in a header may be a list of names or the engine's own mapping of entries with `name`.
    """

    result: Any = NO_RESULT
    trace: tuple[Any, ...] = ()
    model: Any = None
    error: MuranoError | None = None


class Adapter(Protocol):
    """`tests/conformance/adapters/muranopl.py` has to hold a function `run` of this form.

    It makes the package `conf.pkg` 0.0.0 of `case.classes` in `case.format`, offers the extra YAQL function
    `trace(value)`, loads `case.model` (with `case.previous` as the last run's), makes the call and writes the model back.
    """

    def __call__(self, case: MuranoCase) -> MuranoOutcome: ...


def load(folder: Path) -> list[Case]:
    return load_lists("muranopl", folder, _CASE, _build)


def _build(file: Path, raw: dict[str, Any]) -> Case:
    return MuranoCase(
        **common_fields("muranopl", file, raw),
        classes=raw["classes"],
        format=str(raw.get("format", "1.4")),
        config=raw.get("config", {}),
        model=raw.get("model"),
        previous=raw.get("previous"),
        call=_build_call(raw["call"]) if "call" in raw else None,
        outcomes=(raw["expect"],) if "expect" in raw else tuple(raw["expectAny"]),
    )


def _build_call(raw: dict[str, Any]) -> MuranoCall:
    return MuranoCall(
        method=raw["method"],
        args=tuple(raw.get("args", ())),
        kwargs=raw.get("kwargs", {}),
        on_object=raw.get("object", "root"),
        on_class=raw.get("class"),
        via_api=raw.get("via") == "api",
    )
