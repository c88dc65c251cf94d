"""What can go wrong with a template, as findings; the language that renders it says under which rules.

The way back from rendered text to the template that made it.

A template is compiled so that every line of its own text comes out as a `Piece`, a `str` that knows its place. Where
texts are joined (in macros, filters, set blocks) a piece is an ordinary text and its place is forgotten; what such a
construct gives is then placed at the expression that used it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from enum import Enum

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule
from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import ExpressionError
from sabir.text import EMPTY_SPAN, Place, Source, Span


class TemplateDefect(Enum):
    SYNTAX = "syntax"
    UNDEFINED = "undefined"
    UNSAFE = "unsafe"
    LIMIT = "limit"
    FAILED = "failed"


class TemplateFinding(Finding, frozen=True, kw_only=True):
    """A finding that also tells its parts, for those who must word it for another place than where it was rendered."""

    defect: TemplateDefect
    reason: str
    """In the words of Jinja2 or of the limit, without what the message says around it."""
    name: str | None = None
    """The name that is not defined, as far as it can be told with its path: `web.prot`."""


class RenderError(ExpressionError):
    def __init__(self, findings: tuple[TemplateFinding, ...]) -> None:
        super().__init__("; ".join(finding.message for finding in findings))
        self.findings = findings


class TemplateRules(Struct, frozen=True, kw_only=True):
    """The rules of a language for the templates it renders, one for each way in which a template can fail."""

    syntax: Rule
    undefined: Rule
    unsafe: Rule
    limit: Rule
    failed: Rule
    defining: str | None = None
    """Where to define a name that resembles no other."""

    def finding(
        self,
        defect: TemplateDefect,
        reason: str,
        place: Place,
        *,
        name: str | None = None,
        hint: str | None = None,
    ) -> TemplateFinding:
        rule: Rule = getattr(self, defect.value)
        message = f"{_BEFORE_REASON[defect]}: {reason}"
        if name is not None:
            message = f"the template uses {name!r}, which is not defined"
        finding = rule.at(place, message, hint=hint)
        return finding.convert_to(TemplateFinding, defect=defect, reason=reason, name=name)

    def report_undefined(self, name: str, names: Iterable[str], place: Place) -> TemplateFinding:
        """`names` are defined where this one was looked for."""
        parent, _, last = name.rpartition(".")
        hint = did_you_mean(last, names)
        if hint and parent:
            hint = hint.replace("did you mean '", f"did you mean '{parent}.")
        reason = f"{name!r} is not defined"
        return self.finding(TemplateDefect.UNDEFINED, reason, place, name=name, hint=hint or self.defining)

    def unreadable(self, reason: str, place: Place, filters: Iterable[str]) -> TemplateFinding:
        return self.finding(TemplateDefect.SYNTAX, reason, place, hint=_syntax_hint(reason, filters))


_BEFORE_REASON = {
    TemplateDefect.SYNTAX: "not readable as a Jinja2 template",
    TemplateDefect.UNDEFINED: "the template cannot be rendered",
    TemplateDefect.UNSAFE: "the template is refused",
    TemplateDefect.LIMIT: "the template cannot be rendered",
    TemplateDefect.FAILED: "the template cannot be rendered",
}


def _syntax_hint(reason: str, filters: Iterable[str]) -> str | None:
    """What to do about the slips that are made most."""
    if reason.startswith("unexpected '}'") or "expected token 'end of print statement'" in reason:
        return "an expression is closed by two braces: {{ … }}"
    if reason.startswith(("Unexpected end of template", "unexpected end of template")):
        return "close the statement, or remove it: {% if … %} … {% endif %}"
    if reason.startswith("No filter named"):
        return did_you_mean(reason.split("'")[1], filters)
    return None


class Piece(str):
    """A part of a template's own text, or (empty) the sign that an expression follows."""

    __slots__ = ("exact", "offset", "source")

    source: Source
    offset: int
    exact: bool

    @staticmethod
    def make(text: str, source: Source, offset: int, *, exact: bool) -> Piece:
        piece = Piece(text)
        piece.source = source
        piece.offset = offset
        piece.exact = exact
        return piece

    def __str__(self) -> Piece:  # the compiled template calls str() on whatever it puts out
        return self


class LineMap(Struct, frozen=True, eq=False):
    """Segments of a rendered text: where each begins, and the piece it came from."""

    starts: tuple[int, ...]
    pieces: tuple[Piece, ...]

    def place(self, span: Span) -> Place:
        """The place in the template of a span of the rendered text."""
        index = bisect_right(self.starts, span.start) - 1
        if index < 0:
            index = 0
        if not self.pieces:
            return Place(Source("<template>", ""), EMPTY_SPAN)
        piece = self.pieces[index]
        start = self._offset(index, span.start)
        last = max(index, bisect_right(self.starts, max(span.start, span.end - 1)) - 1)
        end = self._offset(last, span.end) if self.pieces[last].source is piece.source else start
        return Place(piece.source, Span(start, max(start, end)))

    def _offset(self, index: int, at: int) -> int:
        piece = self.pieces[index]
        if not piece.exact:
            return piece.offset
        return min(piece.offset + at - self.starts[index], len(piece.source.text))


class RenderedTemplate(Struct, frozen=True, eq=False):
    """A rendered text. Without a map it is the source itself, unchanged."""

    source: Source
    """The rendered text under the name of its template."""
    lines: LineMap | None = None

    def place(self, span: Span) -> Place:
        return Place(self.source, span) if self.lines is None else self.lines.place(span)


def line_place(source: Source, line: int) -> Place:
    """The text of a line, without its indentation."""
    text = source.line_text(line)
    start = source.offset(line, len(text) - len(text.lstrip()) + 1)
    return Place(source, Span(start, start + len(text.strip())))
