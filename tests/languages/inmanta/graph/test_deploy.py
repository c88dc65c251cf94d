"""Models whose modules bring handlers, deployed by the engine as somebody types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sabir.cli.main import main
from sabir.languages.language import EvaluationRequest
from sabir.operations.deployment.environment import EnvironmentRequest
from sabir.operations.deployment.plan import PlanPathRequest, plan_path
from sabir.operations.worker import WorkerPool
from sabir.session import Session, Trust

MODULE = """
entity Note extends std::PurgeableResource:
    string name
    string text
    string agent = "a"
    bool send_event = false
end
index Note(name)
implement Note using std::none
"""
PLUGINS = """
import os
from pathlib import Path

from inmanta.agent.handler import CRUDHandler, ResourcePurged, SkipResource, provider
from inmanta.resources import PurgeableResource, resource


@resource("notes::Note", agent="agent", id_attribute="name")
class Note(PurgeableResource):
    fields = ("name", "text")


@provider("notes::Note", name="notes")
class NoteHandler(CRUDHandler):
    def _path(self, resource):
        return Path(os.environ["NOTES_WORLD"], resource.name)

    def _log(self, word, resource):
        with Path(os.environ["NOTES_WORLD"], "calls.log").open("a") as log:
            log.write(f"{word} {resource.name}\\n")

    def read_resource(self, ctx, resource):
        if resource.text == "broken":
            raise RuntimeError("the disk is on fire")
        if resource.text == "later":
            raise SkipResource("not today")
        if not self._path(resource).exists():
            raise ResourcePurged()
        resource.text = self._path(resource).read_text()

    def _write(self, resource):
        self._path(resource).write_text(resource.text)

    def create_resource(self, ctx, resource):
        self._log("create", resource)
        self._write(resource)
        ctx.set_created()
        ctx.set_fact("size", str(len(resource.text)))

    def update_resource(self, ctx, changes, resource):
        self._log("update", resource)
        self._write(resource)
        ctx.set_updated()

    def delete_resource(self, ctx, resource):
        self._log("delete", resource)
        self._path(resource).unlink()
        ctx.set_purged()

    def can_reload(self):
        return True

    def do_reload(self, ctx, resource):
        self._log("reload", resource)
"""
MODEL = """
import notes
first = notes::Note(name="first", text="one")
second = notes::Note(name="second", text="two", requires=first)
third = notes::Note(name="third", text="three", requires=second, agent="b")
"""
TRUST = ("--trust", "python", "--trust", "scripts", "--here")


class World:
    def __init__(self, folder: Path, project: Path) -> None:
        self.folder = folder
        self.project = project

    def model(self, text: str) -> None:
        (self.project / "main.cf").write_text(text)

    def deploy(self, *words: str) -> int:
        return main(["deploy", str(self.project), "--yes", *TRUST, *words])

    def run(self, command: str, *words: str) -> int:
        return main([command, str(self.project), *TRUST, *words])

    def calls(self) -> list[str]:
        """What handlers were asked for since the last time."""
        log = self.folder / "calls.log"
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return lines


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    project, folder = tmp_path / "project", tmp_path / "world"
    module = project / "libs" / "notes"
    for path in (folder, module / "model", module / "plugins"):
        path.mkdir(parents=True)
    (project / "project.yml").write_text("name: case\nmodulepath: libs\ndownloadpath: libs\nrepo: []\n")
    (module / "module.yml").write_text("name: notes\nversion: 1.0.0\nlicense: MIT\n")
    (module / "model" / "_init.cf").write_text(MODULE)
    (module / "plugins" / "__init__.py").write_text(PLUGINS)
    monkeypatch.setenv("NOTES_WORLD", str(folder))
    monkeypatch.delenv("SABIR_KEY", raising=False)
    world = World(folder, project)
    world.model(MODEL)
    return world


def test_first_all_then_nothing_then_what_changed(world: World) -> None:
    assert world.run("plan") == 3
    assert world.deploy() == 0
    assert world.calls() == ["create first", "create second", "reload second", "create third", "reload third"]
    assert world.run("plan") == 0
    assert world.deploy() == 0
    assert world.calls() == []
    world.model(MODEL.replace('"two"', '"zwei"'))
    assert world.deploy() == 0
    assert world.calls() == ["update second"]
    assert (world.folder / "second").read_text() == "zwei"


def test_a_failure_blocks_what_requires_it_until_it_is_mended(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.model(MODEL.replace('"two"', '"broken"'))
    assert world.deploy() == 1
    assert "".join(capsys.readouterr()).count("the disk is on fire") == 1
    assert world.calls() == ["create first"]
    assert world.run("plan") == 3
    world.model(MODEL)
    assert world.deploy() == 0
    assert world.calls() == ["create second", "create third", "reload third"]


def test_what_declines_is_tried_again(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.model(MODEL.replace('"two"', '"later"'))
    assert world.deploy() == 1
    assert "not today" in "".join(capsys.readouterr())
    assert world.calls() == ["create first"]
    world.model(MODEL)
    assert world.deploy() == 0
    assert world.calls() == ["create second", "create third", "reload third"]


def test_status_and_repair_ask_the_handlers(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.deploy()
    assert world.run("status") == 0
    (world.folder / "first").write_text("theirs")
    (world.folder / "third").unlink()
    capsys.readouterr()
    assert world.run("status") == 3
    shown = capsys.readouterr().out
    assert "text: written one, there is theirs" in shown
    assert "gone" in shown
    world.calls()
    assert world.deploy("--repair") == 0
    assert sorted(world.calls()) == ["create third", "reload second", "update first"]


def test_events_reach_what_listens(world: World) -> None:
    model = MODEL.replace('text="one"', 'text="one", send_event=true')
    world.model(model)
    world.deploy()
    world.calls()
    world.model(model.replace('"one"', '"eins"'))
    assert world.deploy() == 0
    assert world.calls() == ["update first", "reload second"]


def test_destroy_purges_in_reverse(world: World) -> None:
    world.deploy()
    world.calls()
    assert main(["destroy", str(world.project), *TRUST, "--yes", "--allow-delete", "all"]) == 0
    assert world.calls() == ["delete third", "delete second", "delete first"]
    assert world.run("status") == 0


FACT = MODEL + '\nnotes::Note(name="fact", text=std::getfact(first, "size"))\n'


def test_facts_fill_what_was_not_known(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.model(FACT)
    assert world.deploy() == 0
    assert "no handler has told yet" in "".join(capsys.readouterr())
    assert (world.folder / "fact").read_text() == "3"
    assert world.deploy() == 0
    assert world.run("plan") == 0


def test_without_a_second_wave_they_are_for_the_next_deployment(world: World) -> None:
    world.model(FACT)
    assert world.deploy("--once") == 0
    assert not (world.folder / "fact").exists()
    assert world.deploy("--once") == 0
    assert (world.folder / "fact").read_text() == "3"


def test_facts_that_expire_are_told_again(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.model(FACT)
    world.deploy()
    assert main(["facts", str(world.project), "notes::Note/first", "--expire"]) == 0
    capsys.readouterr()
    assert main(["facts", str(world.project)]) == 0
    assert "expired" in capsys.readouterr().out
    assert world.run("plan") == 3


def test_a_handler_is_asked_for_facts_by_a_call(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    plugins = world.project / "libs" / "notes" / "plugins" / "__init__.py"
    plugins.write_text(PLUGINS + "\n    def facts(self, ctx, resource):\n        return {'colour': 'blue'}\n")
    world.deploy()
    assert main(["call", str(world.project), "notes::Note/first.facts", "--yes", *TRUST]) == 0
    capsys.readouterr()
    main(["facts", str(world.project)])
    assert "blue" in capsys.readouterr().out


@pytest.mark.parametrize("purges", [True, False], ids=["project.yml says so", "as it is in the engine"])
def test_what_leaves_the_model_is_only_purged_when_both_say_so(world: World, purges: bool) -> None:
    with (world.project / "project.yml").open("a") as settings:
        settings.write("purge_on_delete: true\n" if purges else "")
    world.model(MODEL.replace('text="one"', 'text="one", purge_on_delete=true'))
    world.deploy()
    world.calls()
    world.model("import notes\n")
    assert world.deploy("--allow-delete", "all") == 0
    assert world.calls() == (["delete first"] if purges else [])
    assert (world.folder / "second").exists()
    assert world.run("plan") == 0


@pytest.mark.parametrize(
    ("settings", "purge", "reason"),
    [
        ("", "", "its purge_on_delete is false"),
        ("purge_on_delete: true\n", "", "its purge_on_delete is false"),
        ("", ", purge_on_delete=true", "project.yml does not say purge_on_delete: true"),
        ("purge_on_delete: true\n", ", purge_on_delete=true", None),
    ],
)
def test_a_plan_says_what_is_only_forgotten(
    world: World, capsys: pytest.CaptureFixture[str], settings: str, purge: str, reason: str | None
) -> None:
    with (world.project / "project.yml").open("a") as file:
        file.write(settings)
    world.model(MODEL.replace('text="one"', f'text="one"{purge}'))
    world.deploy()
    world.model("import notes\n")
    capsys.readouterr()
    assert world.run("plan") == 3
    text = capsys.readouterr().out
    (line,) = [line for line in text.splitlines() if "first" in line]
    assert world.run("plan", "--format", "json") == 3
    plan = json.loads(capsys.readouterr().out)
    (step,) = [step for step in plan["steps"] if "first" in step["address"]]
    if reason is None:
        assert line.lstrip().startswith("- ")
        assert "1 to delete" in text
        assert "left" not in step
        assert plan["counts"] == {"delete": 1}
        return
    assert line.lstrip().startswith("· ")
    assert f"only forgotten, left as it is: {reason}" in line
    assert "to delete" not in text
    assert step["left"].startswith(reason)
    assert not plan["counts"]
    assert world.deploy() == 0, "what deletes nothing needs no consent"
    assert (world.folder / "first").exists()


def test_a_handler_with_a_deploy_of_its_own_hears_of_failures(world: World) -> None:
    plugins = world.project / "libs" / "notes" / "plugins" / "__init__.py"
    own = """
    def deploy(self, ctx, resource, requires):
        if resource.name != "third":
            return super().deploy(ctx, resource, requires)
        self._log(" ".join(str(getattr(state, "value", state)) for state in requires.values()), resource)
        ctx.set_resource_state(HandlerResourceState.deployed)
"""
    plugins.write_text("from inmanta.const import HandlerResourceState\n" + PLUGINS + own)
    world.model(MODEL.replace('"two"', '"broken"'))
    assert world.deploy() == 1
    assert world.calls() == ["create first", "failed third"]


def test_a_plan_that_looks_at_the_world_asks_handlers_of_what_is_new(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    (world.folder / "first").write_text("theirs")
    world.model(MODEL.replace('"three"', '"broken"'))
    assert world.run("plan", "--refresh") == 3
    shown = "".join(capsys.readouterr())
    assert "theirs" in shown
    assert "the disk is on fire" in shown


def test_export_writes_what_other_tools_read(world: World, tmp_path: Path) -> None:
    (world.project / "main.cf").write_text(MODEL + 'std::ResourceSet(name="set", resources=[first])\n')
    out = tmp_path / "out"
    assert main(["export", str(world.project), "--trust", "python", "-o", f"{out}/"]) == 0
    rows = {row["id"]: row for row in json.loads((out / "resources.json").read_text())}
    assert rows["notes::Note[b,name=third],v=0"]["requires"] == ["notes::Note[a,name=second]"]
    assert json.loads((out / "resource_sets.json").read_text()) == {"notes::Note[a,name=first]": "set"}


def test_references_to_facts_find_what_was_told_before(world: World) -> None:
    reference = 'std::create_fact_reference(first, "size")'
    world.model(MODEL + f'\nnotes::Note(name="fact", text={reference}, requires=first)\n')
    assert world.deploy() == 0
    assert (world.folder / "fact").read_text() == "3"


@pytest.mark.parametrize(
    ("leave", "told"),
    [
        ((), "--trust python"),
        (("--trust", "python", "--here"), "--trust scripts"),
        (("--trust", "python", "--trust", "scripts"), "--here"),
    ],
)
def test_nothing_runs_without_leave(
    world: World, capsys: pytest.CaptureFixture[str], leave: tuple[str, ...], told: str
) -> None:
    assert main(["deploy", str(world.project), "--yes", *leave]) != 0
    assert told in "".join(capsys.readouterr())
    assert world.calls() == []


@pytest.mark.parametrize("words", [("--trust", "python", "--here"), TRUST[:-1], ()])
def test_nothing_is_purged_or_read_without_leave(world: World, words: tuple[str, ...]) -> None:
    world.deploy()
    world.calls()
    assert main(["destroy", str(world.project), *words, "--yes", "--allow-delete", "all"]) != 0
    assert main(["status", str(world.project), *words]) != 0
    assert world.calls() == []
    assert (world.folder / "first").exists()


def test_a_model_with_errors_deletes_nothing(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.deploy()
    world.calls()
    world.model(MODEL.replace('text="two"', "text=2"))
    assert world.deploy() == 1
    assert "INM:E025" not in "".join(capsys.readouterr())
    assert world.calls() == []


def test_a_session_with_workers_wants_the_same(world: World) -> None:
    with WorkerPool() as workers:
        session = Session(trust=Trust(python=True, scripts=True), workers=workers)
        environment = EnvironmentRequest(
            path=world.project, here=True, evaluation=EvaluationRequest(session=session)
        )
        planned = plan_path(PlanPathRequest(environment=environment))
    assert planned.plan is not None
    assert len(planned.plan.steps) == 3


VAULT = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  test.Vault:
    derived_from: tosca.nodes.Root
    properties:
      password: {type: string, metadata: {sensitive: true}}
topology_template:
  node_templates:
    vault: {type: test.Vault, properties: {password: canary-4711}}
"""


def test_no_secret_in_what_handlers_say(world: World, capfd: pytest.CaptureFixture[str]) -> None:
    plugins = world.project / "libs" / "notes" / "plugins" / "__init__.py"
    refusal = 'raise RuntimeError(f"cannot take {resource.text}")'
    plugins.write_text(
        PLUGINS.replace('if resource.text == "broken":', "if True:").replace(
            'raise RuntimeError("the disk is on fire")', refusal
        )
    )
    environment = world.project.parent / "sabir.yaml"
    environment.write_text(
        "parts:\n  vault: {path: vault.yaml}\n"
        '  notes: {path: project, inputs: {word: {eval: "::vault::vault::password"}}}\n'
    )
    (environment.parent / "vault.yaml").write_text(VAULT)
    world.model('import notes\nword = "none"\nnotes::Note(name="a", text=word)\n')
    assert main(["deploy", str(environment.parent), "--yes", *TRUST]) == 1
    shown = "".join(capfd.readouterr())
    assert "cannot take <<REDACTED>>" in shown
    assert "canary" not in shown


def test_two_models_in_an_environment_have_their_own_handlers(world: World) -> None:
    environment = world.project.parent / "sabir.yaml"
    environment.write_text("parts:\n  left: {path: project}\n  right: {path: other}\n")
    other = world.project.parent / "other"
    other.mkdir()
    (other / "main.cf").write_text('h = std::Host(name="h", os=std::linux)\n')
    assert main(["deploy", str(environment.parent), "--yes", *TRUST]) == 0
    assert "create first" in world.calls()


def test_files_of_std_are_kept_below_the_folder(tmp_path: Path) -> None:
    (tmp_path / "main.cf").write_text(
        'host = std::Host(name="h", os=std::linux)\n'
        'dir = std::Directory(host=host, path="/etc", owner="root", group="root", mode=755)\n'
        'std::ConfigFile(host=host, path="/etc/motd", content="hello", requires=dir)\n'
    )
    assert main(["deploy", str(tmp_path), "--yes"]) == 0
    assert (tmp_path / ".sabir/world/etc/motd").read_text() == "hello"
    assert main(["plan", str(tmp_path)]) == 0


REPORTED = """
import notes
first = notes::Note(name="first", text="one", report_only=true)
second = notes::Note(name="second", text="two", requires=first)
"""


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


@pytest.mark.parametrize("there", [None, "theirs"], ids=["missing", "different"])
def test_a_resource_that_only_reports_is_not_compliant(
    world: World, capsys: pytest.CaptureFixture[str], there: str | None
) -> None:
    """Nothing is changed, what requires it is deployed, and the difference is the outcome."""
    first = world.folder / "first"
    if there is not None:
        first.write_text(there)
    world.model(REPORTED)
    assert world.run("plan", "--format", "json") == 3
    plan = json.loads(capsys.readouterr().out)
    assert plan["counts"] == {"create": 1, "check": 1}
    assert {step["address"].rpartition("/")[2]: step["action"] for step in plan["steps"]} == {
        "first": "check",
        "second": "create",
    }
    assert world.deploy("--format", "json") == 0
    events = lines_of(capsys.readouterr().out)
    (ended,) = (event for event in events if event.get("event") == "non_compliant")
    assert (ended["action"], ended["changed"]) == ("check", False)
    assert ended["message"] == ("not found" if there is None else "differs from the desired state: text")
    assert events[-1]["counts"] == {"non_compliant": 1, "done": 1}
    assert world.calls() == ["create second"]
    assert (first.read_text() if first.exists() else None) == there
    assert main(["history", str(world.project), "--at", "1"]) == 0
    assert "check notes::Note/first non_compliant" in capsys.readouterr().out


def test_a_resource_that_only_reports_is_done_when_it_complies(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    (world.folder / "first").write_text("one")
    world.model(REPORTED)
    assert world.deploy("--format", "json") == 0
    assert lines_of(capsys.readouterr().out)[-1]["counts"] == {"done": 2}
    (world.folder / "first").write_text("theirs")
    assert world.deploy("--repair", "--format", "json") == 0
    assert lines_of(capsys.readouterr().out)[-1]["counts"] == {"done": 1, "non_compliant": 1}
    assert (world.folder / "first").read_text() == "theirs"


def test_a_resource_that_only_reports_is_never_deleted(world: World) -> None:
    (world.folder / "first").write_text("theirs")
    world.model(REPORTED)
    assert world.deploy() == 0
    world.calls()
    assert main(["destroy", str(world.project), *TRUST, "--yes", "--allow-delete", "all"]) == 0
    assert world.calls() == ["delete second"]
    assert (world.folder / "first").read_text() == "theirs"


def test_a_purge_is_shown_as_a_purge(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    (world.folder / "first").write_text("one")
    world.model('import notes\nnotes::Note(name="first", text="one", purged=true)\n')
    assert world.run("plan") == 3
    shown = capsys.readouterr().out
    assert "- notes::Note/first (inmanta): purge" in shown
    assert "1 to purge" in shown
    assert world.run("plan", "--format", "json") == 3
    plan = json.loads(capsys.readouterr().out)
    assert (plan["counts"], plan["steps"][0]["action"]) == ({"purge": 1}, "purge")
    assert world.deploy() == 0
    assert "purge notes::Note/first done" in capsys.readouterr().err
    assert world.calls() == ["delete first"]
    assert main(["history", str(world.project), "--at", "1"]) == 0
    assert "purge notes::Note/first done" in capsys.readouterr().out
    assert world.run("plan", "--refresh") == 0


def test_what_becomes_purged_is_shown_as_a_purge(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    model = 'import notes\nnotes::Note(name="first", text="one", purged={})\n'
    world.model(model.format("false"))
    assert world.deploy() == 0
    world.model(model.format("true"))
    capsys.readouterr()
    assert world.run("plan", "--format", "json") == 3
    assert json.loads(capsys.readouterr().out)["counts"] == {"purge": 1}
    assert world.deploy() == 0
    assert world.calls() == ["create first", "delete first"]
