"""Other environments as expressions see them.

`{eval: {external: NAME}, select: …}` reads the graph of the last deployment of the environment NAME.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from sabir.environment.nodes import Environment
from sabir.errors import SabirError
from sabir.expressions.query import QueryError, QueryResource, QuerySession, resources_of
from sabir.expressions.query.errors import NOT_FOUND, REFUSED
from sabir.graph.graph import Graph
from sabir.session import Session as WorkSession
from sabir.source.packages import is_below


class _ExternalAccessError(SabirError):
    """The other environment cannot be read, for lack of permission or access; the project itself may be
    correct.
    """


class Externals(Mapping[str, QueryResource]):
    """The roots of other environments by name; each is evaluated on first access."""

    def __init__(
        self,
        environment: Environment,
        folder: Path | None,
        reach: Callable[[Path], Graph] | None,
        work: WorkSession,
    ) -> None:
        self._environment = environment
        self._folder = folder
        self._reach = reach
        self._work = work
        self._roots: dict[str, QueryResource] = {}

    def __getitem__(self, name: str) -> QueryResource:
        path, span = self._environment.externals[name]
        if name not in self._roots:
            try:
                graph = self._graph(path)
            except SabirError as error:
                message = f"the external {name!r} cannot be reached: {error}"
                rule = REFUSED if isinstance(error, _ExternalAccessError) else NOT_FOUND
                raise QueryError.of(rule, message, place=self._environment.place(span)) from error
            self._roots[name] = resources_of(graph, QuerySession(work=self._work))
        return self._roots[name]

    def _graph(self, path: str) -> Graph:
        if self._folder is None or self._reach is None:
            raise _ExternalAccessError("there is no way to other environments from here")
        place = self._folder / path
        if not is_below(place, self._folder) and not self._work.trust.outside:
            raise _ExternalAccessError(
                f"{path!r} leads out of the environment: allow it with --trust outside"
            )
        return self._reach(place)

    def __iter__(self) -> Iterator[str]:
        return iter(self._environment.externals)

    def __len__(self) -> int:
        return len(self._environment.externals)
