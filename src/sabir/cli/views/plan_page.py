"""A plan as the page of its graph: the steps in their order, each beside what it is about."""

from __future__ import annotations

from collections.abc import Iterator

from sabir.deployments.plan.steps import Plan, PlannedStep
from sabir.diagnostics.finding import Finding
from sabir.graph.graph import Graph, Instance
from sabir.graph.record import Record
from sabir.graph.values import Value
from sabir.graph.views.html.page import PageContent, html_view
from sabir.resources.step import Action

__all__ = ["plan_page"]

_PLAN = "sabir.Plan"
_STEP = "sabir.Step"


def plan_page(plan: Plan, graph: Graph, findings: tuple[Finding, ...], title: str) -> Iterator[bytes]:
    """The page in pieces."""
    actions = {step.address: step for step in plan.steps if not _is_half(step)}
    described = [
        instance if instance.id not in actions else _marked(instance, actions[instance.id])
        for instance in graph
    ]
    steps = [*_steps(plan, {instance.id for instance in described})]
    counts: dict[str, Value] = {action.value: plan.counts[action] for action in Action if plan.counts[action]}
    later: list[Value] = [f"{address}: {reason}" for address, reason in plan.later]
    waiting: list[Value] = [f"{address}: {reason}" for address, reason in plan.waiting]
    whole = Instance(
        id=_PLAN,
        type=_PLAN,
        language="sabir",
        name="plan",
        attributes=Record.of(
            {"steps": counts, "unchanged": plan.unchanged, "not foreseeable yet": later, "waiting": waiting}
        ),
    )
    together = Graph((whole, *steps, *described), outputs=graph.outputs, output_origins=graph.output_origins)
    return html_view(together, PageContent(title=f"plan of {title}", findings=findings))


def _is_half(step: PlannedStep) -> bool:
    return step.replaces and step.action is Action.DELETE


def _action(step: PlannedStep) -> str:
    if step.left is not None:
        return "forget"
    return Action.REPLACE.value if step.replaces else step.action.value


def _marked(instance: Instance, step: PlannedStep) -> Instance:
    from msgspec.structs import replace

    return replace(instance, status=f"to {_action(step)}")


def _steps(plan: Plan, described: set[str]) -> Iterator[Instance]:
    shown = [step for step in plan.steps if not _is_half(step)]
    ids = {step.key: f"{_STEP} {step.key}" for step in shown}
    for number, step in enumerate(shown, 1):
        changes: dict[str, Value] = {
            change.field: {"before": change.before, "after": change.after} for change in step.changes
        }
        yield Instance(
            id=ids[step.key],
            type=_STEP,
            language="sabir",
            name=f"{number} {_action(step)} {step.address}",
            owner=_PLAN,
            attributes=Record.of(
                {
                    "action": _action(step),
                    "kind": step.placed.resource.kind,
                    "target": step.placed.target.name,
                    "reason": step.reason,
                    "changes": changes,
                    "not known yet": list(step.unforeseen),
                }
            ),
            relations=Record.of({"of": (step.address,)} if step.address in described else {}),
            requires=tuple(ids[key] for key in step.requires if key in ids),
            status=_action(step),
            origin=step.placed.resource.origin,
        )
