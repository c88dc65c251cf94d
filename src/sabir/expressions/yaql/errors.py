"""What a YAQL text can do wrong.

YaqlError
├── YaqlSyntaxError         the text is not an expression
└── YaqlRuntimeError        it failed while running; knows the span of the part that failed
    ├── UnknownName         no such function, method or property
    ├── NoMatch             the name exists, but no overload takes these arguments
    └── LimitExceeded       a lazy list, a value or the nesting outgrew what `Options` allow
"""

from __future__ import annotations

from collections.abc import Iterable

from sabir.errors import SabirError
from sabir.text import Span

__all__ = ["LimitExceeded", "NoMatch", "UnknownName", "YaqlError", "YaqlRuntimeError", "YaqlSyntaxError"]


class YaqlError(SabirError):
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

    def placed(self, text: str, span: Span) -> YaqlRuntimeError:
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
