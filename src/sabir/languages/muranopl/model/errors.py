"""Failures of an evaluation.

    MuranoError                 any failure of MuranoPL code or of the model; `Catch` can handle it
    ├── ContractViolation       a value does not conform to a contract
    ├── ExpressionFailure       an expression failed while it was evaluated
    ├── ThrownException         raised by `Throw`
    ├── NativeFailure           a service or a system class failed
    └── Unstoppable             a limit was exceeded; no `Catch` handles it

The rule of a failure has the name of the exception in the original engine, because packages catch it by that
name. Where one rule covers two exceptions, the failure names the one.
"""

from __future__ import annotations

from reprlib import Repr
from typing import Any, Final

from msgspec.structs import replace

from sabir.diagnostics.finding import Finding, Frame, RelatedLocation
from sabir.errors import SabirError
from sabir.languages.muranopl.syntax.rules import FailureRule, failure_rule
from sabir.text import Place, Source, Span

_ENGINE: Final = "murano.dsl.exceptions."
_LONGEST: Final = 120
_brief: Final = Repr()
_brief.maxlevel, _brief.maxlist, _brief.maxdict, _brief.maxstring, _brief.maxother = 4, 10, 10, 80, 120
NOWHERE: Final = Place(Source("<muranopl>", ""), Span(0, 0))

CONTRACT_BROKEN: Final = failure_rule(
    "ContractViolationException",
    "MRUN:E010",
    "a value that does not conform to its contract",
    "Contracts convert where they can and refuse the rest, before any code sees the value. The place inside the value "
    "stands in brackets; the related places show the value and the contract.",
)
UNCAUGHT: Final = failure_rule(
    "Thrown",
    "MRUN:E022",
    "an exception that nobody caught",
    "Code stopped on purpose with Throw. The stack shows the way from the first call to the place; Catch it, or mend "
    "what it complains about.",
)
EXPRESSION_FAILED: Final = failure_rule(
    "ExpressionFailed",
    "MRUN:E027",
    "an expression that failed",
    "The place shows the part of the expression at fault: a function that takes other arguments, a missing key, a "
    "division by zero.",
)
LIMIT_REACHED: Final = failure_rule(
    "LimitReached",
    "MRUN:E028",
    "a limit of the run was reached",
    "A run is bounded in steps, in time and in the depth of calls, so that a mistake cannot hang it. Most often a loop "
    "does not end; --step-limit and --time-limit raise the bounds.",
)
UNUSABLE_VALUE: Final = failure_rule(
    "InvalidValue",
    "MRUN:E032",
    "a value that cannot be used this way",
    "An instruction or a function got a value it can do nothing with: a loop over a number, a negative Limit, an index "
    "into a text.",
)

NATIVE_FAILED: Final = failure_rule(
    "NativeFailure",
    "MRUN:E033",
    "a system class could not do what it was asked",
    "A stack ended in a failed state, an agent answered with an error, a plan is not complete. The text is what the "
    "service or the class said; code can catch it by the name that stands before it.",
)


def format_value(value: object) -> str:
    """Return a value for a message: short, on one line. Values may share parts, so that `repr` could be endless."""
    if value is None or value is True or value is False:
        return "null" if value is None else str(value).lower()
    text = value if isinstance(value, str) else None
    text = repr(text[:_LONGEST]) if text is not None else _brief.repr(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


class MuranoError(SabirError):
    """A failure: its kind, message, location, and call stack (innermost frame first)."""

    can_be_caught = True

    def __init__(
        self,
        rule: FailureRule,
        message: str,
        *,
        kind: str | None = None,
        place: Place | None = None,
        hint: str | None = None,
        related: tuple[RelatedLocation, ...] = (),
    ) -> None:
        super().__init__(message)
        self.rule = rule
        self.kind = kind or rule.kind
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
        """The names by which `Catch` can handle it: the one of the original engine and the bare one."""
        return (_ENGINE + self.kind, self.kind)

    @property
    def extra(self) -> Any:
        return {}

    def __str__(self) -> str:
        return self.message

    def finding(self) -> Finding:
        """Return the failure as a finding, with the innermost frame last."""
        place = self.place or next((frame.place for frame in self.frames if frame.place), None) or NOWHERE
        return self.rule.at(
            place,
            str(self),
            hint=self.hint,
            related=self.related,
            frames=tuple(reversed(self.frames)),
        )


class ContractViolationError(MuranoError):
    """A value that does not conform to a contract.

    `subject` is `Class.property` or `Class::method(argument`, `path` the path inside the value
    (`[0]['ports']`), and `closing` the text after it.
    """

    def __init__(self, reason: str, value: object = None) -> None:
        super().__init__(CONTRACT_BROKEN, reason)
        self.reason = reason
        self.value = value
        self.subject: str | None = None
        self.path = ""
        self.closing = ""
        self.outer = ""
        """The places of the objects around the one whose property it is, outermost first."""
        self._way = ""

    def inside(self, step: str) -> ContractViolationError:
        """Return the same violation with one more step at the front of its path."""
        if self.subject is None:
            self.path = step + self.path
        else:
            self._way = step + self._way
        return self

    def add_subject(self, subject: str, place: Place, closing: str = "") -> ContractViolationError:
        """Return the same violation as one of this property or argument, or of an object in it."""
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


class MuranoExpressionError(MuranoError):
    """An expression failed while it was evaluated. `reasons` are the names of that failure in the original engine."""

    def __init__(self, message: str, *, place: Place | None, reasons: tuple[str, ...] = ()) -> None:
        super().__init__(EXPRESSION_FAILED, message, place=place)
        self.reasons = reasons

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.reasons, *super().names)


class ThrownException(MuranoError):
    """Raised by `Throw`. `message` may be null, as in the original engine."""

    def __init__(self, names: tuple[str, ...], message: str | None, extra: Any, cause: Any) -> None:
        super().__init__(UNCAUGHT, message or names[0])
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


class NativeError(MuranoError):
    """A failure of Python code behind the library: of a service, or of a function with a wrong argument.

    Programs catch it by `name` and read `message`, both as in the original engine; `explained` replaces the
    message in findings where it is more helpful.
    """

    def __init__(
        self,
        name: str,
        message: str,
        *,
        extra: Any = None,
        explained: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(NATIVE_FAILED, message, kind=name, hint=hint)
        self._extra = extra
        self._explained = explained

    @property
    def names(self) -> tuple[str, ...]:
        return (self.kind,)

    @property
    def extra(self) -> Any:
        return {} if self._extra is None else self._extra

    def finding(self) -> Finding:
        return replace(super().finding(), message=self._explained or f"[{self.kind}] {self.message}")


class Unstoppable(MuranoError):
    """A limit of the run was exceeded. MuranoPL code cannot catch it, otherwise an endless loop could continue."""

    can_be_caught = False

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(LIMIT_REACHED, message, hint=hint)
