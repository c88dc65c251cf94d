"""concat, join, token, q: text out of parts, and quoting."""

from __future__ import annotations

from typing import Any, Final

from sabir.expressions.query.context import Context
from sabir.expressions.query.functions.call import Call, Matches
from sabir.expressions.query.functions.registry import Function, table
from sabir.expressions.query.values import holds_unknown, is_sensitive, mark, resting_on, reveal_deep
from sabir.graph.values import Unknown

__all__ = ["TEXT_FUNCTIONS"]

_ORDINARY: Final = frozenset({str, int, float, bool, type(None)})
"""Neither marked nor unknown, nor able to hold what is."""


def concat(call: Call, context: Context) -> Any:
    value = call.value(context)
    separator = call.keyword(context, "sep", "")
    if type(value) is list and type(separator) is str and _ORDINARY.issuperset(map(type, value)):
        return separator.join(map(_text, value))
    if not isinstance(reveal_deep(value), list):
        return value
    if holds_unknown(value):
        return resting_on(value)
    return _marked_like(
        [value, separator], _text(reveal_deep(separator)).join(map(_text, reveal_deep(value)))
    )


def join(call: Call, context: Context) -> Any:
    """S-82: `[[parts], delimiter]` as TOSCA has it; a flat list is joined without one."""
    value = call.value(context)
    items = reveal_deep(value)
    if not isinstance(items, list):
        return value
    if holds_unknown(items):
        return resting_on(items)
    delimiter = ""
    parts = items
    if items and isinstance(items[0], list):
        if len(items) > 2:
            call.fail(context, "join needs a list of parts and at most one delimiter")
        parts = items[0]
        delimiter = _text(items[1]) if len(items) == 2 else ""
    return _marked_like([value], delimiter.join(map(_text, parts)))


def token(call: Call, context: Context) -> Any:
    items = call.items(context, 3, 3)
    value = call.value(context)
    text, separator, index = (reveal_deep(item) for item in reveal_deep(value))
    if isinstance(index, str) and index.lstrip("-").isdigit():
        index = int(index)
    if not isinstance(index, int) or isinstance(index, bool):
        call.fail(context, f"the third item of token must be a whole number, not {index!r}")
    if not isinstance(separator, str) or not separator:
        call.fail(context, "the second item of token must be the text to split by")
    if isinstance(text, Unknown):
        return text
    parts = _text(text).split(separator)
    if not -len(parts) <= index < len(parts):
        call.fail(context, f"token wants part {index}, but there are only {len(parts)}")
    return _marked_like(items, parts[index]) if not is_sensitive(value) else mark(parts[index])


def quote_text(call: Call, context: Context) -> Any:
    del context
    return Matches([call.argument])


def _text(value: Any) -> str:
    return value if isinstance(value, str) else str(value)


def _marked_like(values: list[Any], result: str) -> Any:
    """S-99: text computed from a marked value is marked."""
    return mark(result) if is_sensitive(values) else result


TEXT_FUNCTIONS: Final = table(
    Function("concat", concat, standalone=True, keywords=("sep",)),
    Function("join", join, standalone=True),
    Function("token", token, standalone=True),
    Function("q", quote_text, standalone=True),
)
