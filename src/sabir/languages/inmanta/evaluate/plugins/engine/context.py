"""`inmanta.agent.handler`, first part: the context of one handler run, and the exceptions it may raise."""

from __future__ import annotations

import logging
import traceback
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid4

from msgspec import Struct

from sabir.languages.inmanta.evaluate.plugins.engine.const import Change, HandlerResourceState, ResourceState
from sabir.languages.inmanta.evaluate.plugins.engine.resources import Resource

__all__ = [
    "AttributeStateChange",
    "HandlerContext",
    "InvalidOperation",
    "LogLine",
    "LoggerABC",
    "PythonLogger",
    "ResourcePurged",
    "SkipResource",
    "SkipResourceForDependencies",
]


class SkipResource(Exception):  # the names that modules import
    """Raised anywhere in a run to skip the resource; the arguments are the reason."""


class SkipResourceForDependencies(SkipResource):
    """Raised to skip the resource until its requirements are deployed."""


class ResourcePurged(Exception):
    """Raised by `read_resource` if the resource does not exist."""


class InvalidOperation(Exception):
    """Raised if a context gets a value that is not valid."""


class AttributeStateChange:
    """The current and the desired value of a field."""

    def __init__(self, current: Any = None, desired: Any = None) -> None:
        self.current = current
        self.desired = desired

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, AttributeStateChange)
            and self.current == other.current
            and self.desired == other.desired
        )

    __hash__ = None  # type: ignore[assignment]  # it can be changed

    def __repr__(self) -> str:
        return f"current={self.current!r} desired={self.desired!r}"


class LogLine(Struct, frozen=True):
    """One log line of a run: level name, message with its values inserted, and the values by name."""

    level: str
    text: str
    kwargs: dict[str, Any]

    @property
    def msg(self) -> str:
        return self.text


class LoggerABC(ABC):
    """A logger whose lines have named values."""

    def critical(self, msg: str, *args: object, exc_info: bool = False, **kwargs: object) -> None:
        self._log_msg(logging.CRITICAL, msg, *args, exc_info=exc_info, **kwargs)

    def error(self, msg: str, *args: object, exc_info: bool = False, **kwargs: object) -> None:
        self._log_msg(logging.ERROR, msg, *args, exc_info=exc_info, **kwargs)

    def warning(self, msg: str, *args: object, exc_info: bool = False, **kwargs: object) -> None:
        self._log_msg(logging.WARNING, msg, *args, exc_info=exc_info, **kwargs)

    def info(self, msg: str, *args: object, exc_info: bool = False, **kwargs: object) -> None:
        self._log_msg(logging.INFO, msg, *args, exc_info=exc_info, **kwargs)

    def debug(self, msg: str, *args: object, exc_info: bool = False, **kwargs: object) -> None:
        self._log_msg(logging.DEBUG, msg, *args, exc_info=exc_info, **kwargs)

    def exception(self, msg: str, *args: object, exc_info: bool = True, **kwargs: object) -> None:
        self._log_msg(logging.ERROR, msg, *args, exc_info=exc_info, **kwargs)

    @abstractmethod
    def _log_msg(self, level: int, msg: str, *args: object, exc_info: bool = False, **kwargs: object) -> None:
        """Write one line."""


class PythonLogger(LoggerABC):
    """A logger with named values on top of a logger of the standard library."""

    def __init__(self, logger: logging.Logger) -> None:
        self.logger = logger

    def _log_msg(self, level: int, msg: str, *args: object, exc_info: bool = False, **kwargs: object) -> None:
        _no_positional(args)
        self.logger.log(level, msg, *([kwargs] if kwargs else []), exc_info=exc_info)


def _no_positional(args: tuple[object, ...]) -> None:
    if args:
        raise ValueError("Args not supported")  # values of a line are given by name


class HandlerContext(LoggerABC):
    """One run of a handler: its facts, log lines and changes."""

    def __init__(
        self,
        resource: Resource,
        dry_run: bool = False,  # noqa: FBT001, FBT002  # as modules and their tests call it
        action_id: UUID | None = None,
        logger: logging.Logger | None = None,
    ) -> None:
        self._resource = resource
        self._dry_run = dry_run
        self._cache: dict[str, Any] = {}
        self._change = Change.nochange
        self._changes: dict[str, AttributeStateChange] = {}
        self._facts: list[dict[str, Any]] = []
        self._status: ResourceState | None = None
        self._state: HandlerResourceState | None = None
        self._logs: list[LogLine] = []
        self._action_id = action_id or uuid4()
        self.logger = logger or logging.getLogger("inmanta.handler")

    @property
    def action_id(self) -> UUID:
        return self._action_id

    @property
    def status(self) -> ResourceState | None:
        return self._status

    @property
    def resource_state(self) -> HandlerResourceState | None:
        return self._state

    @property
    def logs(self) -> list[LogLine]:
        return self._logs

    @property
    def facts(self) -> list[dict[str, Any]]:
        return self._facts

    @property
    def changes(self) -> dict[str, AttributeStateChange]:
        return self._changes

    @property
    def changed(self) -> bool:
        return self._change is not Change.nochange

    @property
    def change(self) -> Change:
        return self._change

    def is_dry_run(self) -> bool:
        return self._dry_run

    # What one step of a run tells the next

    def get(self, name: str) -> Any:
        return self._cache[name]

    def contains(self, key: str) -> bool:
        return key in self._cache

    def set(self, name: str, value: Any) -> None:
        self._cache[name] = value

    # What was done

    def _set_change(self, change: Change) -> None:
        if self._change is not Change.nochange:
            raise InvalidOperation(
                f"Unable to set Change.{change.value} operation, Change.{self._change.value} already set."
            )
        self._change = change

    def set_created(self) -> None:
        self._set_change(Change.created)

    def set_purged(self) -> None:
        self._set_change(Change.purged)

    def set_updated(self) -> None:
        self._set_change(Change.updated)

    def set_status(self, status: ResourceState) -> None:
        self._status = status
        if status.value in HandlerResourceState.__members__:
            self._state = HandlerResourceState(status.value)

    def set_resource_state(self, new_state: HandlerResourceState) -> None:
        if new_state is HandlerResourceState.non_compliant and not self._changes:
            raise InvalidOperation("Unable to set state to non_compliant before changes are set.")
        self._state = new_state
        shown = "skipped" if new_state is HandlerResourceState.skipped_for_dependency else new_state.value
        self._status = ResourceState(shown)

    def set_fact(self, fact_id: str, value: str, expires: bool = True) -> None:  # noqa: FBT001, FBT002
        """Report a fact about the resource that the model can ask for."""
        self._facts.append({"id": fact_id, "value": value, "expires": expires})

    def add_change(self, name: str, desired: object, current: object = None) -> None:
        self._changes[name] = AttributeStateChange(current, desired)

    def add_changes(self, **kwargs: Any) -> None:
        for name, desired in kwargs.items():
            self.add_change(name, desired)

    def fields_updated(self, fields: str) -> None:
        self._changes.setdefault(fields, AttributeStateChange(None, None))

    def update_changes(self, changes: Mapping[str, Any]) -> None:
        """Add changes to the run.

        The forms are `{field: (current, desired)}`, `{field: {"current": …, "desired": …}}` and
        `{field: change}`.
        """
        for name, change in changes.items():
            self._changes[name] = _parse_change(name, change)

    # Lines

    def _log_msg(self, level: int, msg: str, *args: object, exc_info: bool = False, **kwargs: object) -> None:
        _no_positional(args)
        values = dict(kwargs)
        if exc_info:
            values["traceback"] = traceback.format_exc()
        self._logs.append(LogLine(logging.getLevelName(level), _format_message(msg, values), values))
        self.logger.log(level, "resource %s: %s", self._resource.id, self._logs[-1].text)


def _format_message(msg: str, values: dict[str, Any]) -> str:
    try:
        return msg % values if values else msg
    except (KeyError, TypeError, ValueError):
        return msg  # a text that is not about these values


def _parse_change(name: str, change: Any) -> AttributeStateChange:
    if isinstance(change, AttributeStateChange):
        return change
    if isinstance(change, dict):
        return AttributeStateChange(change.get("current"), change.get("desired"))
    if isinstance(change, tuple):
        if len(change) != 2:
            raise InvalidOperation(
                f"Reported changes for {name} not in a type that is recognized: a tuple has a current and a desired value"
            )
        return AttributeStateChange(change[0], change[1])
    raise InvalidOperation(
        f"Reported changes for {name} not in a type that is recognized: {type(change).__name__}"
    )
