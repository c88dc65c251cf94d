"""What the last run left: values of `Out` properties, and constants that keep their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from sabir.languages.muranopl.evaluate.constants import same_value
from sabir.languages.muranopl.model.errors import MuranoError, shown
from sabir.languages.muranopl.model.objects import MuranoObject
from sabir.languages.muranopl.syntax.failures import failure_rule

__all__ = ["PreviousRun"]

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

    def merged(self, object_: MuranoObject, values: Mapping[Any, Any]) -> Mapping[Any, Any]:
        """Values of `Out` properties as the last run left them: a user cannot change them (spec 000, "Out")."""
        before = self.objects.get(object_.id) or {}
        outs = [name for name, member in object_.cls.members.items() if member.usage == "Out"]
        kept = [*outs, *(_left_open(object_, values) if self.goes_on else ())]
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
            f"property {name!r} of {object_!r} is Const: it was {shown(before[name])} in the last run, "
            f"now it is {shown(value)}",
            place=object_.cls.members[name].place,
            hint="put the earlier value back, or make it another object with another id",
        )


def _left_open(object_: MuranoObject, values: Mapping[Any, Any]) -> list[str]:
    """Properties that both the model and code may write, and that the model does not."""
    members = object_.cls.members
    return [name for name, member in members.items() if member.usage == "InOut" and name not in values]
