"""Rules asked of a graph."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from sabir.checks.policy.read import PolicyRule
from sabir.diagnostics.finding import Finding, Related
from sabir.expressions.query import (
    GraphResource,
    QueryError,
    Resource,
    Session,
    evaluate,
    redacted,
    resources_of,
)
from sabir.graph.graph import Graph, Instance
from sabir.session import Session as WorkSession
from sabir.text import EMPTY_SPAN, Location, Place, Source

__all__ = ["run_rules"]


def run_rules(rules: Iterable[PolicyRule], graph: Graph, work: WorkSession) -> Iterator[Finding]:
    """A finding for every instance that breaks a rule, at the place that made the instance or the attribute."""
    root = resources_of(graph, Session(work=work))
    for rule in rules:
        try:
            wanted = [value for value in evaluate(rule.wanted, root).values if isinstance(value, Resource)]
        except QueryError as error:
            yield error.placed(rule.place).finding
            continue
        yield from _broken(rule, wanted)


def _broken(rule: PolicyRule, wanted: Iterable[Resource]) -> Iterator[Finding]:
    for resource in wanted:
        try:
            holds = _is_true(evaluate(rule.condition, resource).value)
        except QueryError as error:
            yield error.placed(rule.condition_place).finding
            return
        if not holds:
            yield _violation(rule, resource)


def _is_true(value: Any) -> bool:
    return bool(getattr(value, "value", value)) if not isinstance(value, Resource) else True


def _violation(rule: PolicyRule, resource: Resource) -> Finding:
    instance = resource.instance if isinstance(resource, GraphResource) else None
    place, whole = _place(rule, instance)
    return Finding(
        code=rule.code,
        message=_message(rule.message, resource),
        place=place,
        whole_file=whole,
        hint=rule.hint,
        related=(Related(place=rule.place, message=f"the rule {rule.code}"),),
    )


def _place(rule: PolicyRule, instance: Instance | None) -> tuple[Place, bool]:
    """Where to point: the attribute of the rule, the instance, or (for what has no place) the rule."""
    origin = None
    if instance is not None:
        origin = (instance.origins.get(rule.attribute) if rule.attribute else None) or instance.origin
    if origin is None:
        return rule.place, False
    if isinstance(origin.place, Location):
        # A graph that was saved has no texts; a source with as many lines keeps line and column right.
        text = "\n" * (origin.place.line - 1) + " " * (origin.place.column - 1)
        source = Source(origin.place.file, text)
        return Place(source, EMPTY_SPAN.shifted(len(text))), False
    return origin.place, False


def _message(message: str, resource: Resource) -> str:
    def value(match: re.Match[str]) -> str:
        name = match[1].strip()
        if name in ("name", "type", "id"):
            return str(getattr(resource, name))
        if name == "owner":
            return resource.parent.name if resource.parent is not None else ""
        answer = evaluate(name, resource).value if name else None
        return str(redacted(answer))

    try:
        return re.sub(r"\{([^{}]*)\}", value, message)
    except QueryError:
        return message
