"""Templates that a contract asks for: loaded as objects are, for the sake of their checks, and given back as dictionaries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sabir.languages.muranopl.evaluate.serialising import dump_template
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.errors import ContractViolation
from sabir.languages.muranopl.model.objects import MuranoObject

__all__ = ["checked_template"]


def checked_template(
    value: Any,
    shell: Callable[[], MuranoObject],
    finish: Callable[[], None],
    *,
    wanted: MuranoClass,
    excluded: frozenset[str],
) -> dict[str, Any]:
    """The template of a value. `shell` makes the object of a definition without properties, `finish` sets and checks these."""
    if isinstance(value, MuranoObject):
        _check_kind(value, wanted)
        return dump_template(value, excluded)
    object_ = shell()
    for path in excluded:
        _leave_out(object_, path)
    _check_kind(object_, wanted)
    finish()
    return dump_template(object_, excluded)


def _leave_out(object_: MuranoObject, path: str) -> None:
    """Leave a property out of a dry run; `a.b` means `b` of the object that `a` holds."""
    state = object_.initialising
    assert state is not None
    name, dot, rest = path.partition(".")
    if not dot:
        state.excluded |= {name}
    elif isinstance(part := state.values.get(name), MuranoObject) and part.initialising is not None:
        _leave_out(part, rest)


def _check_kind(object_: MuranoObject, wanted: MuranoClass) -> None:
    if not object_.cls.is_a(wanted):
        raise ContractViolation(f"{object_.cls.name} is no {wanted.name}", object_)
