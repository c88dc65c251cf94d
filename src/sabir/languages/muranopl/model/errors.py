"""How an evaluation fails.

    MuranoError                 any failure of MuranoPL code or of the model; `Catch` can take it
    ├── ContractViolation       a value does not conform to a contract
    ├── ExpressionFailure       an expression failed while it ran
    ├── Thrown                  made by `Throw`
    └── Unstoppable             a limit was reached; no `Catch` takes it

The kind of a failure is the name of the exception in the existing engine, because packages catch it by that name; it
also chooses the code of the finding that the failure becomes when nobody catches it.
"""

from __future__ import annotations

from collections.abc import Mapping
from reprlib import Repr
from typing import Any, Final

from sabir.diagnostics.finding import Finding, Frame, Related
from sabir.errors import SabirError
from sabir.text import Place, Source, Span

__all__ = [
    "CODE_OF_KIND",
    "ContractViolation",
    "ExpressionFailure",
    "MuranoError",
    "Thrown",
    "Unstoppable",
    "shown",
]

CODE_OF_KIND: Final[Mapping[str, str]] = {
    "DslSyntaxError": "MRUN:E001",
    "DslContractSyntaxError": "MRUN:E002",
    "DuplicateClass": "MRUN:E004",
    "NoClassFound": "MRUN:E005",
    "NoPackageFound": "MRUN:E006",
    "ContractViolationException": "MRUN:E010",
    "NoWriteAccessError": "MRUN:E011",
    "PropertyReadError": "MRUN:E012",
    "PropertyWriteError": "MRUN:E013",
    "UninitializedPropertyAccessError": "MRUN:E014",
    "AmbiguousMethodName": "MRUN:E015",
    "AmbiguousPropertyNameError": "MRUN:E016",
    "NoObjectFoundError": "MRUN:E017",
    "NoPropertyFound": "MRUN:E018",
    "MethodNotExposed": "MRUN:E023",
    "CircularExpressionDependenciesError": "MRUN:E020",
    "DslInvalidOperationError": "MRUN:E021",
    "Thrown": "MRUN:E022",
    "NoMethodFound": "MRUN:E023",
    "ConstantChanged": "MRUN:E024",
    "DuplicateObjectId": "MRUN:E025",
    "InvalidModel": "MRUN:E026",
    "ExpressionFailed": "MRUN:E027",
    "LimitReached": "MRUN:E028",
    "Deadlock": "MRUN:E029",
    "CloudNeeded": "MRUN:E030",
    "ObjectDestroyedError": "MRUN:E032",
    "InvalidValue": "MRUN:E032",
}
_ENGINE: Final = "murano.dsl.exceptions."
_LONGEST: Final = 120
_brief: Final = Repr()
_brief.maxlevel, _brief.maxlist, _brief.maxdict, _brief.maxstring, _brief.maxother = 4, 10, 10, 80, 120
NOWHERE: Final = Place(Source("<muranopl>", ""), Span(0, 0))


def shown(value: object) -> str:
    """A value in a message: short, on one line. Values may share parts, so a plain `repr` could have no end."""
    if value is None or value is True or value is False:
        return "null" if value is None else str(value).lower()
    text = value if isinstance(value, str) else None
    text = repr(text[:_LONGEST]) if text is not None else _brief.repr(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


class MuranoError(SabirError):
    """A failure: its kind, what is wrong, where, and the way that led there (innermost frame first)."""

    can_be_caught = True

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        place: Place | None = None,
        hint: str | None = None,
        related: tuple[Related, ...] = (),
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.place = place
        self.hint = hint
        self.related = related
        self.frames: list[Frame] = []
        self.also: tuple[MuranoError, ...] = ()
        """Other, independent failures of the same load."""
        self.at: Place | None = place
        """The statement of the frame that is being left; moves into `frames` at the method's end."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names by which `Catch` can take it: that of the existing engine and the bare one."""
        return (_ENGINE + self.kind, self.kind)

    @property
    def extra(self) -> Any:
        return {}

    def __str__(self) -> str:
        return self.message

    def finding(self) -> Finding:
        """The failure for people: innermost frame last, as `Finding` wants them."""
        place = self.place or next((frame.place for frame in self.frames if frame.place), None) or NOWHERE
        return Finding(
            code=CODE_OF_KIND[self.kind],
            message=str(self),
            place=place,
            whole_file=not place.source.text,
            hint=self.hint,
            related=self.related,
            frames=tuple(reversed(self.frames)),
        )


class ContractViolation(MuranoError):
    """`subject` is `Class.property` or `Class::method(argument`, `path` the way inside the value: `[0]['ports']`, and
    `closing` what follows it."""

    def __init__(self, reason: str, value: object = None) -> None:
        super().__init__("ContractViolationException", reason)
        self.reason = reason
        self.value = value
        self.subject: str | None = None
        self.path = ""
        self.closing = ""
        self.outer = ""
        """The places of the objects around the one whose property it is, outermost first."""
        self._way = ""

    def inside(self, step: str) -> ContractViolation:
        """The same violation seen from one level further out."""
        if self.subject is None:
            self.path = step + self.path
        else:
            self._way = step + self._way
        return self

    def named(self, subject: str, place: Place, closing: str = "") -> ContractViolation:
        """The same violation, of this property or argument, or of an object in it."""
        if self.subject is None:
            self.subject, self.closing = subject, closing
            self.place = self.place or place
        else:
            self.outer = f"[{subject}{self._way}{closing}] {self.outer}"
            self._way = ""
        return self

    def __str__(self) -> str:
        if self.subject is None:
            return self.reason
        return f"{self.outer}[{self.subject}{self.path}{self.closing}] {self.reason}"


class ExpressionFailure(MuranoError):
    """An expression failed while it ran. `reasons` are the names that the existing engine has for that."""

    def __init__(self, message: str, *, place: Place | None, reasons: tuple[str, ...] = ()) -> None:
        super().__init__("ExpressionFailed", message, place=place)
        self.reasons = reasons

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.reasons, *super().names)


class Thrown(MuranoError):
    """Made by `Throw`. `message` may be null, as in the existing engine."""

    def __init__(self, names: tuple[str, ...], message: str | None, extra: Any, cause: Any) -> None:
        super().__init__("Thrown", message or names[0])
        self._names = names
        self.thrown_message = message
        self._extra = extra
        self.cause = cause

    @property
    def names(self) -> tuple[str, ...]:
        return self._names

    @property
    def extra(self) -> Any:
        return self._extra

    def __str__(self) -> str:
        name = ", ".join(self._names)
        return name if self.thrown_message is None else f"{name}: {self.thrown_message}"


class Unstoppable(MuranoError):
    """A limit of the run was reached. MuranoPL code cannot catch it, or an endless loop could go on."""

    can_be_caught = False
