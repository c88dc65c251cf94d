"""Steps that tell what they match; put in place of the plain ones when somebody listens, so that nobody else pays for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from sabir.expressions.query.steps import Step, run_steps
from sabir.expressions.query.values import redacted

if TYPE_CHECKING:
    from sabir.expressions.query.context import Context
    from sabir.expressions.query.syntax import Path

__all__ = ["run_traced", "trace"]

_SHOWN: Final = 200


def trace(context: Context, message: str) -> None:
    """One line of a trace, to whoever listens; marked values never appear in it."""
    import logging  # nobody else here needs it

    sink = context.session.on_trace
    if sink is not None:
        sink(message)
    logging.getLogger("sabir.query").info("%s", message)


def shown(values: list[Any]) -> str:
    text = repr(redacted(values))
    return text if len(text) <= _SHOWN else text[:_SHOWN] + " …"


def run_traced(begin: Callable[..., list[Any]], context: Context, path: Path) -> list[Any]:
    trace(context, f"path {path.source.text!r} from {shown([context.current])}")
    matches = begin(context, _run)
    trace(context, f"path {path.source.text!r} gives {shown(matches)}")
    return matches


def _run(steps: tuple[Step, ...], values: list[Any], context: Context, at: int = 0) -> list[Any]:
    return run_steps(tuple(map(_traced, steps)), values, context, at)


def _traced(step: Step) -> Step:
    def select(values: list[Any], context: Context) -> list[Any]:
        matches = step.select(values, context)
        span = step.segment.span
        trace(context, f"  segment at {span.start}–{span.end}: {len(matches)} match(es): {shown(matches)}")
        return matches

    return replace(step, select=select)
