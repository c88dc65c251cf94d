"""Common modules without their handlers: sabir keeps what they describe itself, here, below a folder and over ssh."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.cli.main import main
from tests.deployments.sshd import sshd, why_not

FS = """
entity Context:
    string method_name
end
implement Context using std::none
std::Host.via [0:1] -- Context
entity Content:
    string? sorting_key = null
    string value
end
implement Content using std::none
entity File extends std::PurgeableResource:
    string path
    int? mode = null
    string? owner = null
    string? group = null
    string content
    string content_separator = "\\n"
    bool send_event = true
end
File.host [1] -- std::Host
File.prefix_content [0:] -- Content
File.suffix_content [0:] -- Content
entity Directory extends std::PurgeableResource:
    string path
    int? mode = null
    string? owner = null
    string? group = null
end
Directory.host [1] -- std::Host
entity Symlink extends std::PurgeableResource:
    string src
    string dst
end
Symlink.host [1] -- std::Host
implement File using std::none
implement Directory using std::none
implement Symlink using std::none
"""
HANDLER = """
from pathlib import Path
from inmanta.agent.handler import CRUDHandler, ResourcePurged, provider
from inmanta.resources import PurgeableResource, resource


@resource("fs::File", agent="host.name", id_attribute="path")
class File(PurgeableResource):
    fields = ("path", "content")


@provider("fs::File", name="fs")
class Handler(CRUDHandler):
    def read_resource(self, ctx, resource):
        if not Path(resource.path).exists():
            raise ResourcePurged()
        resource.content = Path(resource.path).read_text()

    def create_resource(self, ctx, resource):
        Path(resource.path).write_text(resource.content + "\\nby the handler")
        ctx.set_created()

    def update_resource(self, ctx, changes, resource):
        self.create_resource(ctx, resource)

    def delete_resource(self, ctx, resource):
        raise RuntimeError("nobody asked for that")
"""
EXEC = """
entity Run extends std::PurgeableResource:
    string command
    string creates=""
    string cwd=""
    dict environment={}
    string onlyif=""
    string path=""
    string reload=""
    bool reload_only = false
    int[] returns=[0]
    int timeout=300
    string unless=""
    bool skip_on_fail=false
end
Run.host [1] -- std::Host
implement Run using std::none
"""
MODEL = """
import fs
host = std::Host(name="web", os=std::linux)
folder = fs::Directory(host=host, path="/app", mode=750)
conf = fs::File(host=host, path="/app/conf", mode=640, content="hello", requires=folder)
conf.suffix_content += fs::Content(value="tail")
fs::Symlink(host=host, src="conf", dst="/app/link", requires=conf)
fs::File(host=host, path="/app/old", content="", purged=true, requires=folder)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    for name, model in (("fs", FS), ("exec", EXEC)):
        module = folder / "libs" / name
        (module / "model").mkdir(parents=True)
        (module / "module.yml").write_text(f"name: {name}\nversion: 1.0.0\nlicense: MIT\n")
        (module / "model" / "_init.cf").write_text(model)
    (folder / "project.yml").write_text("name: p\nmodulepath: libs\n")
    plugins = folder / "libs" / "fs" / "plugins"
    plugins.mkdir()
    (plugins / "__init__.py").write_text(HANDLER)
    return folder


def test_without_leave_files_lie_below_a_folder(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "main.cf").write_text(MODEL)
    old = project / ".sabir" / "world" / "app" / "old"
    old.parent.mkdir(parents=True)
    old.touch()
    assert main(["deploy", str(project), "--yes"]) == 0
    app = old.parent
    assert (app / "conf").read_text() == "hello\ntail"
    assert (app / "conf").stat().st_mode & 0o777 == 0o640
    assert (app / "link").read_text() == "hello\ntail"
    assert app.stat().st_mode & 0o777 == 0o750
    assert not old.exists()
    assert main(["plan", str(project), "--refresh"]) == 0
    old.touch()
    capsys.readouterr()
    assert main(["status", str(project)]) == 3
    assert "gone: written true, there is false" in capsys.readouterr().out
    assert main(["deploy", str(project), "--yes", "--repair"]) == 0
    assert not old.exists()


def test_what_becomes_purged_is_taken_away_and_comes_back(project: Path) -> None:
    conf = project / ".sabir" / "world" / "conf"
    model = 'import fs\nhost = std::Host(name="web", os=std::linux)\nfs::File(host=host, path="/conf", content="a"{})\n'
    for purged in ("", ", purged=true", ""):
        (project / "main.cf").write_text(model.format(purged))
        assert main(["deploy", str(project), "--yes", "--allow-delete", "all"]) == 0
        assert conf.exists() is (purged == "")


@pytest.mark.parametrize("there", [None, "theirs"], ids=["missing", "different"])
def test_without_handlers_a_resource_that_only_reports_is_left_alone(
    project: Path, capsys: pytest.CaptureFixture[str], there: str | None
) -> None:
    conf = project / ".sabir" / "world" / "conf"
    conf.parent.mkdir(parents=True)
    if there is not None:
        conf.write_text(there)
    (project / "main.cf").write_text(
        'import fs\nhost = std::Host(name="web", os=std::linux)\n'
        'fs::File(host=host, path="/conf", content="a", report_only=true)\n'
    )
    assert main(["deploy", str(project), "--yes"]) == 0
    assert "non_compliant" in capsys.readouterr().err
    assert (conf.read_text() if conf.exists() else None) == there
    assert main(["destroy", str(project), "--yes", "--allow-delete", "all"]) == 0
    assert (conf.read_text() if conf.exists() else None) == there


def test_without_handlers_a_purge_is_shown_as_a_purge(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "main.cf").write_text(
        'import fs\nhost = std::Host(name="web", os=std::linux)\nfs::File(host=host, path="/conf", content="a", purged=true)\n'
    )
    assert main(["plan", str(project)]) == 3
    assert "1 to purge" in capsys.readouterr().out
    assert main(["deploy", str(project), "--yes"]) == 0
    assert "purge " in capsys.readouterr().err


def test_the_handler_is_used_when_it_may_run_and_nothing_is_lost_between(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "conf"
    (project / "main.cf").write_text(
        f'import fs\nhost = std::Host(name="web", os=std::linux)\nfs::File(host=host, path="{path}", content="a")\n'
    )
    trust = ["--yes", "--here", "--trust", "python"]
    assert main(["deploy", str(project), *trust, "--trust", "scripts"]) == 0
    assert path.read_text() == "a\nby the handler"
    capsys.readouterr()
    assert main(["deploy", str(project), *trust]) == 0
    assert "(file): it was kept as a inmanta" in "".join(capsys.readouterr())
    assert path.read_text() == "a"
    assert main(["plan", str(project), *trust[1:]]) == 0
    assert main(["deploy", str(project), *trust, "--trust", "scripts"]) == 0
    assert path.read_text() == "a"
    assert main(["plan", str(project), *trust[1:], "--trust", "scripts"]) == 0


def test_a_machine_that_only_its_handlers_reach_is_theirs(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "main.cf").write_text(
        'import fs\nhost = std::Host(name="web", os=std::linux, via=fs::Context(method_name="ssh"))\n'
        'fs::File(host=host, path="/conf", content="a")\n'
    )
    assert main(["deploy", str(project), "--yes", "--here", "--trust", "python"]) == 1
    assert "--trust scripts" in "".join(capsys.readouterr())
    assert not (project / ".sabir" / "world").exists()


RUNS = """
import exec
exec::Run(host=host, command="sh -c 'echo $WORD >> count'", environment={"WORD": "x"})
exec::Run(host=host, command="touch needless", unless="true")
exec::Run(host=host, command="touch needed", onlyif="test -e /", timeout=10)
exec::Run(host=host, command="sh -c 'exit 3'", returns=[3])
"""


@pytest.mark.slow
@pytest.mark.skipif(why_not() is not None, reason=why_not() or "")
def test_files_and_commands_over_ssh(project: Path, tmp_path: Path) -> None:
    (project / "main.cf").write_text(MODEL + RUNS)
    there = tmp_path / "there"
    there.mkdir()
    (tmp_path / "sshd").mkdir()
    with sshd(tmp_path / "sshd") as server:
        settings = ", ".join(f"{name}: {value}" for name, value in server.settings(there).items())
        (tmp_path / "sabir.yaml").write_text(
            f"parts: {{model: {{path: project}}}}\ntargets:\n  web: {{driver: ssh, {settings}}}\n"
        )
        for _ in range(2):
            assert main(["deploy", str(tmp_path), "--yes", "--trust", "scripts"]) == 0
        assert main(["plan", str(tmp_path), "--trust", "scripts", "--refresh"]) == 0
    assert (there / "app" / "link").read_text() == "hello\ntail"
    assert (there / "count").read_text() == "x\n"
    assert (there / "needed").exists()
    assert not (there / "needless").exists()


@pytest.mark.parametrize("extra", ['reload="true"', "skip_on_fail=true", """unless="echo 'open" """])
def test_what_only_a_handler_can_do_is_said(
    project: Path, capsys: pytest.CaptureFixture[str], extra: str
) -> None:
    (project / "main.cf").write_text(
        f'import exec\nhost = std::Host(name="web", os=std::linux)\nexec::Run(host=host, command="true", {extra})\n'
    )
    assert main(["deploy", str(project), "--yes", "--here", "--trust", "scripts"]) == 1
    assert "Unable to find a handler" in "".join(capsys.readouterr())
