"""The state of an object whose properties are being set, and the location of values that fail.

Properties are set in the order they need each other: reading one that has no value yet sets it first.
Defaults may therefore use other properties, contracts may read them, and a cycle of defaults is detected,
because a property that is read while it is being set can only be part of one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from sabir.diagnostics.finding import Finding, RelatedLocation
from sabir.diagnostics.suggestions import did_you_mean, suggest
from sabir.languages.muranopl.examples import package_rule
from sabir.languages.muranopl.model.errors import ContractViolationError, MuranoError
from sabir.languages.muranopl.model.objects import NO_VALUE_YET
from sabir.languages.muranopl.syntax.rules import failure_rule
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.loader import Loader
    from sabir.languages.muranopl.evaluate.positions import ModelPositions
    from sabir.languages.muranopl.model.objects import MuranoObject
    from sabir.languages.muranopl.model.properties import PropertyDeclaration


UNDECLARED_VALUE: Final = package_rule(
    "MRUN:W001",
    "a value for a property that the class does not declare",
    "It is ignored, so a misspelt name looks as if the value had no effect.",
    when="evaluate",
)


def explain_violation(
    error: ContractViolationError,
    object_: MuranoObject,
    declaration: PropertyDeclaration,
    positions: ModelPositions | None,
) -> None:
    """Name the object of a violation. A wrong value of the model is reported there, with the contract as a note."""
    state = object_.initialising
    is_given = state is not None and declaration.is_read and declaration.name in state.values
    if not is_given and declaration.node.default is not None and not declaration.configured:
        place = Place(declaration.cls.node.source, declaration.node.default.span)
        message = f"the default is used for the object {object_.id!r}"
        error.related = (*error.related, RelatedLocation(place=place, message=message))
        return
    came = "given" if is_given else "configured" if declaration.configured else "missing"
    hint: str | None = error.hint or f"in the object {object_.id!r} of {object_.cls.name}, where it is {came}"
    written = None
    if positions is not None and state is not None and not declaration.configured:
        if is_given:
            written = positions.of_value(state.raw, declaration.name, error.path)
            hint = error.hint if written is not None else hint
        elif (misspelt := _find_misspelled_key(object_, state.raw, declaration.name)) is not None:
            written = positions.of_key(state.raw, misspelt)
            hint = f"{misspelt!r} is no property of {object_.cls.name}; did you mean {declaration.name!r}?"
        written = written or positions.of_header(state.raw, "")
    if written is not None:
        if error.place is not None:
            error.related = (*error.related, RelatedLocation(place=error.place, message="the contract"))
        error.place = written
    error.hint = hint


def _find_misspelled_key(object_: MuranoObject, raw: Mapping[Any, Any], name: str) -> str | None:
    """Return a key of the model that may have been meant for a property."""
    undeclared = [
        key for key in raw if isinstance(key, str) and key != "?" and key not in object_.cls.declared
    ]
    return suggest(name, undeclared)


def report_unknown_property(object_: MuranoObject, key: Any, place: Place) -> Finding:
    """Return the finding for a value without a declared property, with a suggestion."""
    return UNDECLARED_VALUE.at(
        place,
        f"{object_.cls.name} declares no property {key!r}; the value is ignored",
        hint=did_you_mean(str(key), object_.cls.declared),
    )


def place_in_owners(error: ContractViolationError, object_: MuranoObject, top: MuranoObject | None) -> None:
    """Name the position of the violating object in the model: the properties of its owners, up to `top`."""
    while object_ is not top and (owner := object_.owner) is not None and owner.initialising is not None:
        for name, value in owner.initialising.values.items():
            way = _way_to(object_, value)
            if way is not None:
                declaration = owner.cls.members[name]
                error.inside(way)
                declaration.name_violation(error)
                break
        else:
            return
        object_ = owner


def _way_to(object_: MuranoObject, value: Any) -> str | None:
    """Return the path to an object inside a value: `[0]['key']`; None if the value does not contain it."""
    if value is object_:
        return ""
    parts: Any = ()
    if isinstance(value, list):
        parts = enumerate(value)
    elif isinstance(value, dict):
        parts = value.items()
    for key, part in parts:
        way = _way_to(object_, part)
        if way is not None:
            return f"[{key!r}]{way}"
    return None


_DEFAULT, _CONTRACT, _FAILED = "default", "contract", "failed"

CIRCULAR_DEFAULTS: Final = failure_rule(
    "CircularExpressionDependenciesError",
    "MRUN:E020",
    "defaults that need each other",
    "Defaults may use other properties in any order, but not in a circle: then none of them has a value.",
)


class Consequence(MuranoError):
    """A property cannot be read because setting it failed, which is already reported."""


class ObjectInitializer:
    """The values that the model gives to one object, and the progress of each property."""

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
        """Return the value of a property that is read before its turn, setting it first."""
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
        """Set one property from the model, or else from its default.

        A property of usage Runtime without a default has no value until code writes it.
        """
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
            if first.usage == "Runtime" and isinstance(error, ContractViolationError):
                return  # code writes it before it reads it
            self.stages[name] = _FAILED
            raise self._explain_error(error, first) from None
        finally:
            self.loader.slot = slot
        if first.usage == "Const" and self.loader.previous is not None:
            self.loader.previous.check_constant(object_, name, converted)

    def source_value(self, name: str, declaration: PropertyDeclaration) -> Any:
        """Return the value before its contract is applied."""
        if declaration.is_read and name in self.values:
            return self.values[name]
        if declaration.default is not None:
            self.stages[name] = _DEFAULT
            return declaration.default_value(self.object)
        return self.loader.absent_value(declaration, self.object)

    def construct(self, names: Sequence[str]) -> None:
        """Announce the call of a constructor with the model's values of these names."""

    def _explain_error(self, error: MuranoError, declaration: PropertyDeclaration) -> MuranoError:
        if isinstance(error, ContractViolationError):
            if not error.outer:
                self.loader.explain(error, self.object, declaration)
        elif error.place is None:
            error.place = declaration.place
        return error
