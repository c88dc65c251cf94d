"""The comparison of Inmanta outcomes."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from tests.conformance.runner.case import Case, Verdict
from tests.conformance.runner.equality import Numbers, differences
from tests.conformance.runner.inmanta import (
    Adapter,
    InmantaCase,
    InmantaError,
    InmantaOutcome,
    InmantaWarning,
    Instance,
    Relation,
)
from tests.conformance.runner.inmanta_project import write_project
from tests.conformance.runner.matching import unpaired
from tests.conformance.runner.outcomes import compare_outcomes, shown_outcomes

__all__ = ["compare", "judge"]

_NOT_LISTED = frozenset({"requires", "provides"})
_MAIN = "__config__::"


def judge(case: Case, adapter: Adapter) -> Verdict:
    assert isinstance(case, InmantaCase)
    with tempfile.TemporaryDirectory(prefix="sabir-case-") as scratch:
        folder = Path(scratch).resolve()
        write_project(case.files, folder)
        outcome = adapter(case, folder)
    expected = shown_outcomes(case.outcomes)
    return Verdict(differences=tuple(compare(case, outcome)), expected=expected, actual=outcome)


def compare(case: InmantaCase, outcome: InmantaOutcome) -> list[str]:
    return compare_outcomes(case.outcomes, lambda expected: _compare_one(expected, outcome))


def _compare_one(expected: dict[str, Any], outcome: InmantaOutcome) -> list[str]:
    if "error" in expected:
        found = _compare_errors(expected["error"], outcome.errors)
    elif outcome.errors:
        found = [f"no error expected, found {_shown(error)}" for error in outcome.errors]
    else:
        found = _compare_model(expected, outcome)
    return found + _missing_warnings(expected.get("warnings", []), outcome.warnings)


def _compare_model(expected: dict[str, Any], outcome: InmantaOutcome) -> list[str]:
    values = _Values(outcome)
    found: list[str] = []
    for name, value in expected.get("vars", {}).items():
        if name not in outcome.variables:
            found.append(f"variable {name}: missing")
        else:
            found += values.differences(value, outcome.variables[name], name)
    for entity, rows in expected.get("instances", {}).items():
        found += values.instance_differences(entity, rows)
    return found


class _Values:
    """Values against expectations; needs the outcome for `$var`."""

    def __init__(self, outcome: InmantaOutcome) -> None:
        self._outcome = outcome

    def instance_differences(self, entity: str, rows: list[dict[str, Any]]) -> list[str]:
        """Instances whose exact type is the entity, paired with the rows in any order."""
        there = [one for one in self._outcome.instances if _entity(one.entity) == _entity(entity)]
        missing, extra = unpaired(rows, there, lambda row, one: not self._row_differences(row, one))
        if len(missing) == len(extra) == 1:
            return self._row_differences(missing[0], extra[0])
        found = [f"instance of {entity} missing: {row}" for row in missing]
        return found + [f"instance of {entity} not expected: {one!r}" for one in extra]

    def _row_differences(self, row: dict[str, Any], instance: Instance) -> list[str]:
        there = {name: value for name, value in instance.attributes.items() if name not in _NOT_LISTED}
        wanted = {name: value for name, value in row.items() if name not in _NOT_LISTED}
        found = [f"{instance.entity}.{name}: missing" for name in wanted if name not in there]
        found += [
            f"{instance.entity}.{name}: not expected: {there[name]!r}" for name in there if name not in wanted
        ]
        for name, value in row.items():
            if name in instance.attributes:
                found += self.differences(value, instance.attributes[name], f"{instance.entity}.{name}")
            elif name in _NOT_LISTED:
                found.append(f"{instance.entity}.{name}: missing")
        return found

    def differences(self, expected: Any, actual: Any, path: str) -> list[str]:
        if isinstance(expected, dict) and "$var" in expected:
            return self._same_instance(expected["$var"], actual, path)
        if isinstance(expected, dict) and "$type" in expected:
            return self._some_instance(expected, actual, path)
        if isinstance(actual, Relation):
            return self._relation(expected, actual, path)
        if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
            pairs = enumerate(zip(expected, actual, strict=True))
            return [
                text
                for index, (one, other) in pairs
                for text in self.differences(one, other, f"{path}[{index}]")
            ]
        if isinstance(expected, dict) and isinstance(actual, dict) and _keys(expected) == _keys(actual):
            return [
                text
                for key, one in expected.items()
                for text in self.differences(one, actual[key], f"{path}[{key!r}]")
            ]
        return differences(expected, actual, Numbers.BY_TYPE, path)

    def _same_instance(self, name: str, actual: Any, path: str) -> list[str]:
        held = self._outcome.variables.get(name)
        if not isinstance(held, Instance):
            return [f"{path}: the instance in variable {name} expected, but {name} holds {held!r}"]
        return (
            []
            if actual is held
            else [f"{path}: the very instance in variable {name} expected, found {actual!r}"]
        )

    def _some_instance(self, expected: dict[str, Any], actual: Any, path: str) -> list[str]:
        entity = expected["$type"]
        if not isinstance(actual, Instance) or _entity(actual.entity) != _entity(entity):
            return [f"{path}: an instance of {entity} expected, found {actual!r}"]
        found: list[str] = []
        for name, value in expected.items():
            if name == "$type":
                continue
            if name not in actual.attributes:
                found.append(f"{path}.{name}: missing")
            else:
                found += self.differences(value, actual.attributes[name], f"{path}.{name}")
        return found

    def _relation(self, expected: Any, actual: Relation, path: str) -> list[str]:
        if not isinstance(expected, list):
            return [f"{path}: {expected!r} expected, a relation with {len(actual.items)} instances found"]
        missing, extra = unpaired(
            expected, actual.items, lambda one, other: not self.differences(one, other, path)
        )
        return [f"{path}: {item!r} missing" for item in missing] + [
            f"{path}: {item!r} not expected" for item in extra
        ]


def _keys(mapping: dict[Any, Any]) -> set[tuple[type, Any]]:
    return {(type(key), key) for key in mapping}


def _entity(name: str) -> str:
    return name.removeprefix(_MAIN)


def _missing_warnings(expected: list[dict[str, Any]], actual: tuple[InmantaWarning, ...]) -> list[str]:
    there = {(warning.kind, warning.file, warning.line) for warning in actual}
    return [
        f"warning missing: {entry}; there are {sorted(there)}"
        for entry in expected
        if (entry["kind"], entry.get("file", "main.cf"), entry["line"]) not in there
    ]


def _compare_errors(expected: dict[str, Any], errors: tuple[InmantaError, ...]) -> list[str]:
    if not errors:
        return [f"error {expected['kind']} expected, the project compiles"]
    if "count" in expected:
        return _compare_together(expected, errors)
    # Without `count` the case speaks of one error: another one beside it is a mistake that nobody made.
    compared = [(_error_differences(expected, error), error) for error in errors]
    nearest, matched = min(compared, key=lambda pair: len(pair[0]))
    return nearest + [f"error not expected: {_shown(error)}" for error in errors if error is not matched]


def _compare_together(expected: dict[str, Any], errors: tuple[InmantaError, ...]) -> list[str]:
    """Several errors reported together: `line` is then one line of them or all of their lines."""
    found: list[str] = []
    if len(errors) != expected["count"]:
        found.append(
            f"{expected['count']} errors expected, {len(errors)} found: {[_shown(error) for error in errors]}"
        )
    lines = expected.get("line")
    each = {key: value for key, value in expected.items() if key in ("kind", "file")}
    for error in errors:
        found += _error_differences(each, error)
    there = sorted(error.line for error in errors)
    if isinstance(lines, list) and sorted(lines) != there:
        found.append(f"error.line: all of {lines} expected, {there} found")
    if isinstance(lines, int) and lines not in there:
        found.append(f"error.line: {lines} expected among {there}")
    named = {line for error in errors for line in (error.line, *error.lines)}
    return found + _missing_locations(expected, named)


def _error_differences(expected: dict[str, Any], error: InmantaError) -> list[str]:
    found: list[str] = []
    if error.kind not in _listed(expected["kind"]):
        found.append(f"error.kind: {expected['kind']} expected, found {_shown(error)}")
    if "file" in expected and error.file != expected["file"]:
        found.append(f"error.file: {expected['file']} expected, found {_shown(error)}")
    if "line" in expected and error.line not in _listed(expected["line"]):
        found.append(f"error.line: {expected['line']} expected, found {_shown(error)}")
    return found + _missing_locations(expected, {error.line, *error.lines})


def _missing_locations(expected: dict[str, Any], named: set[int]) -> list[str]:
    missing = [line for line in expected.get("locations", []) if line not in named]
    return [
        f"error.locations: the message has to name line {line}; it names {sorted(named)}" for line in missing
    ]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _shown(error: InmantaError) -> str:
    return f"{error.kind} at {error.file}:{error.line}: {error.message}"
