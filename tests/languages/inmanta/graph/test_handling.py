"""Handlers in processes of their own: what they do to the process is not done to the deployment."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

import pytest

from sabir.cli.main import main
from sabir.deployments.host_agent.commands import has_ended
from sabir.languages.inmanta.graph.handler_process.messages import Begin, sendable_value
from sabir.languages.inmanta.graph.handler_process.process import HandlerProcess
from sabir.session import Trust

MODULE = """
entity Note extends std::PurgeableResource:
    string name
    string text
    string agent = "a"
end
index Note(name)
implement Note using std::none
"""
PLUGINS = """
import os, signal, sys, time
from pathlib import Path
from inmanta.agent.handler import CRUDHandler, ResourcePurged, provider
from inmanta.resources import PurgeableResource, resource

FOLDER = Path(os.environ["NOTES_WORLD"])


@resource("notes::Note", agent="agent", id_attribute="name")
class Note(PurgeableResource):
    fields = ("name", "text")


@provider("notes::Note", name="notes")
class NoteHandler(CRUDHandler):
    def read_resource(self, ctx, resource):
        if not (FOLDER / resource.name).exists():
            raise ResourcePurged()
        resource.text = (FOLDER / resource.name).read_text()

    def create_resource(self, ctx, resource):
        with (FOLDER / "processes").open("a") as file:
            file.write(f"{os.getpid()}\\n")
        print("printed", resource.text)
        print("to the error", resource.text, file=sys.stderr)
        if not (FOLDER / "tried").exists():
            (FOLDER / "tried").touch()
            BEHAVIOUR
        (FOLDER / resource.name).write_text(resource.text)
        ctx.set_created()
"""
TRUST = ("--trust", "python", "--trust", "scripts", "--here")


class World:
    def __init__(self, folder: Path) -> None:
        self.root = folder
        self.folder = folder / "world"
        self.folder.mkdir()

    def project(self, behaviour: str, model: str, *, seconds: float | None = None) -> None:
        module = self.root / "project" / "libs" / "notes"
        for inner in ("model", "plugins"):
            (module / inner).mkdir(parents=True)
        (self.root / "project" / "project.yml").write_text("name: p\nmodulepath: libs\n")
        (module / "module.yml").write_text("name: notes\nversion: 1.0.0\nlicense: MIT\n")
        (module / "model" / "_init.cf").write_text(MODULE)
        (module / "plugins" / "__init__.py").write_text(PLUGINS.replace("BEHAVIOUR", behaviour))
        (self.root / "project" / "main.cf").write_text("import notes\n" + model)
        limit = "" if seconds is None else f", timeout: {seconds}"
        (self.root / "sabir.yaml").write_text(
            f"parts: {{model: {{path: project}}}}\ntargets:\n  a: {{driver: local, root: /{limit}}}\n"
        )

    def deploy(self) -> int:
        return main(["deploy", str(self.root), "--yes", *TRUST])

    def processes(self) -> set[int]:
        return {int(line) for line in (self.folder / "processes").read_text().split()}


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(tmp_path)
    monkeypatch.setenv("NOTES_WORLD", str(made.folder))
    return made


NOTE = 'notes::Note(name="n", text="hello")\n'


def test_they_run_elsewhere_and_leave_nothing_behind(world: World) -> None:
    world.project("pass", NOTE)
    assert world.deploy() == 0
    (process,) = world.processes()
    assert process != os.getpid()
    assert has_ended(process)


def test_agents_have_processes_of_their_own_until_there_are_many(world: World) -> None:
    world.project(
        "pass",
        'for name in ["a", "b", "c", "d", "e", "f"]:\n    notes::Note(name=name, text="x", agent=name)\nend\n',
    )
    assert world.deploy() == 0
    assert len(world.processes()) == 4


@pytest.mark.parametrize(
    "behaviour", ["os.kill(os.getpid(), signal.SIGKILL)", "os._exit(3)"], ids=["killed", "exits"]
)
def test_a_process_that_ends_in_the_middle_is_begun_again(world: World, behaviour: str) -> None:
    """Handlers look before they change anything: what was cut off is looked at and finished."""
    world.project(behaviour, NOTE)
    assert world.deploy() == 0
    assert (world.folder / "n").read_text() == "hello"
    assert len(world.processes()) == 2


def test_one_that_always_ends_is_a_failure_that_says_so(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.project("pass\n        os.kill(os.getpid(), signal.SIGKILL)", NOTE)
    assert world.deploy() == 1
    assert "the process of the handlers was ended by SIGKILL" in "".join(capsys.readouterr())


def test_one_that_hangs_is_stopped_with_what_it_started(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    behaviour = (
        "import subprocess; child = subprocess.Popen(['sleep', '60']); "
        "(FOLDER / 'child').write_text(str(child.pid)); time.sleep(60)"
    )
    world.project(behaviour, NOTE, seconds=4)
    begun = time.monotonic()
    assert world.deploy() == 1
    assert time.monotonic() - begun < 40
    assert "did not finish within 4 s and was stopped" in "".join(capsys.readouterr())
    assert has_ended(int((world.folder / "child").read_text()))
    assert world.deploy() == 0


def test_what_they_print_disturbs_nobody_and_shows_no_secret(
    world: World, capfd: pytest.CaptureFixture[str]
) -> None:
    world.project("os.kill(os.getpid(), signal.SIGKILL)", NOTE.replace("hello", "s3cr3t-w0rd"))
    assert world.deploy() == 0
    assert "printed" not in "".join(capfd.readouterr())


def test_the_texts_that_leave_was_given_for_are_run(world: World) -> None:
    """A file that changes between evaluating and running is not read again."""
    world.project("pass", NOTE)
    plugins = world.root / "project" / "libs" / "notes" / "plugins" / "__init__.py"
    text = plugins.read_text()
    plugins.write_text(
        text.replace("FOLDER = Path", f"Path({str(plugins)!r}).write_text('broken(')\nFOLDER = Path")
    )
    assert world.deploy() == 0
    assert (world.folder / "n").read_text() == "hello"


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        (1 << 70, str(1 << 70)),
        ((1, {2}), [1, [2]]),
        ({1: None}, {"1": None}),
        (Path("x"), "x"),
        (b"\xff", b"\xff"),
    ],
)
def test_whatever_handlers_give_is_sent_as_data(value: object, sent: object) -> None:
    assert sendable_value(value) == sent


def test_a_start_that_is_stopped_leaves_no_process() -> None:
    # More than a pipe holds, so that the start is still at it when it is stopped.
    begin = Begin([], None, [*sys.path], Trust(), {}, {"much": bytes(30_000_000)})

    before = _children()  # other tests may have some that stay

    async def stop() -> None:
        starting = asyncio.ensure_future(HandlerProcess.start(begin, os.environ))
        while not _children() - before:
            await asyncio.sleep(0)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        assert not _children() - before

    asyncio.run(stop())


def _children() -> set[str]:
    return {
        child
        for each in Path("/proc/self/task").iterdir()
        for child in (each / "children").read_text().split()
    }
