"""Places in large JSON models: found late, the same as those that are kept from the start."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabir.languages.language import EvaluationRequest
from sabir.languages.muranopl.evaluate import model_file
from sabir.languages.muranopl.evaluate.positions import LatePositions, read_placed
from sabir.languages.muranopl.evaluate.preparation import prepare_run
from sabir.source.packages import MemoryPackage
from sabir.source.yaml import compose
from sabir.text import Source
from tests.languages.muranopl.packages import MANIFEST, files

_KEYS = st.text(alphabet="ab?\"\\é' {}[]:,", min_size=1, max_size=4)
_VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 99) | st.text(alphabet='a"\\{}[],: ', max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=12,
)


def _mappings(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        return [value, *(one for item in value.values() for one in _mappings(item))]
    return [one for item in value for one in _mappings(item)] if isinstance(value, list) else []


@given(st.dictionaries(_KEYS, _VALUES, max_size=4), st.sampled_from([None, 2]))
def test_late_places_are_the_same(data: dict[str, Any], indent: int | None) -> None:
    source = Source("model.json", json.dumps(data, indent=indent, ensure_ascii=False))
    document = compose(source).documents[0]
    assert document is not None
    placed, positions = read_placed(source, document)
    for kept, late in zip(_mappings(placed), _mappings(placed), strict=True):
        found = LatePositions(source, placed)
        assert found.of(late) == positions.of(kept)
        for key, value in kept.items():
            assert found.of_key(late, key) == positions.of_key(kept, key)
            found = LatePositions(source, placed)
            assert found.of_value(late, key) == positions.of_value(kept, key)
            if isinstance(value, list) and value:
                last = f"[{len(value) - 1}]"
                assert found.of_value(late, key, last) == positions.of_value(kept, key, last)


def test_what_is_not_there() -> None:
    data = {"a": {"b": 1}}
    positions = LatePositions(Source("model.json", json.dumps(data)), data)
    assert positions.of({}) is None
    assert positions.of_value(data, "missing") is None
    assert positions.of_key(data, "missing").span.end == 0


def test_a_failure_in_a_large_model_has_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_file, "_PLACED", 100)
    nodes = [{"?": {"id": f"n{at}", "type": "demo.Node"}, "port": 80} for at in range(20)]
    nodes[17] = {"?": {"id": "n17", "type": "demo.Node"}, "port": "eighty", "prot": 1}
    written = files(
        "Name: Node\nProperties:\n  port:\n    Contract: $.int()\n---\n"
        "Name: Root\nProperties:\n  nodes:\n    Contract: [$.class(Node)]\n",
        **{"manifest.yaml": MANIFEST},
    )
    del written["model.yaml"]
    written["model.json"] = json.dumps({"?": {"id": "root", "type": "demo.Root"}, "nodes": nodes}, indent=1)
    prepared = prepare_run(MemoryPackage(written), EvaluationRequest())
    lines = written["model.json"].splitlines()
    places = {one.code: one for one in prepared.findings}
    violation = places["MRUN:E010"]
    assert violation.message.startswith("[demo.Root.nodes[17]] [demo.Node.port]")
    location = violation.location
    assert location is not None
    assert lines[location.line - 1].strip() == '"port": "eighty",'
    unknown = places["MRUN:W001"].location
    assert unknown is not None
    assert lines[unknown.line - 1].strip() == '"prot": 1'
