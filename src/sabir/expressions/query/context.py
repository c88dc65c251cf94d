"""The context of one evaluation: where it stands and what is in scope."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from sabir.expressions.query.resource import QueryResource
from sabir.expressions.query.session import QuerySession
from sabir.expressions.query.values import MISSING, LazyList
from sabir.text import Place

_PENDING: Final = object()
_PREDEFINED: Final[Mapping[str, Any]] = {"true": True, "false": False, "null": None}


class LazyVariable:
    """A variable that is computed when it is first used."""

    __slots__ = ("_compute", "_value")

    def __init__(self, compute: Callable[[], Any]) -> None:
        self._compute = compute
        self._value: Any = MISSING

    def value(self) -> Any:
        if self._value is MISSING:
            self._value = _PENDING
            try:
                self._value = self._compute()
                if type(self._value) is LazyList:
                    self._value = self._value.compute_all()
            except BaseException:
                self._value = MISSING
                raise
        return None if self._value is _PENDING else self._value


class VariableScope(Mapping[str, Any]):
    """Variables by name, inner ones first. Reading one computes it."""

    __slots__ = ("_names", "_outer")

    def __init__(self, names: Mapping[str, Any], outer: VariableScope | None = None) -> None:
        self._names = names
        self._outer = outer

    def find(self, name: str) -> Any:
        """The variable's value, or MISSING."""
        scope: VariableScope | None = self
        while scope is not None:
            content = scope._names.get(name, MISSING)
            if content is not MISSING:
                return content.value() if type(content) is LazyVariable else content
            scope = scope._outer
        return MISSING

    def __getitem__(self, name: str) -> Any:
        content = self.find(name)
        if content is MISSING:
            raise KeyError(name)
        return content

    def __iter__(self) -> Iterator[str]:
        seen: dict[str, None] = {}
        scope: VariableScope | None = self
        while scope is not None:
            seen.update(dict.fromkeys(scope._names))
            scope = scope._outer
        return iter(seen)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        scope: VariableScope | None = self
        while scope is not None:
            if name in scope._names:
                return True
            scope = scope._outer
        return False


_NO_NAMES: Final = VariableScope(_PREDEFINED)


class QueryContext:
    """Immutable by habit: `with_…` answer a changed copy."""

    __slots__ = ("current", "directory", "place", "resource", "scope", "session", "start", "trace")

    def __init__(
        self,
        resource: QueryResource,
        scope: VariableScope = _NO_NAMES,
        *,
        place: Place | None = None,
        directory: Path | None = None,
    ) -> None:
        self.resource = resource
        self.current: Any = resource
        """What a path starts from: the resource, or the item that `select` and `foreach` are at."""
        self.start: Any = resource
        self.scope = scope
        self.session: QuerySession = resource.session
        self.place = place
        self.directory = directory
        """The directory of the file that holds the expression; None: that of the ensemble."""
        self.trace = 0

    def _copy(self) -> QueryContext:
        copy = QueryContext.__new__(QueryContext)
        copy.resource = self.resource
        copy.current = self.current
        copy.start = self.start
        copy.scope = self.scope
        copy.session = self.session
        copy.place = self.place
        copy.directory = self.directory
        copy.trace = self.trace
        return copy

    def with_names(self, names: Mapping[str, Any]) -> QueryContext:
        copy = self._copy()
        copy.scope = VariableScope(names, self.scope)
        return copy

    def with_lazy(self, thunks: Mapping[str, Callable[[QueryContext], Any]]) -> QueryContext:
        """Variables that may use one another, each computed when first used."""
        copy = self._copy()
        copy.scope = VariableScope(
            {name: LazyVariable(copy.later(thunk)) for name, thunk in thunks.items()}, self.scope
        )
        return copy

    def later(self, compute: Callable[[QueryContext], Any]) -> Callable[[], Any]:
        """Computes a part of a value in this context, when it is asked for."""
        dependents = self.session.dependents
        return partial(compute, self) if dependents is None else dependents.later(partial(compute, self))

    def at(self, current: Any) -> QueryContext:
        copy = self._copy()
        copy.current = current
        if isinstance(current, QueryResource):
            copy.resource = current
        return copy

    def with_trace(self, level: int) -> QueryContext:
        copy = self._copy()
        copy.trace = level
        return copy

    def variable(self, name: str) -> Any:
        """The value of a variable, or MISSING."""
        content = self.scope.find(name)
        return self.start if content is MISSING and name == "start" else content
