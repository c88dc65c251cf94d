"""What can stand left of an assignment: a variable, then any number of attributes and indexes."""

from __future__ import annotations

from sabir.expressions.yaql.nodes import Binary, Call, Group, Index, Node, Unary, Variable, Word
from sabir.expressions.yaql.parser import Dialect, parse

__all__ = ["has_calls_before_the_end", "is_target", "is_target_node"]


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


def has_calls_before_the_end(text: str) -> bool:
    """Whether a text would be a target if calls were read on the way, as in `$.a.cast(:X).b` and `type(X).p`."""
    tree = parse(text, Dialect.MURANO).tree
    is_written = isinstance(tree, Index) or (
        isinstance(tree, Binary) and tree.operator == "." and isinstance(tree.right, Word)
    )
    has_calls = False
    while is_written:
        if isinstance(tree, Index):
            tree = tree.value
        elif isinstance(tree, Binary) and tree.operator == "." and isinstance(tree.right, Word | Call):
            has_calls = has_calls or isinstance(tree.right, Call)
            tree = tree.left
        else:
            break
    begins_with_type = isinstance(tree, Call) and tree.name == "type"
    return begins_with_type or (has_calls and is_target_node(tree))
