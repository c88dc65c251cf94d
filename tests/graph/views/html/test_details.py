from sabir.graph import AttributeRead, Graph, How, Instance, Origin, Record
from sabir.graph.views.html import html_view
from sabir.graph.views.html.details import value_flows
from sabir.text import Location
from tests.graph.views.html.pages import readers, sections, shop

AT = Location("main.cf", 1, 1)


def test_whose_values_an_instance_was_computed_from() -> None:
    assert value_flows(shop()) == {1: [0], 2: [1]}


def test_reads_are_found_below_other_steps_but_not_of_oneself() -> None:
    deep = Origin(
        AT, How.DEFAULT, (AttributeRead("b", "x"), AttributeRead("gone", "x"), AttributeRead("a", "x"))
    )
    for _ in range(5):
        deep = Origin(AT, How.EXPRESSION, (deep, deep))
    graph = Graph(
        [
            Instance(id="a", type="T", language="toy", name="a", origins=Record.of({"x": deep, "y": deep})),
            Instance(id="b", type="T", language="toy", name="b"),
        ]
    )
    assert value_flows(graph) == {0: [1]}


def test_the_page_knows_all_of_them() -> None:
    flows = sections(b"".join(html_view(readers(10))))["picture"]["flows"]
    assert flows == [[number - 1, number] for number in range(1, 10)]
