"""Operations, implementations, outputs, calls: what is named is there."""

from __future__ import annotations

import pytest

from sabir.checks import Application
from sabir.languages.tosca import LANGUAGE
from sabir.source.packages import MemoryPackage

TEMPLATE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
interface_types:
  Ops:
    derived_from: tosca.interfaces.Root
    operations: {dump: {}}
node_types:
  App:
    derived_from: tosca.nodes.Root
    attributes: {url: {type: string}}
    artifacts: {tool: {type: tosca.artifacts.File, file: tool.py}}
    interfaces:
      Standard:
        operations:
          create:
            implementation: {primary: create.sh, dependencies: [lib.sh]}
            outputs: {url: [SELF, url]}
          start: tool
      Ops: {type: Ops, operations: {dump: {implementation: dump.sh, inputs: {to: {type: string}}}}}
topology_template:
  node_templates:
    app: {type: App, interfaces: {Ops: {operations: {dump: {inputs: {to: a}}}}}}
  workflows:
    backup:
      steps:
        s: {target: app, activities: [{call_operation: Ops.dump}, {inline: other}]}
    other: {steps: {t: {target: app, activities: [{set_state: started}]}}}
"""
FILES = dict.fromkeys(("create.sh", "lib.sh", "tool.py", "dump.sh"), "\n")


def _said(text: str, files: dict[str, str]) -> list[tuple[str, str | None]]:
    package = MemoryPackage({"t.yaml": text, **files})
    return [(finding.code, finding.hint) for finding in Application().run(package, LANGUAGE.validators())]


def test_all_of_it_is_there() -> None:
    assert _said(TEMPLATE, FILES) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("create.sh", "craete.sh", ("TOSCA:E042", "it would be 'craete.sh'")),
        ("[lib.sh]", "[lob.sh]", ("TOSCA:E042", "it would be 'lob.sh'")),
        ("start: tool", "start: tol", ("TOSCA:E042", "did you mean 'tool'?")),
        ("file: tool.py", "file: tol.py", ("TOSCA:E042", "it would be 'tol.py'")),
        ("          start:", "          strat:", ("TOSCA:E043", "did you mean 'start'?")),
        ("operations: {dump: {impl", "operations: {dmp: {impl", ("TOSCA:E043", "did you mean 'dump'?")),
        ("[SELF, url]", "[SELF, ulr]", ("TOSCA:E044", "did you mean 'url'?")),
        ("call_operation: Ops.dump", "call_operation: Ops.dmp", ("TOSCA:E046", "did you mean 'Ops.dump'?")),
        ("inline: other", "inline: othr", ("TOSCA:E046", "did you mean 'other'?")),
        ("to: {type: string}", "to: {type: strng}", ("TOSCA:E006", "did you mean 'string'?")),
        ("Ops: {type: Ops,", "Ops: {type: Opps,", ("TOSCA:E006", "did you mean 'Ops'?")),
    ],
)
def test_slips(old: str, new: str, expected: tuple[str, str]) -> None:
    said = _said(TEMPLATE.replace(old, new, 1), FILES)
    assert said[0] == expected or expected in said
    assert len(said) <= 2


def test_a_script_of_2_0_whose_folder_is_not_there_is_a_warning() -> None:
    text = (
        "tosca_definitions_version: tosca_2_0\ninterface_types: {I: {operations: {run: {}}}}\n"
        "node_types: {N: {interfaces: {i: {type: I, operations: {run: scripts/run.sh}}}}}\n"
    )
    assert [code for code, _ in _said(text, {})] == ["TOSCA:W042"]
    assert [code for code, _ in _said(text, {"scripts/other.sh": "\n"})] == ["TOSCA:E042"]
    assert _said(text, {"scripts/run.sh": "\n"}) == []
