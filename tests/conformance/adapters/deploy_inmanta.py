"""Exports and deployments of Inmanta models by the operations of the command line: every handler really runs, below the world of the case.

What a step does is for the engine to decide. Beside that, the runs of handlers are written down (`_Recorded`), because a
deployment tells less of them than the cases do: each line with its level, each field with its values.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from unittest import mock

from sabir.deployments.engine.results import ProgressEvent
from sabir.deployments.store.records import Fact
from sabir.diagnostics.finding import Finding, Severity
from sabir.graph.address import Address
from sabir.graph.values import Value
from sabir.languages.inmanta.graph import driver
from sabir.languages.inmanta.graph.agents import HandlerRun
from sabir.languages.inmanta.graph.driver import HANDLER
from sabir.languages.inmanta.graph.handler_process.process import Handlers
from sabir.languages.inmanta.graph.names import FACTS, ID
from sabir.languages.language import EvaluationRequest, RenderRequest
from sabir.operations.deployment.call import CallRequest, call_path
from sabir.operations.deployment.deploy import DeployRequest, deploy_path
from sabir.operations.deployment.environment import EnvironmentRequest, open_state
from sabir.operations.deployment.execution import ExecutionOptions
from sabir.operations.deployment.plan import PlanPathRequest, plan_path
from sabir.operations.deployment.preparation import prepare_environment
from sabir.operations.deployment.state import open_journal
from sabir.operations.render import RenderPathRequest, render_path
from sabir.session import Session, Trust
from tests.conformance.runner.deploy_inmanta import DeployCase, StepOutcome

__all__ = ["run"]

_OURS = frozenset({"std"})
_PROJECT = "name: case\nmodulepath: libs\ndownloadpath: libs\nrepo: []\n"
_DEPENDENCY: Final = ("INFO", "skipped due to failed dependencies")


def run(case: DeployCase, world: Path) -> list[StepOutcome] | str:
    missing = [name for name in case.raw["packages"] if name not in _OURS and not _is_installed(name)]
    if missing:
        return f"needs the modules {', '.join(missing)}"
    with tempfile.TemporaryDirectory(prefix="sabir-case-") as scratch:
        return _Deployments(case, Path(scratch).resolve(), world).run()


def _is_installed(module: str) -> bool:
    return any((Path(entry or ".") / "inmanta_plugins" / module).is_dir() for entry in sys.path)


class _Recorded(Handlers):
    """Handlers whose runs are written down."""

    runs: list[tuple[str, HandlerRun]]

    async def run(
        self, call: str, agent: str, resource: tuple[str, dict[str, Any]], **how: Any
    ) -> HandlerRun:
        ended = await super().run(call, agent, resource, **how)
        self.runs.append((resource[0], ended))
        return ended


class _Deployments:
    """The steps of a case: what is deployed stays from one to the next, in the state of its environment."""

    def __init__(self, case: DeployCase, project: Path, world: Path) -> None:
        self.case = case
        self.project = project
        self.world = world
        self.variables = {"CASE_WORLD": str(world), **self._text(case.raw.get("env") or {})}
        self.states: dict[str, str] = {}

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
        self.variables |= self._text(step.get("env") or {})
        self._change_world(step.get("before") or {})
        log = self.world / "calls.log"
        log.unlink(missing_ok=True)
        outcome = StepOutcome()
        runs: list[tuple[str, HandlerRun]] = []
        recorder = type("Recorder", (_Recorded,), {"runs": runs})
        with _surroundings(self.variables), mock.patch.object(driver, "Handlers", recorder):
            if step["command"] in ("export", "dryrun", "deploy"):
                text = self._text(step.get("model") or self.case.raw["model"])
                (self.project / "main.cf").write_text(text)
            self._set_facts(step.get("set_facts", ()))
            self._run_step(step, outcome, runs)
            outcome.calls = log.read_text().splitlines() if log.exists() else []
            log.unlink(missing_ok=True)
            outcome.facts = self._facts()
        outcome.world = dict(_shown(self.world))
        return outcome

    def _environment(self) -> EnvironmentRequest:
        environment = {**os.environ, **self.variables}
        session = Session(trust=Trust(python=True, env=True, scripts=True), environment=environment)
        return EnvironmentRequest(
            path=self.project, here=True, evaluation=EvaluationRequest(session=session), environment="case"
        )

    def _doing(self, watch: Any = lambda _: None) -> ExecutionOptions:
        return ExecutionOptions(consent=lambda _: True, watch=watch)

    def _run_step(
        self, step: Mapping[str, Any], outcome: StepOutcome, runs: list[tuple[str, HandlerRun]]
    ) -> None:
        command = step["command"]
        outcome.error = self._export(step, outcome)
        if outcome.error is not None:
            return
        if command == "dryrun":
            self._plan(outcome, runs)
        elif command in ("deploy", "repair"):
            self._deploy(outcome, runs, repair=command == "repair")
        elif command == "facts":
            name = next(address for address, text in self._ids().items() if text == step["resource"])
            request = CallRequest(
                environment=self._environment(), doing=self._doing(), name=f"{name}.{FACTS}"
            )
            call_path(request)

    def _export(self, step: Mapping[str, Any], outcome: StepOutcome) -> str | None:
        """`sabir export -o DIR/`, with what is known by now."""
        environment = self._environment()
        with open_state(environment, create=True) as store:
            observed = store.load_observations()
        from msgspec import json
        from msgspec.structs import replace

        plugin = step.get("export_plugin")
        rendered = render_path(
            RenderPathRequest(
                path=self.project,
                directory=True,
                evaluation=replace(environment.evaluation, observed=observed),
                render=RenderRequest(options={} if plugin is None else {"function": plugin}),
            )
        )
        if rendered.failed:
            return _error(rendered.findings)
        files = dict(rendered.files)
        for row in json.decode(files.pop("resources.json")):
            row.pop("version")
            outcome.resources[row.pop("id").rpartition(",v=")[0]] = row
        outcome.undefined = json.decode(files.pop("undefined.json", "[]"))
        outcome.resource_sets = json.decode(files.pop("resource_sets.json", "{}"))
        outcome.files_uploaded = {name.removeprefix("files/"): text for name, text in files.items()}
        return None

    def _ids(self) -> dict[str, str]:
        """The ids of resources by the addresses that they have in the engine."""
        environment = self._environment()
        with open_state(environment, create=True) as store:
            wanted = prepare_environment(environment, store).wanted
        return {str(resource.address): str(resource.desired[ID]) for resource in wanted.resources}

    def _plan(self, outcome: StepOutcome, runs: list[tuple[str, HandlerRun]]) -> None:
        """`sabir plan --refresh`."""
        planned = plan_path(PlanPathRequest(environment=self._environment(), refresh=True))
        assert planned.plan is not None
        ids = self._ids()
        for step in planned.plan.steps:
            changes = {change.field: [change.before, change.after] for change in step.changes}
            if changes and step.address in ids:
                failed = changes.get(HANDLER)
                if failed is not None:
                    missing = str(failed[1]).startswith("Unable to find a handler")
                    failed[1] = "Unable to find a handler" if missing else "Handler failed"
                outcome.changes[ids[step.address]] = changes
        for name, ended in runs:
            outcome.ran.append(name)
            outcome.log[name] = [(line.level, line.text) for line in ended.log]

    def _deploy(self, outcome: StepOutcome, runs: list[tuple[str, HandlerRun]], *, repair: bool) -> None:
        ended_steps: list[ProgressEvent] = []
        deployed = deploy_path(
            DeployRequest(
                environment=self._environment(),
                doing=self._doing(ended_steps.append),
                allow_delete=-1,
                repair=repair,
                once=True,
            )
        )
        assert deployed.plan is not None, _error(deployed.findings)
        for name, ended in runs:
            self._note(outcome, name, ended)
        ids = self._ids()
        for progress in ended_steps:
            kept_back = ids.get(progress.address or "")
            if progress.state == "cancelled" and kept_back is not None and kept_back not in outcome.ran:
                outcome.ran.append(kept_back)
                outcome.change[kept_back] = "nochange"
                outcome.handler_state[kept_back] = "skipped_for_dependency"
                outcome.log[kept_back] = [_DEPENDENCY]
                self.states[kept_back] = "skipped"
        self._undefined(outcome)
        self.states |= {name: "orphaned" for name in self.states if name not in ids.values()}
        outcome.status = dict(self.states)

    def _undefined(self, outcome: StepOutcome) -> None:
        """What a deployment leaves out: resources that hold something unknown, and what requires them."""
        blocked = dict.fromkeys(outcome.undefined, "undefined")
        before = -1
        while len(blocked) != before:
            before = len(blocked)
            for name, fields in outcome.resources.items():
                if name not in blocked and any(required in blocked for required in fields["requires"]):
                    blocked[name] = "skipped_for_undefined"
        self.states |= {name: state for name, state in blocked.items() if name not in outcome.ran}

    def _note(self, outcome: StepOutcome, name: str, ended: HandlerRun) -> None:
        state = ended.state.value
        shown = "skipped" if state == "skipped_for_dependency" else state
        outcome.ran.append(name)
        self.states[name] = shown
        outcome.change[name] = ended.change.value
        if state != shown:
            outcome.handler_state[name] = state
        if ended.changes:
            outcome.changes[name] = {
                field: [current, desired] for field, (current, desired) in ended.changes.items()
            }
        outcome.log[name] = [(line.level, line.text) for line in ended.log]

    # Facts

    def _facts(self) -> list[list[str]]:
        with open_state(self._environment(), create=True) as store:
            observed = store.load_observations()
        return [
            [str(observed[str(address.of(ID))]), name, str(value)]
            for text, known in observed.items()
            if (address := Address.parse(text)).attribute == FACTS and isinstance(known, Mapping)
            for name, value in known.items()
        ]

    def _set_facts(self, facts: Any) -> None:
        """Facts that somebody put there; a deployment would have found them out."""
        if not facts:
            return
        addresses = {text: address for address, text in self._ids().items()}
        with open_state(self._environment(), create=True) as store:
            codec = store.codec
        with open_journal(self._environment()) as journal:
            for fact in facts:
                address = Address.parse(addresses[fact["resource"]])
                values: dict[str, Value] = {FACTS: {fact["id"]: fact["value"]}, ID: fact["resource"]}
                journal.now_all(
                    [
                        journal.fact(
                            Fact(
                                name=str(address.of(name)),
                                address=str(address),
                                value=codec.write({"value": value}),
                                deployment=0,
                                step="",
                                position=0,
                                at=journal.now(),
                            )
                        )
                        for name, value in values.items()
                    ]
                )


def _error(findings: tuple[Finding, ...]) -> str:
    error = next(finding for finding in findings if finding.severity is Severity.ERROR)
    return f"{error.location}: {error.message}"


@contextmanager
def _surroundings(variables: Mapping[str, str]) -> Iterator[None]:
    """Modules of the cases read the variables of the process."""
    before = dict(os.environ)
    os.environ.update(variables)
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
