"""The parser: a file to its statements, with all its independent syntax errors."""

from __future__ import annotations

from typing import Final, NoReturn

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.interpreter import collector_paused
from sabir.languages.inmanta.syntax.definitions import DEFINITIONS, DefinitionParser
from sabir.languages.inmanta.syntax.lexer import END
from sabir.languages.inmanta.syntax.nodes import (
    Assign,
    AttributeRef,
    Block,
    Call,
    Construct,
    Expression,
    ExpressionStatement,
    For,
    If,
    Lookup,
    Name,
    Relation,
    Statement,
    TopStatement,
)
from sabir.languages.inmanta.syntax.stream import ParseError
from sabir.text import Source

_MAX_PROBLEMS: Final = 50
_VALUES: Final = frozenset(
    {"string", "raw", "format", "int", "float", "number", "true", "false", "null", "not", "-", "[", "{", "("}
)
"""What a value begins with, apart from names: one that stands alone is a statement that does nothing."""


class SyntaxTree(Struct, frozen=True, eq=False):
    """The statements of a file, its syntax errors (`problems`) and its deprecated `//` comments."""

    statements: tuple[TopStatement, ...]
    problems: tuple[Finding, ...]
    slash_comments: tuple[tuple[int, int], ...]


def parse(source: Source) -> SyntaxTree:
    """Parse a source. Errors are in the result, and the statements around them are kept."""
    with collector_paused():
        parser = _FileParser(source)
        statements = parser.file()
    comments = tuple((span.start, span.end) for span in parser.comments)
    problems = sorted(parser.problems, key=lambda problem: (problem.place.span.start, problem.place.span.end))
    return SyntaxTree(tuple(statements), tuple(problems), comments)


class _FileParser(DefinitionParser):
    def file(self) -> list[TopStatement]:
        statements: list[TopStatement] = []
        kinds = self.kinds
        while kinds[self.pos] != END and len(self.problems) < _MAX_PROBLEMS:
            first = self.pos
            try:
                if kinds[first] == "multi":
                    self.pos += 1  # a text that documents the file or the statement above
                    continue
                statements.append(self._top_statement())
            except ParseError as error:
                self.problems.append(error.finding)
                self.depth = 0
                statements += self._after_problem(first)
        return statements

    def _top_statement(self) -> TopStatement:
        kind = self.kinds[self.pos]
        if kind == "cid":
            following = self.kinds[self.pos + 1]
            if following == ".":
                return self.relation()
            if following == "id":
                return self.old_relation()
            return self._simple_statement()
        if kind == "entity":
            return self.entity()
        if kind == "implement":
            return self.implement()
        if kind == "implementation":
            return self.implementation()
        if kind == "typedef":
            return self.typedef()
        if kind == "index":
            return self.index()
        if kind == "import":
            return self.import_statement()
        return self.statement()

    def block(self, opening: int, construct: str) -> Block:
        statements = self._statements(opening, construct)
        if self.pos != self.left_at:
            if self.kinds[self.pos] != "end":
                self.fail(f"{self.describe_token()} does not belong to {construct}")
            self.pos += 1
        return statements

    def _statements(self, opening: int, construct: str) -> Block:
        self.deeper()
        statements: list[Statement] = []
        kinds = self.kinds
        depth = self.depth
        while True:
            kind = kinds[self.pos]
            if kind in ("end", "else", "elif"):
                self.depth -= 1
                return tuple(statements)
            if kind == END or (kind in DEFINITIONS and self.stands_outside(self.pos, opening)):
                self._leave(opening, construct)
                self.depth -= 1
                return tuple(statements)
            first = self.pos
            try:
                statements.append(self.statement())
            except ParseError as error:
                if len(self.problems) >= _MAX_PROBLEMS:
                    raise
                self.problems.append(error.finding)
                self.depth = depth
                if kinds[self.pos] == END:
                    self.left_at = self.pos  # that the block has no end either is a consequence
                statements += self._after_problem(first)

    def _after_problem(self, first: int) -> Block:
        """Go on behind a broken statement. When only the head of a block is broken, its body is kept."""
        body = self.body_below(first)
        if body is None:
            self.recover(first)
            return ()
        self.pos = body
        self.accept("multi")
        try:
            statements = self._statements(first, f"this {self.texts[first]!r}")
        except ParseError as error:  # nested too deep, or one problem too many
            if len(self.problems) < _MAX_PROBLEMS:
                self.problems.append(error.finding)
            self.recover(first)
            return ()
        if self.kinds[self.pos] == "end":
            self.pos += 1
        elif self.pos != self.left_at:
            self.recover(first)
        return statements

    def _leave(self, opening: int, construct: str) -> None:
        """An `end` is missing: what the block holds so far is kept, and what stands outside it is read as such.

        The blocks around one that was left end at the same place; only the innermost is reported.
        """
        if self.left_at == self.pos:
            return
        self.left_at = self.pos
        try:
            if self.kinds[self.pos] == END:
                self.fail(f"{construct} has no 'end'", at=opening)
            self._fail_misplaced()
        except ParseError as error:
            self.problems.append(error.finding)

    def _fail_misplaced(self) -> NoReturn:
        self.fail(
            f"{self.texts[self.pos]!r} stands only at the top level of a file",
            hint="is an 'end' missing above, or does it belong outside this block?",
        )

    def statement(self) -> Statement:
        kind = self.kinds[self.pos]
        if kind == "for":
            return self._for()
        if kind == "if":
            return self._if()
        if kind in ("id", "cid"):
            return self._simple_statement()
        if kind in _VALUES:
            return self._simple_statement()
        if kind in DEFINITIONS:
            self._fail_misplaced()
        if kind == "end":
            self.fail("'end' without a block that it could close")
        return self.fail(
            f"expected a statement, found {self.describe_token()}", hint=self.statement_hint(self.pos)
        )

    def _for(self) -> For:
        first = self.pos
        self.pos += 1
        variable = self.expect("id", "after 'for'")
        if "::" in variable:
            self.fail(f"the variable of a loop has a plain name, not {variable!r}", at=self.pos - 1)
        self.expect("in", "after the variable of the loop")
        iterable = self.expression()
        self.expect(":", "after the list of the loop")
        body = self.block(first, "this 'for'")
        return For(self.starts[first], self.previous_end(), variable, iterable, body)

    def _if(self) -> If:
        first = self.pos
        branches: list[tuple[Expression, Block]] = []
        otherwise: Block = ()
        word = "if"
        while True:
            self.pos += 1
            condition = self.expression()
            self.expect(":", f"after the condition of '{word}'")
            branches.append((condition, self._statements(first, "this 'if'")))
            word = self.kinds[self.pos]
            if word != "elif":
                break
        if self.accept("else"):
            self.expect(":", "after 'else'")
            otherwise = self._statements(first, "this 'if'")
        if self.pos != self.left_at:
            self.expect("end", "at the end of this 'if'")
        return If(self.starts[first], self.previous_end(), tuple(branches), otherwise)

    def _simple_statement(self) -> Statement:
        first = self.pos
        start = self.starts[first]
        kind = self.kinds[first]
        following = self.kinds[first + 1]
        if kind == "cid" and following not in ("(", "["):
            if following in ("=", "+="):
                self.fail(
                    f"names of variables begin with a lower-case letter, not {self.texts[first]!r}",
                    hint=self._hint("id"),
                )
            if following in (".", "id"):
                self.fail("a relation is defined only at the top level of a file")
        value = self.expression()
        kind = self.kinds[self.pos]
        if kind == "=" or kind == "+=":
            target = self._target(value)
            self.pos += 1
            assigned = self.expression()
            return Assign(start, assigned.end, target, assigned, kind == "+=")
        if isinstance(value, Construct | Call) or self._ends_statement():
            return ExpressionStatement(start, value.end, value)
        return self._no_statement(value, first)

    def _ends_statement(self) -> bool:
        """Whether a value stands alone: something else on its line is more likely part of a broken statement."""
        return self.kinds[self.pos] in (END, "end", "else", "elif") or self._line_start(self.pos) is not None

    def _target(self, value: Expression) -> Name | AttributeRef:
        if isinstance(value, Name):
            if "::" in value.name:
                self.fail_span(
                    value.start,
                    value.end,
                    f"{value.name!r} belongs to another namespace and cannot be assigned here",
                    "assign it in its own file, or give a variable of this file another name",
                )
            return value
        if isinstance(value, AttributeRef):
            return value
        if isinstance(value, Lookup):
            self.fail_span(
                value.start,
                value.end,
                "a dict cannot be changed after it was made",
                "set all its members where it is constructed",
            )
        return self.fail_span(value.start, value.end, "only a variable or an attribute can be assigned")

    def _no_statement(self, value: Expression, first: int) -> NoReturn:
        if isinstance(value, Name) and self.kinds[self.pos] != END:
            self.fail(
                f"expected '=' after {value.name!r}, found {self.describe_token()}",
                hint=self.statement_hint(first),
            )
        self.fail_span(value.start, value.end, "this is a value, not a statement", "assign it to a name")


def rewrite_relation(relation: Relation) -> str:
    """Return a relation in the deprecated form rewritten in the current one."""
    left, right = relation.left, relation.right

    def multiplicity(low: int, high: int | None) -> str:
        if high == low:
            return f"[{low}]"
        return f"[{low}:{'' if high is None else high}]"

    return (
        f"{left.entity.name}.{left.name} {multiplicity(left.low, left.high)} -- "
        f"{right.entity.name}.{right.name} {multiplicity(right.low, right.high)}"
    )
