"""YAQL tokens to nodes: a Pratt parser.

Strength of operators, strongest first: `:` (Murano), `.` `?.`, `[]`, sign, `=~` `!~`, `*` `/` `mod`, `+` `-`,
comparison (with `in`, and Murano's `is`), `not`, `and`, `or`, `->`. All are left-associative but `->`.

An expression: its text, known to be well-formed, and its tree, built when somebody looks at it.

Whether a text is well-formed depends on its shape alone: on what stands between its names, numbers and strings. Shapes
repeat far more than texts do, so the shapes that parsed are remembered, and a text of a known shape is accepted without
building its tree. A text of an unknown shape is parsed, which says what is wrong if it is not an expression.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NoReturn

from sabir.diagnostics.reasons import explain_error
from sabir.expressions.yaql.errors import YaqlSyntaxError
from sabir.expressions.yaql.lexer import decode_string, lexical_error, tokenize
from sabir.expressions.yaql.nodes import (
    Binary,
    Call,
    Group,
    Index,
    ListLiteral,
    Literal,
    MapLiteral,
    Node,
    OmittedArgument,
    Rule,
    Unary,
    Variable,
    Word,
)
from sabir.lazy import lazy_pattern
from sabir.text import Span

MAX_DEPTH = 90  # brackets, signs and arguments inside one another
MAX_CHAIN = 300  # operators in a row: 1 + 1 + 1 …

_DOT, _INDEX, _SIGN, _NOT, _ARROW = 110, 100, 90, 40, 10
_STANDARD = {
    ".": _DOT,
    "?.": _DOT,
    "[": _INDEX,
    "=~": 80,
    "!~": 80,
    "*": 70,
    "/": 70,
    "mod": 70,
    "+": 60,
    "-": 60,
    ">": 50,
    "<": 50,
    ">=": 50,
    "<=": 50,
    "!=": 50,
    "=": 50,
    "in": 50,
    "and": 30,
    "or": 20,
    "->": _ARROW,
}
_PREFIX = {"+": _SIGN, "-": _SIGN, "not": _NOT}
_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
# What a token can be is told by its first character; what is not here is a word, or nothing at all.
_FIRST = {
    "$": "variable",
    **dict.fromkeys("0123456789", "number"),
    **dict.fromkeys("'\"`", "string"),
    **dict.fromkeys("([{", "bracket"),
}


class Dialect(Enum):
    """Which operators exist. MURANO adds `is` and `:`; in LEGACY (YAQL 0.2) `=>` is an operator that makes a pair.

    MURANO_FIRST has the operators of MURANO with the meaning that a dot and an index have in LEGACY."""

    YAQL = "yaql"
    MURANO = "murano"
    MURANO_FIRST = "murano-first"
    LEGACY = "legacy"


_INFIX: dict[Dialect, dict[str, int]] = {
    Dialect.YAQL: _STANDARD,
    Dialect.MURANO: {**_STANDARD, "is": 50, ":": 120},
    Dialect.MURANO_FIRST: {**_STANDARD, "is": 50, ":": 120},
    Dialect.LEGACY: {**_STANDARD, "=>": 15},
}
_PREFIXES: dict[Dialect, dict[str, int]] = {
    Dialect.YAQL: _PREFIX,
    Dialect.MURANO: {**_PREFIX, ":": 120},
    Dialect.MURANO_FIRST: {**_PREFIX, ":": 120},
    Dialect.LEGACY: _PREFIX,
}

_RESERVED = {dialect: frozenset((*_INFIX[dialect], *_PREFIXES[dialect], *_CONSTANTS)) for dialect in Dialect}


def parse_tree(text: str, dialect: Dialect = Dialect.YAQL) -> Node:
    """The syntax tree of a text. Raises `YaqlSyntaxError`."""
    parser = _Parser(text, dialect)
    node = parser.value(0, 0)
    if parser.at != len(parser.tokens) - 1:
        parser.fail(("an operator", "the end of the expression"))
    return node


class _Parser:
    __slots__ = ("at", "infix", "named", "prefix", "reserved", "starts", "text", "tokens")

    def __init__(self, text: str, dialect: Dialect) -> None:
        self.text = text
        self.tokens, self.starts = tokenize(text)
        self.at = 0
        self.infix = _INFIX[dialect]
        self.prefix = _PREFIXES[dialect]
        self.reserved = _RESERVED[dialect]
        self.named = dialect is not Dialect.LEGACY

    def value(self, strength: int, depth: int) -> Node:
        """A value and all operators after it that bind stronger than `strength`."""
        if depth > MAX_DEPTH:
            self.fail_with(f"nested deeper than {MAX_DEPTH} levels")
        left = self.operand(depth)
        tokens, infix = self.tokens, self.infix
        start, chain = left.start, 0
        while True:
            operator = tokens[self.at]
            binding = infix.get(operator)
            if binding is None or binding <= strength:
                return left
            chain += 1
            if chain > MAX_CHAIN:
                self.fail_with(f"more than {MAX_CHAIN} operators in a row")
            self.at += 1
            if binding == _DOT:
                right = self.member(depth)
                left = Binary(start, right.end, operator, left, right)
            elif binding == _INDEX:
                arguments = self.arguments("]", depth)
                left = Index(start, self.end(), left, arguments)
            else:
                right = self.value(binding - 1 if binding == _ARROW else binding, depth + 1)
                left = Binary(start, right.end, operator, left, right)

    def member(self, depth: int) -> Node:
        """What stands behind a dot: nearly always a name or a call, which need not go the long way."""
        token, start = self.tokens[self.at], self.starts[self.at]
        if token[-1:] == "(" and token != "(":
            self.at += 1
            arguments = self.arguments(")", depth)
            return Call(start, self.end(), token[:-1], arguments)
        if token.isidentifier() and token not in self.reserved:
            self.at += 1
            return Word(start, start + len(token), token)
        return self.value(_DOT, depth + 1)

    def operand(self, depth: int) -> Node:
        at = self.at
        token, start = self.tokens[at], self.starts[at]
        self.at = at + 1
        kind = _FIRST.get(token[:1])
        if kind == "variable":
            return Variable(start, start + len(token), token[1:])
        if kind == "number":
            return self.number(token, start)
        if kind == "string" and len(token) > 1:
            return self.string(token, start)
        if kind == "bracket":
            return self.parse_bracket(token, start, depth)
        return self.word(token, start, depth)

    def parse_bracket(self, token: str, start: int, depth: int) -> Node:
        if token == "(":
            inner = self.value(0, depth + 1)
            self.expect(")", "(")
            return Group(start, self.end(), inner)
        if token == "[":
            items = self.arguments("]", depth)
            return ListLiteral(start, self.end(), items)
        if token == "{":
            items = self.arguments("}", depth)
            return MapLiteral(start, self.end(), items)
        return self.word(token, start, depth)

    def word(self, token: str, start: int, depth: int) -> Node:
        if token[-1:] == "(":
            arguments = self.arguments(")", depth)
            return Call(start, self.end(), token[:-1], arguments)
        if token in _CONSTANTS:
            return Literal(start, start + len(token), _CONSTANTS[token])
        if token in self.prefix:
            operand = self.value(self.prefix[token], depth + 1)
            return Unary(start, operand.end, token, operand)
        if token[:1].isdecimal():  # digits of other scripts are digits too
            return self.number(token, start)
        if token in self.infix or not _is_word(token):
            self.at -= 1
            self.fail(("a value",))
        return Word(start, start + len(token), token)

    def number(self, token: str, start: int) -> Node:
        end = start + len(token)
        try:
            number: int | float = float(token) if "." in token else int(token)
        except ValueError:  # Python refuses to read an integer of more than 4300 digits
            self.at -= 1
            self.fail_with("the number has too many digits")
        return Literal(start, end, number)

    def string(self, token: str, start: int) -> Node:
        try:
            value = decode_string(token)
        except (ValueError, OverflowError) as problem:
            self.at -= 1
            self.fail_with(f"the string has a wrong escape: {explain_error(problem)}")
        return Literal(start, start + len(token), value)

    def arguments(self, closer: str, depth: int) -> tuple[Node, ...]:
        """Arguments up to the closing bracket: positional ones, some of them left out, then the `=>` ones."""
        opened = self.at - 1
        tokens = self.tokens
        if tokens[self.at] == closer:
            self.at += 1
            return ()
        result: list[Node] = []
        rules = False
        while True:
            while tokens[self.at] == "," and not rules:
                where = self.starts[self.at]
                result.append(OmittedArgument(where, where))
                self.at += 1
            node = self.value(0, depth + 1)
            if self.named and tokens[self.at] == "=>":
                self.at += 1
                target = self.value(0, depth + 1)
                if not rules and not _may_precede_rules(result):
                    self.at = opened + 1
                    self.fail_with("a `=>` argument may follow at most one argument that is left out")
                rules = True
                node = Rule(node.start, target.end, node, target)
            elif rules:
                self.fail(("`=>`",))
            result.append(node)
            token = tokens[self.at]
            if token == closer:
                self.at += 1
                return tuple(result)
            if token != ",":
                opener = tokens[opened]
                self.fail(
                    (
                        "an operator",
                        "`,`",
                        f"`{closer}` for the `{opener}` at character {self.starts[opened] + 1}",
                    )
                )
            self.at += 1

    def expect(self, closer: str, opener: str) -> None:
        if self.tokens[self.at] != closer:
            self.fail(("an operator", f"`{closer}` for the `{opener}` before"))
        self.at += 1

    def end(self) -> int:
        """The offset behind the token just consumed."""
        last = self.at - 1
        return self.starts[last] + len(self.tokens[last])

    def fail(self, expected: tuple[str, ...]) -> NoReturn:
        token = self.tokens[self.at]
        start = self.starts[self.at]
        problem = self.first_lexical_error()
        if problem is not None:
            start, token, message = problem
            expected = ()
        elif token:
            message = f"found {token!r}, expected {_join_expected(expected)}"
        else:
            message = f"the expression ends too early, expected {_join_expected(expected)}"
        self.raise_at(message, start, token, expected)

    def fail_with(self, message: str) -> NoReturn:
        self.raise_at(message, self.starts[self.at], self.tokens[self.at], ())

    def raise_at(self, message: str, start: int, token: str, expected: tuple[str, ...]) -> NoReturn:
        where = Span(start, start + len(token))
        raise YaqlSyntaxError(message, text=self.text, span=where, found=token, expected=expected)

    def first_lexical_error(self) -> tuple[int, str, str] | None:
        """The first malformed token up to here: it explains more than the rule that then fails."""
        for index in range(min(self.at + 1, len(self.tokens) - 1)):
            token, start = self.tokens[index], self.starts[index]
            message = lexical_error(token, self.text[start + len(token) :])
            if message is not None:
                return start, token, message
        return None


def _is_word(token: str) -> bool:
    first = token[:1]
    return (first.isalnum() and not first.isdecimal()) or first == "_"


def _may_precede_rules(before: list[Node]) -> bool:
    """`f(1,, a => 2)` is an expression; `f(, a => 2)` and `f(1,,, a => 2)` are not, in YAQL 3 as here."""
    if not before or type(before[-1]) is not OmittedArgument:
        return True
    return len(before) > 1 and type(before[-2]) is not OmittedArgument


def _join_expected(expected: tuple[str, ...]) -> str:
    *others, last = expected
    return f"{', '.join(others)} or {last}" if others else last


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


class YaqlExpression:
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


def parse(text: str, dialect: Dialect = Dialect.YAQL) -> YaqlExpression:
    """The expression that a text is. Raises `YaqlSyntaxError` when it is none."""
    if "\\" in text or "`" in text:  # escapes may be wrong by themselves, and verbatim strings hide quotes
        return YaqlExpression(text, dialect, parse_tree(text, dialect))
    shape = tuple(_leaf().split(text))
    shapes = _known_shapes[dialect]
    if shape in shapes:
        return YaqlExpression(text, dialect)
    expression = YaqlExpression(text, dialect, parse_tree(text, dialect))
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
