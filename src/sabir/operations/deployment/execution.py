"""Options for the execution of any plan: confirmation, concurrency, progress, and the audit entry."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from sabir import __version__
from sabir.deployments.deployment import PARALLEL, DeployOptions
from sabir.deployments.engine.recover import RecoveryResult
from sabir.deployments.engine.results import ProgressEvent
from sabir.deployments.plan.guards import DeletionGuard
from sabir.deployments.plan.steps import Plan
from sabir.operations.deployment.environment import EnvironmentRequest
from sabir.resources.driver import DriverContext

WHO_VARIABLE: Final = "SABIR_WHO"
"""The user on whose behalf it runs, if not the user of the process; set by the server."""


class ConfirmationRequest(Struct, frozen=True, kw_only=True, eq=False):
    """What the operator has to confirm before anything is applied."""

    plan: Plan
    recovered: RecoveryResult
    guard: DeletionGuard | None = None
    """If set, deletions need typed confirmation: the operator must type `guard.word`."""
    lost: tuple[tuple[str, str], ...] = ()
    """For a rollback: resources that cannot be rolled back, each with the reason."""
    operations: tuple[str, ...] = ()
    """The operations that the plan runs, if it is not a deployment."""
    wave: bool = False
    """Whether this is a later wave, computed from values that earlier steps returned."""


class ExecutionOptions(Struct, frozen=True, kw_only=True):
    """How a plan is executed, independent of its purpose."""

    consent: Callable[[ConfirmationRequest], bool]
    parallel: int = PARALLEL
    wait: float = 0.0
    watch: Callable[[ProgressEvent], None] = lambda _: None
    notice: Callable[[str], None] = lambda _: None
    signals: bool = False

    def options(self, environment: EnvironmentRequest, context: DriverContext) -> DeployOptions:
        return DeployOptions(
            parallel=self.parallel,
            wait=self.wait,
            watch=self.watch,
            notice=self.notice,
            audit=build_audit(environment, context),
            signals=self.signals,
        )


def build_audit(environment: EnvironmentRequest, context: DriverContext) -> dict[str, Any]:
    """Return who deploys, from which commit and with which version of sabir."""
    told: dict[str, Any] = {
        "who": context.session.environment.get(WHO_VARIABLE) or _user_name(),
        "sabir": __version__,
        "path": str(environment.path),
    }
    commit = _read_commit(context.folder)
    return told if commit is None else {**told, "commit": commit}


def _user_name() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "?"


def _read_commit(folder: Path) -> str | None:
    """Return the checked-out commit. It is read from git's files, so that no program is run."""
    for parent in (folder, *folder.parents):
        head = parent / ".git" / "HEAD"
        if head.is_file():
            text = head.read_text(encoding="utf-8", errors="replace").strip()
            if not text.startswith("ref: "):
                return text[:40]
            reference = parent / ".git" / text.removeprefix("ref: ")
            return reference.read_text(encoding="ascii").strip()[:40] if reference.is_file() else None
    return None
