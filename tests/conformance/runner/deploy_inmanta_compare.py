"""The comparison of Inmanta exports and deployments, by the rules of tests/conformance/deploy-inmanta/README.md."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.conformance.runner.case import Case, Verdict
from tests.conformance.runner.deploy_inmanta import Adapter, DeployCase, StepOutcome

__all__ = ["judge"]

_DEFAULTS: Mapping[str, Any] = {
    "references": [],
    "mutators": [],
    "report_only": False,
    "receive_events": True,
}
_REMOTE = "Calling function "
_NO_ENVIRONMENT = "00000000-0000-0000-0000-000000000000"


def judge(case: Case, adapter: Adapter) -> Verdict:
    assert isinstance(case, DeployCase)
    with tempfile.TemporaryDirectory(prefix="sabir-world-") as scratch:
        Path(scratch).chmod(0o755)  # handlers give what they make the mode of what it lies in
        world = Path(scratch).resolve()
        outcomes = adapter(case, world)
        if isinstance(outcomes, str):
            return Verdict(skipped=outcomes)  # it needs packages that are not there
        expected = _placed(case.steps, str(world))
    found: list[str] = []
    for number, (step, outcome) in enumerate(zip(expected, outcomes, strict=True), start=1):
        complete = "complete" in case.raw["covers"]
        found += [
            f"step {number} ({step['command']}): {text}"
            for text in _differences(step["expect"], outcome, complete=complete)
        ]
    return Verdict(differences=tuple(found), expected=expected, actual=outcomes)


def _placed(value: Any, world: str) -> Any:
    if isinstance(value, str):
        return value.replace("@WORLD@", world)
    if isinstance(value, list | tuple):
        return [_placed(item, world) for item in value]
    if isinstance(value, dict):
        return {_placed(key, world): _placed(item, world) for key, item in value.items()}
    return value


def _differences(expected: Mapping[str, Any], outcome: StepOutcome, *, complete: bool) -> list[str]:
    if "error" in expected:
        return [] if outcome.error else ["an error expected, and there is none"]
    if outcome.error:
        return [f"no error expected: {outcome.error}"]
    found: list[str] = []
    if "resources" in expected:
        ours = {name: _written(fields, complete=complete) for name, fields in outcome.resources.items()}
        theirs = {name: _written(fields, complete=complete) for name, fields in expected["resources"].items()}
        found += _mappings("resources", theirs, ours)
    for name in ("resource_sets", "files_uploaded", "changes", "status", "change", "handler_state", "world"):
        if name in expected:
            found += _mappings(name, expected[name], getattr(outcome, name))
    for name in ("undefined", "facts"):
        if name in expected and sorted(expected[name]) != sorted(getattr(outcome, name)):
            found.append(f"{name}: {expected[name]} expected, {getattr(outcome, name)} found")
    return found + _order(expected, outcome) + _log(expected, outcome) + _calls(expected, outcome)


def _written(fields: Mapping[str, Any], *, complete: bool) -> dict[str, Any]:
    """Fields at their default are left out, but in cases that show all; lists of mutators have no order."""
    written = {
        name: _settled(value) if _NO_ENVIRONMENT in repr(fields) else value
        for name, value in fields.items()
        if complete or name not in _DEFAULTS or value != _DEFAULTS[name]
    }
    for name in ("mutators", "references"):
        if name in written:
            written[name] = sorted(written[name], key=repr)
    return written


def _settled(value: Any) -> Any:
    """Ids of references that are made from the environment's id are nobody's promise."""
    if isinstance(value, list):
        return [_settled(item) for item in value]
    if isinstance(value, dict):
        return {
            key: "@REFERENCE@" if _is_reference_id(key, item) else _settled(item)
            for key, item in value.items()
        }
    return "@ENVIRONMENT@" if value == _NO_ENVIRONMENT else value


def _is_reference_id(key: str, value: Any) -> bool:
    return key == "id" and isinstance(value, str) and bool(re.fullmatch("[-0-9a-f]{36}", value))


def _mappings(what: str, expected: Mapping[str, Any], actual: Mapping[str, Any]) -> list[str]:
    return [
        f"{what}, {key}: {expected.get(key, 'nothing')!r} expected, {actual.get(key, 'nothing')!r} found"
        for key in sorted({*expected, *actual})
        if expected.get(key, ...) != actual.get(key, ...)
    ]


def _order(expected: Mapping[str, Any], outcome: StepOutcome) -> list[str]:
    ran = outcome.ran
    return [
        f"order: {first} before {then} expected, ran: {ran}"
        for first, then in expected.get("order", ())
        if first not in ran or then not in ran or ran.index(first) > ran.index(then)
    ]


def _log(expected: Mapping[str, Any], outcome: StepOutcome) -> list[str]:
    """Levels of all lines but those of the module mitogen about each remote call; texts of the existing engine are its own."""
    found: list[str] = []
    for key in ("log", "log_any_order"):
        for name, lines in expected.get(key, {}).items():
            theirs = [line[0] for line in lines if not line[1].startswith(_REMOTE)]
            ours = [level for level, text in outcome.log.get(name, []) if not text.startswith(_REMOTE)]
            if key == "log_any_order":
                theirs, ours = sorted(theirs), sorted(ours)
            if theirs != ours:
                found.append(f"log of {name}: {lines} expected, {outcome.log.get(name)} found")
    return found


def _calls(expected: Mapping[str, Any], outcome: StepOutcome) -> list[str]:
    found: list[str] = []
    if "calls_text" in expected and list(expected["calls_text"]) != outcome.calls:
        found.append(f"calls: {expected['calls_text']} expected, {outcome.calls} found")
    if "calls_set" in expected and sorted(expected["calls_set"]) != sorted(outcome.calls):
        found.append(f"calls: {expected['calls_set']} expected, {outcome.calls} found")
    for name, lines in expected.get("calls", {}).items():
        ours = [line for line in outcome.calls if name in line.split()[:2]]
        if list(lines) != ours:
            found.append(f"calls of {name}: {lines} expected, {ours} found")
    if expected.get("calls") == {} and outcome.calls:
        found.append(f"no calls expected, {outcome.calls} found")
    return found
