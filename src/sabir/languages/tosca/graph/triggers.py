"""Triggers of policies: what is done when an event is announced, on what, and under which condition."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.groups import nodes_named, policies_of
from sabir.languages.tosca.graph.conditions import condition_holds
from sabir.languages.tosca.syntax.nodes import PolicyTemplate, Trigger

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
    for policy in policies_of(ensemble):
        targets = tuple(name for name, _ in policy.names())
        for trigger in policy.triggers.values():
            yield Reaction(policy.template, trigger, targets if trigger.target is None else (trigger.target,))
