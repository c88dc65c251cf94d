"""Forms filled with values: what is proposed, what is refused, the model that is made."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.errors import InputError
from sabir.languages.muranopl.evaluate.forms.cloud import Offers
from sabir.languages.muranopl.evaluate.forms.definition import read_definition
from sabir.languages.muranopl.evaluate.forms.models import FormResult, Wizard
from sabir.text import Source

HEAD = "Version: 2\nApplication:\n  ?: {type: demo.App}\n  value: $.form.field\nForms:\n  - form:\n      fields:\n"


def filled(field: str, sent: Any = None, cloud: dict[str, Any] | None = None, **keys: Any) -> FormResult:
    text = HEAD + f"        - {{name: field, label: Field, {field}}}\n"
    values = {} if sent is None else {"form": {"field": sent, **keys}}
    wizard = Wizard(read_definition(Source("ui.yaml", text)), "demo.App", offers=Offers(cloud=cloud))
    return wizard.fill(values)


@pytest.mark.parametrize(
    ("field", "sent", "value"),
    [
        ("type: string", " a ", "a"),
        ("type: string, initial: x", None, "x"),
        ("type: string, required: false", None, ""),
        ("type: integer", "7", 7),
        ("type: integer, required: false", None, None),
        ("type: boolean", None, False),
        ("type: boolean, initial: true", None, True),
        ("type: boolean, initial: true", False, False),
        ("type: databaselist", "a, b", ["a", "b"]),
        ("type: clusterip", "10.0.0.1", "10.0.0.1"),
        ("type: choice, choices: [[a, A], [b, B]]", None, "a"),
        ("type: image", "anything", "anything"),  # of a cloud that nobody described
        ("type: network", None, [None, None]),
        ("type: demo.Db, required: false", None, None),
    ],
)
def test_value(field: str, sent: Any, value: Any) -> None:
    result = filled(field, sent)
    assert result.errors == {}
    assert result.model is not None
    assert result.model["value"] == value


@pytest.mark.parametrize(
    ("field", "sent", "count"),
    [
        ("type: string", "", 1),
        ("type: integer, minValue: 3", 2, 1),
        ("type: integer", "many", 1),
        ("type: clusterip", "10.0.0", 1),
        ("type: choice, choices: [[a, A]]", "b", 1),
        ("type: string, regexpValidator: '^[a-z]+$', minLength: 4", "A1", 2),
        ("type: string, regexpValidator: '(((', required: false", "x", 1),
        ("type: password, confirmInput: false", "weak", 2),
    ],
)
def test_refusal(field: str, sent: Any, count: int) -> None:
    assert {name: len(messages) for name, messages in filled(field, sent).errors["form"].items()} == {
        "field": count
    }


def test_offers_of_a_cloud() -> None:
    cloud = {"flavors": [{"id": "1", "name": "small", "vcpus": 1}, {"id": "2", "name": "medium", "vcpus": 2}]}
    assert filled("type: flavor", cloud=cloud).values["form"]["field"] == "medium"
    few = filled("type: flavor, requirements: {max_vcpus: 1}", cloud=cloud)
    assert few.forms[0]["fields"][0]["choices"] == [["1", "small"]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Version: 2\n", "ui.yaml:1:1: the section Application is required"),
        ("Version: 9\nApplication: {}\n", "ui.yaml:1:10: forms of version 9 are not known"),
        (
            "Version: 2.9\nApplication: {}\n",
            "ui.yaml:1:10: forms of version 2.9 are not known; the latest one is 2.4",
        ),
        ("Application: {}\nForms:\n  - form:\n", "ui.yaml:3:5: the form 'form' has no list of fields"),
        ("Application: {}\nForms:\n  - form: {fields: [{name: a}]}\n", "a field needs a name and a type"),
        (
            "Application: {}\nForms:\n  - form: {fields: [{name: a, type: [[]]}]}\n",
            "the type of a field is a name, or a list of names of classes",
        ),
        ("- 1\n", "a UI definition is a mapping"),
    ],
)
def test_definition_that_cannot_be_used(text: str, said: str) -> None:
    with pytest.raises(InputError) as refusal:
        read_definition(Source("ui.yaml", text))
    assert said in str(refusal.value)


def test_an_expression_that_fails_names_its_place() -> None:
    with pytest.raises(InputError, match="`initial` of 'field' of the UI definition cannot be evaluated"):
        filled("type: string, initial: $.nothing.at.all()")


def test_a_key_that_stands_twice_has_its_last_value() -> None:
    """As the dashboard reads it; `check` warns."""
    text = "Version: 2.4\nApplication: {?: {type: demo.App}}\nForms:\n  - a:\n      fields:\n"
    text += "        - {name: port, type: integer, required: true, required: false}\n"
    (form,) = read_definition(Source("ui.yaml", text)).forms
    assert form.fields[0].keys["required"] is False
