"""Templates whose author is not trusted: rendered within bounds, without a way out, and with places.

What goes wrong is `TemplateFailed` with findings, under the rules of the language that renders.

A short cut for simple templates: text, `{{ … }}`, comments and `{% if %}`.

Compiling a template to Python costs milliseconds, and most templates use the same few expressions over and over. So the
text is cut into pieces here, and each distinct expression is compiled and evaluated once. Whatever is not simple, or goes
wrong, is left to the compiled template, which says precisely what and where.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, NamedTuple

from sabir.diagnostics.reasons import explain_error
from sabir.expressions.template.findings import (
    LineMap,
    Piece,
    RenderedTemplate,
    RenderError,
    TemplateDefect,
    TemplateFinding,
    TemplateRules,
    line_place,
)
from sabir.expressions.template.limits import MISTAKES, TemplateLimitError, TemplateLimits
from sabir.expressions.template.tags import Tag, TagKind, read_tags
from sabir.text import Place, Source, Span


class NotSimple(Exception):
    """The template needs the whole machinery."""


def render_simple(source: Source, evaluate: Callable[[str], str]) -> RenderedTemplate:
    """The rendered text; `evaluate` renders a small template that is one tag, or raises `NotSimple`."""
    text = source.text
    read = read_tags(text)
    if "\r" in text or not read.is_complete:
        raise NotSimple
    out = _Output(source)
    branches: list[_Branch] = []
    shown = True
    position = 0
    for tag in read.tags:
        if tag.has_sign or tag.kind is TagKind.RAW:
            raise NotSimple
        if shown and tag.span.start > position:
            out.text(position, tag.span.start)
        position = tag.span.end
        if tag.kind is TagKind.STATEMENT:
            shown = _follow_branch(tag, text, branches, evaluate)
        elif tag.kind is TagKind.OUTPUT and shown:
            out.value(tag.span.start, evaluate(tag.text))
    if branches:
        raise NotSimple
    if position < len(text):
        out.text(position, len(text))
    return out.build_result()


class _Branch(NamedTuple):
    """An open `if`."""

    shown: bool
    """Whether the text here counts."""
    taken: bool
    """Whether one of its branches has been taken."""
    is_last: bool = False
    """Whether this is its `else`, behind which there is no other."""


def _follow_branch(tag: Tag, text: str, branches: list[_Branch], evaluate: Callable[[str], str]) -> bool:
    """Follow an `if` tag; whether the text after it counts."""
    word = tag.word
    if word not in ("if", "elif", "else", "endif"):
        raise NotSimple
    test = text[tag.tokens[0].end : tag.inner.end].strip()
    if word == "if":
        outer = all(branch.shown for branch in branches)
        holds = outer and _evaluate_test(test, evaluate)
        branches.append(_Branch(holds, holds))
        return holds
    if not branches or bool(test) != (word == "elif"):
        raise NotSimple
    before = branches.pop()
    outer = all(branch.shown for branch in branches)
    if word == "endif":
        return outer
    if before.is_last:
        raise NotSimple
    holds = outer and not before.taken and (word == "else" or _evaluate_test(test, evaluate))
    branches.append(_Branch(holds, before.taken or holds, word == "else"))
    return holds


def _evaluate_test(test: str, evaluate: Callable[[str], str]) -> bool:
    return evaluate(f"{{% if {test} %}}1{{% endif %}}") == "1"


class _Output:
    """Pieces of output with their places."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._parts: list[str] = []
        self._starts: list[int] = []
        self._pieces: list[Piece] = []
        self._size = 0

    def text(self, start: int, end: int) -> None:
        part = self._source.text[start:end]
        self._add(Piece.make(part, self._source, start, exact=True), part)

    def value(self, start: int, text: str) -> None:
        self._add(Piece.make("", self._source, start, exact=False), text)

    def _add(self, piece: Piece, text: str) -> None:
        self._starts.append(self._size)
        self._pieces.append(piece)
        self._parts.append(text)
        self._size += len(text)

    def build_result(self) -> RenderedTemplate:
        if not self._starts:
            self._add(Piece.make("", self._source, 0, exact=False), "")
        lines = LineMap(tuple(self._starts), tuple(self._pieces))
        return RenderedTemplate(Source(self._source.name, "".join(self._parts)), lines)


def is_template(text: str) -> bool:
    """Whether there is anything to render."""
    return "{" in text and ("{{" in text or "{%" in text or "{#" in text)


class Sandbox:
    """Renders templates over variables that are plain data. Variables must not change between two renderings.

    `load` finds what a template includes or imports; `functions` and `filters` are trusted code.
    """

    def __init__(
        self,
        rules: TemplateRules,
        *,
        functions: Mapping[str, Callable[..., Any]] | None = None,
        filters: Mapping[str, Callable[..., Any]] | None = None,
        load: Callable[[str], Source | None] = lambda _: None,
        limits: TemplateLimits | None = None,
        keep_trailing_newline: bool = True,
    ) -> None:
        self.rules = rules
        self.functions = functions or {}
        self.filters = filters or {}
        self.load = load
        self.limits = limits or TemplateLimits()
        self.keep_trailing_newline = keep_trailing_newline
        self._environment: Any = None
        self._exhausted = 0
        self._values: tuple[Mapping[str, Any], dict[str, str]] = ({}, {})

    def render(self, source: Source, variables: Mapping[str, Any]) -> RenderedTemplate:
        """The rendered text with its map. Raises `TemplateFailed` with every undefined name, or the one other problem."""
        if not is_template(source.text):
            return RenderedTemplate(source)
        environment = self._environment or self._make_environment()
        # Each template that took all its time leaves half of it to those that follow: many of them end soon, too.
        share = 0.5**self._exhausted
        environment.meter.restart(share)
        if self.keep_trailing_newline:
            with suppress(NotSimple):
                return self._simply(source, variables)
            environment.meter.extend(share / 4)
        with self._translate_errors(source, variables):
            return self._run(source, variables)

    def render_leniently(
        self, source: Source, variables: Mapping[str, Any]
    ) -> tuple[RenderedTemplate, tuple[TemplateFinding, ...]]:
        """The text as Jinja2 renders it without further ado, undefined names being empty and false; and those names."""
        if not is_template(source.text):
            return RenderedTemplate(source), ()
        environment = self._environment or self._make_environment()
        environment.meter.restart(0.5**self._exhausted)
        with self._translate_errors(source, variables), environment.record_undefined(lenient=True):
            rendered = self._run(source, variables)
            return rendered, self._report_undefined(source, variables)

    @contextmanager
    def _translate_errors(self, source: Source, variables: Mapping[str, Any]) -> Generator[None, None, None]:
        """Whatever a template does wrong becomes `TemplateFailed`, with places."""
        from jinja2 import TemplateError, UndefinedError

        try:
            try:
                yield
            except UndefinedError as error:
                raise RenderError(self._all_undefined(source, variables, error)) from None
        except RenderError:
            raise
        except TemplateError as error:
            raise RenderError((self._from_jinja(error, source),)) from None
        except TemplateLimitError as error:
            self._exhausted += 1
            raise RenderError((self._finding(TemplateDefect.LIMIT, str(error), error, source),)) from None
        except RecursionError as error:
            message = "the template calls or includes itself without end"
            raise RenderError((self._finding(TemplateDefect.LIMIT, message, error, source),)) from None
        except MemoryError as error:
            raise RenderError(
                (self._finding(TemplateDefect.LIMIT, "out of memory", error, source),)
            ) from None
        except MISTAKES as error:
            raise RenderError(
                (self._finding(TemplateDefect.FAILED, explain_error(error), error, source),)
            ) from None
        finally:
            self._environment.records.clear()

    def _simply(self, source: Source, variables: Mapping[str, Any]) -> RenderedTemplate:
        """The short cut; the values of expressions are kept as long as the variables are the same object."""
        from jinja2 import TemplateError

        if self._values[0] is not variables:
            self._values = (variables, {})
        values = self._values[1]

        def evaluate(tag: str) -> str:
            known = values.get(tag)
            if known is None:
                try:
                    known = values[tag] = self._run(Source("<expression>", tag), variables).source.text
                except (TemplateError, *MISTAKES) as error:
                    # The whole template will fail at the same expression, and then say where it stands.
                    raise NotSimple from error
            return known

        rendered = render_simple(source, evaluate)
        if len(rendered.source.text) > self.limits.size:
            raise NotSimple
        return rendered

    def _make_environment(self) -> Any:
        from sabir.expressions.template.environment import BoundedEnvironment

        self._environment = BoundedEnvironment(
            load=self.load, limits=self.limits, keep_trailing_newline=self.keep_trailing_newline
        )
        self._environment.globals.update(self.functions)
        self._environment.add_filters(self.filters)
        return self._environment

    def _run(self, source: Source, variables: Mapping[str, Any]) -> RenderedTemplate:
        environment = self._environment
        template = environment.template(source)
        parts: list[str] = []
        starts: list[int] = []
        pieces: list[Piece] = []
        size = 0
        for chunk in _render_stream(template, variables):
            if isinstance(chunk, Piece):
                starts.append(size)
                pieces.append(chunk)
            if chunk:
                parts.append(chunk)
                size += len(chunk)
                environment.meter.room(size)
            environment.meter.step()
        if not starts:
            starts, pieces = [0], [Piece.make("", source, 0, exact=False)]
        text = "".join(parts)
        return RenderedTemplate(Source(source.name, text), LineMap(tuple(starts), tuple(pieces)))

    def _all_undefined(
        self, source: Source, variables: Mapping[str, Any], error: Exception
    ) -> tuple[TemplateFinding, ...]:
        """Render once more, noting every undefined name instead of stopping at the first."""
        from jinja2 import TemplateError

        environment = self._environment
        environment.meter.extend(0.25)
        with environment.record_undefined():
            with suppress(TemplateError, *MISTAKES):  # the names noted so far are what is asked for
                self._run(source, variables)
            findings = self._report_undefined(source, variables)
        return findings or (self._finding(TemplateDefect.UNDEFINED, str(error), error, source),)

    def _report_undefined(self, source: Source, variables: Mapping[str, Any]) -> tuple[TemplateFinding, ...]:
        """The undefined names that were noted, each where it is used first."""
        first = {record.name: record for record in reversed(self._environment.records)}
        return tuple(
            self.rules.report_undefined(
                record.name, record.known if "." in record.name else variables, record.place(source)
            )
            for record in reversed(first.values())
        )

    def _from_jinja(self, error: Any, source: Source) -> TemplateFinding:
        from jinja2 import TemplateNotFound, TemplateSyntaxError
        from jinja2.exceptions import SecurityError

        if isinstance(error, SecurityError):
            return self._finding(TemplateDefect.UNSAFE, explain_error(error), error, source)
        if isinstance(error, TemplateNotFound):
            reason = f"there is no template {error.name!r} to include"
            return self._finding(TemplateDefect.FAILED, reason, error, source)
        if isinstance(error, TemplateSyntaxError):
            place = line_place(_source_of_syntax_error(error, source), error.lineno)
            return self.rules.unreadable(error.message or "syntax error", place, self._environment.filters)
        return self._finding(TemplateDefect.FAILED, str(error), error, source)

    def _finding(
        self, defect: TemplateDefect, reason: str, error: BaseException, source: Source
    ) -> TemplateFinding:
        return self.rules.finding(defect, reason, _find_location(error.__traceback__, source))


def _render_stream(template: Any, variables: Mapping[str, Any]) -> Iterator[str]:
    stream: Iterator[str] = template.root_render_func(template.new_context(dict(variables)))
    return stream


def _source_of_syntax_error(error: Any, source: Source) -> Source:
    """The syntax error of an included file names that file; its text is not at hand here, its line is."""
    if error.name in (None, source.name):
        return source
    return Source(error.name, "\n" * error.lineno)


def _find_location(traceback: TracebackType | None, source: Source) -> Place:
    """The innermost template line of a traceback."""
    place = Place(source, Span(0, 0))
    while traceback is not None:
        template = traceback.tb_frame.f_globals.get("__jinja_template__")
        if template is not None:
            line = template.get_corresponding_lineno(traceback.tb_lineno)
            place = line_place(template.environment.source_of(template.name, source), line)
        traceback = traceback.tb_next
    return place
