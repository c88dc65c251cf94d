"""A deployment as a program: the object model is loaded, `deploy` or an action is called, what was left is written down.

The same program runs in every world: simulated, to foresee what it will ask for; journalled, to do it; and again after a crash.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from sabir.diagnostics.finding import Finding
from sabir.languages.language import EvaluationRequest
from sabir.languages.muranopl.evaluate.calls import perform_call
from sabir.languages.muranopl.evaluate.limits import RunLimits
from sabir.languages.muranopl.evaluate.model_file import ModelFile
from sabir.languages.muranopl.evaluate.preparing import error_findings, has_errors, prepare
from sabir.languages.muranopl.evaluate.serialising import plain_result
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.worlds.effects import World
from sabir.source.packages import LoadedPackage

__all__ = ["Program", "ProgramCall", "ProgramEnd", "run_program"]


class Program(Struct, frozen=True, kw_only=True, eq=False):
    """A package with what it is evaluated with."""

    package: LoadedPackage
    request: EvaluationRequest


class ProgramCall(Struct, frozen=True, kw_only=True, eq=False):
    """What is called on which model. Without a model everything that the last deployment left is ended."""

    file: ModelFile
    method: str | None = None
    """`OBJECT.METHOD`; None: `deploy` of the root."""
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])


class ProgramEnd(Struct, frozen=True, kw_only=True, eq=False):
    """How a program ended."""

    storage: Mapping[str, Any] | None = None
    """`Objects` and `Attributes` to go on from, also after a failure; None when the model could not be loaded."""
    result: Any = None
    findings: tuple[Finding, ...] = ()

    @property
    def failed(self) -> bool:
        return has_errors(self.findings)


def run_program(
    program: Program, call: ProgramCall, world: World, limits: RunLimits | None = None
) -> ProgramEnd:
    """Run it to its end in a world. Failures of the program are findings."""
    prepared = prepare(
        program.package,
        program.request,
        limits=limits or RunLimits(steps=None),
        world=world,
        may_remove=True,
        file=call.file,
    )
    session = prepared.session
    if session is None:
        return ProgramEnd(findings=prepared.findings)
    runtime, result, findings = session.runtime, None, prepared.findings
    warned = len(runtime.warnings)
    try:
        result = plain_result(perform_call(session, call.method, call.arguments))
    except MuranoError as error:
        findings += error_findings(error)
    findings += tuple(runtime.warnings[warned:])
    if runtime.root is None:
        return ProgramEnd(storage={"Objects": None, "Attributes": []}, findings=findings)
    storage = session.storage()
    kept = {"Objects": storage["Objects"], "Attributes": storage["Attributes"]}
    return ProgramEnd(storage=kept, result=result, findings=findings)
