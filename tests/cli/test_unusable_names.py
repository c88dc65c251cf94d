"""Names that no file can have, and templates whose first line is wrong: findings with a location, never internal errors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from sabir.cli.main import main

HEAD = "tosca_definitions_version: tosca_simple_yaml_1_3\n"
UNFURL = "tosca_definitions_version: tosca_simple_unfurl_1_0_0\n"
NODE = "topology_template:\n  node_templates:\n    a:\n      type: tosca.nodes.Root\n"
NAMES = {"long": "a" * 300 + ".yaml", "nul": "a\0b.yaml", "deep": "/".join(["b" * 200] * 30)}


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def _shown(capsys: pytest.CaptureFixture[str]) -> str:
    shown = "".join(capsys.readouterr())
    assert "E000" not in shown
    assert "fault of" not in shown
    assert "Errno" not in shown
    return shown


NAMED: Mapping[str, tuple[str, str]] = {
    "import": ("service.yaml", HEAD + "imports: [NAME]\n"),
    "import of a repository": (
        "service.yaml",
        HEAD + "repositories: {r: {url: 'file:lib'}}\nimports: [{file: NAME, repository: r}]\n",
    ),
    "artifact": (
        "service.yaml",
        HEAD + NODE + "      artifacts: {x: {file: NAME, type: tosca.artifacts.File}}\n",
    ),
    "implementation": (
        "service.yaml",
        HEAD + NODE + "      interfaces: {Standard: {operations: {create: NAME}}}\n",
    ),
    "dependency": (
        "service.yaml",
        HEAD + NODE + "      interfaces: {Standard: {operations: {create: {implementation: "
        "{primary: x.sh, dependencies: [NAME]}}}}}\n",
    ),
    "include": (
        "ensemble.yaml",
        "apiVersion: unfurl/v1alpha1\nkind: Ensemble\n+include: NAME\n"
        "spec: {service_template: {+include: NAME}}\n",
    ),
    "part": ("sabir.yaml", "name: e\nparts: {p: {path: NAME}}\n"),
    "config of a part": ("sabir.yaml", "name: e\nparts: {p: {path: t, config: NAME, language: tosca}}\n"),
    "model of a part": ("sabir.yaml", "name: e\nparts: {p: {path: t, model: NAME, language: tosca}}\n"),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("use", NAMED)
def test_a_name_that_no_file_can_have(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], use: str, name: str
) -> None:
    file, text = NAMED[use]
    _write(
        tmp_path, {file: text.replace("NAME", json.dumps(NAMES[name])), "x.sh": "", "t/t.yaml": HEAD + NODE}
    )
    for path in (tmp_path, tmp_path / file):
        assert main(["check", str(path)]) == (0 if use == "include" else 1)  # that is a warning
        assert f"{file}:" in _shown(capsys)
        assert main(["compile", str(path)]) in (0, 1)
        _shown(capsys)


@pytest.mark.parametrize("name", [NAMES["long"], "nope.yaml"])
def test_a_file_of_the_environment_that_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    _write(
        tmp_path, {"sabir.yaml": f"name: e\nparts: {{p: {{path: t, config: {name}}}}}\n", "t/t.yaml": HEAD}
    )
    assert main(["check", str(tmp_path)]) == 1
    assert f"sabir.yaml:2:30: ENV:E004 part 'p': config file not found: '{name}'" in _shown(capsys)


def test_a_module_with_a_name_that_no_folder_can_have(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(
        tmp_path,
        {
            "project.yml": "name: p\nmodulepath: libs\n",
            "main.cf": f"import {'a' * 300}\nimport std::{'b' * 300}\n",
        },
    )
    assert main(["check", str(tmp_path)]) == 1
    assert "main.cf:1:1: INM:E002" in _shown(capsys)


BROKEN = [
    pytest.param(
        "node_types:\n  A: {derived_from: tosca.nodes.Root}\n", ":1:1: TOSCA:E001 missing", id="types"
    ),
    pytest.param(
        "# a\n" + NODE, ":2:1: TOSCA:E001 missing required key 'tosca_definitions_version'", id="none"
    ),
    pytest.param("tosca_definitons_version: x\n" + NODE, ":1:1: TOSCA:E001", id="misspelled"),
    pytest.param("tosca_definitions_version tosca_2_0\n" + NODE, ":1:1: E002", id="no colon"),
    pytest.param("tosca_definitions_version:tosca_2_0\n" + NODE, ":1:1: E002", id="no blank"),
    pytest.param("\t" + HEAD + NODE, ":1:1: E002", id="tab"),
    pytest.param('"' + HEAD + NODE, ":1:1: E002", id="quote"),
    pytest.param("{a: b}: c\n" + HEAD + NODE, ":1:1: TOSCA:E002", id="a map"),
    pytest.param("? [a\n" + HEAD + NODE, ":1:3: E002", id="a list that is not closed"),
    pytest.param("*x : y\n" + HEAD + NODE, ":1:1: E002", id="an alias"),
]


@pytest.mark.parametrize(("text", "expected"), BROKEN)
def test_a_template_whose_first_key_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, expected: str
) -> None:
    _write(tmp_path, {"service.yaml": text})
    for path in (tmp_path, tmp_path / "service.yaml"):
        for command in ("check", "compile"):
            assert main([command, str(path)]) == 1
            assert f"service.yaml{expected}" in _shown(capsys)


@pytest.mark.parametrize(
    "text", ["node_types: [a, b]\n", "a: 1\n", "groups:\n  node_types: {a: {derived_from: tosca.x}}\n"]
)
def test_other_files_are_not_taken_for_templates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    _write(tmp_path, {"values.yaml": text})
    assert main(["check", str(tmp_path)]) == 2
    assert "TOSCA:" not in _shown(capsys)
