"""What the last run left: values of `Out` properties, and constants that keep their values.

What a deployment leaves in the state of its environment, and how the next evaluation goes on from it.

The existing engine keeps one document: the model with everything that code wrote into it. Here the model stays as its author wrote
it, and what code left is kept beside it: `Out` and open `InOut` properties, objects that code made, attributes. Both are brought
together by the ids of objects when the model is loaded.
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
    objects: Mapping[str, Mapping[Any, Any]]
    """Definitions by id."""
    goes_on: bool
    """The model is as its author wrote it, so what runs left in `InOut` properties is taken from here."""

    def merge_values(self, object_: MuranoObject, values: Mapping[Any, Any]) -> Mapping[Any, Any]:
        """Values of `Out` properties as the last run left them: a user cannot change them (spec 000, "Out")."""
        before = self.objects.get(object_.id) or {}
        outs = [name for name, member in object_.cls.members.items() if member.usage == "Out"]
        kept = [*outs, *(_find_unset_properties(object_, values) if self.goes_on else ())]
        if not kept:
            return values
        merged = {name: value for name, value in values.items() if name not in outs}
        merged.update((name, before[name]) for name in kept if name in before)
        return merged

    def check_constants(self, object_: MuranoObject) -> None:
        """A constructor may write constants, but not otherwise than in the last run."""
        for name, declaration in object_.cls.members.items():
            if declaration.usage == "Const" and name in object_.properties:
                self.check_constant(object_, name, object_.properties[name])

    def check_constant(self, object_: MuranoObject, name: str, value: Any) -> None:
        """A `Const` property keeps the value of the last run (spec 000, "Const"; S-13)."""
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
    """Properties that both the model and code may write, and that the model does not."""
    members = object_.cls.members
    return [name for name, member in members.items() if member.usage == "InOut" and name not in values]


STORAGE: Final = "storage"
"""The result of a deployment that holds `Objects` and `Attributes` as its program left them."""
STACKS: Final = "stacks"
"""The result that holds the stacks of machines that no cloud keeps."""


def root_id(model: Mapping[Any, Any] | None) -> str | None:
    """The id that the model gives to its root."""
    header = None if model is None else model.get("?")
    id_ = header.get("id") if isinstance(header, Mapping) else None
    return None if id_ is None else str(id_)


def read_stored_value(observed: Mapping[str, Value], root: str | None, name: str) -> Any:
    """A result of the last deployment of a root; None when there was none."""
    if root is None:
        return None
    return reveal_all(observed.get(str(Address(root, attribute=name))))


def restore_model(file: ModelFile, observed: Mapping[str, Value]) -> ModelFile:
    """The model with what the last deployment left, in place of what the file itself may say of an earlier run."""
    storage = read_stored_value(observed, root_id(file.model), STORAGE)
    if storage is None:
        return file
    return replace(
        file, previous=storage["Objects"], attributes=tuple(storage.get("Attributes") or ()), goes_on=True
    )
