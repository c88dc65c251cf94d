"""Marks on single items of what a template gives, where it can be told that nothing else of it was touched by a secret.

Two forms of templates can tell: a list or map written out (`{{ [a, b] }}`), whose items are computed one after the other, and a
path of names and constants (`{{ a.b[0] }}`), which gives a part of a value as it is. Whatever else touches a secret is marked as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from jinja2 import nodes, pass_context

from sabir.expressions.query.values import MISSING, LazyList, LazyMap, mark
from sabir.graph.values import Sensitive

__all__ = ["ITEM_FILTERS", "Path", "path_of", "track_items", "walk"]

_BEGIN: Final = "*begin*"
_ITEM: Final = "*item*"
Path = tuple[str, tuple[str | int, ...]]
"""A name, and the keys and indexes below it."""


@pass_context
def _begin(names: Any, value: Any) -> Any:
    """Before the first item. Jinja2 looks up all names of a template before anything else: where one of them holds a secret,
    any item may have it, and nothing is told apart."""
    names.rendering.tells_items = not names.rendering.sensitive
    return value


@pass_context
def _item(names: Any, value: Any) -> Any:
    """An item that was just computed: it is marked when a secret was touched since the one before it."""
    rendering = names.rendering
    if not rendering.sensitive or not rendering.tells_items:
        return value
    rendering.sensitive = False
    return Sensitive(value)


ITEM_FILTERS: Final = {_BEGIN: _begin, _ITEM: _item}


def track_items(tree: nodes.Template) -> None:
    """Have the items of a list or map that is all a template gives marked one by one."""
    output = _only_output(tree)
    if isinstance(output, nodes.List | nodes.Dict):
        _track(output)
        begin = nodes.Filter(nodes.Const(None), _BEGIN, [], [], None, None, lineno=1)
        tree.body.insert(0, nodes.ExprStmt(begin, lineno=1))


def _only_output(tree: nodes.Template) -> nodes.Expr | None:
    if len(tree.body) != 1 or not isinstance(tree.body[0], nodes.Output) or len(tree.body[0].nodes) != 1:
        return None
    return tree.body[0].nodes[0]


def _track(literal: nodes.List | nodes.Dict) -> None:
    if isinstance(literal, nodes.List):
        literal.items = [_tracked(item) for item in literal.items]
    # A key that is computed may be the secret, and is no item.
    elif all(isinstance(pair.key, nodes.Const) for pair in literal.items):
        for pair in literal.items:
            pair.value = _tracked(pair.value)


def _tracked(item: nodes.Expr) -> nodes.Expr:
    if isinstance(item, nodes.Const):
        return item
    if isinstance(item, nodes.List | nodes.Dict):
        _track(item)
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


def walk(value: Any, keys: tuple[str | int, ...]) -> Any:
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
    return mark(value) if marked else value
