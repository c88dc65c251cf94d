"""Runs the handlers of a model's modules, one resource at a time, with their log and changes.

The deployment decides about order, skipping and recording. This module does a single run.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from msgspec import Struct, field

from sabir.languages.inmanta.evaluate.plugins.compat import ProjectPython
from sabir.languages.inmanta.evaluate.plugins.engine.const import Change, HandlerResourceState, ResourceState
from sabir.languages.inmanta.evaluate.plugins.engine.context import (
    HandlerContext,
    LogLine,
    SkipResource,
)
from sabir.languages.inmanta.evaluate.plugins.engine.handler import HandlerAPI
from sabir.languages.inmanta.evaluate.plugins.engine.raised import tell_failed, tell_skipped
from sabir.languages.inmanta.evaluate.plugins.engine.remote_io import Place, io_for
from sabir.languages.inmanta.evaluate.plugins.engine.resources import Resource

NO_HANDLER = "Unable to find a handler"


def handlers_of(python: ProjectPython) -> dict[str, type]:
    """Return the handlers of a model by entity: those of its modules, and bundled ones for the rest."""
    handlers: dict[str, type] = {}
    for module in python.modules.values():
        if module.ours:
            library = f"sabir.languages.inmanta.library.{module.name}.plugins"
            for part in ("handlers", "references"):  # evaluating needs neither before somebody asks for it
                import_module(f"{library}.{part}")
            registry = import_module(library).REGISTRY
            handlers |= registry.handlers
            python.registry.references.references |= registry.references.references
    return handlers | python.registry.handlers


class HandlerRun(Struct, frozen=True, kw_only=True):
    """The result of one handler run."""

    state: HandlerResourceState
    change: Change = Change.nochange
    changes: Mapping[str, tuple[Any, Any]] = field(default_factory=dict[str, tuple[Any, Any]])
    """Fields with their current and desired values."""
    log: tuple[LogLine, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict[str, str])


class Agent:
    """A named place of deployment. Its resources share the caches of their handlers."""

    def __init__(
        self,
        name: str,
        handlers: Mapping[str, type],
        files: dict[str, bytes],
        place: Place | None = None,
    ) -> None:
        self.name = name
        self.io = io_for(place)
        self.handlers = handlers
        self.files = files
        self.uri = "local:" if self.io is None else self.io.uri
        self.environment = None
        self.sessionid = None
        self.eventloop = None
        self.cache: dict[Any, Any] = {}
        # What handlers say is told by whoever runs them, without secrets: the standard error would show it a second time.
        self.logger = logging.Logger("inmanta.handler")
        self.logger.addHandler(logging.NullHandler())

    def dry_run(self, resource: Resource) -> HandlerRun:
        """Return what deploying a resource would change."""

        def run(handler: HandlerAPI[Any], ctx: HandlerContext, clone: Resource) -> None:
            handler.execute(ctx, clone, dry_run=True)

        return self._run(resource, run, dry_run=True)

    def deploy(self, resource: Resource, requires: Mapping[str, str], *, reload: bool = False) -> HandlerRun:
        """Deploy a resource.

        `requires` are the states of its requirements; `reload` is set if one of them changed.
        """

        def run(handler: HandlerAPI[Any], ctx: HandlerContext, clone: Resource) -> None:
            if reload:
                ctx.set("sabir.changed", value=True)
            handler.deploy(ctx, clone, {name: ResourceState(state) for name, state in requires.items()})

        return self._run(resource, run, dry_run=False)

    def facts(self, resource: Resource) -> HandlerRun:
        """Return the facts that a handler knows about a resource."""

        def run(handler: HandlerAPI[Any], ctx: HandlerContext, clone: Resource) -> None:
            handler.check_facts(ctx, clone)
            ctx.set_resource_state(HandlerResourceState.deployed)

        return self._run(resource, run, dry_run=False)

    def _run(
        self,
        resource: Resource,
        run: Callable[[HandlerAPI[Any], HandlerContext, Resource], None],
        *,
        dry_run: bool,
    ) -> HandlerRun:
        clone = resource.clone()
        ctx = HandlerContext(clone, dry_run, logger=self.logger)
        handler = self._handler(clone, ctx)
        if handler is None:
            return HandlerRun(state=HandlerResourceState.unavailable, log=tuple(ctx.logs))
        try:
            clone.resolve_all_references(ctx)
            run(handler, ctx, clone)
        except SkipResource as skipped:
            if dry_run:  # of its own `execute`, where nobody expects it
                ctx.set_resource_state(HandlerResourceState.failed)
                ctx.exception("Exception during dry run of %(resource_id)s", resource_id=clone.id)
                return self._build_run(ctx)
            tell_skipped(ctx, clone, skipped)
        except (Exception, SystemExit) as error:  # noqa: BLE001  # a handler is code of a module
            tell_failed(ctx, clone, error)
        finally:
            handler.close()
        return self._build_run(ctx)

    def _build_run(self, ctx: HandlerContext) -> HandlerRun:
        return HandlerRun(
            state=ctx.resource_state or HandlerResourceState.deployed,
            change=ctx.change,
            changes={name: (change.current, change.desired) for name, change in ctx.changes.items()},
            log=tuple(ctx.logs),
            facts={fact["id"]: fact["value"] for fact in ctx.facts},
        )

    def _handler(self, resource: Resource, ctx: HandlerContext) -> HandlerAPI[Any] | None:
        cls: Any = self.handlers.get(resource.id.entity_type)
        if cls is None:
            ctx.error(f"{NO_HANDLER} for %(resource_id)s", resource_id=resource.id)
            return None
        try:
            handler: HandlerAPI[Any] = cls(self, self.io) if _takes_io(cls) else cls(self)
        except (Exception, SystemExit) as error:  # noqa: BLE001  # a handler is code of a module
            ctx.exception(
                f"{NO_HANDLER} for %(resource_id)s (exception: %(exception)s)",
                resource_id=resource.id,
                exception=error,
            )
            return None
        handler.set_cache(self.cache)
        return handler


def _takes_io(cls: type) -> bool:
    """Return whether a handler takes a second argument, the machine operations, as in older modules."""
    code = getattr(getattr(cls, "__init__", None), "__code__", None)
    return code is None or code.co_argcount > 2 or bool(code.co_flags & 0x04)
