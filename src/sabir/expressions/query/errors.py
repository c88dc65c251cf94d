"""What can go wrong with an expression: kinds, each with its code, and the exception that carries the finding."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from sabir.diagnostics.finding import Finding, Frame
from sabir.errors import FindingError
from sabir.text import Place, Source, Span

__all__ = ["Kind", "QueryError"]


class Kind(Enum):
    """The kinds of failure; the value is the code of the finding."""

    SYNTAX = "EXPR:E001"
    UNDEFINED_VARIABLE = "EXPR:E002"
    UNKNOWN_SPECIAL_KEY = "EXPR:E003"
    UNKNOWN_FUNCTION = "EXPR:E004"
    UNKNOWN_LOOKUP = "EXPR:E005"
    BAD_ARGUMENTS = "EXPR:E006"
    MISSING_INPUT = "EXPR:E007"
    NOT_FOUND = "EXPR:E008"
    FILE_NOT_FOUND = "EXPR:E009"
    TEMPLATE = "EXPR:E010"
    NO_RESULT = "EXPR:E011"
    NULL_RESULT = "EXPR:E012"
    NO_TASK = "EXPR:E013"
    PYTHON_NOT_FOUND = "EXPR:E014"
    PYTHON_RAISED = "EXPR:E015"
    REFUSED = "EXPR:E016"
    TOO_MUCH = "EXPR:E017"
    VAULT = "EXPR:E018"


class QueryError(FindingError):
    """An expression that failed; `kind` says how, the one finding says where and what to do."""

    def __init__(self, kind: Kind, finding: Finding) -> None:
        super().__init__([finding])
        self.kind = kind

    @property
    def finding(self) -> Finding:
        return self.findings[0]

    @staticmethod
    def of(
        kind: Kind,
        message: str,
        *,
        place: Place | None = None,
        hint: str | None = None,
        frames: Iterable[Frame] = (),
    ) -> QueryError:
        where = place or Place(Source("<expression>", ""), Span(0, 0))
        finding = Finding(
            code=kind.value,
            message=message,
            place=where,
            whole_file=place is None,
            hint=hint,
            frames=tuple(frames),
        )
        return QueryError(kind, finding)

    def placed(self, place: Place | None) -> QueryError:
        """The same failure shown at the place of the value that holds the expression, when that is known."""
        if place is None or not self.finding.filename.startswith("<"):
            return self
        old = self.finding
        message = old.message
        if old.place.source.text:
            message += f" (in {old.place.source.text!r}, column {old.location.column})"
        return QueryError(
            self.kind,
            Finding(code=old.code, message=message, place=place, hint=old.hint, frames=old.frames),
        )
