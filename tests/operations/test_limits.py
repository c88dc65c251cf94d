"""How many instances an evaluation may have, in the languages that make them one by one and in all others."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.cli.main import main
from sabir.session import PROFILES
from tests.support.files import write_files

INMANTA = {
    "main.cf": "entity E:\n    int a\n    int b\nend\nimplement E using std::none\nfor a in std::sequence(50):\n"
    "    for b in std::sequence(50):\n        E(a=a, b=b)\n    end\nend\n"
}
MURANOPL = {
    "manifest.yaml": "Format: MuranoPL/1.4\nType: Application\nFullName: a.App\nName: a\nDescription: a\n"
    "Classes: {a.App: App.yaml}\n",
    "Classes/App.yaml": "Name: a.App\nProperties:\n  all: {Contract: [$.class('a.App')], Default: [], Usage: Runtime}\n"
    "Methods:\n  deploy:\n    Scope: Public\n    Body:\n      - For: i\n        In: range(300)\n        Do:\n"
    "          - $.all: $.all + list(new('a.App'))\n",
    "model.yaml": "?: {type: a.App, id: root}\n",
}
TOSCA = {
    "service.yaml": "tosca_definitions_version: tosca_simple_yaml_1_3\ntopology_template:\n  node_templates:\n"
    + "".join(f"    n{number}: {{type: tosca.nodes.Root}}\n" for number in range(300))
}


def test_the_profiles_say_how_many() -> None:
    assert PROFILES["default"].instances == 2_000_000
    assert PROFILES["strict"].instances == 100_000


@pytest.mark.parametrize(
    ("files", "words", "message"),
    [
        (INMANTA, ("compile", "PATH"), "INM:E024 the model makes more than 200 instances"),
        (MURANOPL, ("run", "PATH", "--call", "root.deploy"), "there are more than 200 objects"),
        (TOSCA, ("compile", "PATH"), "E921 600 instances are more than the 200 that are allowed"),
    ],
    ids=["Inmanta", "MuranoPL", "TOSCA"],
)
def test_more_than_are_allowed(
    files: dict[str, str],
    words: tuple[str, ...],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_files(tmp_path, files)
    command = [word.replace("PATH", str(tmp_path)) for word in words]
    assert main([*command, "--limits", "instances=200"]) == 1
    told = capsys.readouterr().err
    assert message in told
    assert "--limits instances=2000" in told
    assert main([*command, "--limits", "instances=100000"]) == 0
