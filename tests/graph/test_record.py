import pytest

from sabir.graph import EMPTY_RECORD, Graph, Instance, Record


def test_a_record_reads_like_a_mapping() -> None:
    record = Record.of({"a": 1, "b": [2]})
    assert dict(record) == {"a": 1, "b": [2]}
    assert (record["a"], record.get("c"), "b" in record, len(record)) == (1, None, True, 2)
    assert record.layout is Record.of({"a": 3, "b": 4}).layout


def test_equal_records_have_equal_hashes_whatever_the_order_of_their_keys() -> None:
    one, other = Record.of({"a": 1, "b": [2]}), Record.of({"b": [2], "a": 1})
    assert one == other
    assert hash(one) == hash(other)
    assert one != Record.of({"a": 1, "b": [3]})
    assert one == {"a": 1, "b": [2]}


def test_an_instance_without_attributes_shares_the_empty_record() -> None:
    assert Instance(id="x", type="T", language="toy", name="x").attributes is EMPTY_RECORD


def test_two_instances_of_one_id_are_refused() -> None:
    one = Instance(id="x", type="T", language="toy", name="one")
    with pytest.raises(ValueError, match="two instances have the id 'x'"):
        Graph([one, Instance(id="x", type="T", language="toy", name="other")])
