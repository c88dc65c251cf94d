"""Exceptions of handlers, reported as the state of their resource."""

from __future__ import annotations

from sabir.diagnostics.reasons import error_text
from sabir.languages.inmanta.evaluate.plugins.engine.const import HandlerResourceState
from sabir.languages.inmanta.evaluate.plugins.engine.context import (
    HandlerContext,
    SkipResource,
    SkipResourceForDependencies,
)
from sabir.languages.inmanta.evaluate.plugins.engine.resources import Resource

__all__ = ["tell_error", "tell_failed", "tell_skipped"]


def tell_skipped(ctx: HandlerContext, resource: Resource, skipped: SkipResource) -> None:
    """Set the state to skipped, or skipped for a dependency, and log the reason."""
    for_others = isinstance(skipped, SkipResourceForDependencies)
    states = HandlerResourceState
    ctx.set_resource_state(states.skipped_for_dependency if for_others else states.skipped)
    ctx.warning(
        "Resource %(resource_id)s was skipped: %(reason)s",
        resource_id=resource.id,
        reason=list(skipped.args),
    )


def tell_failed(ctx: HandlerContext, resource: Resource, error: BaseException) -> None:
    """Set the state to failed and log the exception."""
    ctx.set_resource_state(HandlerResourceState.failed)
    tell_error(ctx, resource, error, when="during")


def tell_error(ctx: HandlerContext, resource: Resource, error: BaseException, *, when: str) -> None:
    """Log an exception with the phase in which it was raised, without changing the state."""
    ctx.exception(
        f"An error occurred {when} deployment of %(resource_id)s (exception: %(exception)s)",
        resource_id=resource.id,
        exception=f"{type(error).__name__}({error_text(error)})",
    )
