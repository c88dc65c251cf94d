"""`sabir render --to csar`: what is packed reads back as it was."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from sabir.cli.main import main
from sabir.graph.json import graph_chunks
from sabir.operations.check import check_paths
from sabir.operations.compile import CompileRequest, GraphView, compile_path
from sabir.operations.render import RenderPathRequest, render_path

TEMPLATE = """\
tosca_definitions_version: VERSION
imports: [../shared/types.yaml]
topology_template:
  inputs: {size: {type: integer, default: 3}}
  node_templates:
    app:
      type: App
      properties: {size: {get_input: size}}
      interfaces: {Standard: {operations: {create: scripts/create.sh}}}
    vm: {type: tosca.nodes.Compute}
"""
TYPES = """\
tosca_definitions_version: VERSION
node_types:
  App:
    derived_from: tosca.nodes.SoftwareComponent
    properties: {size: {type: integer}}
    artifacts: {image: {type: tosca.artifacts.File, file: data.bin}}
"""


def project(folder: Path, version: str = "tosca_simple_yaml_1_3") -> Path:
    files = {
        "service/main.yaml": TEMPLATE.replace("VERSION", version),
        "service/scripts/create.sh": "echo created\n",
        "service/other.yaml": "not: part of it\n",
        "shared/types.yaml": TYPES.replace("VERSION", version),
        "shared/data.bin": "\0\1\2",
        "unfurl.yaml": "",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "service/scripts/create.sh").chmod(0o755)
    return folder / "service" / "main.yaml"


def graph(path: Path) -> bytes:
    compiled = compile_path(CompileRequest(path=path, view=GraphView()))
    return b"".join(graph_chunks(compiled.graph))


def packed(path: Path, output: Path) -> zipfile.ZipFile:
    assert main(["render", str(path), "--to", "csar", "-o", str(output)]) == 0
    return zipfile.ZipFile(output)


def test_a_template_with_what_it_imports_and_names(tmp_path: Path) -> None:
    template, output = project(tmp_path / "project"), tmp_path / "out.csar"
    archive = packed(template, output)
    assert archive.namelist() == [
        "TOSCA-Metadata/TOSCA.meta",
        "service/main.yaml",
        "service/scripts/create.sh",
        "shared/data.bin",
        "shared/types.yaml",
    ]
    assert archive.read("TOSCA-Metadata/TOSCA.meta").decode().splitlines() == [
        "TOSCA-Meta-File-Version: 1.1",
        "CSAR-Version: 1.1",
        "Created-By: sabir",
        "Entry-Definitions: service/main.yaml",
    ]
    assert archive.read("shared/data.bin") == b"\0\1\2"
    assert archive.getinfo("service/scripts/create.sh").external_attr >> 16 & 0o777 == 0o755
    assert [*check_paths([output]).report.findings()] == []
    first = output.read_bytes()
    packed(template, output)
    assert output.read_bytes() == first


def test_it_reads_back_equal(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    project(folder)
    (folder / "unfurl.yaml").unlink()
    (folder / "service/other.yaml").unlink()
    source = folder / "all"
    source.mkdir()
    (folder / "service").rename(source / "service")
    (folder / "shared").rename(source / "shared")
    output = tmp_path / "out.csar"
    names = packed(source, output).namelist()
    assert "TOSCA-Metadata/TOSCA.meta" in names
    assert graph(output) == graph(source)
    again = tmp_path / "again.csar"
    packed(output, again)
    with zipfile.ZipFile(output) as first, zipfile.ZipFile(again) as second:
        assert {name: first.read(name) for name in first.namelist()} == {
            name: second.read(name) for name in second.namelist()
        }


@pytest.mark.parametrize(
    ("version", "options", "place", "lines"),
    [
        (
            "tosca_simple_yaml_1_0",
            {},
            "TOSCA-Metadata/TOSCA.meta",
            ["TOSCA-Meta-File-Version: 1.0", "CSAR-Version: 1.1"],
        ),
        (
            "tosca_simple_yaml_1_0",
            {"meta": "1.1"},
            "TOSCA-Metadata/TOSCA.meta",
            ["TOSCA-Meta-File-Version: 1.1", "CSAR-Version: 1.1"],
        ),
        ("tosca_2_0", {}, "TOSCA.meta", ["CSAR-Version: 2.0"]),
    ],
)
def test_the_meta_file_of_each_version(
    tmp_path: Path, version: str, options: dict[str, str], place: str, lines: list[str]
) -> None:
    path = tmp_path / "main.yaml"
    section = "service_template" if version == "tosca_2_0" else "topology_template"
    path.write_text(f"tosca_definitions_version: {version}\n{section}:\n  node_templates: {{}}\n")
    words = [f"--option={key}={value}" for key, value in options.items()]
    output = tmp_path / "out.csar"
    assert main(["render", str(path), "-o", str(output), *words]) == 0
    written = zipfile.ZipFile(output).read(place).decode().splitlines()
    assert written == [*lines, "Created-By: sabir", "Entry-Definitions: main.yaml"]
    assert [*check_paths([output]).report.findings()] == []


def test_with_an_error_nothing_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    template, output = project(tmp_path / "project"), tmp_path / "out.csar"
    (template.parent / "scripts" / "create.sh").unlink()
    assert main(["render", str(template), "-o", str(output)]) == 1
    assert "TOSCA:E042" in capsys.readouterr().err
    assert not output.exists()


def test_an_ensemble_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ensemble.yaml"
    path.write_text(
        "apiVersion: unfurl/v1alpha1\nkind: Ensemble\nspec:\n  service_template:\n    topology_template: {node_templates: {}}\n"
    )
    assert main(["render", str(path), "-o", str(tmp_path / "out.csar")]) == 2
    assert "is an ensemble" in capsys.readouterr().err


def test_the_archive_has_the_name_of_the_template(tmp_path: Path) -> None:
    template = project(tmp_path / "project")
    assert [*render_path(RenderPathRequest(path=template, to="csar")).archives] == ["main.csar"]
