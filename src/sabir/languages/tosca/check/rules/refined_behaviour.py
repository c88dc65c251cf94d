"""Interfaces of types, held against the interface types that they name and the types they inherit from (2.0)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sabir.diagnostics.finding import Finding
from sabir.languages.tosca.check.rules.refining import NO_TYPE, WRONG_REFINEMENT, Refining
from sabir.languages.tosca.model.types import FlatType
from sabir.languages.tosca.syntax.nodes import (
    InterfaceDefinition,
    OperationDefinition,
    PropertyDefinition,
    TypeDefinition,
)
from sabir.languages.tosca.syntax.scopes import Kind

__all__ = ["RefinedBehaviour"]


class RefinedBehaviour:
    def __init__(self, refining: Refining) -> None:
        self.refining = refining
        self.types = refining.model.types
        self.is_lost = False
        """Whether a key of the type is misspelt, which is said."""

    def findings(self, type_: TypeDefinition, parent: FlatType | None, owner: str) -> Iterator[Finding]:
        """Of an interface type itself, or of the interfaces that a node or relationship type has."""
        self.is_lost = type_.loses
        if type_.behaviour is not None:
            for above in () if parent is None else parent.chain:
                yield from self._operations(above.behaviour, type_.behaviour, owner)
        for interface in type_.interfaces.values():
            yield from self.interface(interface, parent, owner)

    def interface(
        self, new: InterfaceDefinition, inherited: FlatType | None, owner: str
    ) -> Iterator[Finding]:
        """`inherited` is the type that may have an interface of this name already."""
        subject = f"interface {new.name!r} of {owner}"
        old = None if inherited is None else inherited.interfaces.get(new.name)
        chain = () if inherited is None else inherited.chain
        layers = [type_.interfaces[new.name] for type_ in chain if new.name in type_.interfaces]
        old_type = next((layer.type for layer in layers if layer.type), None)
        if old is None and new.type is None:
            if not self.is_lost:
                yield NO_TYPE.at(new.place, f"{subject} has no type", hint="add 'type:'")
            return
        if old_type is not None and new.type is not None:
            yield from self.refining.named(Kind.INTERFACE, new.type, old_type, subject, new.place)
        flat = self.types.find(Kind.INTERFACE, new.type or old_type or "")
        for layer in (*layers, *(definition.behaviour for definition in (flat.chain if flat else ()))):
            yield from self._operations(layer, new, subject)

    def _operations(
        self, declared: InterfaceDefinition | None, new: InterfaceDefinition, subject: str
    ) -> Iterator[Finding]:
        """Inputs and outputs that were declared keep their types."""
        if declared is None:
            return
        yield from self.refining.parameters(new.inputs, declared.inputs, "input", subject)
        for operations, above in (
            (new.operations, declared.operations),
            (new.notifications, declared.notifications),
        ):
            for name, operation in operations.items():
                if name in above:
                    yield from self._operation(above[name], operation, f"{name!r} of {subject}")

    def _operation(
        self, old: OperationDefinition, new: OperationDefinition, subject: str
    ) -> Iterator[Finding]:
        yield from self.refining.parameters(new.inputs, old.inputs, "input", subject)
        yield from self.refining.parameters(_outputs(new), _outputs(old), "output", subject)
        for name, output in new.outputs.items():
            before = old.outputs.get(name)
            if before is not None and before.target and output.target and before.target != output.target:
                way = ", ".join(before.target)
                message = f"output {name!r} of {subject} goes to [{way}] already, which cannot be changed"
                yield WRONG_REFINEMENT.at(output.place, message)


def _outputs(operation: OperationDefinition) -> Mapping[str, PropertyDefinition]:
    return {
        name: output.definition for name, output in operation.outputs.items() if output.definition is not None
    }
