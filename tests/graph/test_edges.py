import pytest

from sabir.graph.edges import PLAIN_EDGES, EdgeKind, edge_kinds


@pytest.mark.parametrize(
    ("owner", "relations", "special"),
    [
        (EdgeKind.HOSTED_ON, (), {}),
        (EdgeKind.PART_OF, (("host", EdgeKind.HOSTED_ON),), {"host": EdgeKind.HOSTED_ON}),
        (
            EdgeKind.HOSTED_ON,
            (("plain", EdgeKind.RELATION), ("after", EdgeKind.DEPENDS_ON)),
            {"after": EdgeKind.DEPENDS_ON},
        ),
    ],
)
def test_kinds_of_a_layout(
    owner: EdgeKind, relations: tuple[tuple[str, EdgeKind], ...], special: dict[str, EdgeKind]
) -> None:
    kinds = edge_kinds(owner, relations)
    assert kinds.owner is owner
    assert dict(kinds.relations) == special
    assert [kinds.of_relation(name) for name, _ in relations] == [kind for _, kind in relations]
    assert edge_kinds(owner, relations) is kinds


def test_nothing_special_is_plain() -> None:
    assert edge_kinds() is PLAIN_EDGES
    assert edge_kinds(EdgeKind.PART_OF, (("x", EdgeKind.RELATION),)) is PLAIN_EDGES
    assert PLAIN_EDGES.of_relation("x") is EdgeKind.RELATION
