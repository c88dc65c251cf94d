"""Jinja2 templates as Ansible users expect them: native types, Ansible's filters and tests, strict about undefined names.

A template is compiled once for a session, by its text. One expression keeps its type; text that reads as a Python literal becomes
that value; anything touched by a sensitive value is sensitive as a whole, unless the items can be told apart (`items`).

The environment belongs to one evaluation: it counts what the template does that is being rendered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import CodeType
from typing import TYPE_CHECKING, Any, Final

from jinja2 import StrictUndefined, Template
from jinja2.nativetypes import NativeEnvironment
from jinja2.runtime import Context as JinjaContext

from sabir.diagnostics.reasons import reason_of
from sabir.diagnostics.rules import Rule
from sabir.expressions.patterns import PatternRefused
from sabir.expressions.query.errors import TOO_MUCH, QueryError, expression_rule
from sabir.expressions.query.values import MISSING, plain, resting_on
from sabir.expressions.template.environment import MeteredEnvironment
from sabir.expressions.template.exposure import Rendering
from sabir.expressions.template.header import split_header
from sabir.expressions.template.items import ITEM_FILTERS, Path, path_of, track_items, walk
from sabir.expressions.template.limits import LimitReached, refuse_no_data
from sabir.expressions.template.marking import count
from sabir.expressions.template.native import TEXT_FILTERS, keep_backslashes, stays_text, value_of
from sabir.graph.values import Sensitive

if TYPE_CHECKING:
    from sabir.expressions.query.context import Context

__all__ = ["render_template"]

TEMPLATE: Final = expression_rule(
    "EXPR:E010",
    title="a template that fails",
    why="Jinja2 cannot read it, or a name in it is not defined; `default` gives a value to what may be missing.",
)

_MOST_CODES: Final = 4096


class _Undefined(StrictUndefined):
    """Reaching into something undefined stays undefined, so that `a.b | default(1)` works; using it is an error."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name[:2] == "__":
            raise AttributeError(name)
        return self

    def __getitem__(self, key: Any) -> Any:
        return self


class _Names(JinjaContext):
    """Names are looked up in the scope of the expression when they are used, not copied before."""

    rendering: Rendering

    def resolve_or_missing(self, key: str) -> Any:
        if key in self.vars:
            return self.vars[key]
        return self.rendering.name(key, lambda: super(_Names, self).resolve_or_missing(key))


class _Environment(MeteredEnvironment, NativeEnvironment):
    """The sandbox that counts, with native types."""

    context_class = _Names
    concat = staticmethod(value_of)

    def __init__(self) -> None:
        from sabir.expressions.template.filters import FILTERS
        from sabir.expressions.template.globals import GLOBALS
        from sabir.expressions.template.predicates import PREDICATES

        super().__init__(undefined=_Undefined, extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"])
        self.running = 0
        """Templates that are being rendered inside one another: they share one budget."""
        self.ready: dict[str, tuple[Template, Path | None]] = {}
        self.add_filters(FILTERS)
        filters: dict[str, Any] = self.filters
        filters.update(ITEM_FILTERS)
        filters.update({name: stays_text(filters[name]) for name in TEXT_FILTERS})
        self.tests.update(PREDICATES)
        self.globals.update(GLOBALS)

    @staticmethod
    def _put_out(value: Any) -> Any:
        return value if isinstance(value, Iterator) else refuse_no_data(value)

    def template(self, text: str, codes: _Codes) -> tuple[Template, Path | None]:
        """TemplateError for a text that is none."""
        ready = self.ready.get(text)
        if ready is None:
            compiled = codes.get(text)
            if compiled is None:
                compiled = codes[text] = self._compiled(text)
            code, path = compiled
            ready = self.ready[text] = Template.from_code(self, code, self.globals, None), path
        return ready

    def _compiled(self, text: str) -> tuple[CodeType, Path | None]:
        # Unfurl strips the outer white space of a template before it renders it.
        options, body = split_header(text.strip())
        reading = self.overlay(**options) if options else self
        tree = reading.parse(keep_backslashes(body, reading))
        path = path_of(tree)
        track_items(tree)
        count(tree)
        return self.compile(tree), path

    def value(self, template: Template, rendering: Rendering) -> Any:
        names = _Names(self, self.globals, None, template.blocks)
        names.rendering = rendering
        if not self.running:
            self.meter.restart()
        self.running += 1
        try:
            return rendering.finished(self.concat(self.meter.bounded(template.root_render_func(names))))
        finally:
            self.running -= 1


class _Codes(dict[str, tuple[CodeType, "Path | None"]]):
    """Compiled templates by their text, shared by the evaluations of a session."""

    def __setitem__(self, text: str, compiled: tuple[CodeType, Path | None]) -> None:
        if len(self) >= _MOST_CODES:
            self.clear()
        super().__setitem__(text, compiled)


def render_template(text: str, context: Context) -> Any:
    """The value of a template in a context; QueryError at the place of its use when it fails."""
    session = context.session
    environment = session.tool(_Environment)
    rendering = Rendering(context)
    try:
        template, path = environment.template(text, session.work.cache(_Codes))
        value = environment.value(template, rendering)
        return value if path is None or not rendering.sensitive else _part(value, path, context)
    except QueryError:
        raise
    except RecursionError as error:
        raise QueryError.of(TOO_MUCH, "the template leads to itself", place=context.place) from error
    except (LimitReached, PatternRefused, OverflowError, MemoryError) as error:
        raise _failure(TOO_MUCH, error, text, context) from error
    except Exception as error:
        if rendering.unknown:  # no filter takes what is not known yet
            return resting_on(rendering.unknown)
        raise _failure(TEMPLATE, error, text, context) from error


def _part(value: Any, path: Path, context: Context) -> Any:
    """What a path gives, marked as it is there: that something beside it is a secret makes it none."""
    name, keys = path
    part = walk(context.scope.find(name), keys)
    if part is MISSING or not isinstance(value, Sensitive):
        return value
    if isinstance(part, Mapping | list):
        return plain(part)
    return value if isinstance(part, Sensitive) else value.value


def _failure(rule: Rule, error: Exception, text: str, context: Context) -> QueryError:
    return QueryError.of(rule, f"template {_short(text)!r}: {reason_of(error)}", place=context.place)


def _short(text: str) -> str:
    text = text.strip()
    return text if len(text) <= 80 else text[:77] + "…"
