"""Graphs for properties: every kind of value, origins with sources, owners and relations."""

from datetime import datetime

from hypothesis import strategies as st

from sabir.graph import (
    UNKNOWN,
    AttributeRead,
    EdgeKind,
    Graph,
    How,
    Instance,
    Origin,
    Record,
    Ref,
    Sensitive,
    Unknown,
    Value,
)
from sabir.graph.edges import edge_kinds
from sabir.text import Location

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
"""No lone surrogates: UTF-8 cannot hold them."""

scalars: st.SearchStrategy[Value] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-(2**80), 2**80),
    st.floats(allow_nan=False),
    texts,
    st.sampled_from(["$ref", "$", "yes", "1", "null", "a: b", "- x", "two\nlines"]),
    st.binary(max_size=5),
    st.dates(),
    st.datetimes(min_value=datetime(1000, 1, 1)),
    st.builds(Ref, texts),
    st.just(UNKNOWN),
    st.builds(Unknown, st.text(), st.none() | st.text()),
)
keys = st.one_of(texts, st.sampled_from(["$ref", "$map", "$sensitive", "value"]))
values: st.SearchStrategy[Value] = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=3), st.builds(Sensitive, inner)
    ),
    max_leaves=6,
)
kinds = st.builds(
    edge_kinds,
    st.sampled_from(EdgeKind),
    st.dictionaries(keys, st.sampled_from(EdgeKind), max_size=2).map(lambda named: tuple(named.items())),
)
locations = st.builds(Location, texts, st.integers(0, 99), st.integers(0, 99))
reads = st.builds(AttributeRead, texts, texts)
origins: st.SearchStrategy[Origin] = st.recursive(
    st.builds(Origin, locations, st.sampled_from(How)),
    lambda inner: st.builds(
        Origin,
        locations,
        st.sampled_from(How),
        st.lists(st.one_of(inner, reads), max_size=2).map(tuple),
        st.none() | texts,
    ),
    max_leaves=3,
)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    ids = draw(st.lists(texts, max_size=4, unique=True))
    some = st.lists(st.sampled_from(ids), max_size=3).map(tuple) if ids else st.just(())
    return Graph(
        [
            Instance(
                id=id_,
                type=draw(texts),
                language=draw(st.sampled_from(["inmanta", "toy"])),
                name=draw(texts),
                owner=draw(st.none() | st.sampled_from(ids)),
                attributes=Record.of(draw(st.dictionaries(keys, values, max_size=3))),
                relations=Record.of(draw(st.dictionaries(keys, some, max_size=2))),
                requires=draw(some),
                status=draw(st.none() | texts),
                origin=draw(st.none() | origins),
                origins=Record.of(draw(st.dictionaries(keys, origins, max_size=2))),
                kinds=draw(kinds),
            )
            for id_ in ids
        ],
        outputs=draw(st.dictionaries(keys, values, max_size=2)),
        output_origins=draw(st.dictionaries(keys, origins, max_size=1)),
    )
