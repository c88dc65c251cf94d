"""Readiness of workloads, from their status."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.deployments.drivers.kubernetes.readiness import Readiness, readiness


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
