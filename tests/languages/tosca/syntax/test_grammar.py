"""A template of 2.0 that uses every keyname is accepted; with one value in it replaced it is refused."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from sabir.diagnostics.finding import Finding, Severity
from sabir.languages.tosca.check.validator import ToscaValidator
from sabir.source.packages import MemoryPackage

_EVERYTHING = (Path(__file__).parent / "everything.yaml").read_text(encoding="utf-8")


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _errors(text: str) -> list[Finding]:
    package = MemoryPackage({"t.yaml": text, "f.sh": "", "g.sh": ""})
    return [finding for finding in ToscaValidator(package).run() if finding.severity is Severity.ERROR]


def _with(path: str, value: Any) -> str:
    document = yaml.safe_load(_EVERYTHING)
    here: Any = document
    *way, last = [int(word) if word.isdigit() else word for word in path.split("/")]
    for word in way:
        here = here[word]
    assert here[last] is not None
    here[last] = copy.deepcopy(value)
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, width=10_000)


def test_every_keyname_is_accepted() -> None:
    assert _errors(_EVERYTHING) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("description", ["a"]),
        ("metadata", "text"),
        ("functions", None),
        ("node_types", []),
        ("functions/twice/signatures/0", None),
        ("functions/twice/signatures/0/implementation", 3),
        ("data_types/Small/validation", None),
        ("data_types/Small/validation", "text"),
        ("data_types/Small/validation/$less_than", 3),
        ("data_types/Small/validation/$less_than", [1, 2, 3]),
        ("capability_types/Host/valid_source_node_types/0", "Nowhere"),
        ("relationship_types/Onto/valid_capability_types/0", "Nowhere"),
        ("interface_types/Life/operations/go/outputs/o", "text"),
        ("interface_types/Life/operations/go/inputs/j", None),
        ("node_types/Server/artifacts/script", None),
        ("node_types/Server/artifacts/script/type", "Nowhere"),
        ("node_types/App/interfaces/life/operations/go/implementation", 3),
        ("node_types/App/interfaces/life/operations/go/implementation/dependencies", "f.sh"),
        ("node_types/App/interfaces/life/operations/go/implementation/timeout", "soon"),
        ("node_types/App/interfaces/life/operations/go/implementation/primary/type", "Nowhere"),
        ("node_types/App/requirements/0/host/capability", "nowhere"),
        ("node_types/App/requirements/0/host/node_filter", "text"),
        ("node_types/App/requirements/0/host/count_range", [2]),
        ("group_types/Group/members/0", "Nowhere"),
        ("policy_types/Policy/triggers/t/event", ["e"]),
        ("policy_types/Policy/triggers/t/condition", 3),
        ("service_template/inputs/in", None),
        ("service_template/inputs/in", [1]),
        ("service_template/node_templates/vm/count", -1),
        ("service_template/node_templates/vm/count", "two"),
        ("service_template/node_templates/vm/capabilities/host/attributes/used", "much"),
        ("service_template/node_templates/vm/capabilities/host/properties/size", "much"),
        ("service_template/node_templates/vm/artifacts/script/properties/p", [1]),
        ("service_template/node_templates/app/requirements/0/host/count", "many"),
        ("service_template/node_templates/app/requirements/0/host/node", {"a": 1}),
        ("service_template/node_templates/app/requirements/0/host/allocation/size", "much"),
        ("service_template/node_templates/app/requirements/0/host/relationship/attributes/q", "much"),
        ("service_template/node_templates/app/interfaces/life/operations/go/inputs/j", "much"),
        ("service_template/outputs/out", None),
        ("service_template/outputs/out/type", "Nowhere"),
        ("service_template/groups/g/properties", {"nowhere": 1}),
        ("service_template/policies/0/pol/triggers/u/action/0", None),
        ("service_template/workflows/w/inputs/k/default", [1]),
        ("service_template/workflows/w/precondition", "text"),
        ("service_template/workflows/w/precondition/$equal", [1]),
        ("service_template/workflows/w/steps/s/filter", "text"),
        ("service_template/workflows/w/steps/s/activities/0", None),
        ("service_template/substitution_mappings/properties/name", 3),
        ("service_template/substitution_mappings/capabilities/host", "vm"),
        ("service_template/substitution_mappings/substitution_filter/$equal", [1]),
    ],
)
def test_one_wrong_value_is_refused(path: str, value: Any) -> None:
    assert _errors(_with(path, value)) != []
