"""What sabir stands on may be passed on with it, and the page and the bill of materials say what that is."""

import json

import jsonschema_rs

from docs.licences import ALLOWED, BILL, PAGE, bill_of_materials, components, licences_page


def test_every_licence_was_looked_at() -> None:
    rows = components()
    assert len(rows) > 30
    assert [row for row in rows if row[2] not in ALLOWED] == []


def test_the_page_and_the_bill_are_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == licences_page(), "run python -m docs.licences"
    assert json.loads(BILL.read_text(encoding="utf-8")) == bill_of_materials(), "run python -m docs.licences"


def test_the_bill_has_the_form_of_cyclonedx() -> None:
    component = {
        "type": "object",
        "required": ["type", "name", "version", "purl", "licenses"],
        "properties": {"purl": {"pattern": "^pkg:(pypi|npm)/"}, "licenses": {"minItems": 1}},
    }
    schema = {
        "required": ["bomFormat", "specVersion", "components"],
        "properties": {
            "bomFormat": {"const": "CycloneDX"},
            "components": {"type": "array", "minItems": 30, "items": component},
        },
    }
    assert jsonschema_rs.validator_for(schema).is_valid(bill_of_materials())
