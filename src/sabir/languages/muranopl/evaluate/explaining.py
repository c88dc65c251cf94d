"""Where a bad value came from, for the finding that reports it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from sabir.diagnostics.finding import Finding, Related
from sabir.diagnostics.suggestions import did_you_mean, near
from sabir.languages.muranopl.examples.packages import package_rule
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.positions import Positions
    from sabir.languages.muranopl.model.errors import ContractViolation
    from sabir.languages.muranopl.model.objects import MuranoObject
    from sabir.languages.muranopl.model.properties import PropertyDeclaration

__all__ = ["explain_violation", "place_in_owners", "unknown_properties"]

UNDECLARED_VALUE: Final = package_rule(
    "MRUN:W001",
    "a value for a property that the class does not declare",
    "It is ignored, so a misspelt name looks as if the value had no effect.",
    when="evaluate",
)


def explain_violation(
    error: ContractViolation,
    object_: MuranoObject,
    declaration: PropertyDeclaration,
    positions: Positions | None,
) -> None:
    """Say which object it is. What the model says wrong is reported there, with the contract beside it."""
    state = object_.initialising
    is_given = state is not None and declaration.is_read and declaration.name in state.values
    if not is_given and declaration.node.default is not None and not declaration.configured:
        place = Place(declaration.cls.node.source, declaration.node.default.span)
        message = f"the default is used for the object {object_.id!r}"
        error.related = (*error.related, Related(place=place, message=message))
        return
    came = "given" if is_given else "configured" if declaration.configured else "missing"
    hint: str | None = error.hint or f"in the object {object_.id!r} of {object_.cls.name}, where it is {came}"
    written = None
    if positions is not None and state is not None and not declaration.configured:
        if is_given:
            written = positions.of_value(state.raw, declaration.name, error.path)
            hint = error.hint if written is not None else hint
        elif (misspelt := _misspelt(object_, state.raw, declaration.name)) is not None:
            written = positions.of_key(state.raw, misspelt)
            hint = f"{misspelt!r} is no property of {object_.cls.name}; did you mean {declaration.name!r}?"
        written = written or positions.of_header(state.raw, "")
    if written is not None:
        if error.place is not None:
            error.related = (*error.related, Related(place=error.place, message="the contract"))
        error.place = written
    error.hint = hint


def _misspelt(object_: MuranoObject, raw: Mapping[Any, Any], name: str) -> str | None:
    """A value of the model that may have been meant for a property."""
    undeclared = [
        key for key in raw if isinstance(key, str) and key != "?" and key not in object_.cls.declared
    ]
    return near(name, undeclared)


def unknown_properties(object_: MuranoObject, key: Any, place: Place) -> Finding:
    return UNDECLARED_VALUE.at(
        place,
        f"{object_.cls.name} declares no property {key!r}; the value is ignored",
        hint=did_you_mean(str(key), object_.cls.declared),
    )


def place_in_owners(error: ContractViolation, object_: MuranoObject, top: MuranoObject | None) -> None:
    """Say where the model holds the object of a violation: the properties of its owners, up to `top`."""
    while object_ is not top and (owner := object_.owner) is not None and owner.initialising is not None:
        for name, value in owner.initialising.values.items():
            way = _way_to(object_, value)
            if way is not None:
                declaration = owner.cls.members[name]
                error.inside(way)
                declaration.named(error)
                break
        else:
            return
        object_ = owner


def _way_to(object_: MuranoObject, value: Any) -> str | None:
    """Where a value holds an object: `[0]['key']`; None when it does not."""
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
