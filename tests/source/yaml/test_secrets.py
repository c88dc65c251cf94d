"""What a YAML text marks as secret."""

from __future__ import annotations

import pytest

from sabir.source.yaml import compose
from sabir.source.yaml.secrets import scalar_lines, secret_nodes
from sabir.text import Source

CASES = {
    "{a: {sensitive: word}}": {"word"},
    "{a: {sensitive: [one, {b: two}]}}": {"one", "two"},
    "{a: {sensitive: true}}": set(),
    "{a: {sensitive: {eval: '::b'}}}": set(),
    "{a: {type: string, default: word, metadata: {sensitive: true}}}": {"word"},
    "{a: {type: string, default: word, sensitive: yes}}": {"word"},
    "{a: {type: string, default: word, metadata: {sensitive: false}}}": set(),
    "[{pin: {sensitive: true}}, {properties: {pin: word, user: bob}}]": {"word"},
    "[{pin: {sensitive: true}}, {labels: {pin: word}}]": set(),
    "{secret_configs: {a: {b: word}}}": {"word"},
    "{secrets: {a: word}}": {"word"},
    "{secrets: {a: {path: /etc, data: {b: word}}}}": {"word"},
    "{registry: {username: bob, password: word}}": {"word"},
    "{kind: Secret, metadata: {name: a}, data: {b: word}, stringData: {c: two}}": {"word", "two"},
    "a: {sensitive: |\n one\n two\n}": set(),
    "a:\n  sensitive: |\n    one\n    two\n": {"one", "two"},
    "a: &a\n  sensitive: [word]\nb: *a\n": {"word"},
}


@pytest.mark.parametrize("text", CASES)
def test_secrets(text: str) -> None:
    documents = [document for document in compose(Source("a.yaml", text)).documents if document is not None]
    assert {word for node in secret_nodes(documents) for word in scalar_lines(node)} == CASES[text]
