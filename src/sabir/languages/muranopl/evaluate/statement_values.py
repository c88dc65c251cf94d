"""What a statement holds itself, without its blocks: the values that it computes."""

from __future__ import annotations

from sabir.languages.muranopl.syntax import nodes as ast

__all__ = ["has_text", "may_call", "values_of"]


def values_of(node: ast.Statement) -> list[ast.Value]:
    """The values of a statement itself, without its blocks."""
    match node:
        case ast.ExpressionStatement(expression=expression):
            return [expression]
        case ast.Assignment(target=target, value=value):
            return [value, target]
        case ast.Return(value=value):
            return [value]
        case ast.If(condition=value) | ast.While(condition=value) | ast.For(collection=value):
            return [value]
        case ast.Repeat(times=value):
            return [value]
        case ast.Match(value=value):
            return [value]
        case ast.Switch(cases=cases):
            return [condition for condition, _ in cases]
        case ast.Parallel(limit=limit):
            return [limit] if limit is not None else []
        case ast.Throw(names=names, message=message, extra=extra, cause=cause):
            return [value for value in (names, message, extra, cause) if value is not None]
        case _:
            return []


def has_text(value: ast.Value, text: str | None) -> bool:
    if isinstance(value, ast.Expr):
        return text is not None and text in value.text
    if isinstance(value, ast.ListValue):
        return any(has_text(item, text) for item in value.items)
    if isinstance(value, ast.MapValue):
        return any(has_text(part, text) for entry in value.entries for part in entry)
    return False


def may_call(value: ast.Value) -> bool:
    """Whether a method or function may run for a value, which may make objects."""
    if isinstance(value, ast.Expr):
        return "(" in value.text
    if isinstance(value, ast.ListValue):
        return any(map(may_call, value.items))
    return isinstance(value, ast.MapValue) and any(
        may_call(part) for entry in value.entries for part in entry
    )
