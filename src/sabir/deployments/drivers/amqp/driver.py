"""The driver of agents behind a message broker."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from sabir.deployments.drivers.amqp.messages import Message, plan_message
from sabir.extras import require_extra
from sabir.graph.secrets import Secrets, secret_texts
from sabir.graph.values import Value, reveal_all, reveal_value
from sabir.resources.driver import Connection, DriverContext, Kind, RunConnection, RunDriver
from sabir.resources.effects import ANSWER, Effects
from sabir.resources.fields import Field, FieldType
from sabir.resources.outcome import CompletionStatus, Observation, Outcome
from sabir.resources.step import Task
from sabir.resources.target import Target

if TYPE_CHECKING:
    from sabir.deployments.drivers.amqp.broker import Broker


_CALL: Final = "agent.call"
_SEND: Final = "agent.send"
_OF_THE_BROKER: Final[tuple[str, ...]] = (
    "host",
    "port",
    "login",
    "password",
    "virtual_host",
    "ssl",
    "insecure",
    "ca_certs",
    "timeout_seconds",
)
_USUAL: Final[Mapping[str, Any]] = {
    "host": "localhost",
    "port": 5672,
    "login": "guest",
    "password": "guest",
    "virtual_host": "/",
}
_LOOK_SECONDS: Final = 60.0
_STAMP: Final = "Stamp"
"""Agents remember the greatest one that they had, and drop what has no greater one."""

_MESSAGE: Final = {
    "queue": Field(about="the queue of the agent", required=True),
    "replyTo": Field(about="the queue that answers come to"),
    "plan": Field(about="the plan with its files", type=FieldType.MAP, required=True),
    "broker": Field(about="the broker, as the program knows it", type=FieldType.MAP),
    "host": Field(about="the machine of the agent"),
    "stack": Field(about="the stack that it belongs to"),
}


class AmqpDriver(RunDriver):
    name: Final = "amqp"
    kinds: Final[Mapping[str, Kind]] = {
        _CALL: Kind(
            about="a plan that an agent is sent, and its answer",
            fields={**_MESSAGE, "timeout": Field(about="seconds to wait", type=FieldType.NUMBER)},
            runs=True,
            code=True,
            stops=True,
        ),
        _SEND: Kind(about="a plan that an agent is sent", fields=_MESSAGE, runs=True, code=True),
    }

    def settings(self) -> Mapping[str, Field]:
        return {
            "host": Field(about="of the broker; unless said, the one that the program knows"),
            "port": Field(about="5672 unless said", type=FieldType.INTEGER),
            "login": Field(about="who signs in"),
            "password": Field(about="of who signs in", sensitive=True),
            "virtual_host": Field(about="/ unless said"),
            "ssl": Field(about="speak TLS", type=FieldType.FLAG),
            "insecure": Field(about="take any certificate", type=FieldType.FLAG),
            "ca_certs": Field(about="a file with certificates of authorities"),
            "timeout_seconds": Field(
                about="how long the broker may take to let us in; 20 unless said", type=FieldType.NUMBER
            ),
            "signing_key": Field(about="the file of an RSA key that plans are signed with"),
            "look_seconds": Field(
                about="how long to look for the answer of a plan that was cut off; 60 unless said",
                type=FieldType.NUMBER,
            ),
            "drops_duplicates": Field(
                about="agents drop a plan that they had already, so that one which was cut off can be sent again",
                type=FieldType.FLAG,
            ),
        }

    @asynccontextmanager
    async def connect(self, target: Target, context: DriverContext) -> AsyncGenerator[Connection]:
        async with AsyncExitStack() as stack:
            yield _Agents(target, context, stack)


DRIVER: Final = AmqpDriver()


class _Agents(RunConnection):
    """A program may know several brokers, one in each region; every one of them has a connection."""

    def __init__(self, target: Target, context: DriverContext, stack: AsyncExitStack) -> None:
        self._target = target
        self._context = context
        self._stack = stack
        self._settings: dict[str, Any] = reveal_all(dict(target.settings))
        self._brokers: dict[str, Broker] = {}
        self._opening = asyncio.Lock()

    async def apply(self, task: Task, effects: Effects) -> Outcome:  # noqa: ARG002
        message = self._message(task)
        broker = await self._broker(task)
        await broker.send(message)
        if task.resource.kind == _SEND:
            return Outcome(results={ANSWER: None})
        return _build_outcome(task, await broker.answer(message.id, message.reply_to, task.timeout))

    async def observe(self, task: Task) -> Observation:
        """An answer that nobody took is still in its queue, or still to come."""
        plan: Any = reveal_value(task.resource.desired["plan"])
        if self._settings.get("drops_duplicates") and _STAMP in plan:
            # Sent again it is run once at most, and whichever of the two is answered, it is the same plan.
            return Observation(sighting=CompletionStatus.NOT_DONE)
        message = self._message(task)
        broker = await self._broker(task)
        seconds = float(self._settings.get("look_seconds") or _LOOK_SECONDS)
        answer = None
        if task.resource.kind == _CALL:
            answer = await broker.answer(message.id, message.reply_to, seconds)
        if answer is None:
            return Observation(sighting=CompletionStatus.CANNOT_TELL, look_at=f"the queue {message.queue}")
        return Observation(sighting=CompletionStatus.DONE, outcome=_build_outcome(task, answer))

    def _message(self, task: Task) -> Message:
        fields: dict[str, Any] = reveal_all(dict(task.resource.desired))
        key = self._settings.get("signing_key")
        return plan_message(
            fields["plan"],
            fields["queue"],
            fields.get("replyTo") or f"{fields['queue']}-results",
            id_=task.operation_id,
            key=None if key is None else str(self._context.folder / str(key)),
        )

    async def _broker(self, task: Task) -> Broker:
        with require_extra("amqp", f"target {self._target.name!r}"):
            from sabir.deployments.drivers.amqp.broker import Broker
        of_program: dict[str, Any] = reveal_all(reveal_value(task.resource.desired.get("broker")) or {})
        told = {name: self._settings[name] for name in _OF_THE_BROKER if name in self._settings}
        settings: dict[str, Any] = {**_USUAL, **of_program, **told}
        where = json.dumps([settings["host"], settings["port"], settings["virtual_host"]])
        async with self._opening:  # two connections would take each other's answers
            broker = self._brokers.get(where)
            if broker is None:
                broker = self._brokers[where] = await Broker.open(settings, self._target.name)
                self._stack.push_async_callback(broker.close)
        return broker


def _build_outcome(task: Task, answer: dict[str, Any] | None) -> Outcome:
    secrets = Secrets(secret_texts(dict(task.resource.desired)) or ())
    marked: Value = secrets.mark_sensitive(answer)
    return Outcome(results={ANSWER: marked})
