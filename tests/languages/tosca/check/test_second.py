"""Rules of 2.0: scalar types, refinements, schemas, values."""

from __future__ import annotations

import pytest

from tests.languages.tosca.second import said

SCALAR = "data_types:\n  Mass: {derived_from: scalar, %s}\n"


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("description: x", "data type 'Mass' has no units"),
        ("units: {g: one}", "the multiplier of 'g' in data type 'Mass' must be a number, not 'one'"),
        ("units: {kg: 1000}", "data type 'Mass' has no unit with the multiplier 1"),
        ("units: {g: 1}, prefixes: {k: 1000}", "data type 'Mass' has no prefix with the multiplier 1"),
        ("units: {g: 1, gram: 1}", "data type 'Mass' has several units with the multiplier 1: g, gram"),
        ("units: {g: 1}, canonical_unit: kg", "the canonical unit 'kg' is none of the units of 'Mass'"),
        ("units: {g: 1, kg: 1000}, canonical_unit: kg", "the canonical unit 'kg' of 'Mass' must have the multiplier 1"),
        ("units: {g: 1}, data_type: string", "the data type of 'Mass' must be integer or float, or derive from one of them"),
        ("units: {g: 1}, properties: {p: {type: string}}", "data type 'Mass' is a scalar and cannot have properties"),
    ],
)  # fmt: skip
def test_scalar_types_that_cannot_be_used(keys: str, message: str) -> None:
    assert said(SCALAR % keys) == [("TOSCA:E037", message)]


def test_units_need_a_scalar() -> None:
    text = "data_types:\n  Mass: {derived_from: string, units: {g: 1}}\n"
    assert said(text) == [("TOSCA:E037", "data type 'Mass' has units but does not derive from scalar")]


VALUES = """\
data_types:
  Count: {derived_from: integer, validation: {$greater_or_equal: [$value, 1]}}
  Mass: {derived_from: scalar, data_type: %s, units: {g: 1}, prefixes: {"": 1, k: 1000}}
node_types:
  N: {properties: {mass: {type: Mass, validation: {$less_or_equal: [$value, 10 kg]}}}}
service_template: {node_templates: {n: {type: N, properties: {mass: %s}}}}
"""


@pytest.mark.parametrize(
    ("data_type", "value", "codes"),
    [
        ("float", "1.5 kg", []),
        ("float", "1.5kg", []),
        ("integer", "2 kg", []),
        ("integer", "2.5 kg", ["TOSCA:E012"]),
        ("Count", "-1 kg", ["TOSCA:E013"]),
        ("float", "11 kg", ["TOSCA:E013"]),
        ("float", "11000.5 g", ["TOSCA:E013"]),
        ("float", "1 lb", ["TOSCA:E012"]),
        ("float", "10", ["TOSCA:E012"]),
        ("float", "kg", ["TOSCA:E012"]),
    ],
)
def test_values_of_scalar_types(data_type: str, value: str, codes: list[str]) -> None:
    assert [code for code, _ in said(VALUES % (data_type, value))] == codes


BASE = "data_types:\n  Port: {derived_from: integer}\ncapability_types:\n  E:\n    properties: {p: {type: %s}, q: {type: string, required: false}}\n"


@pytest.mark.parametrize(
    ("inherited", "refined", "codes"),
    [
        ("integer", "p: {type: Port}", []),
        ("integer", "p: {default: 5}", []),
        ("integer", "p: 5", []),
        ("integer", "p: {type: string}", ["TOSCA:E038"]),
        ("integer", "p: {required: false}", ["TOSCA:E038"]),
        ("integer", "q: {required: true}", []),
        ("integer, value: 4", "p: 5", ["TOSCA:E038"]),
        ("integer, value: 4", "p: 4", []),
        ("integer", "r: 5", ["TOSCA:E039"]),
        ("integer", "r: strng", ["TOSCA:E039"]),
        ("integer", "r: string", []),
    ],
)
def test_refinements(inherited: str, refined: str, codes: list[str]) -> None:
    text = BASE % inherited + f"  F: {{derived_from: E, properties: {{{refined}}}}}\n"
    assert [code for code, _ in said(text)] == codes


def test_a_native_type_gets_no_properties() -> None:
    text = "data_types:\n  Url: {derived_from: string, properties: {host: {type: string}}}\n"
    assert said(text) == [("TOSCA:E038", "data type 'Url' derives from string and cannot have properties")]


@pytest.mark.parametrize(
    ("schema", "codes"),
    [
        ("type: list, entry_schema: string", []),
        ("type: map, key_schema: string, entry_schema: integer", []),
        ("type: string, entry_schema: string", ["TOSCA:E041"]),
        ("type: list, key_schema: string, entry_schema: string", ["TOSCA:E041"]),
        ("type: map, key_schema: integer, entry_schema: string", ["TOSCA:E041"]),
        ("type: scalar", ["TOSCA:E037"]),
    ],
)
def test_schemas(schema: str, codes: list[str]) -> None:
    assert [code for code, _ in said(f"node_types:\n  N: {{properties: {{p: {{{schema}}}}}}}\n")] == codes


@pytest.mark.parametrize(
    ("type_name", "value", "fits"),
    [
        ("string", "a", True),
        ("string", "0.1", False),
        ("string", "yes", True),
        ("string", "2024-01-01", True),
        ("integer", "0o755", True),
        ("integer", "0x1F", True),
        ("integer", "99999999999999999999", False),
        ("float", "10", True),
        ("boolean", "true", True),
        ("boolean", "True", False),
        ("boolean", "yes", False),
        ("bytes", "aGVsbG8=", True),
        ("bytes", "a b*", False),
        ("nil", "null", True),
        ("string", "null", False),
        ("timestamp", "2016-12-31T23:59:60Z", True),
        ("timestamp", "'2001-12-14 21:59:43.10 -5'", False),
        ("timestamp", "2024-01-01", False),
        ("version", "1.2.3.beta-4", True),
        ("version", "1.2", False),
    ],
)
def test_values_are_not_converted(type_name: str, value: str, *, fits: bool) -> None:
    text = (
        f"node_types: {{N: {{properties: {{p: {{type: {type_name}}}}}}}}}\n"
        f"service_template: {{node_templates: {{n: {{type: N, properties: {{p: {value}}}}}}}}}\n"
    )
    assert [code for code, _ in said(text)] == ([] if fits else ["TOSCA:E012"])


@pytest.mark.parametrize(
    ("template", "codes"),
    [
        ("", ["TOSCA:E011"]),
        ("capabilities: {e: {properties: {p: 1}}}", []),
        ("capabilities: {e: {properties: {p: 1, f: 2}}}", ["TOSCA:E013"]),
        ("directives: [substitute]", []),
    ],
)
def test_capabilities_have_what_their_type_requires(template: str, codes: list[str]) -> None:
    text = (
        "capability_types: {E: {properties: {p: {type: integer}, f: {type: integer, value: 1}}}}\n"
        "node_types: {N: {capabilities: {e: {type: E}}}}\n"
        f"service_template: {{node_templates: {{n: {{type: N, {template}}}}}}}\n"
    )
    assert [code for code, _ in said(text)] == codes


@pytest.mark.parametrize(
    ("value", "codes"),
    [
        ("{$concat: [a, b]}", []),
        ("{$sum: [1, 2]}", []),
        ("{$sqrt: [4]}", []),
        ("{$concta: [a, b]}", ["EXPR:E004"]),
        ("{$concat: [a, {$sun: [1, 2]}]}", ["EXPR:E004"]),
        ("{$$concta: [a, b]}", []),
    ],
)
def test_functions_are_there(value: str, codes: list[str]) -> None:
    text = (
        "functions: {sqrt: {signatures: [{arguments: [{type: float}], result: {type: float}}]}}\n"
        f"service_template: {{node_templates: {{}}, outputs: {{o: {{value: {value}}}}}}}\n"
    )
    assert [code for code, _ in said(text)] == codes


@pytest.mark.parametrize(
    ("clause", "value", "codes"),
    [
        ("{$and: [{$greater_than: [$value, 1]}, {$less_than: [$value, 9]}]}", "5", []),
        ("{$and: [{$greater_than: [$value, 1]}, {$less_than: [$value, 9]}]}", "9", ["TOSCA:E013"]),
        ("{$not: [{$equal: [$value, 4]}]}", "4", ["TOSCA:E013"]),
        ("{$equal: [{$remainder: [$value, 2]}, 0]}", "4", []),
        ("{$equal: [{$remainder: [$value, 2]}, 0]}", "5", ["TOSCA:E013"]),
        ("{$equal: [$value, {$get_input: x}]}", "5", []),
    ],
)
def test_validation_clauses(clause: str, value: str, codes: list[str]) -> None:
    text = (
        f"node_types: {{N: {{properties: {{p: {{type: integer, validation: {clause}}}}}}}}}\n"
        f"service_template: {{inputs: {{x: {{type: integer}}}}, node_templates: {{n: {{type: N, properties: {{p: {value}}}}}}}}}\n"
    )
    assert [code for code, _ in said(text) if code != "TOSCA:W023"] == codes
