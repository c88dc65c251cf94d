"""What can stand left of an assignment: a variable, then any number of attributes and indexes."""

from __future__ import annotations

from sabir.expressions.yaql import Dialect, parse
from sabir.expressions.yaql.nodes import Binary, Group, Index, Node, Unary, Variable, Word

__all__ = ["is_target", "is_target_node"]


def is_target(text: str) -> bool:
    tree = parse(text, Dialect.MURANO).tree
    if isinstance(tree, Variable):
        return tree.name not in ("", "this") and not tree.name.isdigit()
    is_type = isinstance(tree, Unary | Binary) and tree.operator == ":"
    return not is_type and is_target_node(tree)


def is_target_node(node: Node) -> bool:
    while True:
        if isinstance(node, Variable):
            return True
        if isinstance(node, Index) and len(node.arguments) == 1:
            node = node.value
        elif isinstance(node, Binary) and node.operator == "." and isinstance(node.right, Word):
            node = node.left
        elif isinstance(node, Group):
            node = node.inner
        else:
            # `:Type.property` and `ns:Type.property` assign static properties.
            return isinstance(node, Unary | Binary) and node.operator == ":"
