"""What a program will ask for, told by a dry run in a simulated world that begins where the last deployment ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sabir.diagnostics.suggestions import listed
from sabir.languages.muranopl.evaluate.limits import RunLimits
from sabir.languages.muranopl.graph.program import Program, ProgramCall, run_program
from sabir.languages.muranopl.graph.routes import Routes
from sabir.languages.muranopl.worlds.effects import Effect, EffectKind
from sabir.languages.muranopl.worlds.recorded import RecordedWorld
from sabir.languages.muranopl.worlds.served import target_hint
from sabir.languages.muranopl.worlds.simulated import SimulatedWorld
from sabir.languages.muranopl.worlds.simulated.stacks import Stacks

__all__ = ["effect_words", "foreseen_effects"]

_SECONDS = 60.0
_UNTOLD = (EffectKind.TRACK, EffectKind.UNTRACK)


def foreseen_effects(
    program: Program, call: ProgramCall, stacks: Mapping[str, Any], routes: Routes
) -> tuple[str, ...]:
    """Lines for people: what would be changed, in order, how the dry run ended when it did not get through, and what nobody does."""
    cloud = Stacks()
    cloud.restore(stacks)
    world = RecordedWorld(SimulatedWorld(stacks=cloud))
    before = cloud.templates()
    end = run_program(program, call, world, RunLimits(seconds=_SECONDS))
    effects = [event for event in world.events if isinstance(event, Effect) and event.kind not in _UNTOLD]
    lines: list[str] = []
    for effect in effects:
        lines.append(effect_words(effect, before))
        if "template" in effect.arguments:
            before[effect.arguments["stack"]] = effect.arguments["template"]
    unserved = routes.unserved(effect.kind for effect in effects)
    if unserved:
        kinds = ", ".join(kind.value for kind in unserved)
        lines.append(f"no target does {kinds}, a deployment would stop there: {target_hint(unserved)}")
    failures = [finding for finding in end.findings if finding.severity.name == "ERROR"]
    return (*lines, *(f"the dry run ends here: {failure.message}" for failure in failures[:1]))


def effect_words(effect: Effect, templates: Mapping[str, Any]) -> str:
    """One effect in a line: `heat.update murano-env: + web-2 (OS::Nova::Server)`."""
    arguments = effect.arguments
    kind = effect.kind.value
    match effect.kind:
        case EffectKind.STACK_CREATE | EffectKind.STACK_UPDATE:
            stack = arguments["stack"]
            return f"{kind} {stack}{_differences(templates.get(stack) or {}, arguments['template'])}"
        case EffectKind.STACK_DELETE:
            return f"{kind} {arguments['stack']}"
        case EffectKind.AGENT_CALL | EffectKind.AGENT_SEND:
            plan = arguments["plan"]
            scripts = plan.get("Scripts")
            named = ", ".join(scripts) if isinstance(scripts, Mapping) else ""
            words = plan.get("Name") or named or "a plan"
            return f"{kind} {arguments.get('host') or arguments['queue']}: {words}"
        case _:
            return kind


def _differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    old, new = before.get("resources") or {}, after.get("resources") or {}
    words = [f"+ {name} ({_type(new[name])})" for name in new if name not in old]
    words += [f"~ {name}" for name in new if name in old and new[name] != old[name]]
    words += [f"- {name}" for name in old if name not in new]
    return f": {listed(words)}" if words else ""


def _type(resource: Any) -> str:
    return str(resource.get("type")) if isinstance(resource, Mapping) else "?"
