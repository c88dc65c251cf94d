"""`select` and `foreach`: an expression applied to each item of a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from sabir.expressions.query.context import QueryContext
from sabir.expressions.query.values import single_value
from sabir.graph.values import Sensitive

Expression = Callable[[QueryContext], list[Any]]


class _Signal:
    """What $break and $continue hold."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"${self.name}"


_BREAK: Final = _Signal("break")
_CONTINUE: Final = _Signal("continue")
_PASS_THROUGH: Final = ("$true", True)


def compile_select(raw: Any, run: Expression) -> Expression:
    each = compile_items(raw)
    return lambda context: each(_split_items(run(context)), context)


def compile_foreach(raw: Any, run: Expression) -> Expression:
    if raw in _PASS_THROUGH if isinstance(raw, str | bool) else False:
        return lambda context: _split_items(run(context))
    each = compile_items(raw)
    return lambda context: each(_split_items(run(context)), context)


def _split_items(matches: list[Any]) -> list[Any]:
    """A single match that is a list is taken apart; several matches are the items."""
    if len(matches) != 1:
        return matches
    one = matches[0]
    if type(one) is list:
        return one
    if isinstance(one, Sensitive) and isinstance(one.value, list | tuple):
        return [Sensitive(item) for item in one.value]
    return matches


def compile_items(raw: Any) -> Callable[[list[Any], QueryContext], list[Any]]:
    """From items to results: one per item that has one, or with `key` one dictionary."""
    from sabir.expressions.query.forms import compile_each, compile_expression, is_expression

    pair = (
        isinstance(raw, Mapping)
        and bool(raw)
        and not is_expression(raw)
        and all(key in ("key", "value") for key in raw)
    )
    value = compile_each(raw.get("value", "$item") if pair else raw)
    key = compile_expression(raw["key"]) if pair and "key" in raw else None

    def each(items: list[Any], context: QueryContext) -> list[Any]:
        results: list[Any] = []
        table: dict[Any, Any] = {}
        for index, item in enumerate(items):
            inner = context.at(item).with_names(
                {
                    "item": item,
                    "index": index,
                    "key": index,
                    "collection": items,
                    "break": _BREAK,
                    "continue": _CONTINUE,
                }
            )
            found = value(inner)
            if _BREAK in found:
                break
            if not found or _CONTINUE in found:
                continue
            if key is None:
                results.append(single_value(found))
            elif (name := single_value(key(inner))) is not None:
                table[name.value if isinstance(name, Sensitive) else name] = single_value(found)
        return results if key is None else [table]

    return each
