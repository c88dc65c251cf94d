"""Rules of the environment over its graph and its plan: each step is an instance of the type `sabir.Step`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sabir.checks.policy import PolicyRule, run_rules
from sabir.deployments.plan.steps import Plan, PlannedStep
from sabir.diagnostics.finding import Finding
from sabir.environment import FILE_NAME
from sabir.environment.check import environment_rules
from sabir.environment.evaluate import load_environment
from sabir.graph.graph import Graph, Instance
from sabir.graph.record import Record
from sabir.graph.values import Value
from sabir.resources.step import Action
from sabir.session import Session
from sabir.source.packages import load_package

__all__ = ["STEP_TYPE", "judged_plan", "rules_at"]

STEP_TYPE: Final = "sabir.Step"


def rules_at(path: Path) -> tuple[tuple[PolicyRule, ...], tuple[Finding, ...]]:
    """The rules that the environment at a path names; none for anything else."""
    file = path / FILE_NAME if path.is_dir() else path
    if file.name != FILE_NAME or not file.is_file():
        return (), ()
    package = load_package(path)
    environment, _ = load_environment(package)
    return ((), ()) if environment is None else environment_rules(environment, package)


def judged_plan(
    rules: tuple[PolicyRule, ...], graph: Graph, plan: Plan, session: Session
) -> tuple[Finding, ...]:
    """What the rules say of a graph together with the steps of a plan."""
    if not rules:
        return ()
    together = Graph((*graph, *_steps(plan)), outputs=graph.outputs, output_origins=graph.output_origins)
    return tuple(run_rules(rules, together, session))


def _steps(plan: Plan) -> Iterator[Instance]:
    for step in plan.steps:
        if not (step.replaces and step.action is Action.DELETE):
            yield Instance(
                id=f"{STEP_TYPE} {step.key}",
                type=STEP_TYPE,
                language="sabir",
                name=step.key,
                attributes=Record.of(_attributes(step)),
                origin=step.placed.resource.origin,
            )


def _attributes(step: PlannedStep) -> dict[str, Value]:
    after = {} if step.action is Action.DELETE else dict(step.placed.resource.desired)
    before: dict[str, Value] = {**after, **{change.field: change.before for change in step.changes}}
    if step.action is Action.DELETE:
        before = dict(step.placed.resource.desired)
    return {
        "action": Action.REPLACE.value if step.replaces else step.action.value,
        "address": step.address,
        "kind": step.placed.resource.kind,
        "target": step.placed.target.name,
        "driver": step.placed.driver.name,
        "reason": step.reason,
        "changed": [change.field for change in step.changes],
        "before": {} if step.action is Action.CREATE and not step.replaces else before,
        "after": after,
    }
