"""Changes the tree of a template so that its output knows its place and its loops and joins are counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, cast

from jinja2 import nodes, pass_context
from jinja2.runtime import Context
from jinja2.visitor import NodeTransformer

from sabir.expressions.template.findings import Piece
from sabir.text import Source

_LOOP: Final = "*loop*"
_MADE: Final = "*made*"


@pass_context  # so that it is never run while a template is compiled
def _count_loop(context: Context, items: Iterable[Any]) -> Iterable[Any]:
    """The items of a loop, counted by the meter of the environment."""
    found: Iterable[Any] = context.environment.meter.limit_items(items)  # type: ignore[attr-defined]  # ours has one
    return found


@pass_context
def _weigh_value(context: Context, value: Any) -> Any:
    """A list, tuple or dictionary that the template makes, when it is not too large with all that is in it."""
    return context.environment.meter.check_size(value)  # type: ignore[attr-defined]


COUNTING: Final[Mapping[str, Callable[..., Any]]] = {_LOOP: _count_loop, _MADE: _weigh_value}
"""The filters that rewritten trees go through; no template can name them. An environment has to know them."""


def add_counting(tree: nodes.Template) -> None:
    """Rewrite loops and joins in place so that `environment.meter` counts them; outputs stay as they are."""
    _CountingTransformer().visit(tree)


def mark_outputs(tree: nodes.Template, source: Source) -> tuple[Piece, ...]:
    """Rewrite the tree in place; the pieces are to stand in `environment.pieces` under the source's name."""
    marking = MarkingTransformer(source)
    marking.visit(tree)
    return tuple(marking.pieces)


class _CountingTransformer(NodeTransformer):
    """Loops, joins and what is made of other values are counted."""

    def visit_For(self, node: nodes.For) -> nodes.For:  # noqa: N802
        self.generic_visit(node)
        node.iter = self.count_items(cast("nodes.Expr", node.iter), node.lineno)
        return node

    def count_items(self, items: nodes.Expr, line: int) -> nodes.Filter:
        # A filter is called as it is; a function would go through the sandbox.
        return nodes.Filter(items, _LOOP, [], [], None, None, lineno=line)

    def visit_Concat(self, node: nodes.Concat) -> nodes.Call:  # noqa: N802
        self.generic_visit(node)
        joined = nodes.EnvironmentAttribute("meter.join_parts", lineno=node.lineno)
        return nodes.Call(joined, list(node.nodes), [], None, None, lineno=node.lineno)

    def visit_List(self, node: nodes.List) -> nodes.Expr:  # noqa: N802
        return self._weigh_literal(node)

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Expr:  # noqa: N802
        return (
            self._weigh_literal(node) if node.ctx == "load" else cast("nodes.Expr", self.generic_visit(node))
        )

    def visit_Dict(self, node: nodes.Dict) -> nodes.Expr:  # noqa: N802
        return self._weigh_literal(node)

    def _weigh_literal(self, node: nodes.Expr) -> nodes.Expr:
        """A list, tuple or dictionary written in the template: weighed when it holds more than constants."""
        self.generic_visit(node)
        if all(isinstance(part, nodes.Const | nodes.Pair) for part in node.find_all(nodes.Expr)):
            return node
        return nodes.Filter(node, _MADE, [], [], None, None, lineno=node.lineno)


class MarkingTransformer(_CountingTransformer):
    """Outputs know their place, too."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.pieces: list[Piece] = []
        self.cursor = 0
        """How far the text has been looked through."""

    def visit_Output(self, node: nodes.Output) -> list[nodes.Node]:  # noqa: N802
        out: list[nodes.Node] = []
        for child in node.nodes:
            if isinstance(child, nodes.TemplateData):
                out += self.data(child)
            else:
                out.append(self.output(self.sign(child.lineno), child.lineno))
                out.append(nodes.Output([self.visit(child)], lineno=child.lineno))
        return out

    def data(self, node: nodes.TemplateData) -> list[nodes.Node]:
        out: list[nodes.Node] = []
        line = node.lineno
        for text in node.data.splitlines(keepends=True):
            offset = self._find(text, line)
            piece = Piece.make(
                text,
                self.source,
                self._line_start(line) if offset is None else offset,
                exact=offset is not None,
            )
            if offset is not None:
                self.cursor = offset + len(text)
            out.append(self.output(self.add(piece), line))
            line += text.endswith("\n")
        return out

    def sign(self, line: int) -> int:
        """A mark for an expression: at its braces when they can be told, else at its line."""
        start = self._line_start(line)
        # The braces may stand on an earlier line than the expression in them.
        found = self.source.text.find("{{", max(self.cursor - 2, 0) if self.cursor else start)
        end = self.source.text.find("\n", start)
        if found < 0 or (0 <= end < found):
            found = start
        self.cursor = max(self.cursor, found + 1)
        return self.add(Piece.make("", self.source, found, exact=False))

    def add(self, piece: Piece) -> int:
        self.pieces.append(piece)
        return len(self.pieces) - 1

    def output(self, index: int, line: int) -> nodes.Output:
        # EnvironmentAttribute is written into the compiled code as `environment.NAME`: no look-up through the sandbox.
        attribute: Any = nodes.EnvironmentAttribute(f"pieces[{self.source.name!r}][{index}]", lineno=line)
        return nodes.Output([attribute], lineno=line)

    def _line_start(self, line: int) -> int:
        return self.source.offset(line)

    def _find(self, text: str, line: int) -> int | None:
        start = self._line_start(line)
        offset = self.source.text.find(text, max(start, self.cursor if self.cursor > start else start))
        end = self.source.text.find("\n", start)
        end = len(self.source.text) if end < 0 else end + 1
        return offset if 0 <= offset < end else None
