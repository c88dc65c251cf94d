"""What a rendered template gives: Ansible's native types, and its way with backslashes.

Marks on single items of what a template gives, where it can be told that nothing else of it was touched by a secret.

Two forms of templates can tell: a list or map written out (`{{ [a, b] }}`), whose items are computed one after the other, and a
path of names and constants (`{{ a.b[0] }}`), which gives a part of a value as it is. Whatever else touches a secret is marked as a whole.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping, Set, ValuesView
from functools import wraps
from typing import Any, Final, cast

from jinja2 import Environment, Undefined, nodes, pass_context

from sabir.expressions.query.values import MISSING, LazyList, LazyMap, mark_sensitive
from sabir.graph.values import Sensitive

TEXT_FILTERS: Final = ("string", "to_json", "to_nice_json", "to_yaml", "to_nice_yaml")
"""Whoever writes one of these wants text, also where it reads as a number or a list."""

_LONGEST_LITERAL: Final = 200_000
_MAY_BE_LITERAL: Final = re.compile(r"[-+0-9.\[({'\"]|True$|False$|None$|[bBrRuU]{1,2}['\"]|set\(")
_SHOWN_AS_IT_IS: Final = frozenset({str, int, float, bool, type(None), list, dict})
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)


class _Text(str):
    """Text that is not read as a literal."""

    __slots__ = ()


def stays_text(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter whose result stays text when it is all a template gives."""

    @wraps(function)
    def kept(*args: Any, **kwargs: Any) -> Any:
        made = function(*args, **kwargs)
        return _Text(made) if isinstance(made, str) else made

    return kept


def output_value(value: Any) -> Any:
    """An output of a template: what would show as an object of Python is the list of its items."""
    if type(value) in _SHOWN_AS_IT_IS:  # asking an abstract class costs more than all the rest
        return value
    return list(value) if isinstance(value, Iterator | KeysView | ValuesView | Set | range) else value


def value_of(values: Iterable[Any]) -> Any:
    """The pieces of output as one value: a single one keeps its type, several are text, none is null."""
    pieces = list(values)
    if not pieces:
        return None
    if len(pieces) > 1:
        return _parse_literal(
            "".join([piece if type(piece) is str else str(output_value(piece)) for piece in pieces])
        )
    only = output_value(pieces[0])
    if isinstance(only, Undefined):
        # Also the one that Jinja2 makes of an `if` without `else`, which would print as nothing.
        only._fail_with_undefined_error()  # pyright: ignore[reportPrivateUsage]  Jinja2 has no public way
    if isinstance(only, _Text):
        return str(only)
    return _parse_literal(only) if type(only) is str else only


def _parse_literal(text: str) -> Any:
    """What the text is as a Python literal; the text itself when it is none, or a quoted text."""
    if len(text) > _LONGEST_LITERAL or _MAY_BE_LITERAL.match(text) is None:
        return text
    try:
        value = ast.literal_eval(ast.parse(text, mode="eval"))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text
    return text if isinstance(value, str) else output_value(value)


def keep_backslashes(text: str, environment: Environment) -> str:
    """The template with the backslashes of quoted texts in `{{ }}` doubled, so that `'\\1'` is what a regex needs.

    Ansible does so, except that there a quote cannot be escaped; in `{% %}` the escapes of Jinja2 hold.
    """
    if "\\" not in text or "{{" not in text:
        return text
    pieces: list[str] = []
    inside = False
    for _line, kind, piece in environment.lex(text):
        inside = kind == "variable_begin" or (inside and kind != "variable_end")
        pieces.append(piece if not inside or kind != "string" else _ESCAPE.sub(_double_backslash, piece))
    return "".join(pieces)


def _double_backslash(escape: re.Match[str]) -> str:
    match escape[1]:
        case "'" | '"':
            return escape[0]
        case "\\":
            return "\\" * 4
        case _:
            return "\\" + escape[0]


_BEGIN: Final = "*begin*"
_ITEM: Final = "*item*"
Path = tuple[str, tuple[str | int, ...]]
"""A name, and the keys and indexes below it."""


@pass_context
def _begin_items(names: Any, value: Any) -> Any:
    """Before the first item. Jinja2 looks up all names of a template before anything else: where one of them holds a secret,
    any item may have it, and nothing is told apart."""
    names.rendering.tells_items = not names.rendering.sensitive
    return value


@pass_context
def _mark_item(names: Any, value: Any) -> Any:
    """An item that was just computed: it is marked when a secret was touched since the one before it."""
    rendering = names.rendering
    if not rendering.sensitive or not rendering.tells_items:
        return value
    rendering.sensitive = False
    return Sensitive(value)


ITEM_FILTERS: Final = {_BEGIN: _begin_items, _ITEM: _mark_item}


def track_items(tree: nodes.Template) -> None:
    """Have the items of a list or map that is all a template gives marked one by one."""
    output = _only_output(tree)
    if isinstance(output, nodes.List | nodes.Dict):
        _track_literal(output)
        begin = nodes.Filter(nodes.Const(None), _BEGIN, [], [], None, None, lineno=1)
        tree.body.insert(0, nodes.ExprStmt(begin, lineno=1))


def _only_output(tree: nodes.Template) -> nodes.Expr | None:
    if len(tree.body) != 1 or not isinstance(tree.body[0], nodes.Output) or len(tree.body[0].nodes) != 1:
        return None
    return tree.body[0].nodes[0]


def _track_literal(literal: nodes.List | nodes.Dict) -> None:
    if isinstance(literal, nodes.List):
        literal.items = [_track_item(item) for item in literal.items]
    # A key that is computed may be the secret, and is no item.
    elif all(isinstance(pair.key, nodes.Const) for pair in literal.items):
        for pair in literal.items:
            pair.value = _track_item(pair.value)


def _track_item(item: nodes.Expr) -> nodes.Expr:
    if isinstance(item, nodes.Const):
        return item
    if isinstance(item, nodes.List | nodes.Dict):
        _track_literal(item)
        # What its own items do not tell (a computed key) is told of it as a whole.
    return nodes.Filter(item, _ITEM, [], [], None, None, lineno=item.lineno)


def path_of(tree: nodes.Template) -> Path | None:
    """The path that is all a template gives."""
    node: Any = _only_output(tree)
    keys: list[str | int] = []
    while isinstance(node, nodes.Getattr | nodes.Getitem):
        if isinstance(node, nodes.Getattr):
            key: Any = node.attr
            if hasattr(dict, key) or hasattr(list, key):
                return None
        else:
            key = node.arg.value if isinstance(node.arg, nodes.Const) else None
        if type(key) is not str and type(key) is not int:
            return None
        keys.append(key)
        node = node.node
    return (node.name, tuple(reversed(keys))) if isinstance(node, nodes.Name) else None


def walk_path(value: Any, keys: tuple[str | int, ...]) -> Any:
    """What a path leads to, with its marks; MISSING where it leaves plain lists and maps."""
    marked = False
    for key in keys:
        if isinstance(value, Sensitive):
            marked, value = True, value.value
        if type(value) is dict or isinstance(value, LazyMap):
            value = cast("Mapping[Any, Any]", value)[key] if key in value else MISSING
        elif type(value) is list or type(value) is LazyList:
            value = value[key] if isinstance(key, int) and -len(value) <= key < len(value) else MISSING
        else:
            return MISSING
        if value is MISSING:
            return MISSING
    return mark_sensitive(value) if marked else value
