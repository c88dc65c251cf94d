"""What if: a value of a definition replaced, with everything that follows from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.diagnostics.finding import Severity
from sabir.errors import UsageError
from sabir.graph import Graph, How, Value
from sabir.languages.ccp import LANGUAGE
from sabir.languages.language import EvaluationRequest
from sabir.source.packages import load_package

SHOP = Path(__file__).resolve().parents[3] / "examples" / "ccp" / "shop"


def evaluate(subject: str, value: Value) -> Graph:
    return LANGUAGE.evaluate(load_package(SHOP), EvaluationRequest(overrides={subject: value})).graph


@pytest.mark.parametrize(
    ("subject", "value"),
    [
        ("shop/web.image", "other:2"),
        ("shop.ports", [9090]),
        ("shop.annotations", {"service": {"a": "b"}}),
        ("shop/web/daemon.command", "/bin/true"),
        ("shop/shop-schema.command", "/bin/false"),
        ("shop#shop-conf.path", "/etc/other.conf"),
    ],
)
def test_the_value_is_the_one_given(subject: str, value: Value) -> None:
    instance, _, key = subject.rpartition(".")
    made = evaluate(subject, value)[instance]
    assert made.attributes[key] == value
    assert made.origins[key].how is How.OVERRIDE


def test_what_follows_changes_too() -> None:
    pod = evaluate("shop/web.image", "other:2")["Deployment/shop"].attributes["spec"]
    assert isinstance(pod, dict)
    assert "other:2" in str(pod["template"]["spec"]["containers"])


def test_an_unknown_instance_is_refused_with_the_near_name() -> None:
    with pytest.raises(UsageError, match="did you mean 'shop/web'"):
        evaluate("shop/wbe.image", "x")


def test_a_value_that_the_definition_cannot_take_is_a_finding() -> None:
    evaluation = LANGUAGE.evaluate(load_package(SHOP), EvaluationRequest(overrides={"shop/web.image": 5}))
    assert any("image" in one.message and one.severity is Severity.ERROR for one in evaluation.findings)
