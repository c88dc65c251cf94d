"""What people are shown: not what libraries made for themselves."""

import pytest

from sabir.graph import Graph, Instance, Record, Ref, Value
from sabir.graph.views.text import text_view
from sabir.graph.views.visibility import find_aliases, without_libraries


def instance(
    id_: str, *, library: bool = False, value: Value = None, **relations: tuple[str, ...]
) -> Instance:
    return Instance(
        id=id_,
        type="T",
        language="toy",
        name=id_,
        library=library,
        attributes=Record.of({"value": value}),
        relations=Record.of(relations),
    )


LIBRARY = [instance("unix", library=True), instance("linux", library=True, family=("unix",))]


@pytest.mark.parametrize(
    ("mine", "outputs", "shown"),
    [
        ([instance("a")], {}, ["a"]),
        ([instance("a", os=("linux",))], {}, ["unix", "linux", "a"]),
        ([instance("a", value=[{"os": Ref("unix")}])], {}, ["unix", "a"]),
        ([instance("a")], {"os": Ref("unix")}, ["unix", "a"]),
        ([], {}, []),
    ],
    ids=["unused", "through another", "in a value", "an output", "nothing else"],
)
def test_what_is_shown(mine: list[Instance], outputs: dict[str, Value], shown: list[str]) -> None:
    graph = Graph([*LIBRARY, *mine], outputs=outputs)
    assert [one.id for one in without_libraries(graph)] == shown


def test_a_graph_without_libraries_stays_itself() -> None:
    graph = Graph([instance("a")])
    assert without_libraries(graph) is graph


def test_other_names() -> None:
    graph = Graph([instance("a")], outputs={"a": Ref("a"), "b": Ref("a"), "c": Ref("gone"), "d": 1})
    assert find_aliases(graph) == {"a": ["b"]}
    assert next(iter(text_view(graph))) == "a : T  also b\n"
