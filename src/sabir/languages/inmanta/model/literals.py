"""Values of literals that stand where nothing can be computed: defaults of attributes."""

from __future__ import annotations

from sabir.languages.inmanta.syntax.nodes import DictLiteral, Expression, ListLiteral, Literal

__all__ = ["literal_value"]


def literal_value(node: Expression) -> object:
    match node:
        case Literal(value=value):
            return value
        case ListLiteral(items=items):
            return [literal_value(item) for item in items]
        case DictLiteral(items=pairs):
            return {str(literal_value(key)): literal_value(item) for key, item in pairs}
        case _:
            raise AssertionError(f"the parser let {node!r} through as a literal")
