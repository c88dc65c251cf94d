"""The filters of Ansible that templates commonly use, written anew, and those of expressions (`eval`, `abspath`, `get_dir`).

Jinja2's own filters stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from jinja2 import pass_context

from sabir.expressions.query.context import Context
from sabir.expressions.query.forms import compile_expression, compile_value
from sabir.expressions.query.functions.call import Call
from sabir.expressions.query.functions.registry import find
from sabir.expressions.query.values import plain, single
from sabir.expressions.template.containers import COLLECTION_FILTERS
from sabir.expressions.template.exposure import ResourceView
from sabir.expressions.template.formats import FORMAT_FILTERS
from sabir.expressions.template.texts import TEXT_FILTERS

__all__ = ["FILTERS"]


def _context(names: Any) -> Context:
    context: Context = names.rendering.context
    return context


@pass_context
def evaluate(names: Any, expression: Any) -> Any:
    """`'::web::port' | eval`: an expression in single mode; an instance, a number … is itself."""
    if not isinstance(expression, str | Mapping | list) or isinstance(expression, ResourceView):
        return expression
    return names.rendering.expose(single(compile_expression(expression)(_context(names))))


@pass_context
def map_value(names: Any, value: Any) -> Any:
    compiled = compile_value(value)
    return names.rendering.expose(value if compiled is None else plain(compiled(_context(names))))


@pass_context
def sensitive(names: Any, value: Any) -> Any:
    names.rendering.sensitive = True
    return value


def _as_filter(name: str) -> Callable[..., Any]:
    @pass_context
    def run(names: Any, value: Any, *arguments: Any, **keywords: Any) -> Any:
        function = find(name)
        assert function is not None
        items = [value, *arguments, *keywords.values()]
        call = Call(function, items if len(items) > 1 else value, {})
        return names.rendering.expose(function.called(call, _context(names)))

    return run


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    **TEXT_FILTERS,
    **FORMAT_FILTERS,
    **COLLECTION_FILTERS,
    "eval": evaluate,
    "ref": evaluate,
    "map_value": map_value,
    "mapValue": map_value,
    "sensitive": sensitive,
    "abspath": _as_filter("abspath"),
    "get_dir": _as_filter("get_dir"),
}
