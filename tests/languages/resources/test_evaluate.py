"""Resources as instances and wishes: expressions, inputs, files, secrets, and mistakes."""

from __future__ import annotations

import pytest

from sabir.graph.values import Sensitive, Unknown
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.languages.resources import LANGUAGE
from sabir.source.packages.views import MemoryPackage

HEAD = "sabir: resources/1\nresources:\n"


def evaluated(text: str, **request: object) -> Evaluation:
    package = MemoryPackage({"resources.yaml": HEAD + text, "greeting.txt": "hi"})
    return LANGUAGE.evaluate(package, EvaluationRequest(**request))  # type: ignore[arg-type]  # by name


def test_values() -> None:
    text = """
  a: {kind: file, fields: {path: x, content: {eval: '::b::content'}}}
  b: {kind: file, fields: {path: y, content: {get_input: word}, mode: {sensitive: '0600'}}, requires: [a]}
  c: {kind: file, fields: {path: z, content: {file: greeting.txt}}}
"""
    evaluation = evaluated(text, inputs={"word": "hello"})
    assert evaluation.findings == ()
    first, second, third = evaluation.wanted().resources
    assert first.desired == {"path": "x", "content": "hello"}
    assert second.desired["mode"] == Sensitive("0600")
    assert [str(address) for address in second.requires] == ["a"]
    assert third.desired["content"] == "hi"
    assert evaluation.graph["a"].attributes["content"] == "hello"


def test_results_are_unknown_until_they_are_observed() -> None:
    text = """
  job: {kind: command, fields: {run: 'true'}, results: [port]}
  a: {kind: file, fields: {path: x, content: {eval: '::job::port'}}}
"""
    before = evaluated(text).wanted().resources[1].desired["content"]
    assert isinstance(before, Unknown)
    assert before.of == "job|port"
    after = evaluated(text, observed={"job|port": "80"}).wanted().resources[1].desired["content"]
    assert after == "80"


def test_of_a_name_that_is_there_twice_the_last_one_holds() -> None:
    evaluation = evaluated("  a: {kind: file, fields: {path: x}}\n  a: {kind: file, fields: {path: y}}\n")
    assert [finding.code for finding in evaluation.findings] == ["E006"]
    assert [resource.desired for resource in evaluation.wanted().resources] == [{"path": "y"}]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("  a: {kind: file, fields: {path: {eval: '::a::path'}}}\n", "RES:E005"),
        ("  a: {kind: file, fields: {path: {get_input: nothing}}}\n", "RES:E006"),
        ("  a: {kind: file, fields: {path: {file: gone}}}\n", "RES:E007"),
        ("  a: {kind: file, requires: [b]}\n", "RES:E004"),
        ("  a: {kind: [file]}\n", "RES:E002"),
        ("  a: {kind: file, timeout: soon}\n", "RES:E002"),
        ("  a: {kind: file, field: {}}\n", "RES:E003"),
    ],
)
def test_mistakes(text: str, code: str) -> None:
    assert [finding.code for finding in evaluated(text).findings] == [code]
