"""Deploy and destroy: take the lock, find out what became of the last one, plan, ask, do, remember."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from sabir import __version__
from sabir.deployments.deployment import PARALLEL, Deployer, DeployOptions, held
from sabir.deployments.engine.recover import Recovered
from sabir.deployments.engine.run import DeploymentResult, Progress
from sabir.deployments.plan.document import FORMAT, plan_digest, plan_document
from sabir.deployments.plan.guards import Guarded, guarded
from sabir.deployments.plan.steps import Plan
from sabir.deployments.store.store import Store
from sabir.diagnostics.finding import Finding
from sabir.errors import DeployError, UnusableInput
from sabir.operations.deploying import EnvironmentRequest, Prepared, opened, prepare
from sabir.operations.plan import read_world

__all__ = ["DeployRequest", "Deployed", "Question", "deploy_path"]


class Question(Struct, frozen=True, kw_only=True, eq=False):
    """What the operator is asked before anything is done."""

    plan: Plan
    recovered: Recovered
    guard: Guarded | None = None
    """Consent to deletions is needed: `guard.word` must be typed."""


class DeployRequest(Struct, frozen=True, kw_only=True):
    environment: EnvironmentRequest
    consent: Callable[[Question], bool]
    plan_file: Path | None = None
    only: tuple[str, ...] = ()
    refresh: bool = False
    repair: bool = False
    destroy: bool = False
    allow_delete: int | None = None
    """So many deletions are consented to; -1: any number."""
    parallel: int = PARALLEL
    wait: float = 0.0
    watch: Callable[[Progress], None] = lambda _: None
    notice: Callable[[str], None] = lambda _: None
    signals: bool = False


class Deployed(Struct, frozen=True, kw_only=True, eq=False):
    findings: tuple[Finding, ...] = ()
    plan: Plan | None = None
    """None: the description has errors, and nothing was looked at."""
    result: DeploymentResult | None = None
    """None: there was nothing to do, or no consent."""
    refused: bool = False


def deploy_path(request: DeployRequest) -> Deployed:
    """Bring the world to what is described, or to nothing."""
    with opened(request.environment, create=True) as store:
        prepared = prepare(request.environment, store)
        if prepared.failed and not request.destroy:
            return Deployed(findings=prepared.findings)
        options = DeployOptions(
            parallel=request.parallel,
            wait=request.wait,
            watch=request.watch,
            notice=request.notice,
            audit=_audit(request, prepared),
            signals=request.signals,
        )
        with held(store, prepared.context, options) as writer:
            deployer = Deployer(store, writer, prepared.targets, prepared.context, options)
            return _deploy(request, prepared, store, deployer)


def _deploy(request: DeployRequest, prepared: Prepared, store: Store, deployer: Deployer) -> Deployed:
    recovered = deployer.recover()
    if recovered.done:
        prepared = prepare(request.environment, store)
    readings = read_world(prepared, store) if request.refresh else {}
    plan = prepared.plan(
        store, only=request.only, destroy=request.destroy, repair=request.repair, readings=readings
    )
    if request.plan_file is not None:
        _check_plan_file(request.plan_file, plan)
    deployed = Deployed(findings=prepared.findings, plan=plan)
    if not plan.steps:
        deployer.let_go()
        return deployed
    guard = guarded(plan, allowed=request.allow_delete)
    if not request.consent(Question(plan=plan, recovered=recovered, guard=guard)):
        return replace(deployed, refused=True)
    verb = "destroy" if request.destroy else "deploy"
    result = deployer.deploy(plan, verb=verb, document=plan_document(plan), observed=store.observed())
    return replace(deployed, result=result)


def _check_plan_file(file: Path, plan: Plan) -> None:
    """A plan that was stored is done exactly, or not at all."""
    try:
        stored = msgspec.json.decode(file.read_bytes())
    except (OSError, msgspec.DecodeError) as error:
        raise UnusableInput(f"the plan {str(file)!r} cannot be read: {error}") from error
    if not isinstance(stored, Mapping) or stored.get("format") != FORMAT:
        raise UnusableInput(f"{str(file)!r} is no plan: `sabir plan ENV -o FILE` writes one")
    if stored.get("environment") != plan.environment:
        raise DeployError(f"this is a plan for {stored.get('environment')!r}, not for {plan.environment!r}")
    if stored.get("state") != plan.serial:
        raise DeployError(
            f"the state has moved from {stored.get('state')} to {plan.serial} since the plan was made: plan again"
        )
    if stored.get("digest") != plan_digest(plan):
        raise DeployError("the description has changed since the plan was made: plan again")


def _audit(request: DeployRequest, prepared: Prepared) -> dict[str, Any]:
    """Who, from which commit, with which sabir."""
    import getpass

    try:
        who = getpass.getuser()
    except (KeyError, OSError):
        who = "?"
    told: dict[str, Any] = {"who": who, "sabir": __version__, "path": str(request.environment.path)}
    commit = _commit(prepared.context.folder)
    return told if commit is None else {**told, "commit": commit}


def _commit(folder: Path) -> str | None:
    """The commit that is checked out, read from git's own files: no program is run."""
    for parent in (folder, *folder.parents):
        head = parent / ".git" / "HEAD"
        if head.is_file():
            text = head.read_text(encoding="utf-8", errors="replace").strip()
            if not text.startswith("ref: "):
                return text[:40]
            reference = parent / ".git" / text.removeprefix("ref: ")
            return reference.read_text(encoding="ascii").strip()[:40] if reference.is_file() else None
    return None
