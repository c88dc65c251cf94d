"""Changes the tree of a template so that its output knows its place and its loops and joins are counted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, cast

from jinja2 import nodes, pass_context
from jinja2.runtime import Context
from jinja2.visitor import NodeTransformer

from sabir.expressions.template.lines import Piece
from sabir.source.text import Source

__all__ = ["LOOP", "count", "counted_loop", "mark"]

LOOP: Final = "*loop*"
"""The filter that every loop goes over; no template can name it. An environment knows it as `counted_loop`."""


@pass_context  # so that it is never run while a template is compiled
def counted_loop(context: Context, items: Iterable[Any]) -> Iterable[Any]:
    """The items of a loop, counted by the meter of the environment."""
    found: Iterable[Any] = context.environment.meter.bounded(items)  # type: ignore[attr-defined]  # ours has one
    return found


def count(tree: nodes.Template) -> None:
    """Rewrite loops and joins in place so that `environment.meter` counts them; outputs stay as they are."""
    _Counting().visit(tree)


def mark(tree: nodes.Template, source: Source) -> tuple[Piece, ...]:
    """Rewrite the tree in place; the pieces are to stand in `environment.pieces` under the source's name."""
    marking = _Marking(source)
    marking.visit(tree)
    return tuple(marking.pieces)


class _Counting(NodeTransformer):
    """Loops and joins are counted."""

    def visit_For(self, node: nodes.For) -> nodes.For:  # noqa: N802
        self.generic_visit(node)
        # A filter is called as it is; a function would go through the sandbox.
        node.iter = nodes.Filter(cast("nodes.Expr", node.iter), LOOP, [], [], None, None, lineno=node.lineno)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Call:  # noqa: N802
        self.generic_visit(node)
        joined = nodes.EnvironmentAttribute("meter.joined", lineno=node.lineno)
        return nodes.Call(joined, list(node.nodes), [], None, None, lineno=node.lineno)


class _Marking(_Counting):
    """Outputs know their place, too."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.pieces: list[Piece] = []
        self._cursor = 0

    def visit_Output(self, node: nodes.Output) -> list[nodes.Node]:  # noqa: N802
        out: list[nodes.Node] = []
        for child in node.nodes:
            if isinstance(child, nodes.TemplateData):
                out += self._data(child)
            else:
                out.append(self._output(self._sign(child.lineno), child.lineno))
                out.append(nodes.Output([self.visit(child)], lineno=child.lineno))
        return out

    def _data(self, node: nodes.TemplateData) -> list[nodes.Node]:
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
                self._cursor = offset + len(text)
            out.append(self._output(self._add(piece), line))
            line += text.endswith("\n")
        return out

    def _sign(self, line: int) -> int:
        """A mark for an expression: at its braces when they can be told, else at its line."""
        start = self._line_start(line)
        # The braces may stand on an earlier line than the expression in them.
        found = self.source.text.find("{{", max(self._cursor - 2, 0) if self._cursor else start)
        end = self.source.text.find("\n", start)
        if found < 0 or (0 <= end < found):
            found = start
        self._cursor = max(self._cursor, found + 1)
        return self._add(Piece.make("", self.source, found, exact=False))

    def _add(self, piece: Piece) -> int:
        self.pieces.append(piece)
        return len(self.pieces) - 1

    def _output(self, index: int, line: int) -> nodes.Output:
        # EnvironmentAttribute is written into the compiled code as `environment.NAME`: no look-up through the sandbox.
        attribute: Any = nodes.EnvironmentAttribute(f"pieces[{self.source.name!r}][{index}]", lineno=line)
        return nodes.Output([attribute], lineno=line)

    def _line_start(self, line: int) -> int:
        return self.source.offset(line)

    def _find(self, text: str, line: int) -> int | None:
        start = self._line_start(line)
        offset = self.source.text.find(text, max(start, self._cursor if self._cursor > start else start))
        end = self.source.text.find("\n", start)
        end = len(self.source.text) if end < 0 else end + 1
        return offset if 0 <= offset < end else None
