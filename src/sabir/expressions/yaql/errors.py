"""What a YAQL text can do wrong.

YaqlError
├── YaqlSyntaxError         the text is not an expression
└── YaqlRuntimeError        it failed while running; knows the span of the part that failed
    ├── UnknownName         no such function, method or property
    ├── NoMatch             the name exists, but no overload takes these arguments
    └── LimitExceeded       a lazy list, a value or the nesting outgrew what `Options` allow

The place of a node while it runs: turns whatever goes wrong there into a `YaqlRuntimeError` that knows where.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from sabir.errors import ExpressionError
from sabir.text import Span


class YaqlError(ExpressionError):
    """Root of the two ways an expression fails. `text` is the expression, `span` the part at fault."""

    def __init__(self, message: str, *, text: str | None = None, span: Span | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.text = text
        self.span = span

    def __str__(self) -> str:
        return self.message


class YaqlSyntaxError(YaqlError):
    """The text is not an expression: what was found where, and what could have stood there."""

    def __init__(
        self, message: str, *, text: str, span: Span, found: str, expected: Iterable[str] = ()
    ) -> None:
        super().__init__(message, text=text, span=span)
        self.found = found
        self.expected = tuple(expected)


class YaqlRuntimeError(YaqlError):
    """The expression failed while running. The innermost expression sets text and span on the way out."""

    def set_location(self, text: str, span: Span) -> YaqlRuntimeError:
        if self.span is None:
            self.text = text
            self.span = span
        return self


class UnknownName(YaqlRuntimeError):
    """No function, method or property of this name."""

    is_method = False


class NoMatch(YaqlRuntimeError):
    """The function exists but takes other arguments."""

    @property
    def is_method(self) -> bool:
        return self.message.startswith("the method ")  # the title that `call_title` gives


class LimitExceeded(YaqlRuntimeError):
    """The work outgrew a limit of the engine: the length of a list, or else the size of a value."""

    is_list = False


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


class NodeSite:
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
            raise problem.set_location(self.text, self.span)
        raise _translate_error(problem).set_location(self.text, self.span) from problem

    def no_match(self, message: str) -> NoMatch:
        return NoMatch(message, text=self.text, span=self.span)

    def name_error(self, what: str, name: str, known: set[str], receiver: Any = None) -> UnknownName:
        """A name that means nothing; a receiver of the embedder may tell its title and the names it knows."""
        from sabir.diagnostics.suggestions import suggest  # only a failing expression needs it

        own = getattr(receiver, "described_methods", None)
        title, names = ("", ()) if own is None else own()
        close = suggest(name, names) or suggest(name, known)
        hint = f"; did you mean `{close}`?" if close else ""
        problem = f"{title} has no {what} `{name}`" if title else f"there is no {what} `{name}`"
        error = UnknownName(problem + hint, text=self.text, span=self.span)
        error.is_method = what == "method"
        return error


def _translate_error(problem: BaseException) -> YaqlRuntimeError:
    error: YaqlRuntimeError
    if isinstance(problem, KeyError):
        error = YaqlRuntimeError(f"the dictionary has no key {_first_argument(problem)!r}")
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
        from sabir.diagnostics.reasons import explain_error  # only a failing expression needs it

        error = YaqlRuntimeError(explain_error(problem))
    return error


def _first_argument(problem: BaseException) -> Any:
    return problem.args[0] if problem.args else ""
