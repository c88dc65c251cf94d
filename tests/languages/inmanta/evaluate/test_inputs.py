"""Inputs and what-if values."""

from __future__ import annotations

import pytest

from sabir.errors import UsageError
from sabir.graph.origin import How
from sabir.graph.values import Value
from sabir.languages.inmanta import LANGUAGE
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.source.packages import MemoryPackage

MODEL = """region = "eu"
entity Host:
    string name
    int cpus = 2
    int doubled
end
index Host(name)
implementation twice for Host:
    self.doubled = cpus * 2
end
implement Host using twice
a = Host(name="{{region}}-1")
b = Host(name="{{region}}-2", cpus=8)
"""


def run(inputs: dict[str, Value] | None = None, overrides: dict[str, Value] | None = None) -> Evaluation:
    request = EvaluationRequest(full_provenance=True, inputs=inputs or {}, overrides=overrides or {})
    return LANGUAGE.evaluate(MemoryPackage({"main.cf": MODEL}), request)


def test_an_input_replaces_an_assignment() -> None:
    evaluation = run(inputs={"region": "us"})
    assert not evaluation.findings
    assert "Host/us-1" in evaluation.graph
    assert evaluation.graph.output_origins["region"].how is How.INPUT
    origin = evaluation.graph["Host/us-1"].origins["name"]
    assert [getattr(one, "how", None) for one in origin.sources] == [How.INPUT]


def test_a_what_if_value_stands_and_what_depends_on_it_follows() -> None:
    evaluation = run(overrides={"Host/eu-1.cpus": 16, "eu-2.doubled": 1})
    assert not evaluation.findings
    first, second = evaluation.graph["Host/eu-1"], evaluation.graph["Host/eu-2"]
    assert (first.attributes["cpus"], first.attributes["doubled"]) == (16, 32)
    assert (second.attributes["cpus"], second.attributes["doubled"]) == (8, 1)
    assert first.origins["cpus"].how is How.OVERRIDE


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"inputs": {"regoin": "x"}}, "did you mean 'region'?"),
        ({"overrides": {"eu-3.cpus": 1}}, "there is no instance 'eu-3'"),
        ({"overrides": {"eu-1.cpu": 1}}, "did you mean 'cpus'?"),
        ({"overrides": {"eu-1.cpus": "x"}}, "is a int, and 'x' is not"),
    ],
)
def test_what_cannot_be_given(request_: dict[str, dict[str, Value]], message: str) -> None:
    with pytest.raises(UsageError, match=message.replace("?", r"\?")):
        run(**request_)
