"""From violations to findings."""

from __future__ import annotations

from collections.abc import Iterable

from sabir.diagnostics.finding import Finding, Related
from sabir.languages.ccp.check.codes import CODE_OF
from sabir.languages.ccp.syntax.violation import Violation

__all__ = ["findings_of"]


def findings_of(violations: Iterable[Violation]) -> tuple[Finding, ...]:
    return tuple(
        Finding(
            code=CODE_OF[one.kind],
            message=one.message,
            place=one.place,
            whole_file=not one.place.source.text,
            hint=one.hint,
            related=tuple(Related(place=place, message=message) for place, message in one.related),
        )
        for one in violations
    )
