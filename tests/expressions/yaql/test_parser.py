"""Texts to trees, and what is said about texts that are none."""

from __future__ import annotations

import pytest

from sabir.expressions.yaql import Dialect, YaqlSyntaxError, is_expression, parse
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
    node_span,
)
from sabir.expressions.yaql.parser import MAX_CHAIN, MAX_DEPTH


def show(node: Node) -> str:
    """A tree with all its brackets."""
    match node:
        case Literal(value=value):
            return repr(value)
        case Word(value=value):
            return value
        case Variable(name=name):
            return f"${name}"
        case Unary(operator=operator, operand=operand):
            return f"({operator} {show(operand)})"
        case Binary(operator=operator, left=left, right=right):
            return f"({show(left)} {operator} {show(right)})"
        case Rule(source=source, target=target):
            return f"{show(source)}=>{show(target)}"
        case OmittedArgument():
            return "_"
        case Call(name=name, arguments=arguments):
            return f"{name}({', '.join(map(show, arguments))})"
        case Index(value=value, arguments=arguments):
            return f"{show(value)}[{', '.join(map(show, arguments))}]"
        case Group(inner=inner):
            return f"<{show(inner)}>"
        case ListLiteral(items=items) | MapLiteral(items=items):
            return f"{type(node).__name__}{tuple(map(show, items))}"


TREES = [
    ("1 + 2 * 3", "(1 + (2 * 3))"),
    ("(1 + 2) * 3", "(<(1 + 2)> * 3)"),
    ("1 - 2 - 3", "((1 - 2) - 3)"),
    ("-$.a[0].b", "(- (($ . a)[0] . b))"),
    ("not a = b and c", "((not (a = b)) and c)"),
    ("a or b and c", "(a or (b and c))"),
    ("1 * not a + b", "(1 * (not (a + b)))"),
    ("- a =~ b", "((- a) =~ b)"),
    ("let(a => 1) -> let(b => 2) -> $a", "(let(a=>1) -> (let(b=>2) -> $a))"),
    ("f(1,, 2, x => 3)", "f(1, _, 2, x=>3)"),
    ("f(1,, x => 3)", "f(1, _, x=>3)"),
    ("f(,1)", "f(_, 1)"),
    ("$?.a.b()", "(($ ?. a) . b())"),
    ("not(a)", "not(a)"),
    ("1.f()", "(1 . f())"),
    ("1.5.f()", "(1.5 . f())"),
    (r"'a\tb\'' + `\n\``", r"""("a\tb'" + '\\n`')"""),
    ("__f(_a)", "__f(_a)"),
    ("a in [1] = true", "((a in ListLiteral('1',)) = True)"),
]


@pytest.mark.parametrize(("text", "tree"), TREES, ids=[text for text, _ in TREES])
def test_tree(text: str, tree: str) -> None:
    assert show(parse(text).tree) == tree


def test_murano_operators() -> None:
    tree = parse("$x is ns:Name and :Other.f()", Dialect.MURANO).tree
    assert show(tree) == "(($x is (ns : Name)) and ((: Other) . f()))"
    assert not is_expression(":Name")
    assert not is_expression("a is b")


def test_legacy_pairs() -> None:
    assert show(parse("a => 1 or 2", Dialect.LEGACY).tree) == "(a => (1 or 2))"


WRONG = [
    ("", 0, 0, "ends too early, expected a value"),
    ("1 +", 3, 3, "ends too early, expected a value"),
    ("[1, 2", 5, 5, "`]` for the `[` at character 1"),
    ("'abc", 0, 1, "is not closed"),
    ("a b", 2, 3, "found 'b', expected an operator or the end"),
    ("$.", 2, 2, "ends too early"),
    ("a => 1", 2, 4, "found '=>'"),
    ("1e3", 0, 1, "'1e3' is neither a number nor a name"),
    ("f(1,)", 4, 5, "found ')', expected a value"),
    ("f(a => 1, 2)", 11, 12, "expected `=>`"),
    ("f(, a => 1)", 2, 3, "at most one argument"),
    ("a and(b)", 2, 6, "found 'and('"),
    ("a ; b", 2, 3, "the character ';' has no meaning"),
    ("__a", 0, 1, "begins with two underscores"),
    (r"'\u00zz'", 0, 8, "wrong escape"),
    ("1" * 5000, 0, 5000, "too many digits"),
    ("(" * 500, MAX_DEPTH + 1, MAX_DEPTH + 2, "nested deeper than"),
    ("- " * 500 + "1", 2 * MAX_DEPTH + 2, 2 * MAX_DEPTH + 3, "nested deeper than"),
    ("1" + " + 1" * 1000, 2 + 4 * MAX_CHAIN, 3 + 4 * MAX_CHAIN, "operators in a row"),
]


@pytest.mark.parametrize(("text", "start", "end", "message"), WRONG, ids=[text[:20] for text, *_ in WRONG])
def test_syntax_errors(text: str, start: int, end: int, message: str) -> None:
    with pytest.raises(YaqlSyntaxError) as caught:
        parse(text)
    assert caught.value.span is not None
    assert message in str(caught.value)
    assert (caught.value.span.start, caught.value.span.end) == (start, end)


def test_a_known_shape_does_not_hide_mistakes() -> None:
    assert is_expression("f(a, 1) + 'x'")
    assert is_expression("f($b, 'y') + 2")
    for text in (
        "1(a, 1) + 'x'",
        "f(a, 1) + 'x",
        "f(a, 1) + and",
        "f(a, 1e3) + 'x'",
        "$(a, 1) + 'x'",
        "f(a, 1 + 'x'",
    ):
        assert not is_expression(text), text


def test_operators_are_not_leaves() -> None:
    assert is_expression("a in b")
    assert is_expression("x and y")
    assert not is_expression("a is b")
    assert not is_expression("x a'nd' y")
    assert is_expression("éa + _b")
    assert not is_expression("é'a' + _b")
    assert not is_expression("éa + _'b'")
    assert not is_expression("éa + __b")


def test_spans() -> None:
    text = "  $.a + f(1, 'x') "
    tree = parse(text).tree
    assert isinstance(tree, Binary)
    assert text[node_span(tree).start : node_span(tree).end] == "$.a + f(1, 'x')"
    assert text[node_span(tree.right).start : node_span(tree.right).end] == "f(1, 'x')"
