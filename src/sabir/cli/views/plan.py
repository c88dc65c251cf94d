"""A plan for people and machines.

A plan as the page of its graph: the steps in their order, each beside what it is about.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from sabir.checks.formatters.palette import Palette, escape_control
from sabir.cli.views.diff import code_span
from sabir.deployments.plan.steps import Plan, PlannedStep
from sabir.diagnostics.finding import Finding
from sabir.graph.graph import Graph, Instance
from sabir.graph.record import Record
from sabir.graph.values import Sensitive, Unknown, Value
from sabir.graph.views.html.page import PageContent, html_view
from sabir.graph.views.text import clip_text, one_line
from sabir.operations.deployment.plan_file import plan_text
from sabir.resources.outcome import FieldChange
from sabir.resources.step import Action

_LONG: Final = 80
_CONTEXT: Final = 20

_WORDS: Final = {
    Action.CREATE: "to create",
    Action.UPDATE: "to update",
    Action.REPLACE: "to replace",
    Action.DELETE: "to delete",
    Action.PURGE: "to purge",
    Action.RUN: "to run",
    Action.CHECK: "to look at",
}
_COLOURS: Final = {
    Action.CREATE: (32,),
    Action.UPDATE: (33,),
    Action.REPLACE: (31,),
    Action.DELETE: (31,),
    Action.PURGE: (31,),
    Action.RUN: (36,),
    Action.CHECK: (2,),
}


def text_view(plan: Plan, palette: Palette) -> Iterator[str]:
    """Steps below their target, with their signs; then what has to wait; then the counts."""
    steps = _by_target(plan)
    for target, of_target in steps.items():
        if len(steps) > 1 or target != "here":
            yield palette.bold(f"on {target}") + "\n"
        for step in of_target:
            yield from _step_lines(step, palette)
    for address, reason in plan.later:
        yield (
            palette.dim("  …")
            + f" {escape_control(address)} cannot be foreseen yet: {escape_control(reason)}\n"
        )
    for address, reason in plan.waiting:
        yield palette.yellow("!") + f" {escape_control(address)} waits: {escape_control(reason)}\n"
    yield summarize_plan(plan) + "\n"


def _by_target(plan: Plan) -> dict[str, list[PlannedStep]]:
    """The steps that are shown: of a replacement only its creation."""
    steps: dict[str, list[PlannedStep]] = {}
    for step in plan.steps:
        if not (step.replaces and step.action is Action.DELETE):
            steps.setdefault(step.placed.target.name, []).append(step)
    return steps


def _step_lines(step: PlannedStep, palette: Palette) -> Iterator[str]:
    action = Action.REPLACE if step.replaces else step.action
    sign = palette.paint(action.sign.rjust(3), *_COLOURS[action])
    kind = step.placed.resource.kind
    reason = "" if step.reason == "it is new" else f": {step.reason}"
    if not step.does_something:
        sign = palette.dim("  ·")
        reason = f": {_describe_idle(step)}"
    yield f"{sign} {escape_control(step.address)} {palette.dim(f'({kind})')}{escape_control(reason)}\n"
    for change in step.changes:
        for leaf in leaf_changes(change):
            yield f"        {_change_text(leaf)}\n"
    for effect in step.effects:
        yield f"        {palette.dim('·')} {escape_control(effect)}\n"
    if step.unforeseen:
        names = ", ".join(step.unforeseen)
        yield palette.dim(f"        {names}: known when the steps before it are done") + "\n"


def _describe_idle(step: PlannedStep) -> str:
    """Of a step that does not touch the world."""
    if step.left is not None:
        return f"only forgotten, left as it is: {step.left}"
    return "nothing to undo" if step.action is Action.DELETE else "recorded, run when it is taken away"


def leaf_changes(change: FieldChange) -> Iterator[FieldChange]:
    """What differs inside of a field that holds others: `manifest.spec.replicas`, not the whole manifest."""
    before, after = change.before, change.after
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        names = [name for name in dict.fromkeys([*before, *after]) if before.get(name) != after.get(name)]
        pairs = [(f"{change.field}.{name}", before.get(name), after.get(name)) for name in names]
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        both = enumerate(zip(before, after, strict=True))
        pairs = [(f"{change.field}[{index}]", old, new) for index, (old, new) in both if old != new]
    else:
        yield change
        return
    for field, old, new in pairs:
        yield from leaf_changes(FieldChange(field=field, before=old, after=new))


def _change_text(change: FieldChange) -> str:
    before, after = _from_difference(change.before, change.after)
    return f"{escape_control(change.field)}: {format_value(before)} → {format_value(after)}"


def _from_difference(before: Value, after: Value) -> tuple[Value, Value]:
    """Long texts from shortly before where they differ: their beginnings alone would look the same."""
    if not isinstance(before, str) or not isinstance(after, str) or max(len(before), len(after)) <= _LONG:
        return before, after
    pairs = enumerate(zip(before, after, strict=False))
    first = next((index for index, (old, new) in pairs if old != new), min(len(before), len(after)))
    if first <= _LONG // 2:
        return before, after
    start = first - _CONTEXT
    return f"…{before[start:]}", f"…{after[start:]}"


def format_value(value: Value) -> str:
    """A value on one line, short; what is sensitive is not shown."""
    if value is None:
        return "(none)"
    if isinstance(value, Sensitive):
        return str(value)
    if isinstance(value, Unknown):
        return "(not known yet)"
    if isinstance(value, bytes):
        return f"({len(value)} bytes)"
    is_plain = isinstance(value, str) and value.strip() == value and value.isprintable() and value
    text = value if is_plain else json.dumps(value, ensure_ascii=False, default=str)
    return escape_control(clip_text(one_line(str(text))))


def summarize_plan(plan: Plan) -> str:
    """`2 to create, 1 to delete; 7 as they should be`"""
    counts = [f"{plan.counts[action]} {words}" for action, words in _WORDS.items() if plan.counts[action]]
    if plan.forgotten:
        counts.append(f"{plan.forgotten} only to forget")
    they = "it" if plan.unchanged == 1 else "they"
    rest = f"{plan.unchanged} as {they} should be" if plan.unchanged else ""
    later = f"{len(plan.later)} not foreseeable yet" if plan.later else ""
    return "; ".join(filter(None, (", ".join(counts) or "nothing to do", later, rest)))


def confirmation_question(plan: Plan, operations: Sequence[str] = ()) -> str:
    """Return what is asked before a plan is applied, or before operations are run."""
    if len(operations) == 1:
        return f"Run {operations[0]}?"
    if operations:
        return f"Run these {len(operations)} operations?"
    checks = plan.counts[Action.CHECK]
    changes = plan.counts.total() - checks + plan.forgotten
    check = f"check {checks} {'resource' if checks == 1 else 'resources'} and repair drift"
    if not changes:
        return f"{check.capitalize()}?"
    apply = "Apply this change" if changes == 1 else f"Apply these {changes} changes"
    return f"{apply}, {check}?" if checks else f"{apply}?"


def json_view(plan: Plan, _palette: Palette) -> Iterator[str]:
    yield plan_text(plan)


def markdown_view(plan: Plan, _palette: Palette) -> Iterator[str]:
    """A comment of a review."""
    yield f"**{summarize_plan(plan)}**\n"
    steps = _by_target(plan)
    for target, of_target in steps.items():
        yield f"\non {code_span(target)}:\n\n" if len(steps) > 1 or target != "here" else "\n"
        for step in of_target:
            yield from _markdown_lines(step)
    rest = [(address, f"cannot be foreseen yet: {reason}") for address, reason in plan.later]
    rest += [(address, f"waits: {reason}") for address, reason in plan.waiting]
    if rest:
        yield "\n"
    for address, reason in rest:
        yield f"- {code_span(address)} {code_span(reason)}\n"


def _markdown_lines(step: PlannedStep) -> Iterator[str]:
    action = Action.REPLACE if step.replaces else step.action
    resource = step.placed.resource
    location = None if resource.origin is None else resource.origin.location
    at = "" if location is None else f" — {code_span(f'{location.file}:{location.line}')}"
    sign, reason = (action.sign, step.reason) if step.left is None else ("·", _describe_idle(step))
    yield f"- {code_span(sign)} {code_span(step.address)} ({code_span(resource.kind)}): {code_span(reason)}{at}\n"
    for change in step.changes:
        for leaf in leaf_changes(change):
            before, after = _from_difference(leaf.before, leaf.after)
            yield f"    - {code_span(leaf.field)}: {code_span(format_value(before))} → {code_span(format_value(after))}\n"
    for effect in step.effects:
        yield f"    - {code_span(effect)}\n"


VIEWS: Final[Mapping[str, Callable[[Plan, Palette], Iterator[str]]]] = {
    "text": text_view,
    "json": json_view,
    "markdown": markdown_view,
}


_PLAN = "sabir.Plan"
_STEP = "sabir.Step"


def plan_page(plan: Plan, graph: Graph, findings: tuple[Finding, ...], title: str) -> Iterator[bytes]:
    """The page in pieces."""
    actions = {step.address: step for step in plan.steps if not _is_half(step)}
    described = [
        instance if instance.id not in actions else _mark_instance(instance, actions[instance.id])
        for instance in graph
    ]
    steps = [*_step_instances(plan, {instance.id for instance in described})]
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


def _action_name(step: PlannedStep) -> str:
    if step.left is not None:
        return "forget"
    return Action.REPLACE.value if step.replaces else step.action.value


def _mark_instance(instance: Instance, step: PlannedStep) -> Instance:
    from msgspec.structs import replace

    return replace(instance, status=f"to {_action_name(step)}")


def _step_instances(plan: Plan, described: set[str]) -> Iterator[Instance]:
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
            name=f"{number} {_action_name(step)} {step.address}",
            owner=_PLAN,
            attributes=Record.of(
                {
                    "action": _action_name(step),
                    "kind": step.placed.resource.kind,
                    "target": step.placed.target.name,
                    "reason": step.reason,
                    "changes": changes,
                    "not known yet": list(step.unforeseen),
                }
            ),
            relations=Record.of({"of": (step.address,)} if step.address in described else {}),
            requires=tuple(ids[key] for key in step.requires if key in ids),
            status=_action_name(step),
            origin=step.placed.resource.origin,
        )
