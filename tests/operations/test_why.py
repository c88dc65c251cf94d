import pytest

from sabir.errors import UsageError
from sabir.graph import AttributeRead, Graph, How, Instance, Origin, Record, Sensitive, Value
from sabir.operations.why import Explainer, explain_subject, find_subject
from sabir.text import Location, Place, Source, Span


def at(line: int) -> Location:
    return Location("f", line, 1)


def instance(id_: str, name: str | None = None, **attributes: Value) -> Instance:
    return Instance(
        id=id_,
        type="T",
        language="toy",
        name=name or id_,
        attributes=Record.of(attributes),
        origin=Origin(at(1), How.CONSTRUCTOR),
    )


def test_ids_with_dots_win_over_attributes() -> None:
    graph = Graph([instance("a", x=1), instance("a.x", y=2)])
    assert find_subject(graph, "a.x").attribute is None
    found = find_subject(graph, "a.x.y")
    assert (found.instance, found.attribute) == (graph["a.x"], "y")


def test_a_name_of_several_instances_is_refused_with_their_ids() -> None:
    graph = Graph([instance("1", "web"), instance("2", "web")])
    with pytest.raises(UsageError, match="'web' is the name of 2 instances: use an id, 1, 2"):
        find_subject(graph, "web")
    assert find_subject(graph, "2").name(graph) == "2"


def test_an_attribute_without_an_origin_was_made_with_its_instance() -> None:
    graph = Graph([instance("a", x=1)])
    (step,) = explain_subject(graph, find_subject(graph, "a.x")).steps
    assert step.location == at(1)


def test_an_output_is_explained() -> None:
    origin = Origin(at(7), How.EXPRESSION, (AttributeRead("a", "x"), AttributeRead("gone", "x")))
    graph = Graph([instance("a", x=1)], outputs={"url": "u"}, output_origins={"url": origin})
    steps = explain_subject(graph, find_subject(graph, "outputs.url")).steps
    assert [step.subject for step in steps] == ["outputs.url", "a.x"]


def test_a_long_chain_is_cut_and_a_shared_one_told_once() -> None:
    origin = Origin(at(1), How.LITERAL)
    for line in range(5000):
        origin = Origin(at(line + 2), How.EXPRESSION, (origin,))
    graph = Graph([Instance(id="a", type="T", language="toy", name="a", origin=origin)])
    explanation = explain_subject(graph, find_subject(graph, "a"))
    assert explanation.cut
    assert len(explanation.steps) == 2000
    shared = Origin(at(3), How.EXPRESSION, (Origin(at(1), How.LITERAL),))
    twice = Origin(at(4), How.EXPRESSION, (shared, shared))
    graph = Graph([Instance(id="a", type="T", language="toy", name="a", origin=twice)])
    steps = explain_subject(graph, find_subject(graph, "a")).steps
    assert [(step.depth, step.location) for step in steps] == [(0, at(4)), (1, at(3)), (2, at(1))]


def test_rounds_at_one_place_are_told_once_and_what_is_new_of_each() -> None:
    rounds = tuple(Origin(at(3), How.LOOP, (Origin(at(number), How.LITERAL),)) for number in (5, 6))
    graph = Graph(
        [Instance(id="a", type="T", language="toy", name="a", origin=Origin(at(1), How.LITERAL, rounds))]
    )
    explainer = Explainer(graph)
    expected = [(0, at(1)), (1, at(3)), (2, at(5)), (1, at(6))]
    for _ in range(2):  # one explainer answers several times
        steps = explainer.explain(find_subject(graph, "a")).steps
        assert [(step.depth, step.location) for step in steps] == expected


def test_the_lines_of_a_sensitive_value_are_not_shown() -> None:
    source = Source("f", "password: hush\n")
    literal = Origin(Place(source, Span(0, 4)), How.LITERAL)
    origin = Origin(Place(source, Span(0, 4)), How.CONVERSION, (literal,))
    secret = Instance(
        id="a",
        type="T",
        language="toy",
        name="a",
        attributes=Record.of({"p": Sensitive("hush")}),
        origins=Record.of({"p": origin}),
    )
    steps = explain_subject(Graph([secret]), find_subject(Graph([secret]), "a.p")).steps
    assert [step.line_text for step in steps] == [None, None]
