"""Class files: what is read, and that every mistake of a file is found in one go."""

from __future__ import annotations

import pytest

from sabir.languages.muranopl.syntax import nodes as ast
from tests.languages.muranopl.packages import read


def messages(text: str) -> list[str]:
    return [f"{one.location.line}: {one.code} {one.message}" for one in read(text).findings]


@pytest.mark.rows("M-002", "M-009")
def test_the_name_of_a_single_class_comes_from_the_manifest() -> None:
    found = read("Namespaces:\n  =: demo\nProperties: {}\n", "demo.Root")
    assert [one.name for one in found.classes] == ["demo.Root"]
    assert not found.findings


def test_a_class_without_name_among_others_is_a_mistake() -> None:
    assert messages("Name: A\n---\nProperties: {}\n") == ["3: MRUN:E001 the class has no Name"]


def test_namespaces_are_carried_on() -> None:
    text = "Namespaces: {=: a, b: c.d}\n---\nName: X\nExtends: b:Y\n---\nNamespaces: {=: z}\nName: X\n"
    first, second = read(text).classes
    assert (first.name, first.extends[0].text, second.name) == ("a.X", "c.d.Y", "z.X")


def test_all_mistakes_of_a_file_are_found() -> None:
    text = """\
Name: Root
Properties:
  a: 5
  b: {Usage: In}
  c: {Contract: $, Usage: Sometimes}
Methods:
  m:
    Scope: Secret
    Arguments:
      - x: {Contract: $, Usage: KwArgs}
      - x: {Contract: $}
    Body:
      - 5
      - text
      - If: true
      - Unless: true
        Do: $.x()
      - $.f(): 1
      - For: 7
        In: []
        Do: $.x()
"""
    assert messages(text) == [
        "3: MRUN:E001 property 'a' must be a mapping with a Contract, not the number 5",
        "4: MRUN:E001 property 'b' has no Contract",
        "5: MRUN:E001 Usage of a property cannot be 'Sometimes'",
        "8: MRUN:E001 Scope cannot be 'Secret'",
        "11: MRUN:E004 method 'm' has two arguments 'x'",
        "11: MRUN:E001 argument 'x' of method 'm' stands after the KwArgs argument 'x'",
        "13: MRUN:E001 a statement is an expression, an assignment or a block construct, not the number 5",
        "14: MRUN:E001 a statement is an expression, an assignment or a block construct, not the text 'text'",
        "15: MRUN:E001 If needs Then",
        "16: MRUN:E001 Do has no keyword 'Unless'",
        "18: MRUN:E001 '$.f()' can be neither assigned to nor is it a keyword",
        "19: MRUN:E001 For needs the name of a variable, not the number 7",
    ]


def test_a_misspelt_keyword_has_a_near_name() -> None:
    (finding,) = read("Name: R\nMethods:\n  m:\n    Body:\n      - Retrun: 1\n").findings
    assert finding.hint == "did you mean 'Return'?"


@pytest.mark.rows("M-021")
def test_a_blank_after_the_prefix_is_explained() -> None:
    (finding,) = read("Name: R\nNamespaces: {srv: a}\nExtends: {srv: Something}\n").findings
    assert finding.hint == "write srv:Something without the blank; with it, YAML reads a mapping"


def test_spans_of_expressions_lie_in_the_text() -> None:
    text = "Name: R\nMethods:\n  m:\n    Body:\n      - $x: [$a + 1, {k: $b.c()}]\n"
    found = read(text)
    (statement,) = found.classes[0].methods[0].body
    assert isinstance(statement, ast.Assignment)
    assert isinstance(statement.value, ast.ListValue)
    first = statement.value.items[0]
    assert isinstance(first, ast.Expr)
    assert found.classes[0].source.slice(first.span) == first.text == "$a + 1"


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("a + b", ast.Expr),
        ("foo-bar", ast.Expr),
        ("$", ast.Expr),
        ("7 mod 2", ast.Constant),
        ("not true", ast.Constant),
        ("a.b.c", ast.Constant),
        ("Hello, World of things", ast.Constant),
        ("'$a'", ast.Constant),
        ("-5", ast.Constant),
        ("2020-01-01", ast.Constant),
        ("!yaql abc", ast.Expr),
    ],
)
def test_expressions_and_texts(written: str, kind: type) -> None:
    from sabir.languages.muranopl.syntax.values import read_value
    from sabir.source.yaml import compose
    from sabir.text import Source

    (node,) = compose(Source("x", written), tags=frozenset({"!yaql"})).documents
    assert node is not None
    assert isinstance(read_value(node), kind)
