"""The state of an object whose properties are being set.

Properties are set in any order they need each other: reading one that has no value yet sets it first. So defaults may
use other properties, contracts may look at them, and a circle of defaults is noticed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from sabir.languages.muranopl.model.errors import ContractViolation, MuranoError
from sabir.languages.muranopl.model.objects import NO_VALUE_YET
from sabir.languages.muranopl.syntax.failures import failure_rule

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.loading import Loader
    from sabir.languages.muranopl.model.objects import MuranoObject
    from sabir.languages.muranopl.model.properties import PropertyDeclaration

__all__ = ["Consequence", "Initialising"]

_DEFAULT, _CONTRACT, _FAILED = "default", "contract", "failed"

CIRCULAR_DEFAULTS: Final = failure_rule(
    "CircularExpressionDependenciesError",
    "MRUN:E020",
    "defaults that need each other",
    "Defaults may use other properties in any order, but not in a circle: then none of them has a value.",
)


class Consequence(MuranoError):
    """A property cannot be read because setting it failed, which is reported already."""


class Initialising:
    """What the model gives to one object, and how far each property has come."""

    __slots__ = ("excluded", "loader", "object", "raw", "stages", "values")

    def __init__(
        self, object_: MuranoObject, values: Mapping[Any, Any], raw: Mapping[Any, Any], loader: Loader
    ) -> None:
        self.object = object_
        self.values = values
        self.raw = raw
        self.loader = loader
        self.stages: dict[str, str] = {}
        self.excluded: frozenset[str] = frozenset()

    def value_of(self, name: str) -> Any:
        """The value of a property that is read before its turn."""
        stage = self.stages.get(name)
        if stage is None and name in self.object.cls.declared and name not in self.excluded:
            self.initialise(name)
            if name in self.object.properties:
                return self.object.properties[name]
        cls = self.object.cls.name
        if stage == _FAILED:
            raise Consequence(NO_VALUE_YET, f"property {name!r} of {cls} has no value")
        if stage == _DEFAULT:
            circle = " → ".join(
                [property_name for property_name, at in self.stages.items() if at == _DEFAULT] + [name]
            )
            raise MuranoError(
                CIRCULAR_DEFAULTS,
                f"the defaults of {cls} need each other: {circle}",
                place=self.object.cls.members[name].place,
            )
        raise MuranoError(NO_VALUE_YET, f"property {name!r} of {cls} has no value yet")

    def initialise(self, name: str) -> None:
        """Set one property from the model, or else from its default. One of usage Runtime without a default has no
        value until code writes it."""
        object_ = self.object
        declarations = object_.cls.declared[name]
        first = declarations[0]
        if first.usage == "Runtime" and first.default is None:
            self.stages[name] = _CONTRACT
            return
        slot = self.loader.slot
        try:
            value = self.source_value(name, first)
            self.stages[name] = _CONTRACT
            self.loader.slot = (name, value)
            converted = first.convert(value, object_, self.loader)
            for other in declarations[1:]:
                other.conform(converted, object_, self.loader)
            object_.properties[name] = converted
        except MuranoError as error:
            if first.usage == "Runtime" and isinstance(error, ContractViolation):
                return  # code gives it a value before it reads it
            self.stages[name] = _FAILED
            raise self._explained(error, first) from None
        finally:
            self.loader.slot = slot
        if first.usage == "Const" and self.loader.previous is not None:
            self.loader.previous.check_constant(object_, name, converted)

    def source_value(self, name: str, declaration: PropertyDeclaration) -> Any:
        """The value before its contract is applied."""
        if declaration.is_read and name in self.values:
            return self.values[name]
        if declaration.default is not None:
            self.stages[name] = _DEFAULT
            return declaration.default_value(self.object)
        return self.loader.absent_value(declaration, self.object)

    def construct(self, names: Sequence[str]) -> None:
        """A constructor is called next, with the given values of these names."""

    def _explained(self, error: MuranoError, declaration: PropertyDeclaration) -> MuranoError:
        if isinstance(error, ContractViolation):
            if not error.outer:
                self.loader.explain(error, self.object, declaration)
        elif error.place is None:
            error.place = declaration.place
        return error
