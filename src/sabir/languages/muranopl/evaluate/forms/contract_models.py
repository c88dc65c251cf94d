"""Object models from contracts, for packages without forms: what must be given is given or asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from sabir.languages.language import ModelQuestion
from sabir.languages.muranopl.evaluate.forms.schema import contract_calls, is_required, named_by
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.syntax.nodes import ListValue, MapValue

if TYPE_CHECKING:
    from sabir.languages.muranopl.model.classes import MuranoClass
    from sabir.languages.muranopl.model.properties import PropertyDeclaration

__all__ = ["ContractModel"]

_GIVEN: Final = frozenset({"In", "InOut", "Const"})
_DEEPEST: Final = 20
Ask = Callable[[ModelQuestion], Any]
"""Asks a person for the value of a property: its path, and what the contract wants."""


class ContractModel:
    """Makes an object of a class and of every class that its contracts ask for.

    `values` are those of properties, by path: `port`, `instance.flavor`. `missing` is filled with what nobody gave.
    """

    def __init__(self, values: Mapping[str, Any], ask: Ask | None = None) -> None:
        self._values = values
        self._ask = ask
        self.unused = {*values}
        self.missing: list[str] = []

    def make(self, cls: MuranoClass, path: str = "", depth: int = 0) -> dict[str, Any]:
        name = self._take(f"{path}?.type") if f"{path}?.type" in self._values else None
        if name is not None:
            cls = cls.runtime.find_class(str(name), cls.package)
        model: dict[str, Any] = {"?": {"type": cls.name, "id": str(uuid4())}}
        for property_name, declaration in sorted(cls.members.items()):
            if declaration.usage in _GIVEN:
                self._add(model, property_name, declaration, f"{path}{property_name}", depth)
        return model

    def _take(self, path: str) -> Any:
        self.unused.discard(path)
        return self._values[path]

    def _add(
        self, model: dict[str, Any], name: str, declaration: PropertyDeclaration, path: str, depth: int
    ) -> None:
        if path in self._values:
            model[name] = self._take(path)
            return
        wanted = _wanted_class(declaration)
        has_parts = any(key.startswith(f"{path}.") for key in self._values)
        if wanted is not None and depth < _DEEPEST and (has_parts or is_required(declaration)):
            model[name] = self.make(wanted, f"{path}.", depth + 1)
        elif is_required(declaration):
            self._require(model, name, declaration, path)

    def _require(self, model: dict[str, Any], name: str, declaration: PropertyDeclaration, path: str) -> None:
        contract = declaration.node.contract
        if isinstance(contract, ListValue | MapValue):
            return  # an empty one is made of nothing
        if self._ask is not None:
            model[name] = self._ask(ModelQuestion(name=path, text=getattr(contract, "text", "")))
        else:
            self.missing.append(path)


def _wanted_class(declaration: PropertyDeclaration) -> MuranoClass | None:
    cls = declaration.cls
    for call in contract_calls(declaration.node.contract):
        name = named_by(call) if call.name == "class" else None
        if name is not None:
            try:
                return cls.runtime.class_named(name, cls)
            except MuranoError:
                return None
    return None
