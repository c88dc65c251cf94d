"""Runs the exports and deployments of Inmanta models on sabir: every handler really runs, below the world of the case.

What a deployment does around the handlers (who comes when, what is skipped, what is run again) is small enough here to stand
in one loop; each resource is run by the same `Agent` that a deployment of sabir uses.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sabir.diagnostics.finding import Severity
from sabir.languages.inmanta.evaluate.given import Given
from sabir.languages.inmanta.evaluate.model import Model, evaluate_package
from sabir.languages.inmanta.graph.agents import Agent, HandlerRun, handlers_of
from sabir.languages.inmanta.graph.export import Export, export_model
from sabir.session import Session, Trust
from sabir.source.packages.load import load_package
from tests.conformance.runner.deploy_inmanta import DeployCase, StepOutcome

__all__ = ["Deployments", "run"]

_OURS = frozenset({"std"})
_PROJECT = "name: case\nmodulepath: libs\ndownloadpath: libs\nrepo: []\n"


def run(case: DeployCase, world: Path) -> list[StepOutcome] | str:
    missing = [name for name in case.raw["packages"] if name not in _OURS and not _is_installed(name)]
    if missing:
        return f"needs the modules {', '.join(missing)}"
    with tempfile.TemporaryDirectory(prefix="sabir-case-") as scratch:
        return Deployments(case, Path(scratch).resolve(), world).run()


def _is_installed(module: str) -> bool:
    return any((Path(entry or ".") / "inmanta_plugins" / module).is_dir() for entry in sys.path)


class Deployments:
    """The steps of a case: what is deployed stays from one to the next."""

    def __init__(self, case: DeployCase, project: Path, world: Path) -> None:
        self.case = case
        self.project = project
        self.world = world
        self.environment = {"CASE_WORLD": str(world), **self._text(case.raw.get("env") or {})}
        self.facts: dict[tuple[str, str], str] = {}
        self.states: dict[str, str] = {}
        self.written: dict[str, dict[str, Any]] = {}
        self.export = Export()
        self.model: Model | None = None

    def _text(self, value: Any) -> Any:
        if isinstance(value, str):
            return value.replace("@WORLD@", str(self.world))
        if isinstance(value, dict):
            return {self._text(key): self._text(item) for key, item in value.items()}
        return [self._text(item) for item in value] if isinstance(value, list) else value

    def run(self) -> list[StepOutcome]:
        (self.project / "project.yml").write_text(_PROJECT)
        for module in self.case.raw["modules"]:
            shutil.copytree(self.case.folder / "modules" / module, self.project / "libs" / module)
        self._change_world(self.case.raw.get("world") or {})
        return [self._step(step) for step in self.case.steps]

    def _change_world(self, change: Mapping[str, Any]) -> None:
        for path in change.get("remove", ()):
            target = self.world / path
            shutil.rmtree(target) if target.is_dir() and not target.is_symlink() else target.unlink(
                missing_ok=True
            )
        for path in change.get("dirs", ()):
            (self.world / path).mkdir(parents=True, exist_ok=True)
        for path, content in self._text(change.get("files", {})).items():
            target = self.world / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content if isinstance(content, str) else content["content"])
            if isinstance(content, dict) and "mode" in content:
                target.chmod(int(str(content["mode"]), 8))
        for path, leads_to in self._text(change.get("links", {})).items():
            (self.world / path).symlink_to(leads_to)

    def _step(self, step: Mapping[str, Any]) -> StepOutcome:
        self.environment |= self._text(step.get("env") or {})
        self._change_world(step.get("before") or {})
        for fact in step.get("set_facts", ()):
            self.facts[fact["resource"], fact["id"]] = fact["value"]
        log = self.world / "calls.log"
        log.unlink(missing_ok=True)
        outcome = StepOutcome()
        with _surroundings(self.environment):
            self._run_step(step, outcome)
        outcome.calls = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        outcome.facts = [[resource, name, value] for (resource, name), value in self.facts.items()]
        outcome.world = dict(_shown(self.world))
        return outcome

    def _run_step(self, step: Mapping[str, Any], outcome: StepOutcome) -> None:
        command = step["command"]
        if command in ("export", "dryrun", "deploy"):
            outcome.error = self._export(step)
            if outcome.error is not None:
                return
        outcome.undefined = sorted(self.export.undefined)
        outcome.resource_sets = self.export.sets
        outcome.files_uploaded = {name: raw.decode() for name, raw in self.export.files.items()}
        written = {
            row.pop("id").rpartition(",v=")[0]: row
            for row in self.export.written()
            if row.pop("version") == 0
        }
        outcome.resources = written
        if command == "dryrun":
            self._dry_run(outcome)
        elif command in ("deploy", "repair"):
            self._deploy(outcome, written, everything=command == "repair")
        elif command == "facts":
            self._ask(step["resource"])

    def _export(self, step: Mapping[str, Any]) -> str | None:
        self.write_model(step)
        session = Session(trust=Trust(python=True, env=True), environment=self.environment)
        given = Given(facts=self.facts)
        model = evaluate_package(load_package(self.project), session=session, given=given)
        errors = [finding for finding in model.findings if finding.severity is Severity.ERROR]
        if not errors:
            self.model = model
            export = export_model(model, function=step.get("export_plugin"))
            errors = [finding for finding in export.findings if finding.severity is Severity.ERROR]
            if not errors:
                self.export = export
        return None if not errors else f"{errors[0].location}: {errors[0].message}"

    def write_model(self, step: Mapping[str, Any]) -> None:
        (self.project / "main.cf").write_text(self._text(step.get("model") or self.case.raw["model"]))

    def _agents(self) -> dict[str, Agent]:
        assert self.model is not None
        self.model.python.registry.references.facts = self.facts
        handlers = handlers_of(self.model)
        names = {resource.id.agent_name for resource in self.export.resources.values()}
        return {name: Agent(name, handlers, self.export.files) for name in names}

    def _blocked(self) -> dict[str, str]:
        """What is not known, and what waits for that."""
        blocked = dict.fromkeys(self.export.undefined, "undefined")
        for name in self._ordered():
            required = self.export.resources[name].requires
            if name not in blocked and any(other.resource_str() in blocked for other in required):
                blocked[name] = "skipped_for_undefined"
        return blocked

    def _ordered(self) -> list[str]:
        """Every resource behind what it requires."""
        ordered: dict[str, None] = {}
        rest = list(self.export.resources)
        while rest:
            ready = [
                name
                for name in rest
                if all(other.resource_str() in ordered for other in self.export.resources[name].requires)
            ]
            ordered.update(dict.fromkeys(ready))
            rest = [name for name in rest if name not in ordered]
        return list(ordered)

    def _dry_run(self, outcome: StepOutcome) -> None:
        agents, blocked = self._agents(), self._blocked()
        assert self.model is not None
        with self.model.python.importable():
            for name in self._ordered():
                if name in blocked:
                    continue
                resource = self.export.resources[name]
                ended = agents[resource.id.agent_name].dry_run(resource)
                self._note(outcome, name, ended)
                if ended.state.value == "failed":
                    outcome.changes[name] = {"handler": ["FAILED", "Handler failed"]}
                elif ended.state.value == "unavailable":
                    outcome.changes[name] = {"handler": ["FAILED", "Unable to find a handler"]}
        outcome.status, outcome.change, outcome.handler_state = {}, {}, {}

    def _note(self, outcome: StepOutcome, name: str, ended: HandlerRun) -> None:
        state = ended.state.value
        shown = "skipped" if state == "skipped_for_dependency" else state
        outcome.ran.append(name)
        outcome.status[name] = shown
        outcome.change[name] = ended.change.value
        if state != shown:
            outcome.handler_state[name] = state
        if ended.changes:
            outcome.changes[name] = {
                field: [current, desired] for field, (current, desired) in ended.changes.items()
            }
        if ended.log:
            outcome.log[name] = [(line.level, line.text) for line in ended.log]
        for fact, value in ended.facts.items():
            self.facts[name, fact] = value

    def _deploy(self, outcome: StepOutcome, written: dict[str, dict[str, Any]], *, everything: bool) -> None:
        agents, blocked = self._agents(), self._blocked()
        changed: set[str] = set()
        events: set[str] = set()
        assert self.model is not None
        with self.model.python.importable():
            for name in self._ordered():
                if name in blocked:
                    self.states[name] = blocked[name]
                    continue
                resource = self.export.resources[name]
                required = [other.resource_str() for other in resource.requires]
                listens = getattr(resource, "receive_events", True)
                told = listens and any(other in events for other in required)
                same = self.states.get(name) == "deployed" and self.written.get(name) == written[name]
                if same and not everything and not told:
                    continue
                states = {other: self.states.get(other, "deployed") for other in required}
                ended = agents[resource.id.agent_name].deploy(
                    resource, states, reload=any(other in changed for other in required)
                )
                self._note(outcome, name, ended)
                self.states[name] = outcome.status[name]
                self.written[name] = written[name]
                if ended.change.value != "nochange":
                    changed.add(name)
                    if getattr(resource, "send_event", False):
                        events.add(name)
        for name in self.states:
            if name not in self.export.resources:
                self.states[name] = "orphaned"
        outcome.status = dict(self.states)

    def _ask(self, name: str) -> None:
        resource = self.export.resources[name]
        assert self.model is not None
        with self.model.python.importable():
            ended = self._agents()[resource.id.agent_name].facts(resource)
        for fact, value in ended.facts.items():
            self.facts[name, fact] = value


@contextmanager
def _surroundings(environment: Mapping[str, str]) -> Iterator[None]:
    """Modules of the cases read the variables of the process."""
    before = dict(os.environ)
    os.environ.update(environment)
    umask = os.umask(0o022)
    try:
        yield
    finally:
        os.umask(umask)
        os.environ.clear()
        os.environ.update(before)


def _shown(world: Path) -> Iterator[tuple[str, dict[str, str]]]:
    for path in sorted(world.rglob("*")):
        name = str(path.relative_to(world))
        if path.is_symlink():
            yield name, {"link": os.readlink(path)}
        elif path.is_dir():
            yield f"{name}/", {"mode": f"{path.stat().st_mode & 0o7777:o}"}
        else:
            yield name, {"content": path.read_text(), "mode": f"{path.stat().st_mode & 0o7777:o}"}
