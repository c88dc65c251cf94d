"""Imports from the network, by copies on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.checks.options import CheckOptions
from sabir.checks.settings import read_settings
from sabir.cli.main import main
from sabir.errors import UsageError
from sabir.languages.language import EvaluationRequest
from sabir.operations.check import check_paths
from sabir.operations.compile import CompileRequest, GraphView, compile_path
from sabir.session import Session, Trust
from sabir.source.catalogue import ImportCatalog

HEAD = "tosca_definitions_version: tosca_simple_yaml_1_3\n"
URL = "https://example.org/types/v1/base.yaml"
BASE = (
    HEAD
    + "imports: [common/data.yaml]\nnode_types:\n  App:\n    derived_from: tosca.nodes.Root\n"
    + "    properties: {size: {type: Size, default: {w: 3}}}\n"
)
DATA = HEAD + "data_types:\n  Size: {properties: {w: {type: integer}}}\n"


@pytest.fixture
def template(tmp_path: Path) -> Path:
    path = tmp_path / "service" / "main.yaml"
    path.parent.mkdir()
    path.write_text(
        HEAD
        + f"imports: ['{URL}']\ntopology_template:\n  node_templates: {{app: {{type: App}}}}\n"
        + "  outputs: {w: {value: {get_property: [app, size, w]}}}\n"
    )
    return path


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def codes(template: Path, **options: tuple[str, ...]) -> list[str]:
    report = check_paths([template], CheckOptions(**options)).report  # type: ignore[arg-type]  # words of lists
    return [finding.code for _, finding in report.findings()]


def test_without_a_copy_it_says_how_to_name_one(template: Path) -> None:
    ((_, finding),) = check_paths([template]).report.findings()
    assert (finding.code, finding.hint) == ("TOSCA:W040", f"name a copy of it: --import {URL}=PATH")


@pytest.mark.parametrize(
    "place", ["base.yaml", "v1/base.yaml", "types/v1/base.yaml", "example.org/types/v1/base.yaml"]
)
def test_a_folder_of_copies(template: Path, tmp_path: Path, place: str) -> None:
    beside = str(Path(place).parent / "common" / "data.yaml")
    folder = write(tmp_path / "copies", {place: BASE, beside: DATA})
    assert codes(template, search_path=(str(folder),)) == []


def test_an_address_with_its_copy(template: Path, tmp_path: Path) -> None:
    folder = write(tmp_path / "copies", {"any.yaml": BASE, "data.yaml": DATA})
    words = (
        f"{URL}={folder / 'any.yaml'}",
        f"https://example.org/types/v1/common/data.yaml={folder / 'data.yaml'}",
    )
    assert codes(template, imports=words) == []
    evaluation = EvaluationRequest(imports=words)
    graph = compile_path(CompileRequest(path=template, evaluation=evaluation, view=GraphView())).graph
    assert graph["app"].attributes["size"] == {"w": 3}


def test_a_folder_for_the_beginning_of_addresses(template: Path, tmp_path: Path) -> None:
    folder = write(tmp_path / "copies", {"v1/base.yaml": BASE, "v1/common/data.yaml": DATA})
    assert codes(template, imports=(f"https://example.org/types/={folder}",)) == []


def test_a_copy_reads_nothing_beyond_its_folder(template: Path, tmp_path: Path) -> None:
    leaving = BASE.replace("common/data.yaml", "../data.yaml")
    folder = write(tmp_path / "copies", {"base.yaml": leaving, "../data.yaml": DATA})
    assert codes(template, search_path=(str(folder),)) == ["TOSCA:E004"]
    (folder / "linked.yaml").symlink_to(tmp_path / "data.yaml")
    write(folder, {"base.yaml": BASE.replace("common/data.yaml", "linked.yaml")})
    assert codes(template, search_path=(str(folder),)) == ["TOSCA:E004"]


def test_profiles_of_the_search_path(tmp_path: Path) -> None:
    second = "tosca_definitions_version: tosca_2_0\n"
    profile = second + "profile: org.example.base:1.0\nnode_types: {App: {}}\n"
    folder = write(tmp_path / "profiles", {"deep/down/profile.yaml": profile})
    template = write(
        tmp_path / "service",
        {
            "main.yaml": second
            + "imports: [{profile: org.example.base:1.0}]\nservice_template: {node_templates: {a: {type: App}}}\n"
        },
    )
    assert codes(template / "main.yaml") == ["TOSCA:E004"]
    assert codes(template / "main.yaml", search_path=(str(folder),)) == []


@pytest.mark.parametrize("word", ["https://a", "=x", "https://a=", "https://a=/no/such/file"])
def test_words_that_are_none(word: str) -> None:
    with pytest.raises(UsageError, match="--import"):
        ImportCatalog.of([word], ())


def test_settings_name_copies_in_their_folder(tmp_path: Path) -> None:
    write(tmp_path, {"sabir.toml": f'imports = ["{URL}=copies/base.yaml"]\n', "copies/base.yaml": BASE})
    assert read_settings(tmp_path / "sabir.toml").check["imports"] == [
        f"{URL}={tmp_path / 'copies/base.yaml'}"
    ]
    write(tmp_path, {"sabir.toml": f'imports = ["{URL}=../base.yaml"]\n'})
    with pytest.raises(UsageError, match="leads out"):
        read_settings(tmp_path / "sabir.toml")


def test_a_session_keeps_what_was_read_with_a_catalogue_apart(template: Path, tmp_path: Path) -> None:
    folder = write(tmp_path / "copies", {"base.yaml": BASE, "common/data.yaml": DATA})
    session = Session(trust=Trust())
    for options, expected in (((), ["TOSCA:W040"]), ((str(folder),), []), ((), ["TOSCA:W040"])):
        report = check_paths([template], CheckOptions(search_path=options, session=session)).report
        assert [finding.code for _, finding in report.findings()] == expected


def test_the_command_refuses_words_that_are_none(template: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(template), "--import", "types.yaml"]) == 2
    assert capsys.readouterr().err == "sabir: --import 'types.yaml': write it as URL=PATH\n"
