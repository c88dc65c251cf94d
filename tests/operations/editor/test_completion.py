from __future__ import annotations

import pytest

from sabir.graph import Graph, Instance
from sabir.graph.record import Record
from sabir.operations.editor.completion import graph_candidates
from sabir.text import Source

GRAPH = Graph(
    (
        Instance(id="net", type="sabir.Part", language="lines", name="net"),
        Instance(
            id="net/lan",
            type="Network",
            language="lines",
            name="lan",
            owner="net",
            attributes=Record.of({"cidr": "10.0.0.0/24", "gateway": "10.0.0.1"}),
        ),
        Instance(
            id="web",
            type="example.Site",
            language="lines",
            name="web",
            attributes=Record.of({"url": "http://web"}),
        ),
    )
)
RULES = "rules:\n  - code: A:E001\n    for: '::*::[.type=Network]'\n    condition: |\n  - code: A:E002\n    condition: "


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('host: {eval: "::net::', {"lan"}),
        ('host: {eval: "::net::la', {"lan"}),
        ('host: {eval: "::net::lan::', {"cidr", "gateway"}),
        ('host: {eval: "::gone::', set()),
        ("for: '::*::[.type=", {"sabir.Part", "Network", "example.Site"}),
        ("for: '::*::[.type=example.", {"sabir.Part", "Network", "example.Site"}),
        (RULES.partition("|")[0], {"cidr", "gateway"}),
        (RULES, {"cidr", "gateway", "url"}),
        ("name: ", set()),
    ],
)
def test_what_an_expression_may_go_on_with(text: str, expected: set[str]) -> None:
    proposed = {
        candidate.text for candidate in graph_candidates(GRAPH, Source("sabir.yaml", text), len(text))
    }
    assert proposed == expected


def test_a_type_takes_the_place_of_all_that_was_typed_of_it() -> None:
    text = "for: '::*::[.type=example."
    replaced = {each.replaces for each in graph_candidates(GRAPH, Source("rules.yaml", text), len(text))}
    assert [text[span.start : span.end] for span in replaced if span is not None] == ["example."]
