"""What the coverage-guided fuzzer opens of deployments and of the editor: states, dumps, and files while somebody types."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

from sabir.errors import SabirError
from sabir.languages.muranopl.evaluate.dumps import read_dump
from sabir.operations.deployment.state import read_export
from sabir.operations.editor.project import EditorProject
from sabir.operations.packages import load_languages
from sabir.session import Session

__all__ = ["FORM", "WORKFLOWS", "check_dump", "check_state", "edited"]

WORKFLOWS: Final = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates: {a: {type: tosca.nodes.Compute}, b: {type: tosca.nodes.SoftwareComponent, requirements: [{host: a}]}}
  groups: {g: {type: tosca.groups.Root, members: [a, b]}}
  policies:
    - p: {type: tosca.policies.Scaling, targets: [a], triggers: {t: {event: e, target_filter: {node: a}, condition: [{x: [{equal: 1}]}], action: [{call_operation: Standard.start}]}}}
  workflows:
    w:
      inputs: {n: {type: integer, default: 1}}
      preconditions: [{target: a, condition: [{assert: [{x: [{greater_than: 1}]}]}]}]
      steps:
        one: {target: a, activities: [{set_state: started}, {call_operation: Standard.create}], on_success: [two]}
        two: {target: b, activities: [{delegate: deploy}, {inline: w}], on_failure: [one]}
"""
FORM: Final = """\
Version: 2.4
Templates: {t: {x: $.f.n}}
Parameters: {p: 1}
Application:
  ?: {type: a.App}
  name: $.f.name
  count: repeat($t, $.f.n)
Forms:
  - f:
      fields:
        - {name: name, type: string, label: l, regexpValidator: '^[a-z]+$', minLength: 1, required: true}
        - {name: n, type: integer, initial: 1, minValue: 0, hidden: true}
        - {name: d, type: string, validators: [{expr: {regexpValidator: '^a'}, message: m}, {expr: $.f.n > 1}], enabled: $.f.n}
"""
_FILES: Final = {
    "muranopl": {
        "manifest.yaml": "Format: MuranoPL/1.4\nType: Application\nFullName: a.App\nName: a\nDescription: a\nClasses: {a.App: App.yaml}\n",
        "Classes/App.yaml": "Name: a.App\nProperties: {name: {Contract: $.string()}}\n",
        "UI/ui.yaml": FORM,
    },
    "tosca": {"service.yaml": WORKFLOWS},
}


def _has_words_of_ours(error: SabirError) -> None:
    if not str(error) or "Expected `" in str(error) or "malformed" in str(error):
        raise AssertionError("an error that says nothing to people") from error


def check_state(data: bytes) -> None:
    try:
        read_export(data)
    except SabirError as error:
        _has_words_of_ours(error)


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="sabir-fuzz-files-"))


def check_dump(data: bytes) -> None:
    file = _folder() / "dump"
    file.write_bytes(data)
    try:
        read_dump(file)
    except SabirError as error:
        _has_words_of_ours(error)


@cache
def _project(language: str) -> EditorProject:
    root = _folder() / language
    for name, text in _FILES[language].items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return EditorProject(root, load_languages().by_name[language], Session())


def edited(language: str, name: str) -> Callable[[str], None]:
    """A file of a small project gets another text, as in an editor, and its findings lie in it."""

    def check(text: str) -> None:
        project = _project(language)
        project.edit(name, text)
        for finding in project.findings_of(name):
            span = finding.place.span
            assert finding.message
            assert 0 <= span.start <= span.end <= len(text), finding

    return check
