"""Drives MuranoPL deployments: the packages of a case, its model, its simulated cloud; every step a run of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from sabir.languages.muranopl.evaluate.packages import MuranoPackage, PackageRegistry
from sabir.languages.muranopl.evaluate.program import DEPLOY, ActionCall, ProgramOutcome, Storage, run_program
from sabir.languages.muranopl.evaluate.runtime import Runtime
from sabir.languages.muranopl.evaluate.session import MuranoRun
from sabir.languages.muranopl.library import core_package_in
from sabir.languages.muranopl.model.errors import ContractViolationError, MuranoError, ThrownException
from sabir.languages.muranopl.model.plain_functions import apply_patch
from sabir.languages.muranopl.syntax.manifest import read_manifest
from sabir.languages.muranopl.worlds.effects import EffectKind, EffectRequest, ProgramReport
from sabir.languages.muranopl.worlds.offline import RecordedWorld
from sabir.languages.muranopl.worlds.settings import EngineSettings
from sabir.languages.muranopl.worlds.simulated import SimulatedWorld
from sabir.languages.muranopl.worlds.simulated.stacks import SimulatedStacks
from sabir.source.packages import load_package
from tests.conformance.adapters.user_data import shown_user_data
from tests.conformance.runner.deploy_muranopl import DeployCase, StepOutcome
from tests.conformance.runner.threads import are_parallel

__all__ = ["run_deployment"]

_SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "rabbitmq": {
        "host": "broker.test",
        "login": "murano",
        "password": "rabbit-secret",
        "virtual_host": "/murano",
    },
    "networking": {"max_environments": 1, "default_dns": ["192.0.2.53"]},
}


def run_deployment(case: DeployCase) -> list[StepOutcome]:
    """All steps of a case. Objects, attributes and the stacks of the cloud are carried over."""
    stacks = SimulatedStacks()
    previous = case.raw.get("previous") or {}
    storage = Storage(
        objects=None, copy=previous.get("ObjectsCopy"), attributes=previous.get("Attributes") or ()
    )
    outcomes: list[StepOutcome] = []
    for number, step in enumerate(case.steps):
        cloud = {**case.raw.get("cloud", {}), **(step.get("cloud") or {})}
        storage = Storage(objects=_wanted(step, storage), copy=storage.copy, attributes=storage.attributes)
        world = RecordedWorld(SimulatedWorld(_described(cloud), stacks=stacks, random_numbers=Random(number)))
        runtime = _runtime(case, cloud, world)
        done = run_program(MuranoRun(runtime), storage, _action(step))
        storage = done.storage
        outcomes.append(_outcome(done, world.events, runtime))
    return outcomes


def _described(cloud: Mapping[str, Any]) -> dict[str, Any]:
    """A cloud that makes nothing up: what a case does not describe is not there."""
    parts = ("heat", "agent", "neutron", "glance", "keystone", "mistral")
    return {part: cloud.get(part) or {} for part in parts}


def _runtime(case: DeployCase, cloud: Mapping[str, Any], world: RecordedWorld) -> Runtime:
    packages = [_package(case.folder / name) for name in case.raw.get("packages") or ()]
    config = cloud.get("config") or {}
    groups = {name: dict(values) for name, values in _SETTINGS.items()}
    for name, value in config.items():
        if isinstance(value, Mapping):
            groups[name] = {**groups.get(name, {}), **value}
        else:
            groups.setdefault("DEFAULT", {})[name] = value
    core = os.environ.get("SABIR_CORE_LIBRARY")
    search_path = (Path(core),) if core else ()
    return Runtime(
        PackageRegistry(packages, search_path),
        config=cloud.get("classConfigs") or {},
        world=world,
        sleeps=False,
        settings=EngineSettings(groups=groups, user="user1", project="project1"),
        core=core_package_in(Path(core)) if core else None,
    )


def _package(folder: Path) -> MuranoPackage:
    loaded = load_package(folder)
    manifest, findings = read_manifest(loaded)
    assert manifest is not None, findings
    return MuranoPackage(manifest, loaded)


def _wanted(step: Mapping[str, Any], before: Storage) -> Any:
    if "model" in step:
        return step["model"]
    return apply_patch(before.objects, step["patch"]) if "patch" in step else before.objects


def _action(step: Mapping[str, Any]) -> ActionCall | None:
    if "action" not in step:
        return DEPLOY
    action = step["action"]
    if action is None:
        return None
    return ActionCall(
        object=action["object"],
        method=action["method"],
        arguments=action.get("arguments") or {},
        from_outside=True,
    )


# -- what came of it --------------------------------------------------------------------------------------------------


def _outcome(
    done: ProgramOutcome, events: Sequence[EffectRequest | ProgramReport], runtime: Runtime
) -> StepOutcome:
    effects: list[dict[str, Any]] = []
    reports: list[dict[str, Any]] = []
    for event in events:
        thread = "/".join(f"g{group}:{number}" for group, number in event.branch)
        entry = _report(event) if isinstance(event, ProgramReport) else _effect(event)
        if thread:
            entry["thread"] = thread
        if isinstance(event, ProgramReport):
            entry["after"] = sum(not are_parallel(effect.get("thread"), thread) for effect in effects)
            reports.append(entry)
        else:
            effects.append(entry)
    error = None if done.error is None else _error(done.error, done.stage)
    if error is not None:
        source = runtime.root.id if runtime.root is not None and done.stage != "<load>" else "task1"
        reports.append({"level": "error", "object": source, "text": error["message"], "after": len(effects)})
    storage = done.storage
    return StepOutcome(
        effects=effects,
        reports=reports,
        model={"Objects": storage.objects, "Attributes": list(storage.attributes)},
        result=done.result,
        error=error,
    )


def _report(report: ProgramReport) -> dict[str, Any]:
    return {"level": report.level, "object": report.source, "text": report.line}


def _error(error: MuranoError, stage: str | None) -> dict[str, Any]:
    if isinstance(error, ContractViolationError):
        return {"message": str(error), "kinds": [error.kind], "stage": stage}
    text = error.thrown_message if isinstance(error, ThrownException) else error.message
    kinds = list(error.names)
    return {"message": f"[{', '.join(kinds)}]: {text}", "kinds": kinds, "text": text, "stage": stage}


def _effect(effect: EffectRequest) -> dict[str, Any]:
    service, _, operation = effect.kind.value.partition(".")
    return _SERVICES[service](operation, dict(effect.arguments), effect)


def _stack(operation: str, arguments: dict[str, Any], effect: EffectRequest) -> dict[str, Any]:
    entry: dict[str, Any] = {"heat": operation, "region": arguments["region"], "stack": arguments["stack"]}
    if operation != "delete":
        entry["template"] = shown_user_data(arguments["template"])
        entry.update(
            (name, arguments[name])
            for name in ("parameters", "files", "environment", "tags")
            if arguments[name]
        )
    if effect.in_background:
        entry["async"] = True
    return entry


def _plan(operation: str, arguments: dict[str, Any], effect: EffectRequest) -> dict[str, Any]:
    del operation, effect
    return {
        "agent": "plan",
        "broker": arguments["broker"]["host"],
        "queue": arguments["queue"],
        "plan": arguments["plan"],
    }


def _notification(operation: str, arguments: dict[str, Any], effect: EffectRequest) -> dict[str, Any]:
    del effect, arguments["environment"]
    return {"notify": operation, **arguments}


def _router(operation: str, arguments: dict[str, Any], effect: EffectRequest) -> dict[str, Any]:
    del effect
    return {"neutron": operation, "body": {"router": arguments["router"]}}


def _workflow(operation: str, arguments: dict[str, Any], effect: EffectRequest) -> dict[str, Any]:
    if effect.kind is EffectKind.WORKFLOW_UPLOAD:
        return {"mistral": operation, "definition": arguments["definition"]}
    return {
        "mistral": operation,
        "workflow": arguments["name"],
        "input": arguments["input"],
        "params": arguments["params"],
    }


_SERVICES: Mapping[str, Callable[[str, dict[str, Any], EffectRequest], dict[str, Any]]] = {
    "heat": _stack,
    "agent": _plan,
    "notify": _notification,
    "neutron": _router,
    "mistral": _workflow,
}
