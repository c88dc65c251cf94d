"""Every example of the reference page is run, and every special key and function has one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from sabir.expressions.query import (
    EnsembleProject,
    QueryResource,
    QuerySession,
    evaluate,
    map_value,
    redact_value,
)
from sabir.expressions.query.functions import function_names
from sabir.expressions.query.resource import SPECIAL_KEYS
from sabir.languages.tosca.evaluate import Request
from sabir.languages.tosca.graph.evaluation import instantiate_topology
from sabir.languages.tosca.syntax.documents import load_file
from sabir.session import Session as WorkSession
from sabir.session import Trust
from tests.expressions.query.trees import plain_tree

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "expressions.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = [
    yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
]
EXAMPLES = [example for block in BLOCKS if isinstance(block, list) for example in block]
TREE = next(block["tree"] for block in BLOCKS if isinstance(block, dict) and "tree" in block)
TOSCA = next(block["tosca"] for block in BLOCKS if isinstance(block, dict) and "tosca" in block)


def project(folder: Path) -> EnsembleProject:
    return EnsembleProject(
        directory=folder,
        locals={"rate": 5},
        secrets={"key": "shh"},
    )


WORK = WorkSession(trust=Trust.of(["python", "write-files", "env"]))


def start(at: str, folder: Path) -> QueryResource:
    if at not in TOSCA["topology_template"]["node_templates"]:
        return plain_tree(TREE, QuerySession(project=project(folder), work=WORK)).all()[at]
    path = folder / "template.yaml"
    path.write_text(yaml.safe_dump(TOSCA, sort_keys=False), encoding="utf-8")
    return instantiate_topology(load_file(path), Request(project=project(folder), session=WORK)).root.all()[
        at
    ]


@pytest.mark.parametrize(
    "example", EXAMPLES, ids=lambda example: str(example.get("expr", example.get("value")))
)
def test_example(example: dict[str, Any], tmp_path: Path) -> None:
    here = start(example.get("at", "box"), tmp_path)
    found = evaluate(example["expr"], here).values if "expr" in example else map_value(example["value"], here)
    assert redact_value(found) == example["gives"]


def test_every_function_and_special_key_has_an_example() -> None:
    shown = " ".join(str(example.get("expr", example.get("value"))) for example in EXAMPLES)
    assert [name for name in function_names() if f"'{name}'" not in shown and f"| {name}" not in shown] == []
    assert [key for key in SPECIAL_KEYS if key not in shown] == []


def test_every_function_and_special_key_is_in_a_table() -> None:
    assert [name for name in (*function_names(), *SPECIAL_KEYS) if f"`{name}`" not in TEXT] == []
