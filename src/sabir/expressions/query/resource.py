"""What a path walks over: instances, whatever language made them.

`Resource` asks little of its subclasses (a name, a parent, children, a way to read an attribute) and gives every special
key of spec 004, "Special keys", on top of it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from sabir.expressions.query.values import MISSING, InstanceStatus, NodeState

if TYPE_CHECKING:
    from sabir.expressions.query.session import QuerySession
    from sabir.text import Place


class QueryResource:
    """An instance, a capability or a relationship: everything that has special keys.

    Abstract, but without ABCMeta: its instance check costs more than reading an attribute.
    """

    __slots__ = ("_all", "_everything")

    kind: ClassVar[str] = "instance"

    def __init__(self) -> None:
        self._all: dict[str, QueryResource] | None = None
        self._everything: list[QueryResource] | None = None

    # What a subclass has to say

    @property
    @abstractmethod
    def session(self) -> QuerySession: ...

    @property
    @abstractmethod
    def name(self) -> str: ...

    @abstractmethod
    def get(self, key: str) -> Any:
        """The live value of an attribute or property, or MISSING."""

    # What a subclass may say

    @property
    def parent(self) -> QueryResource | None:
        """What it lies in; a root lies in nothing."""
        return None

    @property
    def children(self) -> Sequence[QueryResource]:
        return ()

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
    def tosca_id(self) -> str:
        """A path that leads to it, where its language has one."""
        return self.id

    @property
    def template_name(self) -> str:
        return self.name

    @property
    def status(self) -> InstanceStatus | str | None:
        return None

    @property
    def state(self) -> NodeState | None:
        return None

    @property
    def index(self) -> int:
        """Which of the instances of one template it is."""
        return 0

    def get_planned(self, key: str) -> Any:
        """The value the description gives, not the live one; MISSING when it gives none."""
        return self.get(key)

    def available(self, key: str) -> Any:
        """Of a capability: what is left of a property when everybody has taken his part."""
        return self.get(key)

    def has_property(self, key: str) -> bool:
        """Whether `planned` may be asked for this: a property that is declared or assigned, not an attribute only."""
        return self.get_planned(key) is not MISSING

    def keys(self) -> Sequence[str]:
        """The names `get` knows."""
        return ()

    @property
    def capabilities(self) -> Sequence[QueryResource]:
        return ()

    @property
    def requirements(self) -> Sequence[QueryResource]:
        return ()

    @property
    def operations(self) -> Sequence[QueryResource]:
        """What can be called on it and is carried out by something."""
        return ()

    @property
    def relationships(self) -> Sequence[QueryResource]:
        return ()

    @property
    def source(self) -> QueryResource | None:
        return None

    @property
    def target(self) -> QueryResource | None:
        return None

    @property
    def target_capability(self) -> QueryResource | None:
        return None

    @property
    def targets(self) -> Mapping[str, Any]:
        """The instances its requirements lead to, by the requirement's name."""
        by_name: dict[str, list[QueryResource]] = {}
        for requirement in self.requirements:
            if requirement.target is not None:
                by_name.setdefault(requirement.name, []).append(requirement.target)
        return one_or_many(by_name)

    @property
    def sources(self) -> Mapping[str, Any]:
        """The instances whose requirements lead here, by the requirement's name."""
        by_name: dict[str, list[QueryResource]] = {}
        for capability in self.capabilities:
            for relationship in capability.relationships:
                if relationship.source is not None:
                    by_name.setdefault(relationship.name, []).append(relationship.source)
        return one_or_many(by_name)

    @property
    def artifacts(self) -> Mapping[str, Artifact]:
        return {}

    def operation_output(self, interface: str, operation: str, output: str) -> Any:
        """What an operation gave out, or MISSING."""
        del interface, operation, output
        return MISSING

    @property
    def source_directory(self) -> Path | None:
        """The directory of the file its template is written in."""
        return None

    def circle(self, part: str, place: Place | None) -> Any:
        """What a part of a value is that needs itself: null, unless a resource has more to say."""
        del part, place

    @property
    def owner(self) -> QueryResource | None:
        """Whose it is: of a capability its node, of a relationship its source; a node is its own."""
        match self.kind:
            case "capability":
                return self.parent
            case "relationship" | "requirement":
                return self.source
            case _:
                return self

    # What follows from it

    @property
    def root(self) -> QueryResource:
        here = self
        while (above := here.parent) is not None:
            here = above
        return here

    def ancestors(self) -> Iterator[QueryResource]:
        here: QueryResource | None = self
        while here is not None:
            yield here
            here = here.parent

    def descendents(self) -> list[QueryResource]:
        """Itself and everything below, depth first."""
        reached: list[QueryResource] = []
        waiting: list[QueryResource] = [self]
        while waiting:
            resource = waiting.pop()
            reached.append(resource)
            if children := resource.children:
                waiting.extend(reversed(children))
        return reached

    def everything(self) -> list[QueryResource]:
        """Of a root: all instances, computed once."""
        if self._everything is None:
            self._everything = self.descendents()
        return self._everything

    def all(self) -> Mapping[str, QueryResource]:
        """Every instance from the root down by its name; of two with one name the nearer to the root counts."""
        root = self.root
        if root is not self:
            return root.all()
        by_name = self._all
        if by_name is None:
            by_name = self._all = {}
            for resource in self.everything():
                by_name.setdefault(resource.name, resource)
        return by_name

    def special(self, key: str) -> Any:
        """The value of a special key; MISSING when there is no such key."""
        reader = SPECIAL_KEYS.get(key)
        return MISSING if reader is None else reader(self)

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}>"


class InstanceTemplate(QueryResource):
    """What an instance was described by: its name, its type, and the values as the description gives them."""

    __slots__ = ("_instance",)

    kind: ClassVar[str] = "template"

    def __init__(self, instance: QueryResource) -> None:
        super().__init__()
        self._instance = instance

    @property
    def session(self) -> QuerySession:
        return self._instance.session

    @property
    def name(self) -> str:
        return self._instance.template_name

    @property
    def type(self) -> str:
        return self._instance.type

    @property
    def types(self) -> Sequence[str]:
        return self._instance.types

    def get(self, key: str) -> Any:
        planned = self._instance.get_planned(key) if self._instance.has_property(key) else MISSING
        if planned is not MISSING:
            return planned
        return {"name": self.name, "type": self.type}.get(key, MISSING)


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


def one_or_many(resources: Mapping[str, list[QueryResource]]) -> dict[str, Any]:
    return {name: many[0] if len(many) == 1 else many for name, many in resources.items()}


SPECIAL_KEYS: Final[Mapping[str, Callable[[QueryResource], Any]]] = {
    ".": lambda resource: resource,
    "..": lambda resource: resource.parent,
    ".parent": lambda resource: resource.parent,
    ".owner": lambda resource: resource.owner,
    ".template": lambda resource: InstanceTemplate(resource),
    ".name": lambda resource: resource.name,
    ".type": lambda resource: resource.type,
    ".tosca_id": lambda resource: resource.tosca_id,
    ".tosca_name": lambda resource: resource.template_name,
    ".status": lambda resource: resource.status,
    ".state": lambda resource: resource.state,
    ".parents": lambda resource: list(resource.ancestors())[:0:-1],
    ".ancestors": lambda resource: list(resource.ancestors()),
    ".root": lambda resource: resource.root,
    ".instances": lambda resource: list(resource.children),
    ".children": lambda resource: list(resource.children),
    ".capabilities": lambda resource: list(resource.capabilities),
    ".requirements": lambda resource: list(resource.requirements),
    ".operations": lambda resource: list(resource.operations),
    ".relationships": lambda resource: list(resource.relationships),
    ".descendents": lambda resource: resource.descendents(),
    ".descendants": lambda resource: resource.descendents(),
    ".all": lambda resource: resource.all(),
    ".self": lambda resource: resource,
    ".source": lambda resource: MISSING if resource.source is None else resource.source,
    ".target": lambda resource: MISSING if resource.target is None else resource.target,
    ".targets": lambda resource: resource.targets,
    ".sources": lambda resource: resource.sources,
    ".hosted_on": lambda resource: [
        above for above in resource.ancestors() if above is not resource and above.parent is not None
    ],
    ".configured_by": lambda resource: _find_configurers(resource),
    ".artifacts": lambda resource: dict(resource.artifacts),
}


def _find_configurers(resource: QueryResource) -> list[QueryResource]:
    """Instances that point here through a requirement whose relationship configures (Unfurl's `Configures`)."""
    return [
        relationship.source
        for capability in resource.capabilities
        for relationship in capability.relationships
        if relationship.source is not None
        and any(name.endswith(".Configures") for name in relationship.types)
    ]
