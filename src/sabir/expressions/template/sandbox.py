"""Templates whose author is not trusted: rendered within bounds, without a way out, and with places.

What goes wrong is a `TemplateProblem`; the languages turn it into a finding of theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import Enum
from types import TracebackType
from typing import Any

from msgspec import Struct

from sabir.diagnostics.reasons import reason_of
from sabir.expressions.template.limits import MISTAKES, LimitReached, TemplateLimits
from sabir.expressions.template.lines import LineMap, Piece, Rendered, line_place
from sabir.expressions.template.simple import NotSimple, render_simple
from sabir.text import Place, Source, Span

__all__ = ["ProblemKind", "Sandbox", "TemplateFailed", "TemplateProblem", "is_template"]


class ProblemKind(Enum):
    SYNTAX = "syntax"
    UNDEFINED = "undefined"
    UNSAFE = "unsafe"
    LIMIT = "limit"
    FAILED = "failed"


class TemplateProblem(Struct, frozen=True, kw_only=True, eq=False):
    kind: ProblemKind
    message: str
    place: Place
    name: str | None = None
    """The name that is not defined, as far as it can be told with its path: `web.prot`."""
    known: tuple[str, ...] = ()
    """The names that are defined where it was looked for."""


class TemplateFailed(Exception):
    def __init__(self, problems: tuple[TemplateProblem, ...]) -> None:
        super().__init__("; ".join(problem.message for problem in problems))
        self.problems = problems


def is_template(text: str) -> bool:
    """Whether there is anything to render."""
    return "{" in text and ("{{" in text or "{%" in text or "{#" in text)


class Sandbox:
    """Renders templates over variables that are plain data. Variables must not change between two renderings.

    `load` finds what a template includes or imports; `functions` and `filters` are trusted code.
    """

    def __init__(
        self,
        *,
        functions: Mapping[str, Callable[..., Any]] | None = None,
        filters: Mapping[str, Callable[..., Any]] | None = None,
        load: Callable[[str], Source | None] = lambda _: None,
        limits: TemplateLimits | None = None,
        keep_trailing_newline: bool = True,
    ) -> None:
        self.functions = functions or {}
        self.filters = filters or {}
        self.load = load
        self.limits = limits or TemplateLimits()
        self.keep_trailing_newline = keep_trailing_newline
        self._environment: Any = None
        self._exhausted = 0
        self._values: tuple[Mapping[str, Any], dict[str, str]] = ({}, {})

    def render(self, source: Source, variables: Mapping[str, Any]) -> Rendered:
        """The rendered text with its map. Raises `TemplateFailed` with every undefined name, or the one other problem."""
        if not is_template(source.text):
            return Rendered(source)
        environment = self._environment or self._make_environment()
        # Each template that took all its time leaves half of it to those that follow: many of them end soon, too.
        share = 0.5**self._exhausted
        environment.meter.restart(share)
        if self.keep_trailing_newline:
            with suppress(NotSimple):
                return self._simply(source, variables)
            environment.meter.extend(share / 4)
        with self._failing(source, variables):
            return self._run(source, variables)

    def render_leniently(
        self, source: Source, variables: Mapping[str, Any]
    ) -> tuple[Rendered, tuple[TemplateProblem, ...]]:
        """The text as Jinja2 renders it without further ado, undefined names being empty and false; and those names."""
        if not is_template(source.text):
            return Rendered(source), ()
        environment = self._environment or self._make_environment()
        environment.meter.restart(0.5**self._exhausted)
        with self._failing(source, variables), environment.recording(lenient=True):
            rendered = self._run(source, variables)
            return rendered, self._undefined(source)

    @contextmanager
    def _failing(self, source: Source, variables: Mapping[str, Any]) -> Generator[None, None, None]:
        """Whatever a template does wrong becomes `TemplateFailed`, with places."""
        from jinja2 import TemplateError, UndefinedError

        try:
            try:
                yield
            except UndefinedError as error:
                raise TemplateFailed(self._all_undefined(source, variables, error)) from None
        except TemplateFailed:
            raise
        except TemplateError as error:
            raise TemplateFailed((_template_problem(error, source),)) from None
        except LimitReached as error:
            self._exhausted += 1
            raise TemplateFailed((_problem(ProblemKind.LIMIT, str(error), error, source),)) from None
        except RecursionError as error:
            message = "the template calls or includes itself without end"
            raise TemplateFailed((_problem(ProblemKind.LIMIT, message, error, source),)) from None
        except MemoryError as error:
            raise TemplateFailed((_problem(ProblemKind.LIMIT, "out of memory", error, source),)) from None
        except MISTAKES as error:
            raise TemplateFailed((_problem(ProblemKind.FAILED, reason_of(error), error, source),)) from None
        finally:
            self._environment.records.clear()

    def _simply(self, source: Source, variables: Mapping[str, Any]) -> Rendered:
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

    def _run(self, source: Source, variables: Mapping[str, Any]) -> Rendered:
        environment = self._environment
        template = environment.template(source)
        parts: list[str] = []
        starts: list[int] = []
        pieces: list[Piece] = []
        size = 0
        for chunk in _stream(template, variables):
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
        return Rendered(Source(source.name, text), LineMap(tuple(starts), tuple(pieces)))

    def _all_undefined(
        self, source: Source, variables: Mapping[str, Any], error: Exception
    ) -> tuple[TemplateProblem, ...]:
        """Render once more, noting every undefined name instead of stopping at the first."""
        from jinja2 import TemplateError

        environment = self._environment
        environment.meter.extend(0.25)
        with environment.recording():
            with suppress(TemplateError, *MISTAKES):  # the names noted so far are what is asked for
                self._run(source, variables)
            problems = self._undefined(source)
        return problems or (_problem(ProblemKind.UNDEFINED, str(error), error, source),)

    def _undefined(self, source: Source) -> tuple[TemplateProblem, ...]:
        """The undefined names that were noted, each where it is used first."""
        first = {record.name: record for record in reversed(self._environment.records)}
        return tuple(
            TemplateProblem(
                kind=ProblemKind.UNDEFINED,
                message=f"{record.name!r} is not defined",
                place=record.place(source),
                name=record.name,
                known=record.known,
            )
            for record in reversed(first.values())
        )


def _stream(template: Any, variables: Mapping[str, Any]) -> Iterator[str]:
    stream: Iterator[str] = template.root_render_func(template.new_context(dict(variables)))
    return stream


def _template_problem(error: Any, source: Source) -> TemplateProblem:
    from jinja2 import TemplateNotFound, TemplateSyntaxError
    from jinja2.exceptions import SecurityError

    if isinstance(error, SecurityError):
        return _problem(ProblemKind.UNSAFE, error.message or "refused", error, source)
    if isinstance(error, TemplateNotFound):
        return _problem(ProblemKind.FAILED, f"there is no template {error.name!r} to include", error, source)
    if isinstance(error, TemplateSyntaxError):
        # The syntax error of an included file names that file; its text is not at hand here, its line is.
        where = (
            source
            if error.name in (None, source.name)
            else Source(error.name or source.name, "\n" * error.lineno)
        )
        return TemplateProblem(
            kind=ProblemKind.SYNTAX,
            message=error.message or "syntax error",
            place=line_place(where, error.lineno),
        )
    return _problem(ProblemKind.FAILED, str(error), error, source)


def _problem(kind: ProblemKind, message: str, error: BaseException, source: Source) -> TemplateProblem:
    return TemplateProblem(kind=kind, message=message, place=_traced(error.__traceback__, source))


def _traced(traceback: TracebackType | None, source: Source) -> Place:
    """The innermost template line of a traceback."""
    place = Place(source, Span(0, 0))
    while traceback is not None:
        template = traceback.tb_frame.f_globals.get("__jinja_template__")
        if template is not None:
            line = template.get_corresponding_lineno(traceback.tb_lineno)
            place = line_place(template.environment.source_of(template.name, source), line)
        traceback = traceback.tb_next
    return place
