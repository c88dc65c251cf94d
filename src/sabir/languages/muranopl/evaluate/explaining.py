"""Where a bad value came from, for the finding that reports it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sabir.diagnostics.finding import Finding, Related
from sabir.diagnostics.near import did_you_mean
from sabir.languages.muranopl.examples.runs import MODEL, PORT, run_package, run_rule
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.positions import Positions
    from sabir.languages.muranopl.model.errors import ContractViolation
    from sabir.languages.muranopl.model.objects import MuranoObject
    from sabir.languages.muranopl.model.properties import PropertyDeclaration

__all__ = ["explain_violation", "unknown_properties"]

UNDECLARED_VALUE: Final = run_rule(
    "MRUN:W001",
    "a value for a property that the class does not declare",
    "It is ignored, so a misspelt name looks as if the value had no effect.",
    run_package(PORT, MODEL + "port: 1\nprot: 2\n"),
    run_package(PORT, MODEL + "port: 1\n"),
)


def explain_violation(
    error: ContractViolation,
    object_: MuranoObject,
    declaration: PropertyDeclaration,
    positions: Positions | None,
) -> None:
    """Say which object it is, and point to the value in the model or to the default."""
    state = object_.initialising
    is_given = state is not None and declaration.is_read and declaration.name in state.values
    place: Place | None = None
    message = ""
    if is_given and positions is not None and state is not None:
        place = positions.of_value(state.raw, declaration.name, error.path)
        message = f"given here, for the object {object_.id!r}"
    elif not is_given and declaration.node.default is not None and not declaration.configured:
        place = Place(declaration.cls.node.source, declaration.node.default.span)
        message = f"the default is used for the object {object_.id!r}"
    if place is not None:
        error.related = (*error.related, Related(place=place, message=message))
    else:
        came = "given" if is_given else "configured" if declaration.configured else "missing"
        error.hint = error.hint or f"in the object {object_.id!r} of {object_.cls.name}, where it is {came}"


def unknown_properties(object_: MuranoObject, key: Any, place: Place) -> Finding:
    return UNDECLARED_VALUE.at(
        place,
        f"{object_.cls.name} declares no property {key!r}; the value is ignored",
        hint=did_you_mean(str(key), object_.cls.declared),
    )
