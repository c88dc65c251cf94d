"""The driver for handlers: resources are read, changed and deleted by the handlers of their modules.

The deployment engine decides the order and records the results. This driver passes one resource at a
time to its agent, which runs in a separate process (`handler_process`). A model has its own target
(`ModelTarget`), because handlers are code of its modules. The machine of an agent is the target of the
environment with the agent's name, or what the model states (`AgentPlaces`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from sabir.errors import DeployError
from sabir.graph.secrets import Secrets, secret_texts
from sabir.graph.values import Sensitive, Value, reveal_all, reveal_value
from sabir.languages.inmanta.evaluate.model import EvaluatedModel
from sabir.languages.inmanta.evaluate.plugins.engine.const import Change as HandlerChange
from sabir.languages.inmanta.evaluate.plugins.engine.const import HandlerResourceState
from sabir.languages.inmanta.evaluate.plugins.engine.remote_io import Here, Place, SshPlace, place_of_uri
from sabir.languages.inmanta.evaluate.plugins.engine.resources import Id
from sabir.languages.inmanta.evaluate.plugins.engine.resources import Resource as HandlerResource
from sabir.languages.inmanta.evaluate.values import property_of
from sabir.languages.inmanta.graph.agents import NO_HANDLER, HandlerRun
from sabir.languages.inmanta.graph.export import Export
from sabir.languages.inmanta.graph.handler_process.messages import sendable_value
from sabir.languages.inmanta.graph.handler_process.process import Handlers, ProcessLostError
from sabir.languages.inmanta.graph.names import FACTS, ID
from sabir.resources.driver import Connection, DriverContext, Kind, NoOperations, require_permission
from sabir.resources.effects import Effects
from sabir.resources.fields import Field
from sabir.resources.outcome import (
    CompletionStatus,
    FieldChange,
    Observation,
    Outcome,
    OutcomeStatus,
    ResourceReading,
    describe_differences,
)
from sabir.resources.resource import Resource
from sabir.resources.step import Task
from sabir.resources.target import Target

_CONFIG = "std::AgentConfig"


class AgentPlaces:
    """The machines of a model's agents."""

    def __init__(self, model: EvaluatedModel, context: DriverContext) -> None:
        self._context = context
        self._uris = {
            str(property_of(instance, "agentname")): str(property_of(instance, "uri"))
            for instance in model.instances
            if instance.entity.name == _CONFIG
        }
        """By the names of agents, as `std::AgentConfig` says it."""

    def of(self, agent: str) -> Place | None:
        """Return the machine of an agent, or None if neither the environment nor the model names one."""
        target = self._context.targets.get(agent)
        if target is None:
            return place_of_uri(self._uris[agent]) if agent in self._uris else None
        if target.driver == "local":
            return Here()
        if target.driver != "ssh":
            raise DeployError(
                f"the agent {agent!r} is the target of that name, which handlers cannot reach: {target.driver}"
            )
        return self._of_target(target)

    def _of_target(self, target: Target) -> SshPlace:
        settings: dict[str, Any] = {name: reveal_value(value) for name, value in target.settings.items()}
        unsupported = [name for name in ("password", "passphrase", "sudo") if settings.get(name)]
        if unsupported:
            raise DeployError(
                f"target {target.name!r}: handlers reach it with a key; they know no {' and no '.join(unsupported)}"
            )
        return SshPlace(
            host=str(settings["host"]),
            user=settings.get("user"),
            port=settings.get("port"),
            key=self._file(settings.get("key")),
            known_hosts=self._file(settings.get("known_hosts")),
            python=settings.get("python") or "python3",
        )

    def _file(self, name: Any) -> Path | None:
        return None if name is None else self._context.folder / Path(str(name)).expanduser()


KIND: Final = "inmanta"
ASK: Final = "inmanta-facts"
"""The kind of a question to a handler."""
HANDLER: Final = "handler"
FAILED: Final = "FAILED"
"""What stands for the changes of a resource whose handler cannot tell them."""
_PURGED: Final = "purged"
_State = HandlerResourceState


class ModelTarget(Target, frozen=True, kw_only=True, eq=False):
    """The target of one model's resources: its handlers, run from this machine."""

    model: EvaluatedModel
    export: Export
    complete: bool = True
    """False: the model has errors, so that what it does not export may still be meant."""
    facts: Mapping[tuple[str, str], str]
    """What earlier deployments found out, by resource and name."""

    def why_left(self, resource: Resource) -> str | None:
        """Return why a resource is retained.

        As in the original engine, this is one that cannot be purged, or that is not to be purged on
        removal.
        """
        desired = resource.desired
        if resource.kind != KIND:
            return None
        if desired.get("report_only") is True:
            return "it only reports"
        if _PURGED not in desired:
            return "it cannot be purged"
        if not self.complete or str(desired.get(ID)) in self.export.resources:
            return None  # everything is taken away, as opposed to its being no longer described
        if not desired.get("purge_on_delete"):
            return "its purge_on_delete is false"
        if not self.model.definitions.project.purge_on_delete:
            return "project.yml does not say purge_on_delete: true, as release 18 of the existing engine leaves such a resource"
        return None


class HandlerDriver:
    """The driver of the kinds that handlers implement."""

    name: Final = "inmanta"
    kinds: Final[Mapping[str, Kind]] = {
        KIND: Kind(
            about="a resource of an Inmanta model, by the handler of its module",
            idempotent=True,
            code=True,
            tells=True,
            reports=True,
        ),
        ASK: Kind(
            about="a question to the handler of a resource: what it knows about it",
            idempotent=True,
            runs=True,
            code=True,
        ),
    }

    def settings(self) -> Mapping[str, Field]:
        return {}

    def diff(self, resource: Resource, reading: ResourceReading) -> Sequence[FieldChange]:  # noqa: ARG002  # the handler has told
        return reading.changes or ()

    def connect(self, target: Target, context: DriverContext) -> AbstractAsyncContextManager[Connection]:
        if not isinstance(target, ModelTarget):
            raise DeployError(f"target {target.name!r}: a model brings the target of its handlers itself")
        require_permission(context, "handlers are code of the model's modules")
        if target.contained:
            raise DeployError(
                "handlers act on this machine as a whole, not below a folder: give --here if that is meant"
            )
        return _open_connection(target, context)


DRIVER: Final = HandlerDriver()


@asynccontextmanager
async def _open_connection(target: ModelTarget, context: DriverContext) -> AsyncGenerator[Connection]:
    handlers = Handlers(target.model, target.export.files, target.facts)
    try:
        yield _HandlerConnection(target, context, handlers)
    finally:
        await handlers.close()


class _RunResult(Struct, frozen=True):
    """The result of a resource in this deployment."""

    state: str
    changed: bool


class _HandlerConnection(NoOperations):
    def __init__(self, target: ModelTarget, context: DriverContext, handlers: Handlers) -> None:
        self._places = AgentPlaces(target.model, context)
        self._targets = context.targets
        self._handlers = handlers
        self._export = target.export
        self._target = target
        registry = target.model.python.registry
        self._facts: dict[str, dict[str, str]] = {}
        for (resource, name), value in target.facts.items():
            self._facts.setdefault(resource, {})[name] = value
        self._classes = {registered.entity: registered.cls for registered in registry.resources}
        self._asked = {parameter["resource"] for parameter in registry.unknown_parameters}
        self._locks: dict[str, asyncio.Lock] = {}
        self._ran: dict[str, _RunResult] = {}

    async def read(self, resource: Resource, target_id: str | None) -> ResourceReading:  # noqa: ARG002
        wanted = self._resource(resource)
        secrets = _resource_secrets(resource)
        async with self._lock(wanted):
            try:
                ended = await self._run("dry_run", wanted, self._states(wanted))
            except DeployError as error:
                raise DeployError(secrets.redact(str(error))) from None
        if ended.state in (_State.failed, _State.unavailable):
            reason = _find_reason(ended, secrets)
            return ResourceReading(
                exists=True, changes=(FieldChange(field=HANDLER, before=FAILED, after=reason),)
            )
        changes = tuple(
            FieldChange(
                field=name,
                before=_mark_sensitive(resource, name, current),
                after=_mark_sensitive(resource, name, desired),
            )
            for name, (current, desired) in ended.changes.items()
        )
        return ResourceReading(exists=not _is_gone(ended), changes=changes)

    async def apply(self, task: Task, effects: Effects) -> Outcome:  # noqa: ARG002
        if task.resource.kind == ASK:
            return await self._ask(self._resource(task.resource), _resource_secrets(task.resource))
        return await self._deploy(self._resource(task.resource), _resource_secrets(task.resource))

    async def delete(self, task: Task, effects: Effects) -> Outcome:  # noqa: ARG002
        """Purge it; what cannot be purged stays as it is and is no longer looked after, as with the existing engine."""
        reason = self._target.why_left(task.resource)
        if reason is not None:
            return Outcome(changed=False, message=f"it is left as it is: {reason}")
        resource = self._resource(task.resource).clone(purged=True)
        resource.requires = set()
        return await self._deploy(resource, _resource_secrets(task.resource))

    async def observe(self, task: Task) -> Observation:
        """Handlers leave no mark; they look before they change anything, so running one again is safe."""
        return Observation(sighting=CompletionStatus.CANNOT_TELL, look_at=str(task.resource.desired.get(ID)))

    async def _deploy(self, resource: HandlerResource, secrets: Secrets) -> Outcome:
        identity = resource.id.resource_str()
        changed = any(
            ran.changed for other in resource.requires if (ran := self._ran.get(other.resource_str()))
        )
        async with self._lock(resource):
            try:
                ended = await self._run("deploy", resource, self._states(resource), reload=changed)
                self._learn(identity, ended)
                if identity in self._asked and ended.state is _State.deployed:
                    self._learn(identity, await self._run("facts", resource, {}))
            except DeployError as error:
                return _outcome_of_lost_run(error, secrets)
        self._ran[identity] = _RunResult(_state_name(ended.state), _changed(ended))
        return _run_outcome(ended, self._facts.get(identity, {}), identity, secrets)

    async def _ask(self, resource: HandlerResource, secrets: Secrets) -> Outcome:
        identity = resource.id.resource_str()
        async with self._lock(resource):
            try:
                ended = await self._run("facts", resource, {})
            except DeployError as error:
                return _outcome_of_lost_run(error, secrets)
        self._learn(identity, ended)
        return _run_outcome(ended, self._facts.get(identity, {}), identity, secrets)

    async def _run(
        self, call: str, resource: HandlerResource, states: Mapping[str, str], *, reload: bool = False
    ) -> HandlerRun:
        agent = resource.id.agent_name
        target = self._targets.get(agent)
        fields = {name: sendable_value(resource.__dict__.get(name)) for name in type(resource).fields}
        return await self._handlers.run(
            call,
            agent,
            (resource.id.resource_str(), fields),
            place=self._places.of(agent),
            requires=states,
            reload=reload,
            seconds=None if target is None else target.timeout,
        )

    def _states(self, resource: HandlerResource) -> dict[str, str]:
        """How what it requires ended; what did not run now was deployed before."""
        ended = {other.resource_str(): self._ran.get(other.resource_str()) for other in resource.requires}
        return {name: "deployed" if ran is None else ran.state for name, ran in ended.items()}

    def _learn(self, identity: str, ended: HandlerRun) -> None:
        if ended.facts:
            self._facts.setdefault(identity, {}).update(ended.facts)
            self._handlers.know(identity, ended.facts)

    def _lock(self, resource: HandlerResource) -> asyncio.Lock:
        """The resources of an agent come one after the other."""
        return self._locks.setdefault(resource.id.agent_name, asyncio.Lock())

    def _resource(self, resource: Resource) -> HandlerResource:
        """The resource as its handler has it: that of the model, or made again from what is recorded."""
        fields: dict[str, Any] = reveal_all(dict(resource.desired))
        text = str(fields.pop(ID))
        exported = self._export.resources.get(text)
        if exported is not None:
            return exported.clone(**fields)
        identity = Id.parse_id(text)
        cls = self._classes.get(identity.entity_type)
        if cls is None:
            raise DeployError(
                f"no module of the model knows {identity.entity_type} any more, so {text} is left"
            )
        recorded: HandlerResource = cls(identity)
        recorded.populate(fields)
        return recorded


def _outcome_of_lost_run(error: DeployError, secrets: Secrets) -> Outcome:
    """Return the outcome of a run that did not end.

    Handlers read before they change anything, so a retry is safe, except for one that hangs.
    """
    hung = isinstance(error, ProcessLostError) and error.hung
    passing = isinstance(error, ProcessLostError) and not hung
    message = secrets.redact(str(error))
    return Outcome(status=OutcomeStatus.FAILED, changed=False, message=message, passing=passing)


def _run_outcome(ended: HandlerRun, facts: Mapping[str, str], identity: str, secrets: Secrets) -> Outcome:
    results: dict[str, Value] = {FACTS: dict(facts), ID: identity} if facts else {}
    log = tuple(secrets.redact(line.text) for line in ended.log if line.level != "DEBUG")
    if ended.state in (_State.failed, _State.unavailable):
        status = OutcomeStatus.FAILED
    elif ended.state in (_State.skipped, _State.skipped_for_dependency):
        status = OutcomeStatus.SKIPPED
    elif ended.state is _State.non_compliant:
        said = "not found" if _is_gone(ended) else describe_differences(ended.changes)
        status = OutcomeStatus.NON_COMPLIANT
        return Outcome(status=status, changed=False, results=results, message=said, log=log)
    else:
        return Outcome(changed=_changed(ended), results=results, log=log)
    message = _find_reason(ended, secrets)
    others = tuple(line for line in log if message not in line)
    return Outcome(status=status, changed=False, results=results, message=message, log=others)


def _changed(ended: HandlerRun) -> bool:
    return ended.state is not _State.non_compliant and ended.change is not HandlerChange.nochange


def _is_gone(ended: HandlerRun) -> bool:
    """Return whether the resource is desired and does not exist."""
    return ended.changes.get(_PURGED) == (True, False)


def _find_reason(ended: HandlerRun, secrets: Secrets) -> str:
    """Return the most severe line of a run, which says why it ended; of several the last."""
    for levels in (("ERROR", "CRITICAL"), ("WARNING",), ("INFO",)):
        for line in reversed(ended.log):
            if line.level in levels:
                said = " ".join(line.text.split("\n", 1)[0].split())
                if said.startswith(NO_HANDLER):
                    return secrets.redact(said)
                # The resource is named beside it: what was raised is what matters.
                raised = said.partition("(exception: ")[2].removesuffix(")")
                return secrets.redact(f"{raised or said}{_about_hands(said)}")
    return f"its handler says {ended.state.value}"


def _about_hands(said: str) -> str:
    """Return the hint for older handlers, which need the machine of their agent to be named."""
    if "has no attribute '_io'" not in said:
        return ""
    return "; self._io is there for an agent that sabir.yaml names as a target: `targets: {AGENT: {driver: local, root: /}}`"


def _state_name(state: HandlerResourceState) -> str:
    return "skipped" if state is _State.skipped_for_dependency else state.value


def _resource_secrets(resource: Resource) -> Secrets:
    """Return the sensitive values of a resource, which handlers may write into their log."""
    return Secrets(secret_texts(resource.desired) or ())


def _mark_sensitive(resource: Resource, name: str, value: Value) -> Value:
    """Mark actual values as sensitive where the desired values are."""
    if isinstance(resource.desired.get(name), Sensitive):
        return Sensitive(value)
    return _resource_secrets(resource).mark_sensitive(value)
