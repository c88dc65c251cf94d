"""Compiled paths: parsed once, cached by text, run many times.

Steps that tell what they match; put in place of the plain ones when somebody listens, so that nobody else pays for it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from msgspec.structs import replace

from sabir.expressions.query.context import QueryContext
from sabir.expressions.query.resource import QueryResource
from sabir.expressions.query.steps import (
    QueryStep,
    Select,
    compile_segment,
    filters_only,
    fuse_steps,
    run_steps,
    variable_error,
)
from sabir.expressions.query.syntax import Empty, Name, Path, Star, Variable, parse_path
from sabir.expressions.query.values import MISSING, redact_value
from sabir.graph.values import Sensitive

_SHOWN: Final = 200


def trace_message(context: QueryContext, message: str) -> None:
    """One line of a trace, to whoever listens; marked values never appear in it."""
    import logging  # nobody else here needs it

    sink = context.session.on_trace
    if sink is not None:
        sink(message)
    logging.getLogger("sabir.query").info("%s", message)


def format_values(values: list[Any]) -> str:
    text = repr(redact_value(values))
    return text if len(text) <= _SHOWN else text[:_SHOWN] + " …"


def run_traced(begin: Callable[..., list[Any]], context: QueryContext, path: Path) -> list[Any]:
    trace_message(context, f"path {path.source.text!r} from {format_values([context.current])}")
    matches = begin(context, _run_traced_steps)
    trace_message(context, f"path {path.source.text!r} gives {format_values(matches)}")
    return matches


def _run_traced_steps(
    steps: tuple[QueryStep, ...], values: list[Any], context: QueryContext, at: int = 0
) -> list[Any]:
    return run_steps(tuple(map(_trace_step, steps)), values, context, at)


def _trace_step(step: QueryStep) -> QueryStep:
    def select(values: list[Any], context: QueryContext) -> list[Any]:
        matches = step.select(values, context)
        span = step.segment.span
        trace_message(
            context,
            f"  segment at {span.start}–{span.end}: {len(matches)} match(es): {format_values(matches)}",
        )
        return matches

    return replace(step, select=select)


_CACHED: Final = 4096


class CompiledPath:
    """A path ready to run: `matches(context)` is list mode."""

    __slots__ = ("_begin", "_direct", "path", "steps")

    def __init__(self, path: Path) -> None:
        self.path = path
        self.steps = fuse_steps(path)
        self._begin = _compile_start(path, self.steps)
        self._direct = _direct_select(path, self.steps)

    def matches(self, context: QueryContext) -> list[Any]:
        if context.trace:
            return run_traced(self._begin, context, self.path)
        direct = self._direct
        return self._begin(context, run_steps) if direct is None else direct([context.current], context)

    @property
    def text(self) -> str:
        return self.path.source.text


@lru_cache(maxsize=_CACHED)
def compile_path(text: str) -> CompiledPath:
    return CompiledPath(parse_path(text))


def _direct_select(path: Path, steps: tuple[QueryStep, ...]) -> Select | None:
    """`.::a::b`, the commonest path: one selection from where the context stands, and no loop."""
    first = path.segments[0]
    is_self = isinstance(first.key, Name) and first.key.text == "." and not first.filters and not first.first
    return steps[1].select if is_self and len(steps) == 2 and not steps[1].first else None


Run = Callable[..., list[Any]]
Begin = Callable[[QueryContext, Run], list[Any]]


def _compile_start(path: Path, steps: tuple[QueryStep, ...]) -> Begin:
    """Spec 004, "The first segment"."""
    first = path.segments[0]
    match first.key:
        case Variable():
            return _from_variable(first.key, path, steps)
        case Empty() if not first.filters:
            return _from_all(path) if len(steps) > 1 else _from_current(steps)
        case Name(text=text) if text.startswith("."):
            # `.` alone selects what is there already.
            alone = text == "." and not first.filters and not first.first and len(steps) > 1
            return _from_current(steps[1:] if alone else steps)
        case _:
            return _from_ancestors(steps)


def _from_variable(variable: Variable, path: Path, steps: tuple[QueryStep, ...]) -> Begin:
    # The key of the first step is the value itself; its filters and `?` still hold.
    first = path.segments[0]
    rest = (filters_only(first), *steps[1:]) if first.filters or first.first else steps[1:]

    def begin(context: QueryContext, run: Run) -> list[Any]:
        value = context.variable(variable.name)
        if value is MISSING:
            raise variable_error(variable, path, context)
        return run(rest, [value], context) if rest else [value]

    return begin


def _from_all(path: Path) -> Begin:
    second = path.segments[1]
    if isinstance(second.key, Empty) and not second.filters and len(path.segments) == 2:
        return lambda context, _run: [context.resource.all()]
    if isinstance(second.key, Star):
        # Straight over the instances: no dictionary is needed, and instances that share a name are all there.
        stars = _over_items(path, second, fuse_steps(path, 2))
        return lambda context, run: run(stars, [context.resource.root.everything()], context)
    if isinstance(second.key, Name) and not second.filters and not second.key.text.startswith("."):
        name = second.key.text
        after = fuse_steps(path, 2)

        def by_name(context: QueryContext, run: Run) -> list[Any]:
            found = context.resource.all().get(name)
            return [] if found is None else run(after, [found], context)

        return by_name
    rest = fuse_steps(path, 1)
    return lambda context, run: run(rest, [context.resource.all()], context)


def _over_items(path: Path, star: Any, after: tuple[QueryStep, ...]) -> tuple[QueryStep, ...]:
    segment = type(star)(star.span, Empty(star.span), star.filters, star.first)
    return (compile_segment(segment, path), *after)


def _from_current(steps: tuple[QueryStep, ...]) -> Begin:
    return lambda context, run: run(steps, [context.current], context)


def _from_ancestors(steps: tuple[QueryStep, ...]) -> Begin:
    def begin(context: QueryContext, run: Run) -> list[Any]:
        here = context.current
        if not isinstance(here, QueryResource):
            # `select` and `foreach` may stand at plain data; a marked resource never is one.
            if not (isinstance(here, Sensitive) and isinstance(here.value, QueryResource)):
                return run(steps, [here], context)
            here = here.value
        found = run(steps, [here], context)
        while not found and (above := here.parent) is not None:
            here = above
            found = run(steps, [here], context)
        return found

    return begin
