"""List comprehensions: every item in a frame of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sabir.languages.inmanta import codes
from sabir.languages.inmanta.check.types import shown_value
from sabir.languages.inmanta.evaluate.budget import LARGE_LIST
from sabir.languages.inmanta.evaluate.scopes import Scope
from sabir.languages.inmanta.evaluate.values import Frame, Pending, Read, flatten
from sabir.languages.inmanta.evaluate.writing import stop
from sabir.languages.inmanta.syntax import nodes

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.expressions import ExpressionCompiler

__all__ = ["comprehension"]


def comprehension(expressions: ExpressionCompiler, node: nodes.Comprehension, scope: Scope) -> Read:
    """Each item has a frame of its own; frames are kept while the statement waits, so that no item is made twice."""
    place = expressions.place(node, scope)
    sources: list[Read] = []
    inner = scope
    layouts = []
    for variable, iterable in node.loops:
        sources.append(expressions.read(iterable, inner))
        inner = inner.framed()
        inner.names[variable] = 1
        layouts.append(inner.layout)
    guards = [
        expressions.condition(guard, inner, "the condition of a list comprehension") for guard in node.guards
    ]
    element = expressions.read(node.element, inner)
    memo = scope.layout.slot()
    budget = expressions.budget

    def frames(
        frame: Frame, level: int, kept: dict[tuple[int, ...], Frame], at: tuple[int, ...]
    ) -> list[Frame]:
        found = sources[level](frame)
        if not isinstance(found, list):
            raise stop(codes.TYPE, f"{shown_value(found)} is no list and cannot be iterated", place)
        out: list[Frame] = []
        for position, item in enumerate(found):
            where = (*at, position)
            below = kept.get(where)
            if below is None:
                below = kept[where] = [frame, item, *layouts[level].rest()]
                budget.room(len(kept), place)
            out += [below] if level + 1 == len(sources) else frames(below, level + 1, kept, where)
        return out

    def read(frame: Frame) -> list[Any]:
        kept = frame[memo]
        if type(kept) is list:
            return kept  # done already; another part of the statement had to wait
        if type(kept) is Pending:
            kept = frame[memo] = {}
        out: list[Any] = []
        for one in frames(frame, 0, kept, ()):
            if all(guard(one) is True for guard in guards):
                value = element(one)
                if isinstance(value, list):
                    flatten(value, out)
                else:
                    out.append(value)
        if len(out) > LARGE_LIST:
            budget.items(len(out), place)
        frame[memo] = out
        return out

    return read
