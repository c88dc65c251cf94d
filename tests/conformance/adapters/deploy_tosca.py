"""TOSCA deployments on the command line itself, in a process of this one; what is there afterwards is read from the state."""

from __future__ import annotations

import contextlib
import io
import json
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sabir.cli.main import main
from sabir.errors import DeployError
from sabir.graph.edges import EdgeKind
from sabir.graph.graph import Graph, Instance
from sabir.graph.values import Sensitive, Unknown
from sabir.languages.language import EvaluationRequest
from sabir.operations.deployment.environment import EnvironmentRequest, open_state
from sabir.operations.deployment.preparation import prepare_environment
from sabir.session import Session, Trust
from tests.conformance.runner.deploy_tosca import DeployCase, StepOutcome

__all__ = ["run"]

_NAME = "case"
_LOG = "DEPLOY_LOG"
_VERBS = {"deploy": "deploy", "undeploy": "destroy", "workflow": "call", "notify": "notify"}


def run(case: DeployCase, folder: Path) -> list[StepOutcome]:
    return [_step(case, step, folder) for step in case.steps]


def _step(case: DeployCase, step: Mapping[str, Any], folder: Path) -> StepOutcome:
    template = folder / step.get("template", case.raw["template"])
    verb, _, argument = step["command"].partition(" ")
    is_call = verb in ("workflow", "notify")
    inputs = {**case.raw["inputs"], **({} if is_call else step.get("inputs", {}))}
    words = [_VERBS[verb], str(template), "--here", "--trust", "scripts", "--environment", _NAME, "--yes"]
    words += [argument] if is_call else ["--allow-delete", "all"]
    for name, value in step.get("inputs", {}).items() if is_call else ():
        words += ["--arg", f"{name}={json.dumps(value)}"]
    for name, value in inputs.items():
        words += ["--input", f"{name}={json.dumps(value)}"]
    log = folder / "case.log"
    log.unlink(missing_ok=True)
    begun = time.monotonic()
    with _environment({**step.get("setenv", {}), _LOG: str(log)}):
        status, said = _called(words)
    # What is refused because of a word on the command line has a status of its own.
    outcome = StepOutcome(exit=1 if status == 2 else status, said=said, seconds=time.monotonic() - begun)
    outcome.log = log.read_text().splitlines() if log.exists() else []
    with contextlib.suppress(DeployError):  # the command has said it
        _look(outcome, template, inputs)
    return outcome


def _called(words: list[str]) -> tuple[int, str]:
    said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = main(words)
    said.seek(0)
    return status, said.read()


@contextlib.contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _look(outcome: StepOutcome, template: Path, inputs: Mapping[str, Any]) -> None:
    """What the state says of the template after the step."""
    request = EnvironmentRequest(
        path=template,
        environment=_NAME,
        here=True,
        evaluation=EvaluationRequest(inputs=inputs, session=Session(trust=Trust(scripts=True))),
    )
    with open_state(request, create=True) as store:
        prepared = prepare_environment(request, store)
    outcome.outputs = {name: _plain(value) for name, value in prepared.graph.outputs.items()}
    outcome.attributes = _attributes(prepared.graph)
    outcome.states = _states(prepared.graph)


def _attributes(graph: Graph) -> dict[str, dict[str, Any]]:
    return {
        instance.name: {name: _plain(value) for name, value in instance.attributes.items()}
        for instance in _nodes(graph)
    }


def _nodes(graph: Graph) -> list[Instance]:
    """What stands for a node; capabilities, requirements and the like belong to one."""
    return [instance for instance in graph if instance.kinds.owner in (EdgeKind.PART_OF, EdgeKind.HOSTED_ON)]


def _plain(value: Any) -> Any:
    if isinstance(value, Sensitive):
        return "<<REDACTED>>"
    if isinstance(value, Unknown):
        return None
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _states(graph: Graph) -> dict[str, str]:
    return {
        instance.name: str(instance.attributes["state"])
        for instance in _nodes(graph)
        if "state" in instance.attributes
    }
