"""Agents on other machines: handlers with hands of their own, over a real ssh server."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from sabir.cli.main import main
from sabir.errors import DeployError
from sabir.languages.inmanta.evaluate.plugins.engine.io import IOBase
from sabir.languages.inmanta.evaluate.plugins.engine.remote_io import (
    Here,
    Place,
    RemoteIO,
    SshPlace,
    place_of_uri,
)
from tests.deployments.sshd import Sshd, sshd, why_not

pytestmark = [
    pytest.mark.skipif(why_not() is not None, reason=why_not() or ""),
    pytest.mark.slow,
]

PLUGINS = """
from inmanta.agent.handler import CRUDHandler, ResourcePurged, provider
from inmanta.resources import PurgeableResource, resource


@resource("notes::Note", agent="agent", id_attribute="path")
class Note(PurgeableResource):
    fields = ("path", "text")


@provider("notes::Note", name="notes")
class NoteHandler(CRUDHandler):
    def read_resource(self, ctx, resource):
        if not self._io.file_exists(resource.path):
            raise ResourcePurged()
        resource.text = self._io.read(resource.path)

    def create_resource(self, ctx, resource):
        self._io.put(resource.path, resource.text)
        out, _, status = self._io.run("sh", ["-c", "echo $SSH_CONNECTION | wc -w"])
        ctx.set_fact("over_ssh", f"{status} {out}")
        ctx.set_created()

    def update_resource(self, ctx, changes, resource):
        self._io.put(resource.path, resource.text)
        ctx.set_updated()

    def delete_resource(self, ctx, resource):
        self._io.remove(resource.path)
        ctx.set_purged()
"""
MODEL = """
entity Note extends std::PurgeableResource:
    string path
    string text
    string agent
end
implement Note using std::none
"""
TRUST = ("--trust", "python", "--trust", "scripts", "--here")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    with sshd(tmp_path_factory.mktemp("sshd")) as server:
        yield server


def place_of(server: Sshd) -> SshPlace:
    settings = server.settings("/")
    return SshPlace(
        host=str(settings["host"]),
        port=server.port,
        user=str(settings["user"]),
        key=Path(str(settings["key"])),
        known_hosts=Path(str(settings["known_hosts"])),
    )


@pytest.mark.parametrize("remote", [False, True], ids=["here", "over ssh"])
def test_hands_do_the_same_here_and_there(server: Sshd, tmp_path: Path, remote: bool) -> None:
    hands = RemoteIO(place_of(server)) if remote else IOBase()
    file, folder, link = (str(tmp_path / name) for name in ("file", "folder", "link"))
    try:
        assert not hands.file_exists(file)
        hands.put(file, b"\xff text")
        assert hands.read_binary(file) == b"\xff text"
        assert hands.hash_file(file) == hashlib.sha1(b"\xff text", usedforsecurity=False).hexdigest()
        hands.chmod(file, "640")
        assert hands.file_stat(file)["permissions"] == 640
        hands.put(file, "näher")
        assert hands.read(file) == "näher"
        assert hands.file_stat(file)["permissions"] == 640
        hands.mkdir(folder)
        hands.symlink(file, link)
        assert hands.is_symlink(link)
        assert hands.readlink(link) == file
        assert hands.run("sh", ["-c", "echo $A; pwd; exit 3"], env={"A": "b"}, cwd=folder) == (
            f"b\n{folder}",
            "",
            3,
        )
        assert hands.run("no-such-program")[2] == 127
        hands.rmdir(folder)
        hands.remove(link)
        assert hands.file_exists(file)
        with pytest.raises(FileNotFoundError):
            hands.read(link)
        assert hands.is_remote() is remote
    finally:
        hands.close()


def test_a_stranger_is_told_and_not_trusted(server: Sshd, tmp_path: Path) -> None:
    nobody = tmp_path / "known_hosts"
    nobody.write_text("")
    hands = RemoteIO(SshPlace(host="127.0.0.1", port=server.port, known_hosts=nobody))
    with pytest.raises(DeployError, match=r"127\.0\.0\.1: Host key verification failed"):
        hands.file_exists("/")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    module = folder / "libs" / "notes"
    for inner in ("model", "plugins"):
        (module / inner).mkdir(parents=True)
    (folder / "project.yml").write_text("name: p\nmodulepath: libs\n")
    (module / "module.yml").write_text("name: notes\nversion: 1.0.0\nlicense: MIT\n")
    (module / "model" / "_init.cf").write_text(MODEL)
    (module / "plugins" / "__init__.py").write_text(PLUGINS)
    return folder


def test_an_agent_is_the_target_of_its_name(
    server: Sshd, project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Handlers act there, and files that no handler keeps are kept there, too."""
    there = tmp_path / "there"
    there.mkdir()
    note = there / "note"
    (project / "main.cf").write_text(
        f'import notes\nnotes::Note(path="{note}", text="hello", agent="web")\n'
        'host = std::Host(name="web", os=std::linux)\n'
        'std::ConfigFile(host=host, path="/motd", content="welcome")\n'
        'notes::Note(path="' + str(tmp_path / "local") + '", text="here", agent="elsewhere")\n'
    )
    settings = ", ".join(f"{name}: {value}" for name, value in server.settings(there).items())
    (tmp_path / "sabir.yaml").write_text(
        f"parts: {{model: {{path: project}}}}\ntargets:\n  web: {{driver: ssh, {settings}}}\n"
        "  elsewhere: {driver: local, root: /}\n"
    )
    assert main(["deploy", str(tmp_path), "--yes", *TRUST]) == 0
    assert note.read_text() == "hello"
    assert (there / "motd").read_text() == "welcome"
    assert (tmp_path / "local").read_text() == "here"
    assert main(["plan", str(tmp_path), *TRUST, "--refresh"]) == 0
    capsys.readouterr()
    main(["facts", str(tmp_path)])
    shown = capsys.readouterr().out
    assert '"over_ssh": "0 4"' in shown
    assert '"over_ssh": "0 0"' in shown


def test_who_names_no_machine_has_no_hands(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As with the releases of today: older handlers fail, and are told what gives them their hands back."""
    (project / "main.cf").write_text(f'import notes\nnotes::Note(path="{tmp_path}/x", text="a", agent="a")\n')
    assert main(["deploy", str(project), "--yes", *TRUST]) == 1
    assert "targets: {AGENT: {driver: local, root: /}}" in "".join(capsys.readouterr())
    assert not (tmp_path / "x").exists()


def test_a_model_says_itself_where_an_agent_is(server: Sshd, project: Path, tmp_path: Path) -> None:
    """Whom ssh does not know is not reached: the keys of hosts are never taken on trust."""
    (project / "main.cf").write_text(
        f'import notes\nnotes::Note(path="{tmp_path}/x", text="a", agent="web")\n'
        f'std::AgentConfig(agentname="web", uri="ssh://nobody@127.0.0.1:{server.port}")\n'
    )
    assert main(["deploy", str(project), "--yes", *TRUST]) == 1
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("local:", Here()),
        ("ssh://h", SshPlace(host="h")),
        ("ssh://me@h:2222?python=python3.9", SshPlace(host="h", user="me", port=2222, python="python3.9")),
    ],
)
def test_places(uri: str, expected: Place) -> None:
    assert place_of_uri(uri) == expected


@pytest.mark.parametrize("uri", ["ssh://", "ssh://-oProxyCommand=x"])
def test_no_places(uri: str) -> None:
    with pytest.raises(DeployError):
        place_of_uri(uri)
