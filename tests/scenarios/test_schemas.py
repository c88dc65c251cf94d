"""The schemas for editors: what is shipped and written by us is valid by them, slips are not."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

from sabir.languages.ccp.syntax.containers import COMMAND_KEYS, CONTAINER_KEYS, VOLUME_KEYS
from sabir.languages.ccp.syntax.sections import SERVICE_KEYS, TOP_KEYS
from tests.docs.pages import ROOT

MANIFEST, UI, SERVICE = "murano-manifest-1", "murano-ui-1", "ccp-service-1"


def schema(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((files("sabir") / "schemas" / f"{name}.schema.json").read_bytes())
    return data


def is_valid(name: str, document: object) -> bool:
    return jsonschema_rs.validator_for(schema(name)).is_valid(document)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        *((MANIFEST, file) for file in ROOT.glob("examples/**/manifest.yaml") if "broken" not in str(file)),
        *((UI, file) for file in ROOT.glob("examples/**/ui.yaml") if "broken" not in str(file)),
    ],
    ids=lambda value: value.parent.name if isinstance(value, Path) else value,
)
def test_what_is_shipped_is_valid(name: str, file: Path) -> None:
    assert is_valid(name, yaml.safe_load(file.read_text()))


@pytest.mark.parametrize(
    ("name", "document"),
    [
        (MANIFEST, {"FullName": "a.b", "Descripton": "x"}),
        (MANIFEST, {"FullName": "a.b", "Type": "Aplication"}),
        (MANIFEST, {"Name": "x"}),
        (UI, {"Version": 2, "Forms": [{"a": {"fields": [{"name": "x", "type": "strng"}]}}]}),
        (UI, {"Version": 2, "Forms": [{"a": {"fields": [{"name": "x", "required": "yes"}]}}]}),
        (SERVICE, {"service": {"name": "web", "containers": [{"name": "web", "image": "web"}]}}),
        (SERVICE, {"servce": {}}),
    ],
)
def test_slips_are_not(name: str, document: object) -> None:
    assert not is_valid(name, document)


def test_a_service_is_valid() -> None:
    container = {
        "name": "web",
        "image": "web",
        "daemon": {"command": "web"},
        "volumes": [{"name": "a", "type": "host", "path": "/a"}],
    }
    assert is_valid(
        SERVICE,
        {
            "dsl_version": "0.4.0",
            "service": {"name": "web", "ports": [80, "80:30080"], "containers": [container]},
        },
    )


def test_the_keys_are_those_that_the_reader_knows() -> None:
    service = schema(SERVICE)
    assert {*service["properties"]} == {*TOP_KEYS}
    parts = service["$defs"]
    assert {*parts["service"]["properties"]} == {*SERVICE_KEYS}
    assert {*parts["container"]["properties"]} == {*CONTAINER_KEYS}
    assert {*parts["volume"]["properties"]} == {*VOLUME_KEYS}
    assert {*parts["command"]["properties"]} == {*COMMAND_KEYS, "image"}


@pytest.mark.parametrize(
    "file", sorted((ROOT / "src/sabir").rglob("*.schema.json")), ids=lambda file: file.name
)
def test_each_names_the_address_it_is_published_at(file: Path) -> None:
    data = json.loads(file.read_text())
    assert data["$id"] == f"https://sabir.readthedocs.io/schemas/{file.name}"
