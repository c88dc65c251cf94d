"""The place of a node while it runs: turns whatever goes wrong there into a `YaqlRuntimeError` that knows where."""

from __future__ import annotations

from typing import Any, NoReturn

from sabir.expressions.yaql.errors import LimitExceeded, NoMatch, UnknownName, YaqlRuntimeError
from sabir.text import Span

__all__ = ["CAUGHT", "Site"]

# What the work of an expression itself can raise. Exceptions of the embedder's own classes pass through untouched.
CAUGHT = (
    YaqlRuntimeError,
    ArithmeticError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    StopIteration,
    RecursionError,
    MemoryError,
)


class Site:
    """Where a node stands in its text."""

    __slots__ = ("end", "start", "text")

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        self.start = start
        self.end = end

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)

    def fail(self, problem: BaseException) -> NoReturn:
        """Raises the problem as an error of this place; one that already has a place keeps it."""
        if isinstance(problem, YaqlRuntimeError):
            raise problem.placed(self.text, self.span)
        raise _translate(problem).placed(self.text, self.span) from problem

    def no_match(self, message: str) -> NoMatch:
        return NoMatch(message, text=self.text, span=self.span)

    def unknown(self, what: str, name: str, known: set[str], receiver: Any = None) -> UnknownName:
        """A name that means nothing; a receiver of the embedder may tell its title and the names it knows."""
        from sabir.diagnostics.suggestions import near  # only a failing expression needs it

        own = getattr(receiver, "described_methods", None)
        title, names = ("", ()) if own is None else own()
        close = near(name, names) or near(name, known)
        hint = f"; did you mean `{close}`?" if close else ""
        problem = f"{title} has no {what} `{name}`" if title else f"there is no {what} `{name}`"
        error = UnknownName(problem + hint, text=self.text, span=self.span)
        error.is_method = what == "method"
        return error


def _translate(problem: BaseException) -> YaqlRuntimeError:
    error: YaqlRuntimeError
    if isinstance(problem, KeyError):
        error = YaqlRuntimeError(f"the dictionary has no key {_argument(problem)!r}")
    elif isinstance(problem, ZeroDivisionError):
        error = YaqlRuntimeError("division by zero")
    elif isinstance(problem, StopIteration):
        error = YaqlRuntimeError("the list is empty")
    elif isinstance(problem, IndexError):
        error = YaqlRuntimeError("the index lies outside of the list")
    elif isinstance(problem, RecursionError):
        error = LimitExceeded("the calls are nested too deeply")
    elif isinstance(problem, MemoryError):
        error = LimitExceeded("there is not enough memory for the value")
    else:
        from sabir.diagnostics.reasons import reason_of  # only a failing expression needs it

        error = YaqlRuntimeError(reason_of(problem))
    return error


def _argument(problem: BaseException) -> Any:
    return problem.args[0] if problem.args else ""
