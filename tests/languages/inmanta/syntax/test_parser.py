"""The parser: what it reads, where it says things are, and what it does with broken text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.nodes import children, walk
from sabir.languages.inmanta.syntax.parser import SyntaxTree, rewrite_relation
from sabir.languages.inmanta.syntax.parser import parse as parse_source
from sabir.text import Source

SAMPLE = '''entity Host extends std::Entity, a::B:
    """ doc """
    string[]? names = ["a", "b"]
    int n = undef
end
Host.files [0:] -- File.host [1]
Host.note [1] foo, "x" File
Old old [1] -- [0:2] New news
index Host(name, os)
typedef port as int matching self > 0 and not self == 7
typedef mac as string matching /a\\/b$/
implementation i for Host:
    for x in self.files[path="a"].parts:
        if x is defined and x.n not in [1, 2]:
            x.y += Host(a=1, **d)
        elif x["k"] == f"{x:>3}":
            z = a ? b : c
        else:
            std::template("x/{{ a.b }}")
        end
    end
end
implement Host using i, parents
implement Host using a::b when n > -1
v = [y + 1 for y in std::sequence(3) if y > 1]
w = a::B[name="x"]
'''


_NO_NAMES = (
    *("index", "for", "if", "implement", "implementation", "typedef", "entity", "import", "end", "else"),
    *("in", "is", "and", "when", "using", "extends", "matching", "as"),
)


def parse(text: str) -> SyntaxTree:
    return parse_source(Source("main.cf", text))


def test_the_sample_has_every_statement() -> None:
    tree = parse(SAMPLE)
    assert not tree.problems
    kinds = {type(statement) for statement in tree.statements}
    assert kinds == {
        nodes.Entity,
        nodes.Relation,
        nodes.Index,
        nodes.Typedef,
        nodes.Implementation,
        nodes.Implement,
        nodes.Assign,
    }


def test_spans_nest() -> None:
    statements = parse(SAMPLE).statements
    assert all(0 <= node.start <= node.end <= len(SAMPLE) for node in statements)
    for outer in walk(*statements):
        for inner in children(outer):
            assert outer.start <= inner.start <= inner.end <= outer.end, outer


def test_a_walk_meets_every_node_in_the_order_of_the_text() -> None:
    statement = parse('x = [f(a, k=b) for v in c if v == "{{ d }}"]\n').statements[0]
    names = [node.name for node in walk(statement) if isinstance(node, nodes.Name)]
    assert names == ["x", "a", "b", "c", "v", "d"]


@given(st.text(alphabet="aA1 .:=[](){}\"'#/\\+-*%<>!?,\n", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    tree = parse(text)
    for problem in tree.problems:
        assert 0 <= problem.place.span.start <= problem.place.span.end <= len(text)
        assert problem.message


@pytest.mark.parametrize(
    "head",
    [
        "for in xs:",
        "for x xs:",
        "for x in :",
        "for x in xs",
        "for x in xs):",
        "if :",
        "if a ==:",
        "if a",
        "implementation for A:",
        "implementation x A:",
        "implementation x for A",
        "implementation x for a:",
    ],
)
def test_a_broken_head_keeps_its_body_and_what_follows(head: str) -> None:
    tree = parse(f"{head}\n    b = 1\n    c = =\n    for y in ys:\n        d = 2\n    end\nend\ne = 3\n")
    assert [type(statement) for statement in tree.statements] == [nodes.Assign, nodes.For, nodes.Assign]
    assert len(tree.problems) == 2


def test_many_broken_heads_end_in_problems() -> None:
    nested = "".join(f"{' ' * depth}for in xs:\n" for depth in range(100))
    flat = "if :\n    c = =\nelse:\n    d = 1\nend\n" * 100
    deep = "for in xs:\n" + "    c = =\n" * 100 + "end\n"
    for text in (nested, flat, deep):
        assert 0 < len(parse(text).problems) <= 51
    assert len(parse(flat[: len(flat) // 100]).problems) == 2


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a = = 1\nb = 2\nc = * 3\n", [1, 3]),
        ("entity file:\n    int a\nend\nb = 1\nx = )\n", [1, 5]),
        ("entity A:\n    int B\n    string c\n    int 5\nend\n$ = 1\n", [2, 4, 6]),
        ("if true:\n    a = (\n    b = = 2\nend\nc = ]\n", [3, 5]),
        ("implementation i for A:\n    x = 1 +\n    y = 2\nend\nfor Q in a:\nend\n", [3, 5]),
    ],
)
def test_independent_errors_are_reported_together(text: str, lines: list[int]) -> None:
    tree = parse(text)
    assert [problem.location.line for problem in tree.problems] == lines


def _outline(text: str) -> list[object]:
    """The kinds of the statements that were read, blocks with what they hold."""

    def shown(node: nodes.Node) -> object:
        kind = type(node).__name__
        match node:
            case nodes.Implementation(body=body) | nodes.For(body=body):
                return kind, *(shown(statement) for statement in body)
            case nodes.If():
                blocks = [*(block for _, block in node.branches), node.otherwise]
                return kind, *(shown(statement) for block in blocks for statement in block)
            case nodes.Entity(attributes=attributes):
                return kind, *(attribute.name for attribute in attributes)
        return kind

    return [shown(statement) for statement in parse(text).statements]


@pytest.mark.parametrize(
    ("text", "outline", "problems"),
    [
        ("a = 1\nb = = 2\nc = 3\n", ["Assign", "Assign"], 1),
        (
            "implementation i for A:\n    x = 1\n    y = = 2\n    z = 3\nend\na = 1\n",
            [("Implementation", "Assign", "Assign"), "Assign"],
            1,
        ),
        (
            "implementation i for A:\n    x = 1\nentity B:\n    int n\nend\na = 1\n",
            [("Implementation", "Assign"), ("Entity", "n"), "Assign"],
            1,
        ),
        (
            "implementation i for A:\n    for x in y:\n        z = x\n    if a:\n        b = 1\nindex A(n)\n",
            [("Implementation", ("For", "Assign", ("If", "Assign"))), "Index"],
            1,
        ),
        ("if a:\n    b = 1\n", [("If", "Assign")], 1),
        ("if a and\n        b = = 2:\n    c = 1\nend\nd = 1\n", ["Assign", "Assign"], 1),
        ("for x in [\n        1, 2 3,\n    ]:\n    c = 1\nend\nd = 1\n", ["Assign", "Assign"], 1),
        ("for x in y and\n        z\n    c = 1\nend\nd = 1\n", ["Assign", "Assign"], 1),
        ("implementation i for\n        a:\n    b = 1\nend\nd = 1\n", ["Assign", "Assign"], 1),
        ("if a and (\n        b:\n    c = 1\nend\nd = 1\n", ["Assign"], 1),
        ("if a:\n    b = 1\nelse:\n    c = 1\n    d =\n", [("If", "Assign", "Assign")], 1),
        ("entity A:\n    int a\nentity B:\n    int b\nend\n", [("Entity", "a"), ("Entity", "b")], 1),
        ("entity A:\n    int a\n    int B\n    int c\n", [("Entity", "a", "c")], 2),
        ("for x in a:\n    entity B:\n    end\n    c = 1\nend\nd = 1\n", [("For", "Assign"), "Assign"], 1),
    ],
)
def test_a_broken_statement_loses_no_more_than_itself(
    text: str, outline: list[object], problems: int
) -> None:
    assert _outline(text) == outline
    assert len(parse(text).problems) == problems


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("Abc = 1", "names of variables begin with a lower-case letter, not 'Abc'", "abc"),
        ("entity host:\nend", "expected the name of an entity", "Host"),
        ('d = {}\nd["a"] = 1', "a dict cannot be changed after it was made", "where it is constructed"),
        *((f"{word} = 1", f"'{word}' is a keyword and cannot be a name", f"'{word}_'") for word in _NO_NAMES),
        ("for x in y:\n    end = 1", "'end' is a keyword and cannot be a name", "'end_'"),
        ('A(name="x", entity="x")', "'entity' is a keyword and cannot be a name", "'entity_'"),
        ("a = True", "'True' is no value", "true"),
        ("if a = 1:\nend", "expected ':' after the condition of 'if', found '='", "'==' compares"),
        ("if a:\nelse if b:\nend", "expected ':' after 'else', found the keyword 'if'", "'elif'"),
        ("entity A:\n    list[string] names\nend", "expected ']' after '[', found 'string'", "string[]"),
        ('a = "abc', "this string has no end", '"""'),
        ("a = test.f(1)", "only a function can be called", "test::f(…)"),
        ("enity A:\nend", "expected '=' after 'enity', found 'A'", "did you mean 'entity'?"),
        ("x = A", "'A' is the name of an entity and no value", "A(…) makes an instance"),
        ("for end in a:\nend", "expected a name after 'for', found the keyword 'end'", "'end_'"),
    ],
)
def test_messages(text: str, message: str, hint: str | None) -> None:
    problem = parse(text).problems[0]
    assert message in problem.message
    assert hint is None or hint in (problem.hint or "")


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("x = (1 + 2", "this '(' is never closed", 1),
        ("a = 1\nx = A(\n    b=[1, 2],\n    c=3\n", "this '(' is never closed", 2),
        ("x = [\n    f(1),\n    {}\n", "this '[' is never closed", 1),
    ],
)
def test_an_open_bracket_is_shown_where_it_stands(text: str, message: str, line: int) -> None:
    (problem,) = parse(text).problems
    assert (problem.message, problem.place.location.line) == (message, line)


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "(" * 5000,
        "a = " + "[" * 5000 + "]" * 5000,
        "if true:\n" * 3000,
        "a = " + "not " * 5000 + "true",
        "a = " + "1 + " * 5000 + "1",
        "a = " + "-" * 4000 + "1",
        "x = " + "a ? b : " * 3000 + "c",
        "a = " + "x." * 3000 + "y",
        "a = " + '{"k":' * 3000,
    ],
)
def test_deep_nesting_ends_in_a_problem_or_a_tree(text: str) -> None:
    tree = parse(text)
    assert tree.problems or tree.statements


@pytest.mark.rows("I-125")
def test_the_old_relation_is_rewritten() -> None:
    relation = parse("File file [1:] -- [1] Service service").statements[0]
    assert isinstance(relation, nodes.Relation)
    assert rewrite_relation(relation) == "File.service [1] -- Service.file [1:]"
