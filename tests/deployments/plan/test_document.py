"""The document of a plan is what its schema says."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

from sabir.deployments.plan.document import build_stored_document
from sabir.graph.values import Sensitive, Unknown
from tests.deployments.fake import resource
from tests.deployments.setting import Setting

schema = pytest.importorskip("jsonschema_rs")
VALIDATOR = schema.validator_for(json.loads((files("sabir.schemas") / "plan-1.schema.json").read_bytes()))


def test_plans_of_all_sorts(tmp_path: Path) -> None:
    setting = Setting.at(tmp_path)
    setting.deploy(resource("a"), resource("b", desired={"place": "x"}), resource("gone"), resource("c", "a"))
    plan = setting.plan(
        [
            resource("a", value=Sensitive("canary")),
            resource("b", desired={"place": "y"}),
            resource("c", "a", "b"),
            resource("d", "c", value=Unknown(of="a|other")),
            resource("r", kind="job", reacts_to=(resource("a").address,)),
        ]
    )
    document = build_stored_document(plan)
    VALIDATOR.validate(document)
    assert "canary" not in json.dumps(document)
    assert document["counts"] == {"create": 1, "update": 1, "replace": 1, "delete": 1, "run": 1}
    assert document["through"] == {"c": ["a", "b"]}
    assert document["digest"] == build_stored_document(plan)["digest"]
