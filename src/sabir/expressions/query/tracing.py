"""The run loop that tells what it does; chosen instead of the plain one, so that nobody else pays for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from sabir.expressions.query.values import redacted

if TYPE_CHECKING:
    from sabir.expressions.query.context import Context
    from sabir.expressions.query.steps import Step
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
    found = begin(context, _run)
    trace(context, f"path {path.source.text!r} gives {shown(found)}")
    return found


def _run(steps: tuple[Step, ...], values: list[Any], context: Context, at: int = 0) -> list[Any]:
    for position in range(at, len(steps)):
        step = steps[position]
        values = step.select(values, context)
        written = step.segment.span
        trace(
            context, f"  segment at {written.start}–{written.end}: {len(values)} match(es): {shown(values)}"
        )
        if step.first:
            for candidate in values:
                found = _run(steps, [candidate], context, position + 1)
                if found:
                    return found
            return []
    return values
