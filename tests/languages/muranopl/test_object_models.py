"""`sabir model`: models from forms and from contracts, and their schema."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest

from sabir.languages.language import EvaluationRequest, ModelCall, ModelQuestion, ModelResult
from sabir.languages.muranopl.object_models import make_model
from sabir.source.packages import MemoryPackage
from tests.languages.muranopl.packages import files

CLASSES = """\
Name: Node
Properties:
  host: {Contract: $.string().notNull()}
  port: {Contract: $.int().notNull(), Default: 80}
---
Name: Root
Properties:
  title: {Contract: $.string()}
  main: {Contract: $.class(Node).notNull()}
  nodes: {Contract: [$.class(Node).notNull()]}
  state: {Contract: $.string(), Usage: Out}
"""
FORM = """\
Version: 2.1
Application:
  ?: {type: demo.Root}
  main:
    ?: {type: demo.Node}
    host: $.conf.host
Forms:
  - conf:
      fields:
        - {name: host, type: string, label: Host}
        - {name: secret, type: password, label: Secret, required: false}
"""


def made(form: str | None = None, **call: Any) -> ModelResult:
    package = files(CLASSES)
    if form is not None:
        package["UI/ui.yaml"] = form
    return make_model(MemoryPackage(package), EvaluationRequest(), ModelCall(**call))


def test_model_from_contracts() -> None:
    model = made(cls="demo.Root", values={"main.host": "a"}).document
    assert model is not None
    assert model["main"]["host"] == "a"
    assert model["main"]["?"]["type"] == "demo.Node"
    assert "state" not in model


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "main.host: demo.Root needs a value, give it with --set main.host=VALUE"),
        ({"main.host": "a", "titel": 1}, "titel: there is no such property in demo.Root"),
    ],
)
def test_what_contracts_miss(values: dict[str, Any], said: str) -> None:
    assert made(cls="demo.Root", values=values).errors == (said,)


def test_asking_for_what_is_missing() -> None:
    asked = made(cls="demo.Root", ask=lambda question: f"<{question.name}>").document
    assert asked is not None
    assert asked["main"]["host"] == "<main.host>"


def test_model_from_forms() -> None:
    model = made(FORM, values={"host": "a"}).document
    assert model is not None
    assert model["main"]["host"] == "a"
    assert made(FORM, values={"conf.hots": "a", "host": "b"}).errors == (
        "conf.hots: there is no such field; did you mean 'conf.host'?",
    )
    assert made(FORM).errors == ("conf.host: This field is required. Give it with --set conf.host=VALUE",)


FIELDS = """\
Version: 2.4
Application: {?: {type: demo.Root}, title: $.conf.port, main: $.conf.secret}
Forms:
  - conf:
      fields:
        - {name: port, type: integer, label: Port}
        - {name: secret, type: password, label: Secret}
        - {name: zone, type: azone, label: Zone, required: false}
"""


def test_what_a_form_refuses_is_asked_for_again() -> None:
    answers = iter(["many", "weak", None, "80", "Strong-1", None, None])
    asked: list[ModelQuestion] = []

    def ask(question: ModelQuestion) -> Any:
        asked.append(question)
        return next(answers)

    model = made(FIELDS, ask=ask, cloud={"zones": ["nova"]}).document
    assert model is not None
    assert (model["title"], model["main"]) == (80, "Strong-1")
    told = [(question.name, question.is_secret, question.refused) for question in asked[:5]]
    assert told[:4] == [
        ("conf.port", False, None),
        ("conf.secret", True, None),
        ("conf.zone", False, None),
        ("conf.port", False, "Enter a whole number."),
    ]
    assert told[4][:2] == ("conf.secret", True)
    assert asked[2].text == "Zone (nova)"


def test_the_same_answer_is_an_error_in_the_end() -> None:
    refused = made(FIELDS, ask=lambda question: "x").errors
    assert refused[0] == "conf.port: Enter a whole number."


def test_a_schema_accepts_what_is_made() -> None:
    schema = made(cls="demo.Root", schema=True).document
    model = made(cls="demo.Root", values={"main.host": "a"}).document
    assert schema is not None
    validator = jsonschema_rs.validator_for(dict(schema))
    assert validator.is_valid(model)
    assert not validator.is_valid({"?": {"type": "demo.Root"}, "main": {"?": {"type": "demo.Node"}}})
