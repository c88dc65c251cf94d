"""The comparison of CCP outcomes."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.conformance.runner.case import Case, Verdict
from tests.conformance.runner.ccp import Adapter, CcpCase, CcpFile, CcpFinding, CcpOutcome
from tests.conformance.runner.ccp_subset import subset_differences
from tests.conformance.runner.equality import Numbers, differences
from tests.conformance.runner.kubernetes_schema import schema_problems
from tests.conformance.runner.matching import unpaired
from tests.support.files import write_files

__all__ = ["compare", "judge"]


def judge(case: Case, adapter: Adapter) -> Verdict:
    assert isinstance(case, CcpCase)
    with tempfile.TemporaryDirectory(prefix="sabir-case-") as scratch:
        folder = Path(scratch).resolve()
        for component, tree in case.components.items():
            write_files(folder / component, tree)
        outcome = adapter(case, folder)
    return Verdict(differences=tuple(compare(case, outcome)), expected=case.expect, actual=outcome)


def compare(case: CcpCase, outcome: CcpOutcome) -> list[str]:
    expect = case.expect
    found = _compare_errors(expect.get("errors", []), outcome)
    found += _compare_warnings(expect, outcome.warnings)
    for entry in expect.get("objects", []):
        found += _compare_object(entry, outcome.objects)
    found += _compare_counts(expect.get("counts", {}), outcome.objects)
    found += _compare_pod_volumes(expect.get("pod_volumes", {}), outcome.objects)
    if "deps" in expect:
        actual = {name: list(needed) for name, needed in outcome.deps.items()}
        found += differences(expect["deps"], actual, Numbers.BY_TYPE, "deps")
    if "files" in expect:
        found += _compare_files(expect["files"], outcome.files)
    return found + schema_problems(outcome.objects)


def _compare_errors(expected: list[dict[str, Any]], outcome: CcpOutcome) -> list[str]:
    missing, extra = unpaired(expected, outcome.errors, _error_fits)
    found = [f"error missing: {entry}" for entry in missing] + [
        f"error not expected: {_shown(error)}" for error in extra
    ]
    if outcome.errors and outcome.objects:
        found.append(f"any error means no object, {len(outcome.objects)} were produced")
    return found


def _error_fits(entry: dict[str, Any], error: CcpFinding) -> bool:
    for key, value in entry.items():
        match key:
            case "kind" | "path":
                fits = getattr(error, key) in (value if isinstance(value, list) else [value])
            case "units":
                # A cycle has no first member.
                fits = sorted(error.units) == sorted(value)
            case _:
                fits = getattr(error, key) == value
        if not fits:
            return False
    return True


def _compare_warnings(expect: dict[str, Any], warnings: tuple[CcpFinding, ...]) -> list[str]:
    shown = [_shown(warning) for warning in warnings]
    found = [
        f"warning missing: {entry}; there are {shown}"
        for entry in expect.get("warnings", [])
        if not any(_error_fits(entry, warning) for warning in warnings)
    ]
    for pattern in expect.get("no_warnings", []):
        found += [
            f"warning not allowed by {pattern}: {_shown(one)}"
            for one in warnings
            if _error_fits(pattern, one)
        ]
    return found


def _compare_object(entry: dict[str, Any], objects: tuple[Mapping[str, Any], ...]) -> list[str]:
    at = f"{entry['kind']}/{entry['name']}"
    same = [
        one
        for one in objects
        if (one.get("apiVersion"), one.get("kind"), _name(one))
        == (entry["apiVersion"], entry["kind"], entry["name"])
    ]
    if len(same) != 1:
        there = sorted(f"{one.get('apiVersion')} {one.get('kind')}/{_name(one)}" for one in objects)
        return [f"{entry['apiVersion']} {at}: exactly one expected, {len(same)} found among {there}"]
    others = {key: value for key, value in entry.items() if key not in ("apiVersion", "kind", "name")}
    return subset_differences(others, dict(same[0]), at)


def _name(item: Mapping[str, Any]) -> Any:
    metadata = item.get("metadata")
    return metadata.get("name") if isinstance(metadata, Mapping) else None


def _compare_counts(expected: dict[str, int], objects: tuple[Mapping[str, Any], ...]) -> list[str]:
    there = Counter(one.get("kind") for one in objects)
    return [
        f"counts.{kind}: {number} expected, {there[kind]} found"
        for kind, number in expected.items()
        if there[kind] != number
    ]


def _compare_pod_volumes(
    expected: dict[str, dict[str, int]], objects: tuple[Mapping[str, Any], ...]
) -> list[str]:
    found: list[str] = []
    for address, volumes in expected.items():
        same = [one for one in objects if f"{one.get('kind')}/{_name(one)}" == address]
        if len(same) != 1:
            found.append(f"pod_volumes.{address}: exactly one object expected, {len(same)} found")
            continue
        there = Counter(volume.get("name") for volume in _pod_spec(same[0]).get("volumes", ()))
        found += [
            f"pod_volumes.{address}.{name}: {number} expected, {there[name]} found"
            for name, number in volumes.items()
            if there[name] != number
        ]
    return found


def _pod_spec(item: Mapping[str, Any]) -> Mapping[str, Any]:
    spec: Mapping[str, Any] = item.get("spec", {})
    if item.get("kind") == "CronJob":
        spec = spec["jobTemplate"]["spec"]
    pod: Mapping[str, Any] = spec["template"]["spec"] if "template" in spec else spec
    return pod


def _compare_files(expected: dict[str, dict[str, Any]], actual: Mapping[str, CcpFile]) -> list[str]:
    found = [f"file {path}: missing" for path in expected if path not in actual]
    found += [f"file {path}: not expected" for path in actual if path not in expected]
    for path, entry in expected.items():
        if path not in actual:
            continue
        file = actual[path]
        wanted, there = entry["content"].removesuffix("\n"), file.content.removesuffix("\n")
        found += differences(wanted, there, Numbers.BY_TYPE, f"file {path} content")
        for key in ("perm", "user"):
            if key in entry:
                found += differences(entry[key], getattr(file, key), Numbers.BY_TYPE, f"file {path} {key}")
    return found


def _shown(finding: CcpFinding) -> str:
    place = f"{finding.file or ''}{f':{finding.line}' if finding.line else ''}"
    units = f" units {', '.join(finding.units)}" if finding.units else ""
    return f"{finding.kind} at {finding.path!r} {place}{units}: {finding.message}"
