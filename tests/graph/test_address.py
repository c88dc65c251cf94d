"""Addresses: one text form, which gives back what it was made from; and names of the moment beside them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabir.graph import Address, Graph, Instance

PARTS = frozenset({"net", "web-1"})


@pytest.mark.parametrize(
    ("address", "text"),
    [
        (Address("db-1"), "db-1"),
        (Address("db-1", attribute="port"), "db-1|port"),
        (Address("std::File/vm1,/etc/web.conf", "net"), "net/std::File/vm1,/etc/web.conf"),
        (Address("Host", "net", "left", "ip"), "net/Host[left]|ip"),
        (Address("Host", item=""), "Host[]"),
        (Address("Net/[::1]|50%"), "Net/%5B::1%5D%7C50%25"),
        (Address("", "net"), "net"),
        (Address("", "net", attribute="uses"), "net|uses"),
    ],
)
def test_text(address: Address, text: str) -> None:
    assert str(address) == text
    assert Address.parse(text, PARTS) == address


NAMES = st.text(st.characters(exclude_categories=["Cs"]))


@given(NAMES, st.sampled_from([None, *sorted(PARTS)]), st.none() | NAMES, st.none() | NAMES)
def test_the_text_gives_the_address_back(
    instance: str, part: str | None, item: str | None, attribute: str | None
) -> None:
    if part is None:
        instance = f"n{instance}"  # no part is called so
    address = Address(instance, part, item, attribute)
    if not instance and item is not None:
        return  # a part itself is there once
    assert Address.parse(str(address), PARTS) == address


def test_the_address_of_an_attribute() -> None:
    assert str(Address("Host", item="left").of("ip")) == "Host[left]|ip"


def of_type(id_: str, name: str, type_: str = "a::Host") -> Instance:
    return Instance(id=id_, type=type_, language="inmanta", name=name)


@pytest.mark.parametrize(
    ("words", "id_"),
    [
        ("a::Host#1", "a::Host[x]"),
        ("net/a::Host#1", "net/a::Host[y]"),
        ("a::Host#2", "net/a::Host[y]"),
        ("Host#2", "net/a::Host[y]"),
        ("Host#3", None),
        ("other/a::Host#2", None),
        ("b::Host#1", None),
        ("a::Host", None),
    ],
)
def test_numbered(words: str, id_: str | None) -> None:
    graph = Graph(
        [
            of_type("a::Host[x]", "Host#1"),
            of_type("net", "net", "sabir.Part"),
            of_type("net/a::Host[y]", "Host#2"),
        ]
    )
    found = graph.find_by_number(words)
    assert (None if found is None else found.id) == id_
    assert graph.address("net/a::Host[y]") == Address("a::Host", "net", "y")
