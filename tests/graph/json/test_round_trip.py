import contextlib
import inspect
import json
import math
import sys
from datetime import UTC, date, datetime
from importlib.resources import files
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabir.errors import InputError
from sabir.graph import UNKNOWN, Graph, How, Instance, Origin, Record, Ref, Sensitive, Unknown, Value
from sabir.graph.edges import PLAIN_EDGES, EdgeKind, edge_kinds
from sabir.graph.json import decode_value, encode_value, graph_chunks, load_graph
from sabir.text import Location
from tests.graph.strategies import graphs, values

SCHEMA = json.loads((files("sabir.graph") / "schema/graph-1.schema.json").read_bytes())
VALIDATOR = jsonschema_rs.validator_for(SCHEMA)


def saved(graph: Graph, *, reveal: bool = False) -> bytes:
    return b"".join(graph_chunks(graph, reveal=reveal))


def one_instance(**attributes: Value) -> Graph:
    return Graph(
        [Instance(id="a", type="T", language="toy", name="a", attributes=Record.of(attributes))],
        outputs={"all": list(attributes.values())},
    )


@given(graphs())
def test_what_is_read_back_is_what_was_written(graph: Graph) -> None:
    text = saved(graph, reveal=True)
    again = load_graph(text, name="g.json")
    assert saved(again, reveal=True) == text
    for one, other in zip(graph, again, strict=True):
        assert one.attributes == other.attributes
        assert one.relations == other.relations
        assert (one.id, one.type, one.language, one.name) == (
            other.id,
            other.type,
            other.language,
            other.name,
        )
        assert (one.owner, one.requires, one.status) == (other.owner, other.requires, other.status)
        assert one.kinds == other.kinds
    assert graph.outputs == again.outputs


@given(graphs())
def test_a_saved_graph_is_valid_by_the_schema(graph: Graph) -> None:
    for reveal in (False, True):
        VALIDATOR.validate(json.loads(saved(graph, reveal=reveal)))


@given(values)
def test_values_survive(value: Value) -> None:
    assert decode_value(json.loads(json.dumps(encode_value(value, reveal=True)))) == value


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("plain", "plain"),
        (Ref("x"), {"$ref": "x"}),
        (UNKNOWN, {"$unknown": True}),
        (Unknown("web|ip", "later"), {"$unknown": {"of": "web|ip", "why": "later"}}),
        (Unknown("web|ip"), {"$unknown": {"of": "web|ip"}}),
        (Sensitive("hush"), {"$sensitive": True}),
        ([Sensitive("hush")], [{"$sensitive": True}]),
        (b"hi", {"$bytes": "aGk="}),
        (date(2026, 11, 15), {"$date": "2026-11-15"}),
        (datetime(2026, 11, 15, 10, tzinfo=UTC), {"$datetime": "2026-11-15T10:00:00+00:00"}),
        (math.inf, {"$float": "inf"}),
        (2**64 - 1, 2**64 - 1),
        (2**64, {"$int": "0x10000000000000000"}),
        ({"$ref": "not one"}, {"$map": [["$ref", "not one"]]}),
        ((1, 2), [1, 2]),
    ],
)
def test_forms_of_values(value: Value, form: object) -> None:
    assert encode_value(value) == form


def test_a_sensitive_value_is_nowhere_in_the_output() -> None:
    graph = one_instance(password=Sensitive("hush"), deep={"in": [Sensitive({"x": "hush"})]})
    assert b"hush" not in saved(graph)
    assert str(load_graph(saved(graph), name="g")["a"].attributes["password"]) == "<<REDACTED>>"
    assert b"hush" in saved(graph, reveal=True)


def test_keys_that_are_no_strings_survive() -> None:
    odd: Any = {1: "one", None: "none"}
    assert load_graph(saved(one_instance(odd=odd)), name="g")["a"].attributes["odd"] == odd


def test_a_lone_surrogate_is_replaced() -> None:
    assert load_graph(saved(one_instance(text="a\ud800b")), name="g")["a"].attributes["text"] == "a\ufffdb"


def test_only_kinds_that_are_not_plain_are_written() -> None:
    plain = Instance(id="a", type="T", language="toy", name="a", relations=Record.of({"x": ("b",)}))
    hosted = edge_kinds(EdgeKind.HOSTED_ON, (("host", EdgeKind.HOSTED_ON), ("x", EdgeKind.RELATION)))
    special = [Instance(id=id_, type="T", language="toy", name=id_, owner="a", kinds=hosted) for id_ in "bc"]
    text = saved(Graph([plain, *special]))
    first, second, third = json.loads(text)["instances"]
    assert "kinds" not in first
    assert second["kinds"] == {"owner": "hosted-on", "relations": {"host": "hosted-on"}}
    assert third["kinds"] == second["kinds"]
    again = load_graph(text, name="g.json")
    assert again["a"].kinds is PLAIN_EDGES
    assert again["b"].kinds is again["c"].kinds


def test_a_graph_saved_without_kinds_is_plain() -> None:
    text = '{"format":"sabir.graph/1","instances":[' + INSTANCE % ',"relations":{"x":["a"]}' + "]}"
    instance = load_graph(text.encode(), name="g.json")["a"]
    assert (instance.kinds.owner, instance.kinds.of_relation("x")) == (EdgeKind.PART_OF, EdgeKind.RELATION)


def test_the_schema_has_all_kinds() -> None:
    assert SCHEMA["$defs"]["kind"]["enum"] == [kind.value for kind in EdgeKind]


def test_origins_shared_by_many_steps_are_written_once_each() -> None:
    place = Location("f", 1, 1)
    origin = Origin(place, How.LITERAL)
    for _ in range(100):  # written out in full this would be 2**100 steps
        origin = Origin(place, How.EXPRESSION, (origin, origin))
    graph = Graph([Instance(id="a", type="T", language="toy", name="a", origin=origin)])
    assert len(saved(graph)) < 20_000


INSTANCE = '{"id":"a","type":"T","language":"toy","name":"n"%s}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "g.json:1:1: not a saved graph: it ends too early", id="empty"),
        pytest.param(
            '{"format":\n ?}', "g.json:2:2: not a saved graph: this cannot stand here", id="no json"
        ),
        pytest.param("[]", "a map is wanted here, not a list", id="no object"),
        pytest.param('{"format":"sabir.graph/1"}', "'instances' is missing", id="no instances"),
        pytest.param(
            '{"format":"sabir.graph/9","instances":[]}', "this sabir reads 'sabir.graph/1'", id="version"
        ),
        pytest.param(
            '{"format":"sabir.graph/1","instances":[\n{"id":3}]}',
            "g.json:2:1: not a saved graph: instances[0].id: a text is wanted here, not a whole number",
            id="type of a field",
        ),
        pytest.param(
            [INSTANCE % "", INSTANCE % ""], "instances[1]: a second instance has the id 'a'", id="twice"
        ),
        pytest.param(
            [INSTANCE % ',"atributes":{}'], "'atributes' is no key that is known here", id="misspelt"
        ),
        pytest.param(
            [INSTANCE % ',"attributes":{"x":{"$what":1}}'], "'$what' is no kind of value", id="word"
        ),
        pytest.param([INSTANCE % ',"attributes":{"x":{"$date":"soon"}}'], "bad '$date' value", id="date"),
        pytest.param([INSTANCE % ',"origin":{"file":"f"}'], "origin must have a file, a line", id="origin"),
        pytest.param([INSTANCE % ',"origins":[]'], "origins must be an object", id="origins"),
        pytest.param(
            [INSTANCE % ',"kinds":{"owner":"magic"}'],
            "instances[0].kinds.owner: 'magic' is none of the values that may stand here",
            id="kind",
        ),
        pytest.param(
            [INSTANCE % ',"kinds":{"host":"uses"}'],
            "'host' is no key that is known here",
            id="field of kinds",
        ),
        pytest.param(
            [INSTANCE % ',"origin":{"file":"f","line":1,"column":1,"how":"magic"}'],
            "'magic' is no way",
            id="how",
        ),
        pytest.param([INSTANCE % (',"attributes":{"x":' + "[" * 9999)], "", id="deep and cut off"),
        pytest.param(
            [INSTANCE % (',"attributes":{"x":' + "[" * 9999 + "]" * 9999 + "}")],
            "nested too deeply",
            id="deep",
        ),
    ],
)
def test_what_is_wrong_with_a_saved_graph(text: str | list[str], message: str) -> None:
    if isinstance(text, list):
        text = '{"format":"sabir.graph/1","instances":[' + ",\n".join(text) + "]}"
    with pytest.raises(InputError) as caught:
        load_graph(text.encode(), name="g.json")
    assert message in str(caught.value)
    assert str(caught.value).startswith("g.json:")


@pytest.mark.parametrize("levels", [1001, 9999, 60_000, 1_000_000])
def test_nesting_is_bounded_before_the_stack_is(levels: int) -> None:
    deep = "[" * levels + "]" * levels
    with pytest.raises(InputError, match="nested too deeply"):
        load_graph(
            ('{"format":"sabir.graph/1","instances":[],"outputs":{"x":' + deep + "}}").encode(), name="g.json"
        )


def test_many_values_beside_each_other_are_not_deep() -> None:
    flat = "[" + ",".join(['["]["]'] * 2000) + "]"
    text = '{"format":"sabir.graph/1","instances":[' + INSTANCE % (',"attributes":{"x":' + flat + "}") + "]}"
    assert len(load_graph(text.encode(), name="g.json")) == 1


def test_a_long_chain_is_written_as_far_as_it_can_be_read_again() -> None:
    step = Origin(Location("main.cf", 1, 1), How.LITERAL)
    for line in range(2, 3000):
        step = Origin(Location("main.cf", line, 1), How.EXPRESSION, sources=(step,))
    one = Instance(
        id="a",
        type="T",
        language="inmanta",
        name="a",
        attributes=Record.of({"x": 1}),
        origin=None,
        origins=Record.of({"x": step}),
    )
    read = load_graph(b"".join(graph_chunks(Graph([one]))), name="g.json")["a"].origins["x"]
    deep = 1
    while read.sources:
        deep, (read,) = deep + 1, read.sources  # type: ignore[assignment]
    assert deep == 200


LATE = [
    pytest.param(b'"attributes":{"x":"\xff"}', "it is no UTF-8 text", id="no text"),
    pytest.param(b'"attributes":{"x":1e999}', "the number is too large", id="number"),
    pytest.param(b'"attributes":{"x":"\\ud800"}', "not a saved graph", id="half a character"),
    pytest.param(
        b'"attributes":{"x":[[{"\\u0024what":1}]]}', "'$what' is no kind of value", id="escaped word"
    ),
    pytest.param(
        b'"relations":{"x":[1]}', "relations.…[0]: a text is wanted here, not a whole number", id="relation"
    ),
    pytest.param(b'"requires":{}', "requires: a list is wanted here, not a map", id="requires"),
    pytest.param(b'"origins":{"x":null}', "origins.x must be an object", id="origin of a value"),
    pytest.param(
        b'"origin":{"file":"f","line":1,"column":1,"note":1}', "origin.note must be a string", id="note"
    ),
    pytest.param(
        b'"origin":{"file":"f","line":1,"column":1,"sources":[{"instance":1}]}',
        "an instance and an attribute must be named by strings",
        id="source",
    ),
    pytest.param(
        b'"origin":{"file":"f","line":1,"column":1,"sources":[{"file":"f"}]}',
        "origin.sources must have a file",
        id="step",
    ),
]


@pytest.mark.parametrize(("part", "message"), LATE)
def test_what_is_read_late_is_checked_at_once(part: bytes, message: str) -> None:
    fine, broken = (INSTANCE % "").encode(), INSTANCE.replace('"a"', '"b"').encode() % (b"," + part)
    with pytest.raises(InputError) as caught:
        load_graph(b'{"format":"sabir.graph/1","instances":[' + fine + b",\n" + broken + b"]}", name="g.json")
    assert message in str(caught.value)
    assert str(caught.value).startswith("g.json:2:")


def test_a_graph_of_an_older_sabir_is_read() -> None:
    """Keys may be left out, and origins say again what those of the instance say."""
    origin = '{"file":"f","line":3,"column":1,"how":"literal"}'
    line = INSTANCE % f',"attributes":{{"x":1}},"origin":{origin},"origins":{{"x":{origin}}}'
    graph = load_graph(f'{{"format":"sabir.graph/1","instances":[{line}]}}'.encode(), name="g.json")
    assert graph["a"].origins["x"].location == Location("f", 3, 1)
    assert graph["a"].requires == ()
    bare = load_graph(f'{{"format":"sabir.graph/1","instances":[{INSTANCE % ""}]}}'.encode(), name="g.json")
    assert (bare["a"].owner, dict(bare["a"].attributes), bare["a"].origin) == (None, {}, None)


@pytest.mark.parametrize("depth", [20, 200])
def test_what_was_loaded_can_be_looked_at_from_anywhere(depth: int) -> None:
    """Reading late must not fail where little stack is left."""
    deep: Value = 1
    for _ in range(depth):
        deep = [deep]
    graph = load_graph(saved(one_instance(deep=deep)), name="g.json")

    def look(levels: int) -> Value:
        return look(levels - 1) if levels else graph["a"].attributes["deep"]

    assert look(sys.getrecursionlimit() - len(inspect.stack()) - 120) is not None


def test_an_instance_has_nothing_but_its_own_attributes() -> None:
    one = load_graph(saved(one_instance()), name="g.json")["a"]
    assert not hasattr(one, "colour")
    assert len(one.attributes) == 0
    assert not hasattr(one, "colour")


def test_the_schema_knows_every_manner() -> None:
    assert SCHEMA["$defs"]["origin"]["properties"]["how"]["enum"] == [how.value for how in How]


SAVED = saved(one_instance(a=[1, {"b": Ref("a")}], c=Sensitive("x"), d=b"hi", e={"$x": 1.5}))


@given(st.integers(0, len(SAVED) - 1), st.integers(0, 9), st.binary(max_size=4))
def test_a_damaged_graph_is_read_or_refused_but_never_crashes(start: int, gone: int, new: bytes) -> None:
    damaged = SAVED[:start] + new + SAVED[start + gone :]
    with contextlib.suppress(InputError):
        load_graph(damaged, name="g.json")


@given(
    st.recursive(
        st.sampled_from([None, True, 1, "x", "0x1", "2026-11-15"]),
        lambda inner: st.one_of(
            st.lists(inner, max_size=2),
            st.dictionaries(
                st.sampled_from(
                    [
                        "$ref",
                        "$map",
                        "$bytes",
                        "$date",
                        "$datetime",
                        "$int",
                        "$float",
                        "$sensitive",
                        "$unknown",
                        "value",
                        "x",
                    ]
                ),
                inner,
                max_size=2,
            ),
        ),
        max_leaves=5,
    )
)
def test_any_data_is_a_value_or_refused(data: Any) -> None:
    with contextlib.suppress(ValueError):
        decode_value(data)
