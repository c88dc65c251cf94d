"""The folders of get_dir while operations run: they are there, kept out of the repository, and secrets are encrypted."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.cli.main import main
from sabir.expressions.vault import decrypt_vault
from sabir.languages.tosca.graph.jobs import encrypt_files

TEMPLATE = """\
tosca_definitions_version: tosca_simple_unfurl_1_0_0
topology_template:
  node_templates:
    box:
      type: tosca.nodes.Root
      interfaces:
        Standard:
          operations:
            create:
              implementation: create.sh
              inputs:
                operation: {eval: {get_dir: operation}}
                workflow: {eval: {get_dir: workflow}}
                tasks: {eval: {get_dir: tasks}}
                local: {eval: {get_dir: local}}
                tmp: {eval: {get_dir: tmp}}
                shared: {eval: {get_dir: spec.local}}
"""
SECRETS = TEMPLATE + "                secrets: {eval: {abspath: [key, secrets]}}\n"
SCRIPT = 'for name in operation workflow tasks local tmp shared; do touch "${!name}/$name" || exit 1; done\n'


def _deploy(folder: Path, template: str, script: str, *words: str) -> int:
    (folder / "service.yaml").write_text(template, encoding="utf-8")
    (folder / "create.sh").write_text(script, encoding="utf-8")
    return main(["deploy", str(folder / "service.yaml"), "--here", "--trust", "scripts", "--yes", *words])


@pytest.mark.rows("U-113", "U-116", "U-117", "U-118", "U-121")
def test_folders_are_made_by_the_operation_that_asks_for_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "service.yaml").write_text(TEMPLATE, encoding="utf-8")
    (tmp_path / "create.sh").write_text(SCRIPT, encoding="utf-8")
    assert main(["plan", str(tmp_path / "service.yaml"), "--here", "--trust", "scripts"]) == 3
    assert not (tmp_path / "jobs").exists()
    assert _deploy(tmp_path, TEMPLATE, SCRIPT) == 0
    written = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.stat().st_size == 0}
    assert written >= {
        "jobs/deploy/operation/Standard.create/box/operation",
        "jobs/deploy/workflow/deploy/box/workflow",
        "jobs/deploy/tasks/box/tasks",
        "local/box/local",
        "tmp/box/tmp",
        "spec/box/local/shared",
    }
    ignored = ("jobs", "local", "tmp", "spec/box/local")
    assert all((tmp_path / name / ".gitignore").read_text() == "*\n" for name in ignored)
    assert not (tmp_path / "secrets").exists()
    capsys.readouterr()
    assert _deploy(tmp_path, TEMPLATE, "exit 1") == 0, "the paths are the same, so nothing has changed"


@pytest.mark.rows("U-114")
@pytest.mark.parametrize("status", [0, 4])
def test_what_is_written_into_secrets_is_encrypted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setenv("UNFURL_VAULT_DEFAULT_PASSWORD", "opensesame")
    assert _deploy(tmp_path, SECRETS, f'echo hush > "$secrets"\nexit {status}\n') == (1 if status else 0)
    assert decrypt_vault((tmp_path / "secrets/box/key").read_bytes(), "opensesame") == b"hush\n"


def test_secrets_need_a_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("UNFURL_VAULT_DEFAULT_PASSWORD", raising=False)
    assert _deploy(tmp_path, SECRETS, 'echo hush > "$secrets"\n') == 1
    assert "set UNFURL_VAULT_DEFAULT_PASSWORD" in "".join(capsys.readouterr())
    assert not [*(tmp_path / "secrets/box").iterdir()]


def test_sealing_leaves_what_is_sealed_and_links_alone(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    folder.mkdir()
    (tmp_path / "outside").write_text("plain")
    (folder / "link").symlink_to(tmp_path / "outside")
    (folder / "key").write_text("hush")
    encrypt_files(folder, "pw")
    sealed = (folder / "key").read_bytes()
    encrypt_files(folder, "pw")
    assert (folder / "key").read_bytes() == sealed
    assert (tmp_path / "outside").read_text() == "plain"
    assert {path.name for path in folder.iterdir()} == {"link", "key"}


def test_a_property_names_the_folder_of_the_operation_that_reads_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    template = """\
tosca_definitions_version: tosca_simple_unfurl_1_0_0
node_types:
  Box:
    derived_from: tosca.nodes.Root
    properties: {folder: {type: string}, file: {type: string}}
    interfaces:
      Standard:
        inputs: {file: {type: string, default: {get_property: [SELF, file]}}}
        operations: {create: create.sh, start: create.sh}
topology_template:
  node_templates:
    box:
      type: Box
      properties:
        folder: {eval: {get_dir: operation}}
        file: {concat: [{get_property: [SELF, folder]}, /mark]}
"""
    assert _deploy(tmp_path, template, 'touch "$file"\n') == 0
    jobs = tmp_path / "jobs/deploy/operation"
    assert {str(path.relative_to(jobs)) for path in jobs.rglob("mark")} == {
        "Standard.create/box/mark",
        "Standard.start/box/mark",
    }
    capsys.readouterr()
    assert main(["query", str(tmp_path / "service.yaml"), "{eval: {get_dir: operation}}"]) == 1
    assert "ask for it in an input of an operation" in capsys.readouterr().err


def test_a_folder_is_deployed_by_a_path_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "service"
    folder.mkdir()
    (folder / "service.yaml").write_text(TEMPLATE, encoding="utf-8")
    (folder / "create.sh").write_text(SCRIPT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["deploy", "service", "--here", "--trust", "scripts", "--yes"]) == 0
    assert (folder / "local/box/local").exists()
