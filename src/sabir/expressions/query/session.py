"""One evaluation of a whole description: what all its contexts share.

What surrounds an evaluation: directories and values of the project.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct, field

from sabir.expressions.query.dependents import OUTSIDE, Dependents, IdentityDict, TrackedCache
from sabir.expressions.query.values import MISSING
from sabir.session import Session as WorkSession

if TYPE_CHECKING:
    from sabir.expressions.query.resource import QueryResource
    from sabir.provenance import Cell, ReadTracker, Sources


class DeploymentJob(Struct, frozen=True, kw_only=True):
    """The run of a deployment that an expression is evaluated in; it gives the folders of tasks their names."""

    id: str
    operation: str | None = None
    workflow: str | None = None


class EnsembleProject(Struct, frozen=True, kw_only=True, eq=False):
    """Where an ensemble lives and what its project provides. Without a directory nothing on disk can be reached."""

    directory: Path | None = None
    """The directory of the ensemble: `.` of get_dir."""
    root: Path | None = None
    """The project's root; that of the ensemble unless given."""
    home: Path | None = None
    """The home project (UNFURL_HOME)."""
    repositories: Mapping[str, Path] = field(default_factory=dict[str, Path])
    locals: Mapping[str, Any] = field(default_factory=dict[str, Any])
    secrets: Mapping[str, Any] = field(default_factory=dict[str, Any])
    vault_password: str | None = None
    job: DeploymentJob | None = None

    def __repr__(self) -> str:
        return f"Project({self.directory})"  # the password stays out of logs and tracebacks

    @property
    def top(self) -> Path | None:
        return self.root or self.directory


Tool = TypeVar("Tool")


class QuerySession(Struct, kw_only=True, eq=False):
    """Shared by all resources of one tree; also where the recorder is found while provenance is wanted."""

    project: EnsembleProject = field(default_factory=EnsembleProject)
    work: WorkSession = field(default_factory=WorkSession)
    """Where environment variables and the time of day come from: one made without arguments knows no variable."""
    externals: Mapping[str, QueryResource] = field(default_factory=dict[str, Any])
    """Roots of other ensembles by the name they are known by."""
    input: Callable[[str], Any] = lambda _name: MISSING
    """The value of an input of the service template, or MISSING."""
    input_names: Callable[[], tuple[str, ...]] = lambda: ()
    named: Callable[[str], QueryResource | None] = lambda _name: None
    """A relationship or group that is no instance but has a name of its own."""
    instances: Callable[[str], Sequence[QueryResource]] = lambda _name: ()
    """The instances of a template by its name, of which there may be several."""
    counts_from_first: bool = False
    """2.0: without an index the name of a template with several instances stands for the first of them."""
    scalar_units: Sequence[Mapping[str, float]] = ()
    """2.0: the units that scalar types of the template have, with their sizes; those of one type can be added and compared."""
    on_trace: Callable[[str], None] | None = None
    computing: ReadTracker | None = None
    """The recorder, while provenance is wanted: the cells that are read come into its open list."""
    computed: dict[Cell, Sources] = field(default_factory=dict[Any, Any])
    """Then also: what each attribute was computed from."""
    dependents: Dependents | None = None
    """Who has read what, while values outlive a change of what they rest on."""
    depth: int = 0
    """Expressions that are being evaluated inside one another."""
    waiting: list[tuple[QueryResource, str]] = field(default_factory=list[Any])
    """The attributes that are being computed, each for the one before it."""
    nesting: int = 0
    """Attributes that are being computed inside one another."""
    tools: dict[Callable[[], object], object] = field(default_factory=dict[Callable[[], object], object])
    """By what makes them; asked through `tool`."""

    def record(self, resource: QueryResource, key: str) -> None:
        """An attribute was read."""
        if self.computing is not None:
            self.computing.reads.append((resource, key))

    def rests_outside(self, answers: IdentityDict | None = None, key: Any = None) -> None:
        """What is being computed rests on something that can change without anybody saying so; so does an answer that is kept."""
        if self.dependents is not None:
            self.dependents.read(OUTSIDE)
            if answers is not None:
                self.dependents.forget_with(OUTSIDE, answers, key)

    def make_cache(self) -> dict[Any, Any]:
        """A dictionary for computed values."""
        return {} if self.dependents is None else TrackedCache(self.dependents)

    def tool(self, kind: Callable[[], Tool]) -> Tool:
        """The one `kind()` of this evaluation, for what must not be shared between two that run at the same time."""
        tool = self.tools.get(kind)
        if tool is None:
            tool = self.tools[kind] = kind()
        return tool  # type: ignore[return-value]  # the key made it
