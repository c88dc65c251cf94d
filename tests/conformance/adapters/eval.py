"""Drives the expressions of sabir for the cases of tests/conformance/eval."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from sabir.errors import FindingError
from sabir.expressions.query import (
    Artifact,
    EnsembleProject,
    InstanceStatus,
    NodeState,
    QueryError,
    QueryResource,
    QueryResult,
    QuerySession,
    evaluate,
    is_sensitive,
    map_value,
    redact_value,
    reveal_deep,
)
from sabir.graph.values import Unknown
from sabir.session import Session as WorkSession
from sabir.session import Trust
from tests.conformance.runner.eval import EvalCase, EvalError, EvalOutcome
from tests.expressions.query.trees import plain_tree

__all__ = ["run"]

_KINDS = {
    "EXPR:E001": "syntax",
    "EXPR:E002": "undefined-variable",
    "EXPR:E003": "unknown-special-key",
    "EXPR:E004": "unknown-function",
    "EXPR:E005": "unknown-lookup",
    "EXPR:E006": "bad-arguments",
    "EXPR:E007": "missing-input",
    "EXPR:E008": "not-found",
    "EXPR:E009": "file-not-found",
    "EXPR:E010": "template",
    "EXPR:E011": "no-result",
    "EXPR:E012": "null-result",
    "EXPR:E013": "no-task",
    "EXPR:E014": "python-not-found",
    "EXPR:E015": "python-raised",
}
"""The words of the cases for the rules that they speak of."""


def run(case: EvalCase, folder: Path) -> EvalOutcome:
    try:
        root = tosca_root(case, folder) if case.tosca is not None else _plain_root(case, folder)
        start = _start(root, case.at)
        if case.is_value:
            value = map_value(case.expression, start, case.vars)
            return _outcome(QueryResult([value]), with_values=False)
        return _outcome(evaluate(case.expression, start, case.vars), with_values=True)
    except QueryError as error:
        return EvalOutcome(
            error=EvalError(kind=_KINDS.get(error.rule.code, error.rule.code), message=str(error))
        )
    except FindingError as error:
        return EvalOutcome(error=EvalError(kind="validation", message=str(error)))


def _project(case: EvalCase, folder: Path, repositories: Mapping[str, Path] | None = None) -> EnsembleProject:
    home = case.env.get("UNFURL_HOME")
    return EnsembleProject(
        directory=folder,
        root=folder.parent,
        home=Path(home) if home else folder,
        repositories=repositories or {},
        locals=case.locals,
        secrets=case.secrets,
        vault_password=case.vault_password,
    )


def _work(case: EvalCase) -> WorkSession:
    """The cases speak of what is allowed: every function may do what it does."""
    trust = Trust(python=True, env=True, network=True, write_files=True)
    return WorkSession(environment=case.env, trust=trust)


def _plain_root(case: EvalCase, folder: Path) -> QueryResource:
    session = QuerySession(project=_project(case, folder), work=_work(case))
    return plain_tree(case.tree or {"name": "root"}, session)


def tosca_root(case: EvalCase, folder: Path) -> QueryResource:
    from sabir.languages.tosca.evaluate import LiveValues, Request
    from sabir.languages.tosca.graph.evaluation import instantiate_topology
    from sabir.languages.tosca.syntax.documents import load_file

    path = folder / "service-template.yaml"
    path.write_text(yaml.safe_dump(dict(case.tosca or {}), sort_keys=False), encoding="utf-8")
    loaded = load_file(path)
    live = {
        name: LiveValues(
            attributes=one.get("attributes", {}),
            status=InstanceStatus[one.get("status", "ok")],
            state=NodeState[one["state"]] if "state" in one else None,
        )
        for name, one in case.instances.items()
    }
    request = Request(
        inputs=case.inputs,
        live=live,
        project=_project(case, folder),
        session=_work(case),
    )
    return instantiate_topology(loaded, request).root


def _start(root: QueryResource, at: str | None) -> QueryResource:
    if at is None:
        return root
    name, _, part = at.partition("/")
    node = root.all()[name]
    if not part:
        return node
    return next(one for one in [*node.capabilities, *node.requirements] if one.name == part)


def _outcome(result: QueryResult, *, with_values: bool) -> EvalOutcome:
    outcome = {
        "value": _encoded(reveal_deep(result.value)),
        "sensitive": is_sensitive(result.value),
        "redacted": _encoded(redact_value(result.value)),
    }
    if with_values:
        outcome["values"] = [_encoded(reveal_deep(value)) for value in result.values]
    return EvalOutcome(**outcome)


def _encoded(value: Any) -> Any:
    match value:
        case Unknown():
            return None  # as `sabir query` shows it
        case InstanceStatus():
            return {"$status": value.name}
        case NodeState():
            return {"$state": value.name}
        case QueryResource(kind="capability"):
            return {"$capability": f"{value.parent.name if value.parent else ''}/{value.name}"}
        case QueryResource(kind="relationship"):
            return {"$relationship": f"{value.source.name if value.source else ''}/{value.name}"}
        case QueryResource():
            return {"$instance": value.name}
        case Artifact():
            return {"$artifact": value.name}
        case Mapping():
            return {key: _encoded(item) for key, item in value.items()}
        case list() | tuple():
            return [_encoded(item) for item in value]
        case _:
            return value
