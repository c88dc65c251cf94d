"""The front door for programs that change the world: what `import sabir` offers beside the functions of `sabir.api`.

Each function calls the operation that the command of the same name calls. Nobody is asked: what the commands ask for has to be
said (`allow_delete`), or it is refused with a `DeployError`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from msgspec.structs import replace

from sabir.api import EvaluationOptions, evaluation_of
from sabir.deployments.engine.results import ProgressEvent
from sabir.deployments.store.records import DeploymentRecord
from sabir.errors import DeployError
from sabir.operations.deployment.call import CallRequest, call_path
from sabir.operations.deployment.deploy import DeployRequest, DeployResult, deploy_path
from sabir.operations.deployment.environment import EnvironmentRequest
from sabir.operations.deployment.execution import ConfirmationRequest, ExecutionOptions
from sabir.operations.deployment.history import history_path
from sabir.operations.deployment.plan import PlanPathRequest, PlanResult, plan_path
from sabir.operations.deployment.status import EnvironmentStatus, status_path

__all__ = ["call", "deploy", "destroy", "history", "plan", "status"]


class ActingOptions(EvaluationOptions, total=False):
    """Where the state is, and how to evaluate; the same words as the options of the commands."""

    state: str
    """A file or a URL; `.sabir/state.db` beside the description unless said."""
    environment: str
    """The name in the state."""
    key_file: Path | str
    here: bool
    """The default target is this machine as a whole."""


class DoingOptions(ActingOptions, total=False):
    """How steps are taken."""

    parallel: int
    """How many at the same time; 10 unless said."""
    wait: float
    """For how many seconds to wait for somebody else who deploys; 0 unless said."""
    watch: Callable[[ProgressEvent], None]
    """Told of every step."""


def plan(
    path: Path | str,
    *,
    only: Sequence[str] = (),
    refresh: bool = False,
    destroy: bool = False,
    at: int | None = None,
    **options: Unpack[ActingOptions],
) -> PlanResult:
    """The steps that a deployment would take. Nothing is changed, and nothing is written."""
    request = PlanPathRequest(
        environment=_environment(path, options), only=tuple(only), refresh=refresh, destroy=destroy, at=at
    )
    return plan_path(request)


def deploy(
    path: Path | str,
    *,
    only: Sequence[str] = (),
    refresh: bool = False,
    repair: bool = False,
    at: int | None = None,
    allow_delete: int | None = None,
    **options: Unpack[DoingOptions],
) -> DeployResult:
    """Bring the world to what is described. `allow_delete`: so many deletions are consented to, -1 for any number."""
    request = _deploying(path, only, allow_delete, options)
    return deploy_path(replace(request, refresh=refresh, repair=repair, at=at))


def destroy(
    path: Path | str,
    *,
    only: Sequence[str] = (),
    allow_delete: int | None = None,
    **options: Unpack[DoingOptions],
) -> DeployResult:
    """Take away everything that is recorded, in the reverse of the order it came in."""
    return deploy_path(replace(_deploying(path, only, allow_delete, options), destroy=True))


def call(
    path: Path | str,
    operation: str,
    arguments: Mapping[str, Any] | None = None,
    **options: Unpack[DoingOptions],
) -> DeployResult:
    """Run `INSTANCE.OPERATION` on what is deployed; `result.results` is what it gave back."""
    return call_path(
        CallRequest(
            environment=_environment(path, options),
            name=operation,
            arguments=arguments or {},
            doing=_doing(options),
        )
    )


def status(path: Path | str, **options: Unpack[ActingOptions]) -> EnvironmentStatus:
    """What is wanted, recorded and seen of each resource."""
    return status_path(_environment(path, options))


def history(path: Path | str, **options: Unpack[ActingOptions]) -> list[DeploymentRecord]:
    """All deployments, the oldest first."""
    return history_path(_environment(path, options))


def _environment(path: Path | str, options: ActingOptions) -> EnvironmentRequest:
    key_file = options.get("key_file")
    return EnvironmentRequest(
        path=Path(path),
        evaluation=evaluation_of(options),
        state=options.get("state"),
        environment=options.get("environment"),
        key_file=None if key_file is None else Path(key_file),
        here=options.get("here", False),
    )


def _deploying(
    path: Path | str, only: Sequence[str], allow_delete: int | None, options: DoingOptions
) -> DeployRequest:
    return DeployRequest(
        environment=_environment(path, options),
        doing=_doing(options),
        only=tuple(only),
        allow_delete=allow_delete,
    )


def _doing(options: DoingOptions) -> ExecutionOptions:
    usual = ExecutionOptions(consent=_consent)
    return replace(
        usual,
        parallel=options.get("parallel", usual.parallel),
        wait=options.get("wait", usual.wait),
        watch=options.get("watch", usual.watch),
    )


def _consent(question: ConfirmationRequest) -> bool:
    if question.guard is not None:
        raise DeployError(question.guard.message.replace("give --allow-delete", "give allow_delete ="))
    return True
