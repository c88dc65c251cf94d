"""Run: load a MuranoPL object model, call a method, and give back its result and the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field

from sabir.diagnostics.finding import Finding, Severity
from sabir.errors import UsageError
from sabir.languages.language import EvaluationRequest
from sabir.operations.languages import find_language
from sabir.source.packages import load_package

__all__ = ["FORMAT", "RunRequest", "RunResult", "run_path"]

FORMAT: Final = "sabir.run/1"
DEFAULT_METHOD: Final = "deploy"


class RunRequest(Struct, frozen=True, kw_only=True):
    path: Path
    call: str | None = None
    """`[OBJECT.]METHOD`, or `CLASS.METHOD` for a static one; None calls `deploy` of the root object."""
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])
    evaluation: EvaluationRequest = field(default_factory=EvaluationRequest)
    record: bool = False
    """Let a cloud that only writes down what it is asked stand in for the real one."""
    step_limit: int | None = None
    time_limit: float | None = None
    report: Callable[[str, str], None] | None = None
    """Lines that the code itself reports: level and text."""


class RunResult(Struct, frozen=True, kw_only=True):
    """`model` is the object model after the call, `storage` what to keep for the next run. A failed run has neither a
    result nor a model; the findings hold the stack of MuranoPL calls."""

    findings: tuple[Finding, ...] = ()
    result: Any = None
    model: Mapping[str, Any] | None = None
    storage: Mapping[str, Any] | None = None
    actions: tuple[Mapping[str, Any], ...] | None = None
    """What the cloud was asked for, in order; None when none was recorded."""

    @property
    def failed(self) -> bool:
        return self.model is None or any(one.severity is Severity.ERROR for one in self.findings)

    def document(self) -> dict[str, Any]:
        """The machine-readable form."""
        document: dict[str, Any] = {"format": FORMAT, "result": self.result, "model": self.model}
        if self.actions is not None:
            document["actions"] = list(self.actions)
        return document


def run_path(request: RunRequest) -> RunResult:
    """Load the package and its model, make the call, write the model back."""
    from sabir.languages.muranopl.evaluate.errors import MuranoError
    from sabir.languages.muranopl.evaluate.limits import RunLimits
    from sabir.languages.muranopl.evaluate.preparing import error_findings, prepare
    from sabir.languages.muranopl.evaluate.serialising import plain_result
    from sabir.languages.muranopl.evaluate.system.recording import RecordingCloud

    package = load_package(request.path, request.evaluation.session.limits.package)
    language = find_language(package)
    if language.name != "muranopl":
        raise UsageError(f"only MuranoPL has methods to run; {package.name} is {language.name}")
    limits = RunLimits()
    if request.step_limit is not None or request.time_limit is not None:
        limits = RunLimits(steps=request.step_limit or limits.steps, seconds=request.time_limit)
    cloud = RecordingCloud() if request.record else None
    prepared = prepare(
        package,
        request.evaluation,
        limits=limits,
        report=request.report,
        system=cloud.system if cloud else (),
    )
    session = prepared.session
    if session is None or prepared.failed:
        return RunResult(findings=prepared.findings)
    try:
        target, method = _target(session, request.call)
        result = session.call(target, method, kwargs=request.args, from_outside=request.call is not None)
        model = session.dump()
        storage = session.storage()
    except MuranoError as error:
        return RunResult(findings=(*prepared.findings, *error_findings(error)))
    return RunResult(
        findings=prepared.findings,
        result=plain_result(result),
        model=model,
        storage=storage,
        actions=None if cloud is None else tuple(plain_result(action) for action in cloud.actions),
    )


def _target(session: Any, call: str | None) -> tuple[Any, str]:
    """The object or class to call on, and the method."""
    from sabir.languages.muranopl.evaluate.errors import MuranoError

    subject, dot, method = (call or DEFAULT_METHOD).rpartition(".")
    if subject.endswith("."):  # `root..init`: the name of the method begins with a period
        subject, method = subject[:-1], "." + method
    if not dot or not subject:
        return session.runtime.root, method if dot or not subject else call or DEFAULT_METHOD
    try:
        return session.find_object(subject), method
    except MuranoError as error:
        try:
            return session.find_class(subject), method
        except MuranoError:
            raise error from None
