"""`sabir run` and the `objectmodel` renderer: load the object model, call a method, write the model back."""

from __future__ import annotations

from collections.abc import Mapping
from random import SystemRandom
from typing import Any, Final

from sabir.languages.language import EvaluationRequest, RenderOutput, RenderRequest, RunCall, RunResult
from sabir.languages.muranopl.evaluate.limits import RunLimits
from sabir.languages.muranopl.evaluate.preparation import error_findings, prepare_run, run_limits
from sabir.languages.muranopl.evaluate.program import perform_call
from sabir.languages.muranopl.evaluate.serialisation import plain_result
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.worlds.effects import EffectRequest
from sabir.languages.muranopl.worlds.offline import RecordedWorld
from sabir.languages.muranopl.worlds.simulated import SimulatedWorld
from sabir.source.packages import LoadedPackage
from sabir.text import format_json


def render_object_model(
    package: LoadedPackage, request: EvaluationRequest, render: RenderRequest, /
) -> RenderOutput:
    """Return `model.json`: contracts applied, defaults filled in.

    The option `storage=true` adds `ObjectsCopy` and `Attributes`.
    """
    prepared = prepare_run(package, request)
    if prepared.session is None:
        return RenderOutput(files={}, findings=prepared.findings)
    session = prepared.session
    try:
        data = session.storage() if render.options.get("storage") == "true" else session.dump()
    except MuranoError as error:
        return RenderOutput(files={}, findings=(*prepared.findings, *error_findings(error)))
    text = format_json(data, indent=2, default=str) + "\n"
    return RenderOutput(files={"model.json": text}, findings=prepared.findings)


_NOTHING_LEFT: Final[Mapping[str, Any]] = {"Objects": None, "ObjectsCopy": None, "Attributes": []}


def run_package(package: LoadedPackage, request: EvaluationRequest, call: RunCall) -> RunResult:
    """Call a method on the object model of a package and return its result with the new model.

    With `call.record` effects are performed by a simulated cloud and listed in the result.
    """
    world = RecordedWorld(SimulatedWorld(random_numbers=SystemRandom())) if call.record else None
    prepared = prepare_run(
        package,
        request,
        limits=run_limits(request, RunLimits()),
        report=call.report,
        sleeps=world is None,
        world=world,
        may_remove=True,
    )
    session = prepared.session
    if session is None or prepared.failed:
        return RunResult(findings=prepared.findings, actions=_list_actions(world))
    runtime = session.runtime
    try:
        result = perform_call(session, call.call, call.args)
        model = {} if runtime.root is None else session.dump()
        storage = _NOTHING_LEFT if runtime.root is None else session.storage()
    except MuranoError as error:
        return RunResult(findings=(*prepared.findings, *error_findings(error)), actions=_list_actions(world))
    return RunResult(
        findings=prepared.findings,
        result=plain_result(result),
        model=model,
        storage=storage,
        actions=_list_actions(world),
    )


def _list_actions(world: RecordedWorld | None) -> tuple[Mapping[str, Any], ...] | None:
    """Return the changes that the cloud was asked to make, in order."""
    if world is None:
        return None
    effects = [event for event in world.events if isinstance(event, EffectRequest)]
    return tuple({"action": effect.kind.value, **plain_result(dict(effect.arguments))} for effect in effects)
