"""Jinja2 templates as Ansible users expect them: native types, Ansible's filters and tests, strict about undefined names.

A template is compiled once and cached by its text. One expression keeps its type; text that reads as a Python literal becomes
that value; anything touched by a sensitive value is sensitive as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.nativetypes import NativeEnvironment
from jinja2.runtime import Context as JinjaContext

from sabir.diagnostics.reasons import reason_of
from sabir.expressions.patterns import PatternRefused
from sabir.expressions.query.errors import TOO_MUCH, QueryError, expression_rule
from sabir.expressions.template.environment import MeteredEnvironment
from sabir.expressions.template.exposure import Rendering
from sabir.expressions.template.limits import LimitReached, refuse_no_data
from sabir.expressions.template.marking import count
from sabir.expressions.template.native import TEXT_FILTERS, keep_backslashes, stays_text, value_of

if TYPE_CHECKING:
    from sabir.expressions.query.context import Context

__all__ = ["CompiledTemplate", "compile_template"]

TEMPLATE: Final = expression_rule(
    "EXPR:E010",
    title="a template that fails",
    why="Jinja2 cannot read it, or a name in it is not defined; `default` gives a value to what may be missing.",
    bad="'{{ nosuch }}'",
    good="\"{{ nosuch | default('x') }}\"",
)

_CACHED: Final = 4096


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

    def __init__(self, **options: Any) -> None:
        super().__init__(undefined=_Undefined, **options)
        self.running = 0

    @staticmethod
    def _put_out(value: Any) -> Any:
        return value if isinstance(value, Iterator) else refuse_no_data(value)


@lru_cache(maxsize=1)
def _environment() -> _Environment:
    from sabir.expressions.template.filters import FILTERS
    from sabir.expressions.template.globals import GLOBALS
    from sabir.expressions.template.predicates import PREDICATES

    environment = _Environment(extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"])
    environment.add_filters(FILTERS)
    filters: dict[str, Any] = environment.filters
    filters.update({name: stays_text(filters[name]) for name in TEXT_FILTERS})
    environment.tests.update(PREDICATES)
    environment.globals.update(GLOBALS)
    return environment


class CompiledTemplate:
    """A template ready to render."""

    __slots__ = ("_render", "_template", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        environment = _environment()
        # Unfurl strips the outer white space of a template before it renders it.
        tree = environment.parse(keep_backslashes(text.strip(), environment))
        count(tree)
        code = environment.compile(tree)
        self._template = Template.from_code(environment, code, environment.globals, None)
        self._render: Callable[[JinjaContext], Any] = self._template.root_render_func

    def render(self, context: Context) -> Any:
        """The value of the template in a context; QueryError of kind TEMPLATE when it fails."""
        environment = _environment()
        rendering = Rendering(context)
        names = _Names(environment, environment.globals, None, self._template.blocks)
        names.rendering = rendering
        if not environment.running:
            environment.meter.restart()
        environment.running += 1
        try:
            return rendering.finished(environment.concat(environment.meter.bounded(self._render(names))))
        except QueryError:
            raise
        except RecursionError as error:
            raise QueryError.of(TOO_MUCH, "the template leads to itself", place=context.place) from error
        except (LimitReached, PatternRefused, OverflowError, MemoryError) as error:
            raise QueryError.of(
                TOO_MUCH, f"template {_short(self.text)!r}: {reason_of(error)}", place=context.place
            ) from error
        except Exception as error:
            raise _failure(error, self.text, context) from error
        finally:
            environment.running -= 1


def _failure(error: Exception, text: str, context: Context) -> QueryError:
    return QueryError.of(TEMPLATE, f"template {_short(text)!r}: {reason_of(error)}", place=context.place)


def _short(text: str) -> str:
    text = text.strip()
    return text if len(text) <= 80 else text[:77] + "…"


class _Broken:
    """A template that could not be compiled; it fails whenever it is rendered, at the place of its use."""

    __slots__ = ("error", "text")

    def __init__(self, text: str, error: TemplateError) -> None:
        self.text = text
        self.error = error

    def render(self, context: Context) -> Any:
        raise _failure(self.error, self.text, context)


@lru_cache(maxsize=_CACHED)
def compile_template(text: str) -> CompiledTemplate | _Broken:
    try:
        return CompiledTemplate(text)
    except TemplateError as error:
        return _Broken(text, error)
