"""Groups and policies: instances with a type and properties that refer to nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from sabir.expressions.query.resource import QueryResource
from sabir.expressions.query.values import InstanceStatus
from sabir.languages.tosca.evaluate.entities import EntityInstance
from sabir.languages.tosca.syntax.nodes import GroupTemplate, PolicyTemplate, SourceValue, Trigger
from sabir.languages.tosca.syntax.scopes import TypeKind
from sabir.text import Span

if TYPE_CHECKING:
    from sabir.languages.tosca.evaluate.ensemble import Ensemble
    from sabir.languages.tosca.evaluate.instances import NodeInstance


class NodeCollection(EntityInstance):
    """Common base of groups and policies."""

    __slots__ = ("template",)

    section: ClassVar[str]
    """The section of the template."""
    relation: ClassVar[str]
    """The key that lists members or targets."""
    type_kind: ClassVar[TypeKind]
    root_type: ClassVar[str]

    def __init__(self, ensemble: Ensemble, template: GroupTemplate | PolicyTemplate) -> None:
        types = ensemble.model.types
        super().__init__(
            ensemble, None if template.type is None else types.find(self.type_kind, template.type)
        )
        self.template = template

    @property
    def name(self) -> str:
        return self.template.name

    @property
    def type(self) -> str:
        return self.flat.name if self.flat is not None else self.template.type or self.root_type

    @property
    def parent(self) -> QueryResource | None:
        return self.ensemble.root

    @property
    def status(self) -> InstanceStatus:
        return InstanceStatus.ok

    def find_template_value(self, key: str) -> SourceValue | None:
        return self.template.properties.get(key)

    def keys(self) -> Sequence[str]:
        declared = self.flat.properties if self.flat is not None else {}
        return tuple(dict.fromkeys([*declared, *self.template.properties]))

    def names(self) -> tuple[tuple[str, Span], ...]:
        """The names of members or targets, as written in the template."""
        raise NotImplementedError

    @property
    def named(self) -> list[QueryResource]:
        """The nodes and groups that the template names."""
        groups = self.ensemble.model.topology.groups
        resources: list[QueryResource] = []
        for name, _ in self.names():
            if name in groups:
                resources.append(GroupInstance(self.ensemble, groups[name]))
            else:
                resources += self.ensemble.instances(name)
        return resources


class GroupInstance(NodeCollection):
    """A group of nodes; its members are nodes and other groups."""

    __slots__ = ()

    kind: ClassVar[str] = "group"
    section = "groups"
    relation = "members"
    type_kind = TypeKind.GROUP
    root_type = "tosca.groups.Root"
    template: GroupTemplate

    def names(self) -> tuple[tuple[str, Span], ...]:
        return self.template.members


class PolicyInstance(NodeCollection):
    """A policy; its targets are nodes and groups, and it may have triggers."""

    __slots__ = ()

    kind: ClassVar[str] = "policy"
    section = "policies"
    relation = "targets"
    type_kind = TypeKind.POLICY
    root_type = "tosca.policies.Root"
    template: PolicyTemplate

    def names(self) -> tuple[tuple[str, Span], ...]:
        return self.template.targets

    @property
    def triggers(self) -> dict[str, Trigger]:
        """The triggers of its types and its own, by name."""
        chain = reversed(self.flat.chain) if self.flat is not None else ()
        tables = [*(definition.triggers for definition in chain), self.template.triggers]
        return {name: trigger for table in tables for name, trigger in table.items()}


def groups_of(ensemble: Ensemble) -> list[GroupInstance]:
    """Return the groups of a topology in the order in which they are defined."""
    return [GroupInstance(ensemble, group) for group in ensemble.model.topology.groups.values()]


def policies_of(ensemble: Ensemble) -> list[PolicyInstance]:
    """Return the policies of a topology in the order in which they are defined."""
    return [PolicyInstance(ensemble, policy) for policy in ensemble.model.topology.policies]


def nodes_named(ensemble: Ensemble, name: str | None) -> list[NodeInstance]:
    """Return the nodes that a name refers to: instances of a template, or members of a group.

    Members of nested groups are included.
    """
    if name is None:
        return []
    nodes: dict[str, NodeInstance] = {}
    waiting, seen = [name], {name}
    for here in waiting:
        group = ensemble.model.topology.groups.get(here)
        if group is None:
            nodes.update((node.key, node) for node in ensemble.instances(here))
            continue
        for member, _ in group.members:
            if member not in seen:
                seen.add(member)
                waiting.append(member)
    return [*nodes.values()]
