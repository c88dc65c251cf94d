from sabir.graph import AttributeRead, Graph, How, Instance, Origin, Record
from sabir.graph.views.html import html_view
from sabir.graph.views.html.flows import value_flows
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


def drawn(graph: Graph) -> list[list[int]]:
    flows: list[list[int]] = sections(b"".join(html_view(graph)))["picture"]["flows"]
    return flows


def test_few_flows_have_routes_and_many_have_none() -> None:
    few, many = drawn(readers(10)), drawn(readers(300))
    assert [flow[:2] for flow in few] == [[number - 1, number] for number in range(1, 10)]
    assert all(len(flow) >= 6 and not len(flow) % 2 for flow in few)
    assert all(len(flow) == 2 for flow in many)


def test_a_link_tells_it_already() -> None:
    assert drawn(shop()) == []
