"""Handlers of `std` for its test resources."""

from __future__ import annotations

from typing import Any

from sabir.languages.inmanta.evaluate.plugins.engine.context import HandlerContext
from sabir.languages.inmanta.evaluate.plugins.engine.handler import CRUDHandler
from sabir.languages.inmanta.library.std.plugins.registry import provider

__all__ = ["NullHandler"]


@provider("std::testing::NullResource", name="null")
class NullHandler(CRUDHandler[Any]):
    """Does nothing, or fails on request."""

    def read_resource(self, ctx: HandlerContext, resource: Any) -> None:
        if resource.fail:
            raise RuntimeError("this resource is set to fail")
        ctx.debug("value: %(value)s", value=resource.value)
        ctx.debug("int value: %(value)s", value=resource.int_value)

    def create_resource(self, ctx: HandlerContext, resource: Any) -> None:  # noqa: ARG002
        ctx.set_created()

    def delete_resource(self, ctx: HandlerContext, resource: Any) -> None:  # noqa: ARG002
        ctx.set_purged()

    def update_resource(self, ctx: HandlerContext, changes: Any, resource: Any) -> None:  # noqa: ARG002
        ctx.set_updated()
