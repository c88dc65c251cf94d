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
from sabir.deployments.store.records import RecordStatus
from sabir.errors import DeployError
from sabir.graph.address import Address
from sabir.graph.edges import EdgeKind
from sabir.graph.graph import Graph
from sabir.graph.instance import Instance
from sabir.graph.values import Sensitive, Unknown
from sabir.languages.language import EvaluationRequest
from sabir.operations.deploying import EnvironmentRequest, Prepared, opened, prepare
from sabir.session import Session, Trust
from tests.conformance.runner.deploy_tosca import DeployCase, StepOutcome

__all__ = ["run"]

_NAME = "case"
_LOG = "DEPLOY_LOG"
_VERBS = {"deploy": "deploy", "undeploy": "destroy", "workflow": "call", "notify": "notify"}
_REACHED = {"create": "created", "configure": "configured", "start": "started"}


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
    with opened(request, create=True) as store:
        prepared = prepare(request, store)
        records = {address: record.status for address, record in store.records().items()}
    outcome.outputs = {name: _plain(value) for name, value in prepared.graph.outputs.items()}
    outcome.attributes = _attributes(prepared.graph)
    outcome.states = _states(prepared, records)


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


def _states(prepared: Prepared, records: Mapping[str, RecordStatus]) -> dict[str, str]:
    """How far each node came, by the operations that are recorded as done; one without operations follows what it requires."""
    states: dict[str, str] = {}
    nodes = {node.id: node for node in _nodes(prepared.graph)}

    def state(id_: str) -> str:
        if id_ not in states:
            required = nodes[id_].requires
            states[id_] = _state(id_, prepared, records, {other: state(other) for other in required})
        return states[id_]

    return {node.name: state(id_) for id_, node in nodes.items()} if records else {}


def _state(
    name: str, prepared: Prepared, records: Mapping[str, RecordStatus], required: Mapping[str, str]
) -> str:
    mine = [address for address in (*prepared.placed, *records) if address.startswith(f"{name}.interfaces.")]
    if any(records.get(address) is RecordStatus.FAILED for address in mine):
        return "error"
    done = [address for address in mine if address in records]
    if len(done) == len(mine):
        return "started" if all(other == "started" for other in required.values()) else "initial"
    reached = [Address.parse(address).instance.rpartition(".")[2] for address in done]
    return next(
        (_REACHED[stage] for stage in ("start", "configure", "create") if stage in reached), "initial"
    )
