"""Triggers of policies: what is done when an event is announced, on what, and under which condition."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.graph.activities import nodes_named
from sabir.languages.tosca.graph.conditions import condition_holds
from sabir.languages.tosca.syntax.nodes import Kind, PolicyTemplate, Trigger

__all__ = ["Reaction", "reactions"]


class Reaction(Struct, frozen=True, eq=False):
    """A trigger of a policy, with the nodes and groups that it acts on."""

    policy: PolicyTemplate
    trigger: Trigger
    targets: tuple[str, ...]

    def is_due(self, ensemble: Ensemble) -> bool:
        """Whether its condition holds, of all that it is about."""
        condition = None if self.trigger.condition is None else self.trigger.condition.data
        nodes = [node for name in self.targets for node in nodes_named(ensemble, name)]
        return all(condition_holds(condition, node) for node in nodes)


def reactions(ensemble: Ensemble) -> Iterator[Reaction]:
    """Of all policies: the triggers of their types, and their own."""
    for policy in ensemble.model.topology.policies:
        flat = None if policy.type is None else ensemble.model.types.find(Kind.POLICY, policy.type)
        inherited = [definition.triggers for definition in reversed(flat.chain)] if flat is not None else []
        triggers = {
            name: trigger for table in (*inherited, policy.triggers) for name, trigger in table.items()
        }
        targets = tuple(name for name, _ in policy.targets)
        for trigger in triggers.values():
            yield Reaction(policy, trigger, targets if trigger.target is None else (trigger.target,))
