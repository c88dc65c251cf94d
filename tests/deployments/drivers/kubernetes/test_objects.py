"""Schemas, comparison, readiness and the object that is sent: what needs no cluster."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.deployments.drivers.kubernetes.api import Schemas
from sabir.deployments.drivers.kubernetes.compare import changes_between, sensitive_paths
from sabir.deployments.drivers.kubernetes.objects import build_desired_object
from sabir.deployments.drivers.kubernetes.readiness import Readiness, readiness
from sabir.errors import DeployError
from sabir.graph.address import Address
from sabir.graph.values import Sensitive
from sabir.resources.outcome import FieldChange
from sabir.resources.resource import Resource

DOCUMENT = {
    "definitions": {
        "Shelf": {
            "x-kubernetes-group-version-kind": [{"group": "example.org", "version": "v1", "kind": "Shelf"}],
            "properties": {
                "apiVersion": {"type": "string"},
                "kind": {"type": "string"},
                "spec": {"$ref": "#/definitions/Spec"},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "anything": {"type": "object"},
                "open": {"properties": {"a": {}}, "x-kubernetes-preserve-unknown-fields": True},
            },
        },
        "Spec": {
            "properties": {
                "books": {"type": "array", "items": {"properties": {"title": {"type": "string"}}}},
                "ports": {
                    "items": {"properties": {"port": {}, "protocol": {}}},
                    "x-kubernetes-list-map-keys": ["port", "protocol"],
                },
            }
        },
    }
}


@pytest.mark.parametrize(
    ("rest", "left_out"),
    [
        ({"spec": {"books": [{"title": "a"}]}}, ()),
        ({"spec": {"books": [{"title": "a", "pages": 3}], "size": 1}}, ("spec.books[0].pages", "spec.size")),
        ({"labels": {"any": "text"}}, ()),
        ({"spec": {"ports": [{"port": 80, "protocol": "UDP"}]}}, ()),
        ({"anything": {"x": {"y": 1}}}, ()),
        ({"open": {"a": 1, "b": 2}}, ()),
        ({"colour": "red"}, ("colour",)),
    ],
)
def test_unknown_fields_are_left_out(rest: dict[str, Any], left_out: tuple[str, ...]) -> None:
    manifest = {"apiVersion": "example.org/v1", "kind": "Shelf", **rest}
    taken, paths = Schemas(DOCUMENT).without_unknown(manifest)
    assert paths == left_out
    assert (taken == manifest) is (not left_out)


def test_keys_of_list_items_are_filled_in() -> None:
    manifest = {"apiVersion": "example.org/v1", "kind": "Shelf", "spec": {"ports": [{"port": 80}]}}
    taken, _ = Schemas(DOCUMENT).without_unknown(manifest)
    assert taken["spec"]["ports"] == [{"protocol": "TCP", "port": 80}]


def test_a_kind_without_a_schema_is_sent_as_it_is() -> None:
    manifest = {"apiVersion": "example.org/v2", "kind": "Shelf", "colour": "red"}
    assert Schemas(DOCUMENT).without_unknown(manifest) == (manifest, ())


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ({"spec": {"replicas": 1}}, {"spec": {"replicas": 1}}, ()),
        (
            {"spec": {"replicas": 1}},
            {"spec": {"replicas": 2}},
            (FieldChange(field="spec.replicas", before=1, after=2),),
        ),
        ({"a": [1, 2]}, {"a": [1, 3]}, (FieldChange(field="a[1]", before=2, after=3),)),
        ({"a": [1]}, {"a": [1, 2]}, (FieldChange(field="a", before=[1], after=[1, 2]),)),
        ({"a": {}}, {}, ()),
        ({"status": {"x": 1}, "metadata": {"generation": 1}}, {"metadata": {"generation": 2}}, ()),
        (
            {"kind": "Secret", "data": {"p": "YQ=="}},
            {"kind": "Secret", "data": {"p": "Yg=="}},
            (FieldChange(field="data.p", before=Sensitive("YQ=="), after=Sensitive("Yg==")),),
        ),
    ],
)
def test_changes(before: dict[str, Any], after: dict[str, Any], changes: tuple[FieldChange, ...]) -> None:
    assert changes_between(before, after) == changes


def test_sensitive_paths_hide_what_stands_below_them() -> None:
    paths = sensitive_paths({"data": {"a": Sensitive("1"), "b": "2"}, "list": [1, Sensitive([2])]})
    assert paths == {"data.a", "list[1]"}
    (change,) = changes_between({"list": [1, [2]]}, {"list": [1, [3]]}, paths)
    assert change == FieldChange(field="list[1][0]", before=Sensitive(2), after=Sensitive(3))


def _deployment(**status: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "generation": 2},
        "spec": {"replicas": 2},
        "status": status,
    }


def _job(**status: Any) -> dict[str, Any]:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "load"},
        "spec": {},
        "status": status,
    }


@pytest.mark.parametrize(
    ("manifest", "state", "words"),
    [
        (_deployment(observedGeneration=1), "waiting", "has not seen"),
        (_deployment(observedGeneration=2, updatedReplicas=2, availableReplicas=1), "waiting", "1 of 2"),
        (
            _deployment(observedGeneration=2, replicas=3, updatedReplicas=2, availableReplicas=2),
            "waiting",
            "1 old",
        ),
        (_deployment(observedGeneration=2, replicas=2, updatedReplicas=2, availableReplicas=2), "ready", ""),
        (
            _deployment(conditions=[{"type": "Progressing", "status": "False", "message": "too long"}]),
            "failed",
            "too long",
        ),
        (_job(), "waiting", "0 of 1"),
        (_job(conditions=[{"type": "Complete", "status": "True"}]), "ready", ""),
        (_job(conditions=[{"type": "Failed", "status": "True", "message": "limit"}]), "failed", "limit"),
        ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}, "ready", ""),
        (
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "status": {"phase": "Failed"}},
            "failed",
            "",
        ),
    ],
)
def test_readiness(manifest: dict[str, Any], state: str, words: str) -> None:
    progress = readiness(manifest)
    assert progress.state is Readiness(state)
    assert words in (progress.message or "")


@pytest.mark.parametrize(
    "manifest",
    [None, {}, {"apiVersion": "v1", "kind": "Pod"}, {"apiVersion": "v1", "kind": "Pod", "metadata": {}}],
)
def test_what_is_no_object_is_said(manifest: Any) -> None:
    broken = Resource(address=Address("web"), kind="kubernetes", desired={"manifest": manifest})
    with pytest.raises(DeployError, match="web: its manifest needs"):
        build_desired_object(broken, "shop", force=False)


def test_objects_carry_the_name_of_their_environment() -> None:
    manifest: Any = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {"app": "x"}}}
    pod = Resource(address=Address("p"), kind="kubernetes", desired={"manifest": manifest})
    labels = build_desired_object(pod, "my shop/one", force=False).manifest["metadata"]["labels"]
    assert labels == {"app": "x", "app.kubernetes.io/managed-by": "sabir", "sabir/environment": "my-shop-one"}
