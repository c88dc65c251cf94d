"""State of the last run: values of `Out` properties, constants that keep their values, and storage.

The original engine stores one document: the model with everything that code wrote into it. Here the model
stays as its author wrote it, and the results of code are stored separately: `Out` properties, `InOut`
properties that the model does not set, objects that code created, attributes. The two are joined by object
ids when the model is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from sabir.graph.address import Address
from sabir.graph.values import Value, reveal_all
from sabir.languages.muranopl.evaluate.model_file import ModelFile
from sabir.languages.muranopl.evaluate.objects import same_value
from sabir.languages.muranopl.model.errors import MuranoError, format_value
from sabir.languages.muranopl.model.objects import MuranoObject
from sabir.languages.muranopl.syntax.rules import failure_rule

CONSTANT_CHANGED: Final = failure_rule(
    "ConstantChanged",
    "MRUN:E024",
    "a constant property that changed since the last run",
    "Once a workflow has run, a property of usage Const keeps its value. Put the old value back, or make a new object.",
)


class PreviousRun(Struct, frozen=True):
    """The objects of the last run, to compare and to merge with the model that is being loaded."""

    objects: Mapping[str, Mapping[Any, Any]]
    """Definitions by id."""
    goes_on: bool
    """The model is as its author wrote it, so what runs left in `InOut` properties is taken from here."""

    def merge_values(self, object_: MuranoObject, values: Mapping[Any, Any]) -> Mapping[Any, Any]:
        """Return the values with `Out` properties as the last run left them: a user cannot change them (spec
        000, "Out").
        """
        before = self.objects.get(object_.id) or {}
        outs = [name for name, member in object_.cls.members.items() if member.usage == "Out"]
        kept = [*outs, *(_find_unset_properties(object_, values) if self.goes_on else ())]
        if not kept:
            return values
        merged = {name: value for name, value in values.items() if name not in outs}
        merged.update((name, before[name]) for name in kept if name in before)
        return merged

    def check_constants(self, object_: MuranoObject) -> None:
        """Check that a constructor wrote constants with the same values as in the last run."""
        for name, declaration in object_.cls.members.items():
            if declaration.usage == "Const" and name in object_.properties:
                self.check_constant(object_, name, object_.properties[name])

    def check_constant(self, object_: MuranoObject, name: str, value: Any) -> None:
        """Check that a `Const` property keeps the value of the last run (spec 000, "Const"; S-13)."""
        before = self.objects.get(object_.id)
        if before is None or name not in before or same_value(value, before[name]):
            return
        raise MuranoError(
            CONSTANT_CHANGED,
            f"property {name!r} of {object_!r} is Const: it was {format_value(before[name])} in the last run, "
            f"now it is {format_value(value)}",
            place=object_.cls.members[name].place,
            hint="put the earlier value back, or make it another object with another id",
        )


def _find_unset_properties(object_: MuranoObject, values: Mapping[Any, Any]) -> list[str]:
    """Return the properties that both the model and code may write and that the model does not set."""
    members = object_.cls.members
    return [name for name, member in members.items() if member.usage == "InOut" and name not in values]


STORAGE: Final = "storage"
"""The result of a deployment that holds `Objects` and `Attributes` as its program left them."""
STACKS: Final = "stacks"
"""The result that holds the stacks of machines that no cloud keeps."""


def root_id(model: Mapping[Any, Any] | None) -> str | None:
    """Return the id that the model gives to its root."""
    header = None if model is None else model.get("?")
    id_ = header.get("id") if isinstance(header, Mapping) else None
    return None if id_ is None else str(id_)


def read_stored_value(observed: Mapping[str, Value], root: str | None, name: str) -> Any:
    """Return a result of the last deployment of a root; None if there was none."""
    if root is None:
        return None
    return reveal_all(observed.get(str(Address(root, attribute=name))))


def restore_model(file: ModelFile, observed: Mapping[str, Value]) -> ModelFile:
    """Return the model with the state of the last deployment, instead of state in the file itself."""
    storage = read_stored_value(observed, root_id(file.model), STORAGE)
    if storage is None:
        return file
    return replace(
        file, previous=storage["Objects"], attributes=tuple(storage.get("Attributes") or ()), goes_on=True
    )
