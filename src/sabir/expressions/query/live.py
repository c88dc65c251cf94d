"""Attributes that may hold expressions: computed when first read, on the instance they belong to, then kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final

from sabir.diagnostics.rules import Rule
from sabir.expressions.query.context import QueryContext
from sabir.expressions.query.errors import QueryError
from sabir.expressions.query.forms import compile_value
from sabir.expressions.query.resource import QueryResource
from sabir.expressions.query.values import MISSING, PENDING, cache_value, mark_sensitive, plain_value
from sabir.text import Place

CIRCLE: Final = Rule(
    code="EXPR:E019",
    title="a value that waits for itself",
    why="Computing it needs its own value, perhaps through others, so it never gets one. Give one of them a value of its own.",
    examples="sabir.expressions",
    language="tosca",
    when="evaluate",
)

_DEEPEST: Final = 20
_LONGEST_CHAIN: Final = 100_000


class _TooDeep(BaseException):
    """Not an error: the stack is full, and this attribute has to be computed first. Nobody but `_compute` may catch it."""

    def __init__(self, resource: LiveResource, key: str) -> None:
        super().__init__()
        self.resource = resource
        self.key = key


class AssignedValue:
    """A value as it was written, shared by all instances that have it; compiled once."""

    __slots__ = ("_compiled", "directory", "place", "raw", "sensitive")

    def __init__(
        self,
        raw: Any,
        *,
        place: Place | None = None,
        directory: Path | None = None,
        sensitive: bool = False,
    ) -> None:
        self.raw = raw
        self.place = place
        self.directory = directory
        self.sensitive = sensitive
        self._compiled: Callable[[QueryContext], Any] | object | None = MISSING

    @property
    def is_constant(self) -> bool:
        if self._compiled is MISSING:
            self._compiled = compile_value(self.raw)
        return self._compiled is None

    def value(self, resource: QueryResource) -> Any:
        """The value on an instance; a failure is shown at the place where it was written."""
        if self.is_constant:
            return mark_sensitive(self.raw) if self.sensitive else self.raw
        context = QueryContext(resource, place=self.place, directory=self.directory)
        assert callable(self._compiled)
        try:
            value = self._compiled(context)
        except QueryError as error:
            raise error.with_location(self.place) from error
        return mark_sensitive(plain_value(value)) if self.sensitive else value


class LiveResource(QueryResource):
    """A resource whose attributes are assigned values. `_written` is a mapping of its own or a shared one."""

    __slots__ = ("_ready",)

    reads_circles_as_null: ClassVar[bool] = False
    """Whether an attribute that needs itself is null, as in data that no language describes."""

    def __init__(self) -> None:
        super().__init__()
        self._ready: dict[str, Any] = {}

    def find_assignment(self, key: str) -> AssignedValue | None:
        """What was assigned to a key, if anything."""
        raise NotImplementedError

    def get(self, key: str) -> Any:
        value = self._ready.get(key, MISSING)
        if value is MISSING:
            return self._compute(key)
        if value is PENDING:
            return self.circle(repr(key), None, self._way_round(key))
        return value

    def circle(self, part: str, place: Place | None, hint: str | None = None) -> Any:
        if self.reads_circles_as_null:
            return None
        raise QueryError.of(CIRCLE, f"{part} of {self.name!r} needs its own value", place=place, hint=hint)

    def _way_round(self, key: str) -> str | None:
        """The values that wait for one another, in the order they were asked for."""
        waiting = self.session.waiting
        start = next((at for at, pair in enumerate(waiting) if pair == (self, key)), 0)
        names = [f"{resource.name}::{name}" for resource, name in waiting[start:]]
        return "they wait for one another: " + " → ".join([*names, names[0]]) if len(names) > 1 else None

    def _compute(self, key: str) -> Any:
        """The value, however long the chain of attributes that it needs.

        A chain that would fill the stack is cut: its far end is computed first, from a shallow stack, and then the rest.
        """
        session = self.session
        if session.nesting >= _DEEPEST:
            raise _TooDeep(self, key)
        if session.nesting:
            return self._compute_here(key)
        waiting: list[tuple[LiveResource, str]] = [(self, key)]
        while True:
            resource, name = waiting[-1]
            try:
                value = resource._compute_here(name)
            except _TooDeep as deep:
                if (deep.resource, deep.key) in waiting or len(waiting) > _LONGEST_CHAIN:
                    raise QueryError.of(CIRCLE, f"{key!r} of {self.name!r} needs its own value") from None
                waiting.append((deep.resource, deep.key))
                continue
            waiting.pop()
            if not waiting:
                return value

    def _compute_here(self, key: str) -> Any:
        dependents = self.session.dependents
        if dependents is None:
            return self._evaluate_attribute(key)
        with dependents.track_computation(self._ready, key):  # type: ignore[arg-type]  # then it is `Kept`
            return self._evaluate_attribute(key)

    def _evaluate_attribute(self, key: str) -> Any:
        assigned = self.find_assignment(key)
        if assigned is None:
            return MISSING
        session = self.session
        computing = session.computing
        before = [] if computing is None else computing.open()
        session.nesting += 1
        session.waiting.append((self, key))
        try:
            return cache_value(self._ready, key, partial(assigned.value, self))
        finally:
            session.nesting -= 1
            session.waiting.pop()
            if computing is not None:
                session.computed[(self, key)] = computing.close(before)
