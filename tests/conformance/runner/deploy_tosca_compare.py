"""The comparison of TOSCA deployments: what ran in which order, what it saw, what is there afterwards."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.conformance.runner.case import Case, Verdict
from tests.conformance.runner.deploy_tosca import Adapter, DeployCase, StepOutcome

__all__ = ["judge", "mismatch"]

_NO_INSTANCE = ("initial", "deleted")


def judge(case: Case, adapter: Adapter) -> Verdict:
    assert isinstance(case, DeployCase)
    # What an extra brings lies beside the interpreter, which need not be on the path.
    path = f"{os.environ.get('PATH', '')}:{Path(sys.executable).parent}"
    missing = [program for program in case.raw.get("needs") or () if shutil.which(program, path=path) is None]
    if missing:
        return Verdict(differences=(f"needs {', '.join(missing)}",))
    with TemporaryDirectory(prefix="sabir-case-") as scratch:
        copy = Path(scratch).resolve() / case.id
        shutil.copytree(case.folder, copy)
        outcomes = adapter(case, copy)
    differences = [
        f"step {number} ({step['command']}): {difference}"
        for number, (step, outcome) in enumerate(zip(case.steps, outcomes, strict=True), 1)
        for difference in _step(step, outcome)
    ]
    return Verdict(differences=tuple(differences))


def _step(step: Mapping[str, Any], outcome: StepOutcome) -> Iterator[str]:
    if step["exit"] != outcome.exit:
        yield f"exit {outcome.exit}, wanted {step['exit']}: {outcome.said[-600:]}"
    ran = {line.split("\t")[0]: dict(_variables(line)) for line in outcome.log}
    wrong = mismatch(step["order"], [line.split("\t")[0] for line in outcome.log])
    if wrong is not None:
        yield wrong
    for operation, wanted in step.get("environment", {}).items():
        yield from _mapping(f"environment of {operation}", wanted, ran.get(operation, {}))
    yield from _mapping("outputs", step.get("outputs", {}), outcome.outputs)
    for node, wanted in step.get("attributes", {}).items():
        yield from _mapping(f"attributes of {node}", wanted, outcome.attributes.get(node, {}))
    yield from _words(step, outcome)
    for node, state in step.get("status", {}).items():
        actual = outcome.states.get(node, "initial")
        if actual != state and not (actual in _NO_INSTANCE and state in _NO_INSTANCE):
            yield f"{node} is {actual}, wanted {state}"


def _words(step: Mapping[str, Any], outcome: StepOutcome) -> Iterator[str]:
    yield from (f"does not say {word!r}" for word in step.get("says", ()) if word not in outcome.said)
    everything = outcome.said + json.dumps(outcome.outputs, default=str)
    yield from (f"shows {word!r}" for word in step.get("never", ()) if word in everything)
    if outcome.seconds > step.get("within", outcome.seconds):
        yield f"took {outcome.seconds:.1f} s"


def _variables(line: str) -> Iterator[tuple[str, str]]:
    for part in line.split("\t")[1:]:
        name, _, value = part.partition("=")
        yield name, value


def _mapping(what: str, wanted: Mapping[str, Any], actual: Mapping[str, Any]) -> Iterator[str]:
    for name, value in wanted.items():
        if name not in actual or actual[name] != value or type(actual[name]) is not type(value):
            yield f"{what}: {name} is {actual.get(name)!r}, wanted {value!r}"


def mismatch(order: Any, ran: Sequence[str]) -> str | None:
    """Why the operations that ran are not what `order` asks for; None when they are."""
    wanted = sorted(_labels(order))
    if sorted(ran) != wanted:
        return f"ran {[*ran]}, wanted {wanted}"
    place = {name: position for position, name in enumerate(ran)}
    wrong = [f"{first} after {then}" for first, then in _pairs(order) if place[first] > place[then]]
    return "; ".join(wrong) or None


def _labels(order: Any) -> Iterator[str]:
    if isinstance(order, str):
        yield order
        return
    for part in order["any"] if isinstance(order, dict) else order:
        yield from _labels(part)


def _pairs(order: Any) -> Iterator[tuple[str, str]]:
    """Every two operations that the order puts in sequence."""
    if isinstance(order, dict):
        for part in order["any"]:
            yield from _pairs(part)
    elif isinstance(order, list):
        before: list[str] = []
        for part in order:
            yield from _pairs(part)
            here = [*_labels(part)]
            yield from ((first, then) for first in before for then in here)
            before += here
