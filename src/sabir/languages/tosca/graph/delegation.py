"""`delegate: deploy` and `delegate: undeploy` of one node: the operations of its life, as a deployment would carry them out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from sabir.errors import DeployError
from sabir.graph.address import Address
from sabir.graph.values import Value
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.graph.commands import Command
from sabir.resources.resource import Resource

if TYPE_CHECKING:
    from sabir.languages.tosca.graph.lifecycles import Lifecycles

__all__ = ["Delegation"]


class Delegation:
    """What was handed over to the orchestrator, and what is to be recorded of it."""

    def __init__(self, lifecycles: Lifecycles) -> None:
        self._lifecycles = lifecycles
        self.brought: dict[Address, Resource] = {}
        self.gone: dict[Address, None] = {}
        self._current: Resource | None = None

    def commands(
        self, node: NodeInstance, workflow: str, observed: Mapping[str, Value]
    ) -> Iterator[tuple[Command, Mapping[str, Value]]]:
        """The operations to carry out, one after the other, each with its fields when it is its turn."""
        if workflow not in ("deploy", "undeploy"):
            raise DeployError(f"sabir has no workflow {workflow!r} of its own: there are deploy and undeploy")
        mine = [
            (resource, command)
            for resource, command in self._lifecycles.commands_of(node)
            if resource.established is None
        ]
        undoes = workflow == "undeploy"
        for resource, command in reversed(mine) if undoes else mine:
            if command.undoes is not undoes:
                self._settle(resource, command, observed, gone=undoes)
                continue
            desired = self._lifecycles.commands.desired(command, observed)
            self._current = resource
            yield command, _as_run(desired)

    def done(self, command: Command, observed: Mapping[str, Value]) -> None:
        """The operation that was last given out has been carried out."""
        assert self._current is not None
        self._settle(self._current, command, observed, gone=command.undoes)

    def _settle(
        self, resource: Resource, command: Command, observed: Mapping[str, Value], *, gone: bool
    ) -> None:
        address = resource.address
        if gone:
            self.brought.pop(address, None)
            self.gone[address] = None
            return
        self.gone.pop(address, None)
        desired = self._lifecycles.commands.desired(command, observed)
        self.brought[address] = replace(resource, desired=desired, late=None)


def _as_run(desired: Mapping[str, Value]) -> dict[str, Value]:
    """What undoes something, as a command of its own."""
    return {"run" if name == "undo" else name: value for name, value in desired.items()}
