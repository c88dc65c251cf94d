"""Jinja2 templates as Ansible users expect them: native types, Ansible's filters and tests, strict about undefined names.

A template is compiled once and cached by its text. One expression keeps its type; text that reads as a Python literal becomes
that value; anything touched by a sensitive value is sensitive as a whole.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, Final

from jinja2 import StrictUndefined, Template, TemplateError, Undefined, nodes
from jinja2.nativetypes import NativeEnvironment
from jinja2.runtime import Context as JinjaContext
from jinja2.sandbox import ImmutableSandboxedEnvironment

from sabir.expressions.query.errors import Kind, QueryError
from sabir.expressions.template.exposure import Rendering
from sabir.expressions.template.limits import LimitReached, Meter, TemplateLimits
from sabir.expressions.template.marking import LOOP, counted_loop

if TYPE_CHECKING:
    from sabir.expressions.query.context import Context

__all__ = ["CompiledTemplate", "compile_template"]

_CACHED: Final = 4096
_LONGEST_LITERAL: Final = 200_000
_MAY_BE_LITERAL: Final = re.compile(r"[-+0-9.\[({'\"]|True$|False$|None$|[bBrRuU]{1,2}['\"]|set\(")


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


class _Environment(ImmutableSandboxedEnvironment, NativeEnvironment):
    """The sandbox, with native types, and counted: loops, calls and the size of results are bounded."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})
    context_class = _Names

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.meter = Meter(TemplateLimits())
        self.running = 0

    def call_binop(self, context: JinjaContext, operator: str, left: Any, right: Any) -> Any:
        self.meter.binary(operator, left, right)
        return super().call_binop(context, operator, left, right)

    def call(__self, __context: JinjaContext, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805
        __self.meter.call(__obj, args, kwargs)
        return __self.meter.checked(super().call(__context, __obj, *args, **kwargs))

    @staticmethod
    def concat(made: Iterable[Any]) -> Any:
        pieces = list(made)
        if not pieces:
            return ""
        if len(pieces) == 1:
            only = pieces[0]
            if isinstance(only, Undefined):
                str(only)  # raises, with the name
            return _literal(only) if type(only) is str else only
        return _literal("".join(map(str, pieces)))


def _literal(text: str) -> Any:
    """What the text is as a Python literal; the text itself when it is none, or a quoted text."""
    if len(text) > _LONGEST_LITERAL or _MAY_BE_LITERAL.match(text) is None:
        return text
    try:
        value = ast.literal_eval(ast.parse(text, mode="eval"))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text
    return text if isinstance(value, str) else value


@lru_cache(maxsize=1)
def _environment() -> _Environment:
    from sabir.expressions.template.filters import FILTERS
    from sabir.expressions.template.globals import GLOBALS
    from sabir.expressions.template.predicates import PREDICATES

    environment = _Environment(undefined=_Undefined, extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"])
    environment.filters.update(
        {name: _counted(name, one, environment.meter) for name, one in FILTERS.items()}
    )
    filters: dict[str, Any] = environment.filters
    filters[LOOP] = counted_loop
    environment.tests.update(PREDICATES)
    environment.globals.update(GLOBALS)
    return environment


def _counted(name: str, function: Callable[..., Any], meter: Meter) -> Callable[..., Any]:
    skip = 1 if getattr(function, "jinja_pass_arg", None) is not None else 0

    @wraps(function)
    def counted(*args: Any, **kwargs: Any) -> Any:
        meter.arguments(name, args[skip:], kwargs)
        return meter.checked(function(*args, **kwargs))

    return counted


class CompiledTemplate:
    """A template ready to render."""

    __slots__ = ("_render", "_template", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        environment = _environment()
        # Unfurl strips the outer white space of a template before it renders it.
        tree = environment.parse(text.strip())
        for loop in tree.find_all(nodes.For):
            loop.iter = nodes.Filter(loop.iter, LOOP, [], [], None, None)
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
            result = environment.concat(environment.meter.bounded(self._render(names)))
        except QueryError:
            raise
        except RecursionError as error:
            raise QueryError.of(Kind.TOO_MUCH, "the template leads to itself", place=context.place) from error
        except (LimitReached, OverflowError, MemoryError) as error:
            raise QueryError.of(
                Kind.TOO_MUCH, f"template {_short(self.text)!r}: {error}", place=context.place
            ) from error
        except Exception as error:
            raise _failure(error, self.text, context) from error
        finally:
            environment.running -= 1
        return rendering.finished(result)


def _failure(error: Exception, text: str, context: Context) -> QueryError:
    what = str(error) or type(error).__name__
    if not isinstance(error, TemplateError):
        what = f"{type(error).__name__}: {what}"
    return QueryError.of(Kind.TEMPLATE, f"template {_short(text)!r}: {what}", place=context.place)


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
