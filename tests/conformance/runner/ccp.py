"""CCP cases: their form, what an adapter gives back, and the comparison of tests/conformance/ccp/README.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from tests.conformance.runner.case import Case
from tests.conformance.runner.loading import common_fields, load_lists
from tests.conformance.runner.shape import (
    ANYTHING,
    INTEGER,
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

__all__ = ["Adapter", "CcpCase", "CcpFile", "CcpFinding", "CcpOutcome", "load"]

_ERROR = Shape(
    {
        "kind": required(one_or_more(TEXT)),
        "path": optional(one_or_more(TEXT)),
        "file": optional(TEXT),
        "line": optional(INTEGER),
        "units": optional(TEXTS),
    }
)
_WARNING = Shape({"kind": required(TEXT), "path": optional(TEXT), "file": optional(TEXT)})
_PATTERN = Shape({"kind": optional(TEXT), "path": optional(TEXT), "file": optional(TEXT)})
_FILE = Shape({"content": required(TEXT), "perm": optional(ANYTHING), "user": optional(ANYTHING)})


def _object(value: Any, path: str) -> list[str]:
    problems = MAPPING(value, path)
    missing = [key for key in ("apiVersion", "kind", "name") if not problems and key not in value]
    return problems + [f"{path}.{key}: missing" for key in missing]


_EXPECT = Shape(
    {
        "errors": optional(each(_ERROR)),
        "warnings": optional(each(_WARNING)),
        "no_warnings": optional(each(_PATTERN)),
        "objects": optional(each(_object)),
        "counts": optional(mapping_of(INTEGER)),
        "pod_volumes": optional(mapping_of(mapping_of(INTEGER))),
        "deps": optional(mapping_of(TEXTS)),
        "files": optional(mapping_of(_FILE)),
    }
)
_CASE = Shape(
    {
        "id": required(TEXT),
        "spec": optional(TEXT),
        "rows": optional(TEXTS),
        "why": optional(TEXT),
        "tree": optional(mapping_of(TEXT)),
        "components": optional(mapping_of(mapping_of(TEXT))),
        "config": optional(MAPPING),
        "cluster_nodes": optional(TEXTS),
        "framework_dsl_version": optional(TEXT),
        "op": optional(one_of("render", "deps", "files")),
        "unit": optional(TEXT),
        "node": optional(TEXT),
        "expect": required(_EXPECT),
        "peer": optional(ANYTHING),
    },
    exactly_one=(("tree", "components"),),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CcpCase(Case):
    """`components`: component name to relative path to text, in the written order; one `tree` is called `demo`."""

    components: Mapping[str, Mapping[str, str]]
    config: Mapping[str, Any]
    cluster_nodes: tuple[str, ...]
    framework_dsl_version: str
    op: Literal["render", "deps", "files"]
    unit: str | None
    node: str
    expect: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class CcpFinding:
    """An error or a warning; `file` is the path inside the component's tree, `line` counts from 1 as written."""

    kind: str
    path: str = ""
    file: str | None = None
    line: int | None = None
    units: tuple[str, ...] = ()
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CcpFile:
    """A file as the runner inside a container writes it, rendered; `perm` and `user` as in the definition or None."""

    content: str
    perm: str | None = None
    user: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CcpOutcome:
    """What came out. With any error there are no objects.

    objects  every produced Kubernetes object, as plain data
    deps     op `deps`: service to the services it needs, directly or not
    files    op `files`: destination path to file, for `case.unit` on `case.node`
    """

    errors: tuple[CcpFinding, ...] = ()
    warnings: tuple[CcpFinding, ...] = ()
    objects: tuple[Mapping[str, Any], ...] = ()
    deps: Mapping[str, list[str]] = field(default_factory=dict)
    files: Mapping[str, CcpFile] = field(default_factory=dict)


class Adapter(Protocol):
    """`tests/conformance/adapters/ccp.py` has to hold a function `run` of this form.

    `folder` holds one folder per component, named after it, with the files of its tree. The same texts are in
    `case.components`, in the order in which the defaults are merged; use whichever suits.
    """

    def __call__(self, case: CcpCase, folder: Path) -> CcpOutcome: ...


def load(folder: Path) -> list[Case]:
    return load_lists("ccp", folder, _CASE, _build)


def _build(file: Path, raw: dict[str, Any]) -> Case:
    nodes = tuple(raw.get("cluster_nodes", ("node1", "node2", "node3")))
    return CcpCase(
        **common_fields("ccp", file, raw),
        components=raw["components"] if "components" in raw else {"demo": raw["tree"]},
        config=raw.get("config", {}),
        cluster_nodes=nodes,
        framework_dsl_version=raw.get("framework_dsl_version", "0.9.0"),
        op=raw.get("op", "render"),
        unit=raw.get("unit"),
        node=raw.get("node", nodes[0] if nodes else ""),
        expect=raw["expect"],
    )
