from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.runner.ccp import CcpCase, CcpFile, CcpFinding, CcpOutcome
from tests.conformance.runner.ccp_compare import compare
from tests.conformance.runner.ccp_subset import subset_differences


def _case(expect: dict[str, Any]) -> CcpCase:
    return CcpCase(
        language="ccp",
        id="c",
        file=Path("f"),
        raw={},
        components={},
        config={},
        cluster_nodes=("node1",),
        framework_dsl_version="0.9.0",
        op="render",
        unit=None,
        node="node1",
        expect=expect,
    )


JSON = json.dumps({"a": 1, "b": [1, 2]})
ENCODED = base64.b64encode(JSON.encode()).decode()
SUBSET: list[tuple[Any, Any]] = [
    ({"a": 1}, {"a": 1, "b": 2}),
    ({}, {"b": 2}),
    ([{"name": "x", "v": 1}], [{"name": "y"}, {"name": "x", "v": 1, "w": 2}]),
    ([1, {"a": 1}], [1, {"a": 1, "b": 2}]),
    ([{"a": 1}], [{"a": 1, "name": "x"}]),
    ([], []),
    ({"$absent": ["b"], "a": 1}, {"a": 1}),
    ({"$absent": ["b"]}, {}),
    ({"$exact": {"a": [1]}}, {"a": [1]}),
    ({"a": {"$present": True}}, {"a": 0}),
    ({"$json": {"a": 1}}, JSON),
    ({"$b64json": {"b": [1, 2]}}, ENCODED),
    ({"$json": {"$exact": {"a": 1, "b": [1, 2]}}}, JSON),
    (None, None),
]
NO_SUBSET: list[tuple[Any, Any]] = [
    ({"a": 1}, {"b": 2}),
    ({"a": 1}, {"a": True}),
    ({"a": 1}, {"a": 1.0}),
    ({"a": "1"}, {"a": 1}),
    ({"a": 1}, [1]),
    ({"a": None}, {}),
    ([{"name": "x", "v": 1}], [{"name": "x", "v": 2}]),
    ([{"name": "x"}], [{"name": "y"}]),
    ([{"name": "x"}], [{"name": "x"}, {"name": "x"}]),
    ([1, 2], [2, 1]),
    ([1], [1, 2]),
    ([], [{"name": "x"}]),
    ([1], 1),
    ({"$absent": ["b"]}, {"b": None}),
    ({"$exact": {"a": [1]}}, {"a": [1], "b": 2}),
    ({"$exact": {}}, {"b": 2}),
    ({"a": {"$present": True}}, {}),
    ({"a": {"$present": True}}, {"a": ""}),
    ({"a": {"$present": True}}, {"a": []}),
    ({"$json": {"a": 2}}, JSON),
    ({"$json": {"a": 1}}, "{"),
    ({"$json": {"a": 1}}, {"a": 1}),
    ({"$b64json": {"a": 1}}, JSON),
    ({"$b64json": {"a": 2}}, ENCODED),
    ({"$exact": 1, "a": 1}, 1),
    ({"$unknown": 1}, 1),
]


@pytest.mark.parametrize("expected, actual", SUBSET)
def test_subset(expected: Any, actual: Any) -> None:
    assert subset_differences(expected, actual, "x") == []


@pytest.mark.parametrize("expected, actual", NO_SUBSET)
def test_no_subset(expected: Any, actual: Any) -> None:
    assert subset_differences(expected, actual, "x")


def _config_map(name: str = "a", **more: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, **more}


POD = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"spec": {"containers": [], "volumes": [{"name": "v"}, {"name": "w"}]}},
    },
}
LISTED = {"apiVersion": "v1", "kind": "ConfigMap", "name": "a"}
CYCLE = CcpFinding(kind="dependency-cycle", units=("a/x", "b/y"))
EMPTY = CcpFinding(kind="empty", path="service.name", file="service/a.yaml", line=3)
NEWER = CcpFinding(kind="newer-feature", path="service.annotations", file="service/a.yaml")
PASS: list[tuple[dict[str, Any], CcpOutcome]] = [
    ({"objects": [LISTED]}, CcpOutcome(objects=(_config_map(), _config_map("b")))),
    (
        {"objects": [{**LISTED, "data": {"k": "v"}}]},
        CcpOutcome(objects=(_config_map(data={"k": "v", "l": "w"}),)),
    ),
    ({"counts": {"ConfigMap": 1, "Service": 0}}, CcpOutcome(objects=(_config_map(),))),
    ({"pod_volumes": {"Deployment/web": {"v": 1, "x": 0}}}, CcpOutcome(objects=(POD,))),
    ({"errors": [{"kind": "empty", "path": "service.name"}]}, CcpOutcome(errors=(EMPTY,))),
    (
        {"errors": [{"kind": ["x", "empty"], "path": ["y", "service.name"], "line": 3}]},
        CcpOutcome(errors=(EMPTY,)),
    ),
    (
        {"errors": [{"kind": "empty", "path": "service.name", "file": "service/a.yaml"}]},
        CcpOutcome(errors=(EMPTY,)),
    ),
    ({"errors": [{"kind": "dependency-cycle", "units": ["b/y", "a/x"]}]}, CcpOutcome(errors=(CYCLE,))),
    ({"warnings": [{"kind": "newer-feature"}]}, CcpOutcome(warnings=(NEWER, EMPTY))),
    (
        {"no_warnings": [{"kind": "newer-feature", "path": "service.antiAffinity"}]},
        CcpOutcome(warnings=(NEWER,)),
    ),
    ({"deps": {"a": ["b", "c"]}}, CcpOutcome(deps={"a": ["b", "c"]})),
    ({"files": {"/a": {"content": "x\n"}}}, CcpOutcome(files={"/a": CcpFile(content="x", perm="0600")})),
    (
        {"files": {"/a": {"content": "x", "perm": None, "user": "u"}}},
        CcpOutcome(files={"/a": CcpFile(content="x\n", user="u")}),
    ),
]
FAIL: list[tuple[dict[str, Any], CcpOutcome]] = [
    ({"objects": [LISTED]}, CcpOutcome()),
    ({"objects": [LISTED]}, CcpOutcome(objects=(_config_map(), _config_map()))),
    ({"objects": [{**LISTED, "apiVersion": "v2"}]}, CcpOutcome(objects=(_config_map(),))),
    ({"objects": [{**LISTED, "data": {"k": "v"}}]}, CcpOutcome(objects=(_config_map(data={"k": "w"}),))),
    ({"counts": {"ConfigMap": 1}}, CcpOutcome(objects=(_config_map(), _config_map("b")))),
    ({"pod_volumes": {"Deployment/web": {"v": 2}}}, CcpOutcome(objects=(POD,))),
    ({"pod_volumes": {"Job/web": {"v": 1}}}, CcpOutcome(objects=(POD,))),
    ({}, CcpOutcome(errors=(EMPTY,))),
    ({"errors": []}, CcpOutcome(errors=(EMPTY,))),
    ({"errors": [{"kind": "empty", "path": "service.name"}]}, CcpOutcome()),
    ({"errors": [{"kind": "empty", "path": "service.name"}]}, CcpOutcome(errors=(EMPTY, EMPTY))),
    ({"errors": [{"kind": "empty", "path": "service.name"}] * 2}, CcpOutcome(errors=(EMPTY,))),
    ({"errors": [{"kind": "empty", "path": "service"}]}, CcpOutcome(errors=(EMPTY,))),
    ({"errors": [{"kind": "empty", "path": "service.name", "line": 4}]}, CcpOutcome(errors=(EMPTY,))),
    ({"errors": [{"kind": "empty", "path": "service.name", "file": "b.yaml"}]}, CcpOutcome(errors=(EMPTY,))),
    ({"errors": [{"kind": "dependency-cycle", "units": ["a/x"]}]}, CcpOutcome(errors=(CYCLE,))),
    (
        {"errors": [{"kind": "empty", "path": "service.name"}]},
        CcpOutcome(errors=(EMPTY,), objects=(_config_map(),)),
    ),
    ({"warnings": [{"kind": "newer-feature", "path": "x"}]}, CcpOutcome(warnings=(NEWER,))),
    ({"no_warnings": [{"kind": "newer-feature"}]}, CcpOutcome(warnings=(NEWER,))),
    ({"deps": {"a": ["b", "c"]}}, CcpOutcome(deps={"a": ["c", "b"]})),
    ({"deps": {"a": ["b"]}}, CcpOutcome(deps={"a": ["b"], "b": []})),
    ({"deps": {"a": []}}, CcpOutcome(deps={"b": []})),
    ({"files": {"/a": {"content": "x"}}}, CcpOutcome(files={"/a": CcpFile(content="x\n\n")})),
    ({"files": {"/a": {"content": "x"}}}, CcpOutcome(files={})),
    ({"files": {}}, CcpOutcome(files={"/a": CcpFile(content="x")})),
    ({"files": {"/a": {"content": "x", "perm": "0600"}}}, CcpOutcome(files={"/a": CcpFile(content="x")})),
    ({}, CcpOutcome(objects=(_config_map(date={}),))),
    ({}, CcpOutcome(objects=(_config_map(data={"k": 1}),))),
    ({}, CcpOutcome(objects=({"metadata": {"name": "a"}},))),
    ({}, CcpOutcome(objects=({"apiVersion": "v9", "kind": "Nothing", "metadata": {"name": "a"}},))),
]


@pytest.mark.parametrize("expect, outcome", PASS)
def test_passes(expect: dict[str, Any], outcome: CcpOutcome) -> None:
    assert compare(_case(expect), outcome) == []


@pytest.mark.parametrize("expect, outcome", FAIL)
def test_fails(expect: dict[str, Any], outcome: CcpOutcome) -> None:
    assert compare(_case(expect), outcome)
