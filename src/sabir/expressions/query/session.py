"""One evaluation of a whole description: what all its contexts share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from sabir.expressions.query.project import Project
from sabir.expressions.query.values import MISSING
from sabir.session import Session as WorkSession

if TYPE_CHECKING:
    from sabir.expressions.query.resource import Resource

__all__ = ["Read", "Session"]

Read = tuple["Resource", str]


class Session(Struct, kw_only=True, eq=False):
    """Shared by all resources of one tree; also the place where reads are recorded while provenance is wanted."""

    project: Project = field(default_factory=Project)
    work: WorkSession = field(default_factory=WorkSession)
    """Where environment variables and the time of day come from: one made without arguments knows no variable."""
    externals: Mapping[str, Resource] = field(default_factory=dict[str, Any])
    """Roots of other ensembles by the name they are known by."""
    input: Callable[[str], Any] = lambda _name: MISSING
    """The value of an input of the service template, or MISSING."""
    input_names: Callable[[], tuple[str, ...]] = lambda: ()
    named: Callable[[str], Resource | None] = lambda _name: None
    """A relationship or group that is no instance but has a name of its own."""
    on_trace: Callable[[str], None] | None = None
    reads: list[Read] | None = None
    """When a list: every attribute that is read is appended."""
    computed: dict[Read, tuple[Read, ...]] = field(default_factory=dict[Read, tuple[Read, ...]])
    """Then also: what each attribute was computed from."""
    depth: int = 0
    """Expressions that are being evaluated inside one another."""
    waiting: list[Read] = field(default_factory=list[Read])
    """The attributes that are being computed, each for the one before it."""
    nesting: int = 0
    """Attributes that are being computed inside one another."""
