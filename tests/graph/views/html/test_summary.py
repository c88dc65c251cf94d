import pytest

from sabir.graph import Graph, Instance
from sabir.graph.views.html.summary import summarise
from sabir.graph.views.links import ownership
from tests.graph.views.html.pages import services


@pytest.mark.parametrize(
    ("count", "each", "most", "boxes"),
    [
        (100, 4, 100, 100),  # all of them
        (100, 4, 99, 97),  # the parts of the last service no longer fit
        (100, 20, 30, 24),  # five services, the parts of one
        (100, 1, 40, 15),  # too many without an owner: one box for every type of every language
        (100, 1, 10, 3),  # too many types: one for every language
        (100, 1, 2, 1),
    ],
)
def test_boxes(count: int, each: int, most: int, boxes: int) -> None:
    graph = services(count, each=each)
    summary = summarise(graph, ownership(graph), most=most)
    assert len(summary.boxes) == boxes
    assert set(summary.box_of) == set(range(boxes))
    for number, box in enumerate(summary.boxes):
        assert box.parent < number
        if box.instance >= 0:
            assert summary.box_of[box.instance] == number


def test_an_instance_is_folded_into_the_nearest_box_above() -> None:
    chain = [
        Instance(id=f"{depth}", type="T", language="toy", name="x", owner=f"{depth - 1}" if depth else None)
        for depth in range(50)
    ]
    graph = Graph(chain)
    summary = summarise(graph, ownership(graph), most=10)
    assert list(summary.box_of) == [*range(10), *[9] * 40]
