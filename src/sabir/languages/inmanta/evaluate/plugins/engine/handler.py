"""`inmanta.agent.handler`, second part: the handlers that modules inherit from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import Any, Generic, TypeVar

from sabir.languages.inmanta.evaluate.plugins.engine.const import HandlerResourceState
from sabir.languages.inmanta.evaluate.plugins.engine.context import (
    HandlerContext,
    ResourcePurged,
    SkipResource,
)
from sabir.languages.inmanta.evaluate.plugins.engine.raised import tell_error, tell_failed, tell_skipped
from sabir.languages.inmanta.evaluate.plugins.engine.resources import Resource

__all__ = ["CRUDHandler", "DiscoveryHandler", "HandlerAPI", "ResourceHandler", "cache"]

TResource = TypeVar("TResource", bound=Resource)
TDiscovered = TypeVar("TDiscovered")
T = TypeVar("T")
Changes = dict[str, dict[str, Any]]


def cache(
    function: Callable[..., Any] | None = None, ignore: tuple[str, ...] | list[str] = (), **options: Any
) -> Any:
    """Cache the results of a handler method by its name and arguments. The version of a resource is ignored.

    `cache_none=False` repeats a call that returned None. The agent decides how long results are kept:
    for one deployment.
    """
    keep_none = bool(options.get("cache_none", options.get("cacheNone", True)))

    def remembering(method: Callable[..., Any]) -> Callable[..., Any]:
        names = method.__code__.co_varnames[1 : method.__code__.co_argcount]

        @wraps(method)
        def call(self: HandlerAPI[Any], *args: Any, **named: Any) -> Any:
            bound = {**dict(zip(names, args, strict=False)), **named}
            key = (
                method.__name__,
                *((name, _cache_key(value)) for name, value in sorted(bound.items()) if name not in ignore),
            )
            if key in self.cache:
                return self.cache[key]
            value = method(self, *args, **named)
            if value is not None or keep_none:
                self.cache[key] = value
            return value

        return call

    return remembering if function is None else remembering(function)


def _cache_key(value: Any) -> Any:
    if isinstance(value, Resource):
        return value.id.resource_str()
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return value


class HandlerAPI(ABC, Generic[TResource]):
    """The base class of handlers, which deploy the resources of a type."""

    def __init__(self, agent: Any, io: Any = None) -> None:
        self._agent = agent
        hands = getattr(agent, "io", None) if io is None else io
        # Release 8 of the existing engine took them away, and modules ask whether they are there.
        if hands is not None:
            self._io = hands
            """Hands on the machine of the agent, where the environment says which machine that is."""
        self.cache: dict[Any, Any] = {}
        """Shared by the handlers of one agent."""

    def set_cache(self, cache: dict[Any, Any]) -> None:
        self.cache = cache

    def close(self) -> None:
        """Release resources of the handler; it is not used afterwards."""

    def deploy(self, ctx: HandlerContext, resource: TResource, requires: Mapping[Any, Any]) -> None:
        """Deploy a resource if all its requirements are deployed."""
        failed = sorted(
            str(name)
            for name, state in requires.items()
            if _state_name(state) not in ("deployed", "non_compliant")
        )
        if failed:
            ctx.info(
                "Resource %(resource)s skipped due to failed dependencies: %(failed)s",
                resource=resource.id.resource_str(),
                failed=f"[{', '.join(failed)}]",
            )
            ctx.set_resource_state(HandlerResourceState.skipped_for_dependency)
            return
        self.execute(ctx, resource)
        if ctx.resource_state is HandlerResourceState.deployed and self._should_reload(ctx, resource):
            ctx.info(
                "Reloading %(resource)s because a dependency changed", resource=resource.id.resource_str()
            )
            self.do_reload(ctx, resource)

    def _should_reload(self, ctx: HandlerContext, resource: TResource) -> bool:
        """Return whether a requirement changed, as noted in the context by the caller."""
        return (
            self.can_reload()
            and ctx.contains("sabir.changed")
            and bool(getattr(resource, "receive_events", True))
        )

    @abstractmethod
    def execute(self, ctx: HandlerContext, resource: TResource, dry_run: bool = False) -> None:  # noqa: FBT001, FBT002
        """Bring a resource to its desired state or, in a dry run, report what would change."""

    def check_facts(self, ctx: HandlerContext, resource: TResource) -> dict[str, str]:  # noqa: ARG002
        return {}

    def can_reload(self) -> bool:
        return False

    def do_reload(self, ctx: HandlerContext, resource: TResource) -> None:
        """Reload the resource."""

    def pre(self, ctx: HandlerContext, resource: TResource) -> None:
        """Prepare a run, before anything else."""

    def post(self, ctx: HandlerContext, resource: TResource) -> None:
        """Finish a run, even if it failed."""

    def facts(self, ctx: HandlerContext, resource: TResource) -> dict[str, str]:  # noqa: ARG002
        return {}

    def run_sync(self, func: Callable[[], Awaitable[T]]) -> T:
        import asyncio

        async def whole() -> T:
            return await func()

        return asyncio.run(whole())

    def get_client(self) -> Any:
        raise NotImplementedError("a handler runs without a server here: there is no client of its API")

    def get_file(self, hash_id: str) -> bytes | None:
        """Return a file that was uploaded when the model was exported."""
        files: Mapping[str, bytes] = getattr(self._agent, "files", {})
        return files.get(hash_id)

    def stat_file(self, hash_id: str) -> bool:
        return self.get_file(hash_id) is not None

    def upload_file(self, hash_id: str, content: bytes) -> None:
        self._agent.files[hash_id] = content

    # One way to run, for all kinds of handlers

    def _run_guarded(self, ctx: HandlerContext, resource: TResource, run: Callable[[], None]) -> None:
        """Call `pre`, the run and `post`. Exceptions become the state of the resource."""
        try:
            self.pre(ctx, resource)
            run()
        except SkipResource as skipped:
            tell_skipped(ctx, resource, skipped)
        except Exception as error:  # noqa: BLE001  # a handler may raise anything; the resource has failed then
            tell_failed(ctx, resource, error)
        finally:
            self._end(ctx, resource)

    def _end(self, ctx: HandlerContext, resource: TResource) -> None:
        try:
            self.post(ctx, resource)
        except Exception as error:  # noqa: BLE001  # what happened before it stands
            tell_error(ctx, resource, error, when="after")


def _state_name(state: Any) -> str:
    return str(getattr(state, "value", state))


class ResourceHandler(HandlerAPI[TResource]):
    """The older base class: it lists the differences and changes them."""

    def _diff(self, current: TResource, desired: TResource) -> Changes:
        """Return the fields that differ. A desired null is not compared."""
        changes: Changes = {}
        for field in type(desired).fields:
            wanted, there = getattr(desired, field), getattr(current, field, None)
            if wanted is not None and there != wanted:
                changes[field] = {"current": there, "desired": wanted}
        return changes

    def check_resource(self, ctx: HandlerContext, resource: TResource) -> TResource:
        """Return the resource in its actual state."""
        raise NotImplementedError

    def list_changes(self, ctx: HandlerContext, resource: TResource) -> Changes:
        return self._diff(self.check_resource(ctx, resource), resource)

    def do_changes(
        self, ctx: HandlerContext, resource: TResource, changes: Mapping[str, Mapping[str, Any]]
    ) -> None:
        """Change the fields that differ."""
        raise NotImplementedError

    def execute(self, ctx: HandlerContext, resource: TResource, dry_run: bool = False) -> None:  # noqa: FBT001, FBT002
        def run() -> None:
            changes = self.list_changes(ctx, resource)
            ctx.update_changes(changes)
            if dry_run:
                ctx.set_resource_state(HandlerResourceState.dry)
                return
            if getattr(resource, "report_only", False):
                _report_compliance(ctx)
                return
            self.do_changes(ctx, resource, changes)
            ctx.set_resource_state(HandlerResourceState.deployed)

        self._run_guarded(ctx, resource, run)

    def check_facts(self, ctx: HandlerContext, resource: TResource) -> dict[str, str]:
        facts: dict[str, str] = {}
        try:
            self.pre(ctx, resource)
            facts = self.facts(ctx, resource)
            for name, value in facts.items():
                ctx.set_fact(fact_id=name, value=value)
        finally:
            self.post(ctx, resource)
        return facts


def _report_compliance(ctx: HandlerContext) -> None:
    """Report the differences of a resource that must not be changed."""
    compliant = HandlerResourceState.non_compliant if ctx.changes else HandlerResourceState.deployed
    ctx.set_resource_state(compliant)


class CRUDHandler(ResourceHandler[TResource]):
    """The base class of handlers that read a resource, then create, update or delete it."""

    def read_resource(self, ctx: HandlerContext, resource: TResource) -> None:
        """Set the fields to the actual state; raise `ResourcePurged` if the resource does not exist."""

    def create_resource(self, ctx: HandlerContext, resource: TResource) -> None:
        """Create the resource."""

    def delete_resource(self, ctx: HandlerContext, resource: TResource) -> None:
        """Delete the resource."""

    def update_resource(self, ctx: HandlerContext, changes: Changes, resource: TResource) -> None:
        """Update the fields that differ."""

    def calculate_diff(self, ctx: HandlerContext, current: TResource, desired: TResource) -> Changes:  # noqa: ARG002
        return self._diff(current, desired)

    def execute(self, ctx: HandlerContext, resource: TResource, dry_run: bool = False) -> None:  # noqa: FBT001, FBT002
        self._run_guarded(ctx, resource, lambda: self._run(ctx, resource, dry_run=dry_run))

    def _run(self, ctx: HandlerContext, resource: TResource, *, dry_run: bool) -> None:
        desired: Any = resource
        current: Any = desired.clone(purged=False)
        changes: Changes = {}
        try:
            ctx.debug("Calling read_resource")
            self.read_resource(ctx, current)
            changes = self.calculate_diff(ctx, current, desired)
        except ResourcePurged:
            if not desired.purged:
                changes["purged"] = {"current": True, "desired": desired.purged}
        for name, change in changes.items():
            ctx.add_change(name, desired=change["desired"], current=change["current"])
        if dry_run:
            ctx.set_resource_state(HandlerResourceState.dry)
            return
        if desired.report_only:
            _report_compliance(ctx)
            return
        self._change(ctx, desired, changes)
        ctx.set_resource_state(HandlerResourceState.deployed)

    def _change(self, ctx: HandlerContext, desired: Any, changes: Changes) -> None:
        if "purged" in changes:
            if changes["purged"]["desired"]:
                ctx.debug("Calling delete_resource")
                self.delete_resource(ctx, desired)
            else:
                ctx.debug("Calling create_resource")
                self.create_resource(ctx, desired)
        elif changes and not desired.purged:
            ctx.debug("Calling update_resource", changes=changes)
            self.update_resource(ctx, dict(changes), desired)


class DiscoveryHandler(HandlerAPI[TResource], Generic[TResource, TDiscovered]):
    """The base class of handlers that discover unmanaged resources."""

    def discover_resources(
        self, ctx: HandlerContext, discovery_resource: TResource
    ) -> Mapping[str, TDiscovered]:
        raise NotImplementedError

    def execute(self, ctx: HandlerContext, resource: TResource, dry_run: bool = False) -> None:  # noqa: FBT001, FBT002
        def run() -> None:
            discovered = self.discover_resources(ctx, resource)
            ctx.set("sabir.discovered", dict(discovered))
            ctx.set_resource_state(HandlerResourceState.deployed)

        if not dry_run:
            self._run_guarded(ctx, resource, run)
