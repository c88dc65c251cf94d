"""Marks in templates, and the trace of what each part of a rendered text depends on.

Marks are filters with names that no template can use; they notify the running rendering of what was
computed. A filter gets its argument after that is computed, so everything read since the previous mark
belongs to it. Marks follow each expression that is output, tested, looped over or assigned, and enclose
what is computed separately (macros, blocks).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from typing import Any, Final, cast

from jinja2 import nodes
from msgspec import Struct

from sabir.expressions.template.findings import Piece, line_place
from sabir.expressions.template.instrumentation import MarkingTransformer
from sabir.expressions.template.tags import Tag, TagKind, read_tags
from sabir.graph.origin import How
from sabir.provenance import Site, Sources, ValueSource
from sabir.text import Place, Source, Span

_BLOCKS: Final = frozenset({"for", "if", "call", "filter", "macro", "block", "with", "set"})


class _Block:
    """A statement with the tags that belong to it (`if` with its `elif`, `else` and `endif`)."""

    def __init__(self, opened: Tag) -> None:
        self.tags = [opened]

    @property
    def span(self) -> Span:
        return Span(self.tags[0].span.start, self.tags[-1].span.end)


class TemplateMarks:
    """The meaning of a template's marks: sites by their numbers."""

    def __init__(self) -> None:
        self.sites: list[Site] = []
        self.pieces: tuple[Piece, ...] = ()


def mark_reads(tree: nodes.Template, source: Source) -> TemplateMarks:
    """Insert the marks into the tree in place."""
    marking = _ReadMarking(source)
    marking.visit(tree)
    marking.marked.pieces = tuple(marking.pieces)
    return marking.marked


def _read_blocks(source: Source) -> dict[str, deque[_Block]]:
    """Return the statements of a template by their first word, in tree order."""
    blocks: defaultdict[str, deque[_Block]] = defaultdict(deque)
    opened: list[_Block] = []
    for tag in read_tags(source.text).tags:
        if tag.kind is not TagKind.STATEMENT:
            continue
        word = tag.word
        is_plain_set = word == "set" and any(token.text == "=" for token in tag.tokens)
        if word in ("elif", "else") and opened:
            opened[-1].tags.append(tag)
        elif word.startswith("end") and opened:
            opened.pop().tags.append(tag)
        else:
            block = _Block(tag)
            blocks["set block" if word == "set" and not is_plain_set else word].append(block)
            if word in _BLOCKS and not is_plain_set:
                opened.append(block)
    return blocks


class _ReadMarking(MarkingTransformer):
    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.marked = TemplateMarks()
        self._blocks = _read_blocks(source)

    # -- sites and marks -------------------------------------------------------------------------------------------

    def _block(self, word: str, line: int) -> _Block:
        waiting = self._blocks[word]
        if waiting:
            return waiting.popleft()
        span = line_place(self.source, line).span  # a statement that its tags do not show: its line will do
        return _Block(
            Tag(
                kind=TagKind.STATEMENT,
                text=self.source.text[span.start : span.end],
                span=span,
                inner=span,
                tokens=(),
                has_sign=False,
            )
        )

    def _site(self, span: Span, how: How) -> int:
        self.marked.sites.append(Site(Place(self.source, span), how))
        return len(self.marked.sites) - 1

    def _filter(self, expression: nodes.Expr | None, mark: str, *arguments: Any) -> nodes.Filter:
        line = 1 if expression is None else expression.lineno
        node: nodes.Expr = nodes.Const(None, lineno=line) if expression is None else expression
        constants = [nodes.Const(argument, lineno=line) for argument in (self.source.name, *arguments)]
        return nodes.Filter(node, mark, cast("list[nodes.Expr]", constants), [], None, None, lineno=line)

    def _statement(self, mark: str, *arguments: Any) -> nodes.ExprStmt:
        return nodes.ExprStmt(self._filter(None, mark, *arguments), lineno=1)

    def _sign_at(self, offset: int) -> nodes.Output:
        return self.output(self.add(Piece.make("", self.source, offset, exact=False)), 1)

    def _children(self, node: nodes.Node, fields: Iterable[str]) -> None:
        """Visit some fields of a node."""
        for field in fields:
            value = getattr(node, field)
            if isinstance(value, list):
                visited: list[nodes.Node] = []
                for child in value:
                    result = self.visit(child)
                    visited += result if isinstance(result, list) else [result]
                setattr(node, field, visited)
            elif value is not None:
                setattr(node, field, self.visit(value))

    # -- names and outputs -----------------------------------------------------------------------------------------

    def visit_Name(self, node: nodes.Name) -> nodes.Expr:  # noqa: N802
        return self._filter(node, "*name*", node.name) if node.ctx == "load" else node

    def visit_Output(self, node: nodes.Output) -> list[nodes.Node]:  # noqa: N802
        marked: list[nodes.Node] = []
        for child in node.nodes:
            if isinstance(child, nodes.TemplateData):
                marked += self.data(child)
                continue
            sign = self.sign(child.lineno)
            offset = self.pieces[sign].offset
            tag = read_tags(self.source.text).output_at(offset)
            span = Span(offset, offset) if tag is None else tag.span
            site = self._site(span, How.TEMPLATE)
            marked.append(self.output(sign, child.lineno))
            value = self._filter(self.visit(child), "*out*", site)
            marked.append(nodes.Output([value], lineno=child.lineno))
        return marked

    def visit_Assign(self, node: nodes.Assign) -> nodes.Assign:  # noqa: N802
        block = self._block("set", node.lineno)
        self._children(node, ("node",))
        site = self._site(block.span, How.TEMPLATE)
        node.node = self._filter(cast("nodes.Expr", node.node), "*set*", site, _target_names(node.target))
        return node

    # -- statements that decide ------------------------------------------------------------------------------------

    def visit_If(self, node: nodes.If) -> list[nodes.Node]:  # noqa: N802
        block = self._block("if", node.lineno)
        sites = [self._site(tag.span, How.CONDITION) for tag in block.tags]
        names = _list_assigned_names(node)
        conditions = [
            site for site, tag in zip(sites, block.tags, strict=True) if tag.word in ("if", "elif", "")
        ]
        self._mark_test(node, conditions[0])
        for position, branch in enumerate(node.elif_, 1):
            self._mark_test(branch, conditions[min(position, len(conditions) - 1)])
        self._children(node, ("else_",))
        return self._mark_decision(node, tuple(sites), names, block)

    def _mark_test(self, node: nodes.If, site: int) -> None:
        self._children(node, ("test",))
        node.test = self._filter(cast("nodes.Expr", node.test), "*test*", site)
        self._children(node, ("body",))

    def visit_For(self, node: nodes.For) -> Any:  # noqa: N802
        block = self._block("for", node.lineno)
        sites = [self._site(tag.span, How.LOOP) for tag in block.tags]
        names = _list_assigned_names(node)
        self._children(node, ("test", "body", "else_", "iter"))
        test = self._filter(
            cast("nodes.Expr", node.iter), "*loop over*", sites[0], _target_names(node.target)
        )
        node.iter = self.count_items(test, node.lineno)
        node.body.insert(0, self._statement("*round*"))
        return self._mark_decision(node, tuple(sites), names, block)

    def visit_Include(self, node: nodes.Include) -> list[nodes.Node]:  # noqa: N802
        block = self._block("include", node.lineno)
        return self._mark_decision(node, (self._site(block.span, How.TEMPLATE),), (), block)

    def _mark_decision(
        self, node: nodes.Node, sites: tuple[int, ...], names: tuple[str, ...], block: _Block
    ) -> list[nodes.Node]:
        opened = self._statement("*open*", sites)
        closed = self._statement("*close*", names)
        # What was decided is said behind the statement as well, where its text would have been.
        return [opened, node, closed, self._sign_at(block.tags[-1].span.start)]

    # -- what is computed on the side ------------------------------------------------------------------------------

    def visit_Macro(self, node: nodes.Macro) -> nodes.Macro:  # noqa: N802
        self._aside(node, self._block("macro", node.lineno), "*leave*")
        return node

    def visit_CallBlock(self, node: nodes.CallBlock) -> list[nodes.Node]:  # noqa: N802
        block = self._block("call", node.lineno)
        self._children(node, ("call",))
        self._aside(node, block, "*leave*")
        return self._put_out(node, block)

    def visit_FilterBlock(self, node: nodes.FilterBlock) -> list[nodes.Node]:  # noqa: N802
        block = self._block("filter", node.lineno)
        self._aside(node, block, "*leave*")
        return self._put_out(node, block)

    def visit_AssignBlock(self, node: nodes.AssignBlock) -> nodes.AssignBlock:  # noqa: N802
        self._aside(node, self._block("set block", node.lineno), "*leave*", _target_names(node.target))
        return node

    def _aside(self, node: Any, block: _Block, mark: str, names: tuple[str, ...] = ()) -> None:
        self._children(node, ("body",))
        site = self._site(block.span, How.TEMPLATE)
        node.body = [self._statement("*enter*"), *node.body, self._statement(mark, site, names)]

    def _put_out(self, node: nodes.Node, block: _Block) -> list[nodes.Node]:
        site = self._site(block.span, How.TEMPLATE)
        return [node, self._statement("*out*", site), self._sign_at(block.tags[-1].span.start)]

    def visit_Import(self, node: nodes.Import) -> list[nodes.Node]:  # noqa: N802
        return self._mark_import(node, "import", (node.target,))

    def visit_FromImport(self, node: nodes.FromImport) -> list[nodes.Node]:  # noqa: N802
        names = tuple(name if isinstance(name, str) else name[1] for name in node.names)
        return self._mark_import(node, "from", names)

    def _mark_import(self, node: nodes.Node, word: str, names: tuple[str, ...]) -> list[nodes.Node]:
        site = self._site(self._block(word, node.lineno).span, How.TEMPLATE)
        return [self._statement("*enter*"), node, self._statement("*leave*", site, names)]


def _target_names(target: nodes.Node) -> tuple[str, ...]:
    """Return the names that an assignment or a loop sets."""
    if isinstance(target, nodes.Name | nodes.NSRef):
        return (target.name,)
    return tuple(name.name for name in target.find_all(nodes.Name))


def _list_assigned_names(node: nodes.Node) -> tuple[str, ...]:
    """Return the names that inner statements may set, even if they did not run."""
    targets = [
        *(statement.target for statement in node.find_all(nodes.Assign)),
        *(statement.target for statement in node.find_all(nodes.AssignBlock)),
    ]
    return tuple(dict.fromkeys(name for target in targets for name in _target_names(target)))


class Trace(Struct, frozen=True, eq=False):
    """Segments of a rendered text: where each starts, what was read for it, and what decided its presence.

    A statement that ends adds a segment without text. So one that wrote nothing is known where it could
    have written.
    """

    text: str
    starts: tuple[int, ...]
    sources: tuple[Sources, ...]

    def gaps(self, span: Span) -> Iterator[tuple[int, Sources]]:
        """Return where statements ended in a span, each with what decided its output."""
        end = self._end(span)
        index = bisect_left(self.starts, span.start)
        while index < len(self.starts) and self.starts[index] <= end:
            if self._is_empty(index):
                yield self.starts[index], self.sources[index]
            index += 1

    def at(self, offset: int) -> Sources:
        """Return what the character at an offset depends on."""
        return self.sources[max(bisect_right(self.starts, offset) - 1, 0)]

    def over(self, span: Span) -> tuple[ValueSource, ...]:
        """Return everything that a span of the text depends on, each source once."""
        return tuple(dict.fromkeys(self._over(span)))

    def _over(self, span: Span) -> Iterator[ValueSource]:
        start, end = span.start, self._end(span)
        index = max(bisect_right(self.starts, start) - 1, 0)
        # Segments without text that stand just before the span count, too.
        while index > 0 and self.starts[index - 1] == start:
            index -= 1
        while index < len(self.starts) and self.starts[index] <= end:
            if self._is_empty(index) or self.starts[index] < end:
                yield from self.sources[index]
            index += 1

    def last(self, span: Span) -> int:
        """Return where the last word of a span ends."""
        end = min(span.end, len(self.text))
        while end > span.start and self.text[end - 1].isspace():
            end -= 1
        return end

    def _is_empty(self, index: int) -> bool:
        follows = self.starts[index + 1] if index + 1 < len(self.starts) else len(self.text)
        return follows == self.starts[index]

    def _end(self, span: Span) -> int:
        """Return the end of a list or mapping, extended over output that a condition omitted."""
        end = span.end
        if "\n" in self.text[span.start : end]:
            while end < len(self.text) and self.text[end].isspace():
                end += 1
        return end
