"""Configurations of several files, and templates that stand in for others."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.checks.application import Application
from sabir.languages.ccp import LANGUAGE
from sabir.languages.ccp.check.phases import check_deployment
from sabir.languages.ccp.evaluate.render import render_objects
from sabir.languages.ccp.model.deployment import load_deployment
from sabir.languages.language import EvaluationRequest
from sabir.source.packages import MemoryPackage, load_package
from tests.languages.ccp.building import service
from tests.support.files import write_files

FILES = {
    "service/web.yaml": service(
        "web",
        daemon="files: [web.conf]",
        tail="files:\n  web.conf: {path: /etc/web.conf, content: web.j2}\n",
    ),
    "service/files/web.j2": "port = {{ web.port }}\n",
    "service/files/defaults.yaml": "configs: {web: {port: 80}}\n",
    "site/common.yaml": "!include\n- more.yaml\n---\nconfigs: {web: {port: 82}, site: {name: a}}\n",
    "site/more.yaml": "configs: {web: {port: 81}, site: {name: b, zone: c}}\n",
    "mine.conf": "mine = {{ web.port }}\n",
}


def _configs(config: str) -> object:
    deployment = load_deployment(MemoryPackage({**FILES, "ccp.yaml": config}))
    assert deployment.faults == ()
    configs = deployment.configuration.configs
    return configs["web"]["port"], configs.get("site")


@pytest.mark.parametrize(
    ("config", "wanted"),
    [
        ("!include [site/more.yaml]\n", (81, {"name": "b", "zone": "c"})),
        (
            "---\n!include\n- site/common.yaml\n---\nconfigs: {web: {port: 90}}\n",
            (90, {"name": "a", "zone": "c"}),
        ),
        ("configs: {web: {port: 90}}\n---\n!include [site/common.yaml]\n", (82, {"name": "a", "zone": "c"})),
        ("configs: {web: {port: 90}}\n---\nconfigs: {web: {port: 91}}\n", (91, None)),
    ],
)
def test_documents_are_merged_in_their_order(config: str, wanted: object) -> None:
    assert _configs(config) == wanted


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"ccp.yaml": "!include [gone.yaml]\n"}, "there is no such file"),
        ({"ccp.yaml": "!include [ccp.yaml]\n"}, "it includes itself"),
        ({"ccp.yaml": "!include [a.yaml]\n", "a.yaml": "!include [ccp.yaml]\n"}, "it includes itself"),
        ({"ccp.yaml": "files: {web.conf: gone.conf}\n"}, "cannot be used"),
        ({"ccp.yaml": "files: {wep.conf: mine.conf}\n"}, "no definition has a file"),
        ({"ccp.yaml": "sources: {a: {git_url: x, source_dir: y}}\n"}, "needs one of"),
    ],
)
def test_what_cannot_be_had(files: dict[str, str], words: str) -> None:
    package = MemoryPackage({**FILES, **files})
    findings = [one.message for one in Application().run(package, LANGUAGE.validators())]
    assert any(words in message for message in findings), findings


def test_nothing_outside_of_the_project_is_read(tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text("configs: {web: {port: 1}}\n")
    for name, text in {**FILES, "ccp.yaml": "!include [../outside.yaml]\n"}.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    deployment = load_deployment(load_package(tmp_path / "project"))
    assert [fault.message for fault in deployment.faults] == [
        "'../outside.yaml' cannot be included: it leads out of the project: allow it with --trust outside"
    ]


def test_a_template_of_the_configuration_replaces_another() -> None:
    package = MemoryPackage({**FILES, "ccp.yaml": "files: {web.conf: mine.conf}\n"})
    checked = check_deployment(load_deployment(package, EvaluationRequest()))
    assert checked.resolved is not None
    objects = {f"{one.kind}/{one.name}": one.data for one in render_objects(checked.resolved)}
    assert objects["ConfigMap/web-files"]["data"] == {"web.conf": "mine = {{ web.port }}\n"}


@pytest.mark.parametrize(
    ("config", "place", "words"),
    [
        ("services: {x: {service_def: gone}}\n", "site/mine.yaml", "there is no definition 'gone'"),
        ("!include [part.yaml]\n", "site/part.yaml", "there is no definition 'part'"),
        ("!include [mine.yaml]\n", "site/mine.yaml", "it includes itself"),
    ],
)
def test_a_configuration_that_lies_elsewhere_is_named_by_its_path(
    tmp_path: Path, config: str, place: str, words: str
) -> None:
    files = {"described/" + name: text for name, text in FILES.items()}
    files |= {"site/mine.yaml": config, "site/part.yaml": "services: {x: {service_def: part}}\n"}
    write_files(tmp_path, files)
    request = EvaluationRequest(config=tmp_path / "site/mine.yaml")
    findings = LANGUAGE.evaluate(load_package(tmp_path / "described"), request).findings
    told = [(finding.location.file, finding.message) for finding in findings]
    assert any(file == str(tmp_path / place) and words in message for file, message in told), told
