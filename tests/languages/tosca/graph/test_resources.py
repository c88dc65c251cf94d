"""Operations as resources: which there are, and what comes before which."""

from __future__ import annotations

import random
import zipfile
from pathlib import Path

import pytest

from sabir.errors import DeployError
from sabir.graph.values import Unknown
from sabir.languages.language import EvaluationRequest
from sabir.operations.evaluation import evaluate_path
from sabir.resources.resource import Resource

_TYPES = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  App:
    derived_from: tosca.nodes.Root
    attributes: {url: {type: string}}
    interfaces:
      Standard:
        operations:
          create: {implementation: a.sh, outputs: {url: [SELF, url]}}
          start: {implementation: a.sh, inputs: {to: {type: string, default: {get_attribute: [SELF, url]}}}}
          stop: a.sh
  Plain: {derived_from: tosca.nodes.Root}
topology_template:
  node_templates:
"""


def _wanted(tmp_path: Path, nodes: str) -> dict[str, Resource]:
    (tmp_path / "service.yaml").write_text(_TYPES + nodes)
    (tmp_path / "a.sh").write_text("")
    evaluation = evaluate_path(tmp_path / "service.yaml", EvaluationRequest()).evaluation
    assert not evaluation.findings
    return {str(resource.address): resource for resource in evaluation.wanted().resources}


def test_a_node_waits_for_what_it_requires_even_through_one_without_operations(tmp_path: Path) -> None:
    resources = _wanted(
        tmp_path,
        "    front: {type: App, requirements: [{dependency: between}]}\n"
        "    between: {type: Plain, requirements: [{dependency: back}]}\n"
        "    back: {type: App}\n",
    )
    first = resources["front.interfaces.Standard.create"]
    assert "back.interfaces.Standard.start" in map(str, first.requires)
    assert [name for name in resources if name.startswith("back")] == [
        "back.interfaces.Standard.create",
        "back.interfaces.Standard.start.undone-by-stop",
        "back.interfaces.Standard.start",
    ]


def test_inputs_are_computed_from_what_was_observed(tmp_path: Path) -> None:
    resources = _wanted(tmp_path, "    app: {type: App}\n")
    assert str(resources["app.interfaces.Standard.create"].results["url"]) == "app|url"
    late = resources["app.interfaces.Standard.start"].late
    assert late is not None
    environment = late({"app|url": "http://here"})["environment"]
    assert environment == {"to": "http://here", "SABIR_INPUTS_TEXT": '{"to":"http://here"}'}


@pytest.mark.parametrize(
    ("observed", "value"),
    [({"app|url": "mapped"}, "mapped"), ({"app.interfaces.Standard.create|url": "kept"}, "kept")],
)
def test_what_an_operation_gave_out(tmp_path: Path, observed: dict[str, str], value: str) -> None:
    resources = _wanted(
        tmp_path,
        "    app:\n"
        "      type: App\n"
        "      interfaces: {Standard: {operations: {start: {implementation: a.sh, inputs: {from: "
        "{get_operation_output: [SELF, Standard, create, url]}}}}}}\n",
    )
    late = resources["app.interfaces.Standard.start"].late
    assert late is not None
    assert isinstance(late({})["environment"]["from"], Unknown)  # type: ignore[index,call-overload]  # a mapping
    assert late(observed)["environment"]["from"] == value  # type: ignore[index,call-overload]  # as above


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        (
            "    a: {type: Plain, requirements: [{dependency: b}]}\n"
            "    b: {type: Plain, requirements: [{dependency: a}]}\n",
            "require each other",
        ),
        (
            "    a: {type: Plain, directives: [select], node_filter: {properties: [{size: 3}]}}\n",
            "no node of type Plain fits",
        ),
        (
            "    a: {type: Plain, directives: [substitute]}\n",
            "no template at hand stands for Plain",
        ),
        (
            "    a: {type: Plain}\n  workflows: {deploy: {steps: {one: {target: a, activities: [{inline: nosuch}]}}}}\n",
            "no workflow 'nosuch'",
        ),
    ],
)
def test_what_cannot_be_carried_out_is_refused_before_anything_runs(
    tmp_path: Path, nodes: str, words: str
) -> None:
    with pytest.raises(DeployError, match=words):
        _wanted(tmp_path, nodes)


def test_a_machine_elsewhere_is_a_target(tmp_path: Path) -> None:
    resources = _wanted(
        tmp_path,
        "    app:\n"
        "      type: tosca.nodes.SoftwareComponent\n"
        "      requirements: [{host: server}]\n"
        "      interfaces: {Standard: {operations: {create: a.sh}}}\n"
        "    server: {type: tosca.nodes.Compute, attributes: {public_address: 192.0.2.1}}\n",
    )
    create = resources["app.interfaces.Standard.create"]
    assert (create.target, create.lane) == ("server", "host server")


def test_what_undoes_is_not_told_by_a_name(tmp_path: Path) -> None:
    """A workflow of the template takes the place of operations, whatever their nodes are called."""
    resources = _wanted(
        tmp_path,
        "    x.undone-by-y: {type: App}\n"
        "  workflows: {deploy: {steps: {one: {target: x.undone-by-y, activities: [{call_operation: Standard.create}]}}}}\n",
    )
    assert [*resources] == [
        "x.undone-by-y.interfaces.Standard.start.undone-by-stop",
        "workflows.deploy",
    ]


def test_a_file_that_is_too_large_to_be_sent_is_named(tmp_path: Path) -> None:
    (tmp_path / "large.bin").write_bytes(random.Random(1).randbytes(1_200_000))
    with pytest.raises(
        DeployError, match=r"of 'app' brings along .* the largest file is large\.bin \(1,200,000 bytes\)"
    ):
        _wanted(
            tmp_path,
            "    vm: {type: tosca.nodes.Compute, attributes: {public_address: 192.0.2.1}}\n"
            "    app:\n      type: tosca.nodes.SoftwareComponent\n      requirements: [{host: vm}]\n"
            "      artifacts: {data: {type: tosca.artifacts.File, file: large.bin}}\n"
            "      interfaces: {Standard: {operations: {create: a.sh}}}\n",
        )


def test_programs_in_an_archive_are_refused_before_anything_runs(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "service.csar", "w") as archive:
        archive.writestr("service.yaml", _TYPES + "    app: {type: App}\n")
        archive.writestr("a.sh", "")
    evaluation = evaluate_path(tmp_path / "service.csar", EvaluationRequest()).evaluation
    with pytest.raises(DeployError, match="unpack it, and deploy the folder"):
        evaluation.wanted()
