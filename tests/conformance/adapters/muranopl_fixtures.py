"""Drives the tests that MuranoPL packages bring."""

from __future__ import annotations

from typing import Any

from sabir.languages.language import EvaluationRequest, TestCall
from sabir.languages.muranopl.fixtures import run_tests
from sabir.source.packages import load_package
from tests.conformance.runner.deploy_muranopl import DeployCase

__all__ = ["run_fixtures"]


def run_fixtures(case: DeployCase) -> dict[str, Any]:
    """The outcome in the form of `expect`."""
    wanted = case.raw["test"]
    folders = [case.folder / name for name in case.raw["packages"]]
    package = next(
        package
        for package in map(load_package, folders)
        if f"FullName: {wanted['package']}\n" in package.get_file("manifest.yaml").source.text  # type: ignore[union-attr]  # each has one
    )
    request = EvaluationRequest(search_path=(case.folder,))
    run = run_tests(package, request, TestCall(names=tuple(wanted.get("tests") or ())))
    tests = [
        {"test": f"{outcome.cls}.{outcome.name}", "outcome": "failed" if outcome.failures else "passed"}
        for outcome in run.outcomes
    ]
    count = len(tests)
    summary = {"executed": count, "passed": count - run.failed, "failed": run.failed} if tests else None
    return {"tests": tests, "exit": 1 if run.failed or not tests else 0, "summary": summary}
