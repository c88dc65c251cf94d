"""Conditions of workflows, steps and triggers, asked of nodes as they are when something is about to run.

2.0 has one clause of functions. 1.x has lists: `{attribute: {greater_than: 50}}`, joined by `and`, `or`, `not` and `assert`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sabir.expressions.query.errors import QueryError
from sabir.expressions.query.live import Assigned
from sabir.expressions.query.resource import Resource
from sabir.expressions.query.values import MISSING, reveal_deep
from sabir.languages.tosca.model.constraints import CONSTRAINTS, constraint_holds

__all__ = ["condition_holds"]


def condition_holds(data: Any, subject: Resource) -> bool:
    """Whether a condition holds of a subject; no condition always does."""
    if data is None:
        return True
    if isinstance(data, list):
        return all(condition_holds(item, subject) for item in data)
    if not isinstance(data, Mapping):
        return data is True
    if any(str(key).startswith("$") for key in data) or "eval" in data:
        return _computed(data, subject) is True
    return all(_clause(str(key), argument, subject) for key, argument in data.items())


def _clause(key: str, argument: Any, subject: Resource) -> bool:
    match key:
        case "and" | "assert" | "constraint" | "condition" | "conditions":
            return condition_holds(argument, subject)
        case "or":
            return any(
                condition_holds(item, subject)
                for item in (argument if isinstance(argument, list) else [argument])
            )
        case "not":
            return not condition_holds(argument, subject)
        case "period" | "evaluations" | "method" | "target" | "target_relationship":
            return True  # how often something was seen, only who announces the event can tell
        case _:
            return _compared(_value(key, subject), argument)


def _compared(value: Any, wanted: Any) -> bool:
    clauses = wanted if isinstance(wanted, list) else [wanted]
    for clause in clauses:
        if isinstance(clause, Mapping) and all(str(name) in CONSTRAINTS for name in clause):
            if value is None or not all(
                constraint_holds(str(name), argument, value) for name, argument in clause.items()
            ):
                return False
        elif clause != value:
            return False
    return True


def _value(key: str, subject: Resource) -> Any:
    """An attribute, also by a way through a capability: `host.num_cpus`."""
    head, dot, tail = key.partition(".")
    part = next((each for each in subject.capabilities if each.name == head), None) if dot else None
    try:
        value = subject.get(key) if part is None else part.get(tail)
    except QueryError:
        return None
    if value is MISSING and key == "state" and subject.state is not None:
        return subject.state.name
    return None if value is MISSING else reveal_deep(value)


def _computed(data: Any, subject: Resource) -> Any:
    try:
        return reveal_deep(Assigned(data).value(subject))
    except QueryError:
        return None
