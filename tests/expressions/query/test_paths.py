"""The path language: errors with places, laws, sensitive values, templates within bounds, any graph."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sabir.expressions.query import (
    GraphResource,
    InstanceStatus,
    QueryError,
    QuerySession,
    evaluate,
    is_sensitive,
    map_value,
    redact_value,
    resources_of,
)
from sabir.expressions.query.graphs import GraphTree
from sabir.expressions.query.syntax import SYNTAX, Segment, parse_path
from sabir.graph import EdgeKind, EdgeKinds, Graph, Instance, Record, Ref, Sensitive
from tests.expressions.query.plain import PlainResource

DATA: dict[str, Any] = {
    "a": [{"b": 1, "c": [1, 2]}, {"b": 2}],
    "d": {"e": {"f": True}, "g": "text"},
    "n": None,
    "s": "x{y",
}
BOX = PlainResource("box", DATA)


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("a[b", 2, "never closed"),
        ("a]b", 2, "no '[' before it"),
        ("a?b", 3, "after '?'"),
        ("a[b]c", 5, "after a filter"),
        ("a[b=x:y]", 6, "cannot stand in a test"),
        ("a[b=$]", 5, "name of a variable"),
        ("$", 1, "name of a variable"),
        ("a[b=[c]]", 5, "cannot stand in a test"),
        ("size::unit=cm", 11, "a test stands in brackets"),
        ("unit != cm::x", 6, "'!=' is a test"),
    ],
)
def test_syntax_errors_say_where_and_what(text: str, column: int, words: str) -> None:
    with pytest.raises(QueryError) as failure:
        parse_path(text)
    assert failure.value.rule is SYNTAX
    assert failure.value.finding.location.column == column
    assert words in failure.value.finding.message


@pytest.mark.rows("U-207")
def test_unknown_names_have_near_ones() -> None:
    for expression, near in (
        (".nmae", ".name"),
        ({"eval": {"conct": ["a"]}}, "concat"),
        ({"eval": "$itme", "vars": {"item": 1}}, "item"),
    ):
        with pytest.raises(QueryError) as failure:
            evaluate(expression, BOX)
        assert near in str(failure.value.finding.hint)


PIECES = st.sampled_from(["a", "b", "c", "d", "e", "n", "0", "-1", "*", ".", "..", ".name", "", "$v", " g "])
FILTERS = st.sampled_from(["", "[b]", "[!b]", "[b=1]", "[b!=1]", "[=2]", "[c[=1]]", "[$v=1]", "[b=$v]", "[]"])
SEGMENTS = st.tuples(PIECES, FILTERS, st.sampled_from(["", "?"])).map("".join)
PATHS = st.lists(SEGMENTS, min_size=1, max_size=5).map("::".join)


@settings(max_examples=400, deadline=None)
@given(PATHS)
def test_every_path_of_the_grammar_gives_matches(path: str) -> None:
    found = evaluate(path, BOX, {"v": "b"})
    assert isinstance(found.values, list)


@settings(max_examples=300, deadline=None)
@given(PATHS)
def test_spans_lie_inside_and_follow_one_another(path: str) -> None:
    tree = parse_path(path)
    end = 0
    for segment in tree.segments:
        assert isinstance(segment, Segment)
        assert end <= segment.span.start <= segment.span.end <= len(path)
        end = segment.span.end


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ab:[]?!=$.* 0-{}%", max_size=30))
def test_any_text_ends_in_matches_or_a_finding(text: str) -> None:
    with suppress(QueryError):
        evaluate(text, BOX, {"a": 1})


def test_a_question_mark_never_gives_more() -> None:
    for path in ("a::b", "d::*", "::*"):
        assert evaluate(path + "?", BOX).values == evaluate(path, BOX).values[:1]


@pytest.mark.rows("U-148", "U-149")
@pytest.mark.parametrize(
    "expression",
    [
        {"concat": ["a", {"eval": {"sensitive": 5}}]},
        {"join": [["a", {"eval": {"sensitive": "b"}}], ","]},
        {"token": [{"eval": {"sensitive": "a:b"}}, ":", 1]},
        {"eval": {"template": "{{ s }}"}, "vars": {"s": {"eval": {"sensitive": 5}}}},
        {"eval": "$s::k::0", "vars": {"s": {"eval": {"sensitive": {"k": ["v"]}}}}},
        {"eval": {"sensitive": [1, 2]}, "foreach": "$item"},
        {"eval": {"if": True, "then": {"sensitive": "x"}}},
        {"eval": {"or": [0, {"sensitive": "x"}]}},
    ],
    ids=str,
)
def test_the_mark_stays(expression: Any) -> None:
    found = evaluate(expression, BOX)
    assert all(is_sensitive(value) for value in found.values)
    assert redact_value(found.values) == ["<<REDACTED>>"] * len(found.values)
    assert "v" not in repr(found.values[0]).replace("Sensitive", "")


def test_hostile_input_ends_in_time() -> None:
    started = time.process_time()
    for text in (
        "[" * 5000,
        "a::" * 20000,
        "{{ 'x' * 10**9 }}",
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
        "{{ 9 ** 9 ** 9 }}",
        "{{ ''.__class__.__mro__ }}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    ):
        with suppress(QueryError):
            evaluate(text, BOX)
    assert time.process_time() - started < 8


def test_expressions_that_lead_to_themselves_end() -> None:
    loop = PlainResource("l", {"a": {"eval": ".::b"}, "b": {"eval": ".::a"}, "c": "{{ SELF.c }}"})
    assert evaluate("a", loop).value is None
    evaluate("c", loop)


def graph() -> Graph:
    def one(id_: str, **more: Any) -> Instance:
        return Instance(id=id_, type="t::T", language="inmanta", name=id_, **more)

    return Graph(
        [
            one("a", attributes=Record.of({"port": 80, "secret": Sensitive("x"), "peer": Ref("b")})),
            one("b", owner="a", attributes=Record.of({"port": 81}), relations=Record.of({"uses": ("a",)})),
        ],
        outputs={"o": 1},
    )


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("::*::.name", ["root", "a", "b"]),
        ("::a::peer::port", [81]),
        ("::b::uses::port", [80]),
        ("::b::..::.name", ["a"]),
        (".root::outputs::o", [1]),
        ("::b::.targets::uses::.name", ["a"]),
        ("::a::.sources::uses::.name", ["b"]),
        ("::*::[port=80]::.type", ["t::T"]),
    ],
)
def test_a_graph_of_any_language_can_be_asked(path: str, values: list[Any]) -> None:
    assert evaluate(path, resources_of(graph())).values == values


def test_sensitive_values_of_a_graph_stay_marked() -> None:
    root = resources_of(graph())
    assert redact_value(evaluate("::a::secret", root).values) == ["<<REDACTED>>"]
    assert redact_value(map_value("{{ ROOT['.all'] and '::a::secret' | eval }}", root)) == "<<REDACTED>>"


def test_parts_that_no_question_asks_for_are_not_made() -> None:
    made: list[str] = []

    class Tree(GraphTree):
        def make(self, instance: Instance) -> GraphResource:
            made.append(instance.id)
            return super().make(instance)

    web = Instance(id="web", type="T", language="x", name="web")
    port = Instance(
        id="port", type="T", language="x", name="port", owner="web", kinds=EdgeKinds(EdgeKind.CAPABILITY_OF)
    )
    root = Tree(Graph([port, web]), QuerySession()).root
    assert evaluate("::*::.name", root).values == ["root", "web"]
    assert made == ["web"]
    assert evaluate("::web::.capabilities::.name", root).values == ["port"]
    assert evaluate("::port::..::.name", root).values == ["web"]
    assert made == ["web", "port"]


@pytest.mark.parametrize("kind", [EdgeKind.PART_OF, EdgeKind.CAPABILITY_OF])
def test_owners_that_own_one_another_do_not_loop(kind: EdgeKind) -> None:
    ring = [
        Instance(id=name, type="T", language="x", name=name, owner=owner, kinds=EdgeKinds(kind))
        for name, owner in (("a", "b"), ("b", "a"))
    ]
    assert evaluate("::*::.name", resources_of(Graph(ring))).values == ["root", "a", "b"]


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("::web::.capabilities::.name", ["endpoint"]),
        ("::web::.requirements::.target::.name", ["db"]),
        ("::storage::.source::.name", ["web"]),
        ("::web::.children::.name", ["inner"]),
    ],
)
def test_the_kind_of_the_owner_says_what_is_a_capability_or_a_requirement(
    path: str, values: list[str]
) -> None:
    def part(name: str, kind: EdgeKind, **relations: tuple[str, ...]) -> Instance:
        return Instance(
            id=name,
            type="T",
            language="x",
            name=name,
            owner="web",
            kinds=EdgeKinds(kind),
            relations=Record.of(relations),
        )

    asked = Graph(
        [
            Instance(id="web", type="T", language="x", name="web"),
            Instance(id="db", type="T", language="x", name="db"),
            part("endpoint", EdgeKind.CAPABILITY_OF),
            part("storage", EdgeKind.REQUIREMENT_OF, target=("db",)),
            part("inner", EdgeKind.HOSTED_ON),
        ]
    )
    assert evaluate(path, resources_of(asked)).values == values


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ({"eval": "a::b", "foreach": {"value": {"n": {"eval": "$item"}}}}, [{"n": 1}, {"n": 2}]),
        ({"eval": "a::b", "foreach": {"n": {"eval": "$item"}, "k": "v"}}, [{"n": 1, "k": "v"}, {"n": 2, "k": "v"}]),
        ({"eval": "a::b", "foreach": {"concat": ["x", {"eval": "$item"}]}}, ["x1", "x2"]),
        ({"eval": "a::b", "select": {"n": "{{ item + 1 }}"}}, [{"n": 2}, {"n": 3}]),
    ],
    ids=str,
)  # fmt: skip
def test_foreach_may_make_maps(expression: Any, expected: list[Any]) -> None:
    assert evaluate(expression, BOX).values == expected


def test_an_instance_of_plain_data_is_a_node() -> None:
    assert evaluate(".capabilities::.name", BOX).values == ["feature"]
    assert evaluate(".capabilities::..::.name", BOX).values == ["box"]
    assert evaluate(".status", BOX).values == [InstanceStatus.unknown]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("{{ [1, 2] }}", [[1, 2]]),
        ({"eval": "{{ [] }}"}, [[]]),
        ({"eval": {"template": "{{ [1, 2] }}"}}, [1, 2]),
        ({"eval": "{{ [1, 2] }}", "foreach": "{{ item + 1 }}"}, [2, 3]),
        ({"eval": "{% if false %}x{% endif %}"}, [None]),
        ({"eval": {"template": "{# note #}x"}}, ["x"]),
    ],
    ids=str,
)
def test_the_text_of_a_template_is_one_match(expression: Any, expected: list[Any]) -> None:
    assert evaluate(expression, BOX).values == expected


def test_a_test_without_brackets_is_shown_with_them() -> None:
    for text, better in (("size::unit=cm", "unit[=cm]"), ("a::b != c", "b[!=c]")):
        with pytest.raises(QueryError) as failure:
            parse_path(text)
        assert better in str(failure.value.finding.hint)


@pytest.mark.parametrize(
    ("path", "matches"),
    [
        ("x::[c]", [{"c": 1}, {"c": 2}, {"c": 4}]),
        ("x::[c=2]", [{"c": 2}]),
        ("x::[!c]", [{"d": 3}]),
        ("x", [[[{"c": 1}, [{"c": 2}]], [{"d": 3}], {"c": 4}]]),
        ("n::", [1, 2, 3]),
        ("n::[!=3]", [1, 2]),
    ],
)
def test_an_empty_key_reaches_into_lists_of_lists(path: str, matches: list[Any]) -> None:
    data = {"x": [[{"c": 1}, [{"c": 2}]], [{"d": 3}], {"c": 4}], "n": [[1, 2], [3]]}
    assert evaluate(path, PlainResource("box", data)).values == matches


def test_items_of_marked_lists_of_lists_are_marked_once() -> None:
    box = PlainResource("box", {"x": {"eval": {"sensitive": [[1], [2]]}}})
    assert evaluate("x::", box).values == [Sensitive(1), Sensitive(2)]
