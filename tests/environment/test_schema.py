"""The published schema of sabir.yaml agrees with the reader."""

from __future__ import annotations

import json
from importlib.resources import files

import jsonschema_rs
import pytest
import yaml

from tests.environment.conftest import Evaluate
from tests.environment.test_evaluate import BOTH_WAYS, MALFORMED, environment

SCHEMA = json.loads(
    files("sabir.environment").joinpath("schema/environment-1.schema.json").read_text("utf-8")
)
VALIDATOR = jsonschema_rs.validator_for(SCHEMA)


@pytest.mark.parametrize(
    "text", [environment()["sabir.yaml"], BOTH_WAYS["sabir.yaml"]], ids=["plain", "both-ways"]
)
def test_what_is_read_is_valid(text: str, evaluate: Evaluate) -> None:
    assert VALIDATOR.is_valid(yaml.safe_load(text))


@pytest.mark.parametrize("name", [name for name in MALFORMED if name not in ("yaml", "language")])
def test_what_is_refused_is_not_valid(name: str) -> None:
    assert not VALIDATOR.is_valid(yaml.safe_load(MALFORMED[name][0]))
