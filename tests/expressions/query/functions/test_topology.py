"""get_input, get_property, get_attribute, get_nodes_of_type."""

from __future__ import annotations

from typing import Any

from sabir.diagnostics.rules import Rule
from sabir.expressions.query.errors import BAD_ARGUMENTS, NOT_FOUND
from sabir.expressions.query.functions.topology import MISSING_INPUT
from tests.expressions.query.functions.calls import errors_test, values_test

VALUES: list[tuple[Any, Any]] = [
    ({"get_input": "zone"}, "north"),
    ({"get_input": ["sizes", "small", 1]}, 2),
    ({"get_input": ["sizes", "small", "-1"]}, 2),
    ({"get_input": ["sizes", "nosuch"]}, None),
    ({"get_input": ["none", "d"]}, "d"),
    ({"get_input": ["nosuch", "d"]}, "d"),
    ({"get_attribute": ["SELF", "a"]}, 1),
    ({"get_attribute": ["SELF", "m", "k", 0]}, "v"),
    ({"get_attribute": ["SELF", "m", "k", "0"]}, "v"),
    ({"get_attribute": ["SELF", "m", "nosuch"]}, None),
    ({"get_attribute": ["nosuch", "a"]}, None),
    ({"get_attribute": ["lid", "a"]}, 2),
    ({"get_attribute": ["SELF", "e"]}, []),
    ({"get_attribute": ["SELF", "l"]}, [1, 2]),
    ({"get_property": ["SELF", "a"]}, 1),
    ({"get_property": ["box", "l", "1"]}, 2),
    ({"get_property": ["lid", "host_only"]}, "x"),
    ({"eval": {"get_nodes_of_type": "tosca.nodes.Root"}, "foreach": ".name"}, ["box", "lid"]),
    ({"get_nodes_of_type": "nosuch"}, None),
    ({"get_artifact": ["SELF", "x"]}, None),
    ({"get_artifact": ["nosuch", "x"]}, None),
]

ERRORS: list[tuple[Any, Rule, str, str | None]] = [
    ({"get_input": "zoen"}, MISSING_INPUT, "there is no input 'zoen'", "did you mean 'zone'?"),
    (
        {"get_input": "qqqqqq"},
        MISSING_INPUT,
        "there is no input 'qqqqqq'",
        "the inputs are zone, sizes, none",
    ),
    ({"get_input": []}, BAD_ARGUMENTS, "get_input needs the name of an input", None),
    ({"get_property": ["SELF", "nosuch"]}, NOT_FOUND, "'box' has no property 'nosuch'", None),
    (
        {"get_property": ["bax", "a"]},
        NOT_FOUND,
        "get_property: there is no 'bax' here",
        "did you mean 'box'?",
    ),
    (
        {"get_property": ["SELF"]},
        BAD_ARGUMENTS,
        "get_property needs a list: an entity, then what to read from it",
        None,
    ),
    (
        {"get_property": "a"},
        BAD_ARGUMENTS,
        "get_property needs a list: an entity, then what to read from it",
        None,
    ),
    ({"get_attribute": [1, "a"]}, BAD_ARGUMENTS, "the entity of get_attribute must be a name, not 1", None),
    ({"get_property": ["SELF", "m", "x"]}, NOT_FOUND, "'box' has no property 'm / x'", None),
    ({"get_property": ["HOST", "a"]}, NOT_FOUND, "get_property: there is no 'HOST' here", None),
]

test_values = values_test(VALUES)
test_errors = errors_test(ERRORS)
