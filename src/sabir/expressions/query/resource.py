"""What a path walks over: instances, whatever language made them.

`Resource` asks little of its subclasses (a name, a parent, children, a way to read an attribute) and gives every special
key of spec 004, "Special keys", on top of it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from sabir.expressions.query.values import MISSING, NodeState, Status

if TYPE_CHECKING:
    from sabir.expressions.query.session import Session

__all__ = ["SPECIAL_KEYS", "Artifact", "Resource"]


class Resource:
    """An instance, a capability or a relationship: everything that has special keys.

    Abstract, but without ABCMeta: its instance check costs more than reading an attribute.
    """

    __slots__ = ("_all", "_everything")

    kind: ClassVar[str] = "instance"

    def __init__(self) -> None:
        self._all: dict[str, Resource] | None = None
        self._everything: list[Resource] | None = None

    # What a subclass has to say

    @property
    @abstractmethod
    def session(self) -> Session: ...

    @property
    @abstractmethod
    def name(self) -> str: ...

    @property
    @abstractmethod
    def parent(self) -> Resource | None: ...

    @property
    @abstractmethod
    def children(self) -> Sequence[Resource]: ...

    @abstractmethod
    def get(self, key: str) -> Any:
        """The live value of an attribute or property, or MISSING."""

    # What a subclass may say

    @property
    def type(self) -> str:
        return "tosca.nodes.Root"

    @property
    def types(self) -> Sequence[str]:
        """Its type and everything that type derives from."""
        return (self.type,)

    @property
    def id(self) -> str:
        return "::" + self.name

    @property
    def template_name(self) -> str:
        return self.name

    @property
    def status(self) -> Status | str | None:
        return None

    @property
    def state(self) -> NodeState | None:
        return None

    def planned(self, key: str) -> Any:
        """The value the description gives, not the live one; MISSING when it gives none."""
        return self.get(key)

    def has_property(self, key: str) -> bool:
        """Whether `planned` may be asked for this: a property that is declared or assigned, not an attribute only."""
        return self.planned(key) is not MISSING

    def keys(self) -> Sequence[str]:
        """The names `get` knows."""
        return ()

    @property
    def capabilities(self) -> Sequence[Resource]:
        return ()

    @property
    def requirements(self) -> Sequence[Resource]:
        return ()

    @property
    def relationships(self) -> Sequence[Resource]:
        return ()

    @property
    def source(self) -> Resource | None:
        return None

    @property
    def target(self) -> Resource | None:
        return None

    @property
    def target_capability(self) -> Resource | None:
        return None

    @property
    def targets(self) -> Mapping[str, Any]:
        """The instances its requirements lead to, by the requirement's name."""
        found: dict[str, list[Resource]] = {}
        for requirement in self.requirements:
            if requirement.target is not None:
                found.setdefault(requirement.name, []).append(requirement.target)
        return _one_or_many(found)

    @property
    def sources(self) -> Mapping[str, Any]:
        """The instances whose requirements lead here, by the requirement's name."""
        found: dict[str, list[Resource]] = {}
        for capability in self.capabilities:
            for relationship in capability.relationships:
                if relationship.source is not None:
                    found.setdefault(relationship.name, []).append(relationship.source)
        return _one_or_many(found)

    @property
    def artifacts(self) -> Mapping[str, Artifact]:
        return {}

    @property
    def source_directory(self) -> Path | None:
        """The directory of the file its template is written in."""
        return None

    # What follows from it

    @property
    def root(self) -> Resource:
        here = self
        while (above := here.parent) is not None:
            here = above
        return here

    def ancestors(self) -> Iterator[Resource]:
        here: Resource | None = self
        while here is not None:
            yield here
            here = here.parent

    def descendents(self) -> list[Resource]:
        """Itself and everything below, depth first."""
        found: list[Resource] = []
        waiting: list[Resource] = [self]
        while waiting:
            one = waiting.pop()
            found.append(one)
            if one.children:
                waiting.extend(reversed(one.children))
        return found

    def everything(self) -> list[Resource]:
        """Of a root: all instances, computed once."""
        if self._everything is None:
            self._everything = self.descendents()
        return self._everything

    def all(self) -> dict[str, Resource]:
        """Every instance from the root down by its name; of two with one name the nearer to the root counts."""
        root = self.root
        known = root._all
        if known is None:
            known = {}
            for one in root.everything():
                known.setdefault(one.name, one)
            root._all = known
        return known

    def special(self, key: str) -> Any:
        """The value of a special key; MISSING when there is no such key."""
        reader = SPECIAL_KEYS.get(key)
        return MISSING if reader is None else reader(self)

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}>"


class Artifact:
    """A file or image that belongs to a template."""

    __slots__ = ()

    @property
    @abstractmethod
    def name(self) -> str: ...

    @property
    @abstractmethod
    def location(self) -> str | None:
        """Absolute path or URL of a file, or the full name of an image."""

    @abstractmethod
    def get(self, key: str) -> Any:
        """One of its keys (file, repository …), or MISSING."""


def _one_or_many(found: Mapping[str, list[Resource]]) -> dict[str, Any]:
    return {name: many[0] if len(many) == 1 else many for name, many in found.items()}


SPECIAL_KEYS: Final[Mapping[str, Callable[[Resource], Any]]] = {
    ".": lambda one: one,
    "..": lambda one: one.parent,
    ".name": lambda one: one.name,
    ".type": lambda one: one.type,
    ".tosca_id": lambda one: one.id,
    ".tosca_name": lambda one: one.template_name,
    ".status": lambda one: one.status,
    ".state": lambda one: one.state,
    ".parents": lambda one: list(one.ancestors())[:0:-1],
    ".ancestors": lambda one: list(one.ancestors()),
    ".root": lambda one: one.root,
    ".instances": lambda one: list(one.children),
    ".children": lambda one: list(one.children),
    ".capabilities": lambda one: list(one.capabilities),
    ".requirements": lambda one: list(one.requirements),
    ".relationships": lambda one: list(one.relationships),
    ".descendents": lambda one: one.descendents(),
    ".descendants": lambda one: one.descendents(),
    ".all": lambda one: one.all(),
    ".self": lambda one: one,
    ".source": lambda one: MISSING if one.source is None else one.source,
    ".target": lambda one: MISSING if one.target is None else one.target,
    ".targets": lambda one: one.targets,
    ".sources": lambda one: one.sources,
    ".hosted_on": lambda one: [
        above for above in one.ancestors() if above is not one and above.parent is not None
    ],
    ".configured_by": lambda one: _configurers(one),
    ".artifacts": lambda one: dict(one.artifacts),
}


def _configurers(one: Resource) -> list[Resource]:
    """Instances that point here through a requirement whose relationship configures (Unfurl's `Configures`)."""
    return [
        relationship.source
        for capability in one.capabilities
        for relationship in capability.relationships
        if relationship.source is not None
        and any(name.endswith(".Configures") for name in relationship.types)
    ]
