"""An expression: its text, known to be well-formed, and its tree, built when somebody looks at it.

Whether a text is well-formed depends on its shape alone: on what stands between its names, numbers and strings. Shapes
repeat far more than texts do, so the shapes that parsed are remembered, and a text of a known shape is accepted without
building its tree. A text of an unknown shape is parsed, which says what is wrong if it is not an expression.
"""

from __future__ import annotations

from typing import Final

from sabir.expressions.yaql.errors import YaqlSyntaxError
from sabir.expressions.yaql.nodes import Node
from sabir.expressions.yaql.parser import Dialect, parse_tree
from sabir.lazy import lazy_pattern

__all__ = ["Expression", "is_expression", "parse"]

# A leaf can be put in place of another without changing whether the text parses. Leaves are words (but the operators),
# variables, integers and strings; of these only a word may have an opening parenthesis right behind it. What is not a
# leaf stays in the shape as written. Only words with the first letter of an operator are compared with the operators.
_LEAF = (
    r"\b[b-hj-lp-zA-Z]\w*+|\$\w*+(?!\()|\b\d{1,300}+\b(?![.(])|\b(?!(?:and|or|not|in|mod|is)\b)[aimno]\w*+"
    r"|'[^']*+'(?!\()|\"[^\"]*+\"(?!\()"
)
_MAX_SHAPES = 10_000
_known_shapes: dict[Dialect, set[tuple[str, ...]]] = {dialect: set() for dialect in Dialect}


_leaf: Final = lazy_pattern(_LEAF)


class Expression:
    """A well-formed YAQL text. `tree` is built on first use."""

    __slots__ = ("_tree", "dialect", "text")

    def __init__(self, text: str, dialect: Dialect = Dialect.YAQL, tree: Node | None = None) -> None:
        self.text = text
        self.dialect = dialect
        self._tree = tree

    @property
    def tree(self) -> Node:
        if self._tree is None:
            self._tree = parse_tree(self.text, self.dialect)
        return self._tree

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"


def parse(text: str, dialect: Dialect = Dialect.YAQL) -> Expression:
    """The expression that a text is. Raises `YaqlSyntaxError` when it is none."""
    if "\\" in text or "`" in text:  # escapes may be wrong by themselves, and verbatim strings hide quotes
        return Expression(text, dialect, parse_tree(text, dialect))
    shape = tuple(_leaf().split(text))
    shapes = _known_shapes[dialect]
    if shape in shapes:
        return Expression(text, dialect)
    expression = Expression(text, dialect, parse_tree(text, dialect))
    if len(shapes) < _MAX_SHAPES:
        shapes.add(shape)
    return expression


def is_expression(text: str, dialect: Dialect = Dialect.YAQL) -> bool:
    """Whether a text parses. Cheap enough to ask for every plain scalar of a YAML file."""
    try:
        parse(text, dialect)
    except YaqlSyntaxError:
        return False
    return True
