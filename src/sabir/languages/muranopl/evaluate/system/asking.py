"""How native classes ask the world of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sabir.languages.muranopl.model.errors import MuranoError, NativeFailure
from sabir.languages.muranopl.model.plain_functions import CLOUD_NEEDED
from sabir.languages.muranopl.worlds.effects import Effect, EffectKind, Unconnected, WorldFailure

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.runtime import Runtime

__all__ = ["ask", "sleep"]

_WORK: Final = 0.001  # seconds that a simulated agent works, in which other branches get their turn


def ask(runtime: Runtime, kind: EffectKind, *, in_background: bool = False, **arguments: Any) -> Any:
    """Perform an effect; other branches go on meanwhile, where it takes time."""
    world = runtime.world
    if world is None:
        from sabir.languages.muranopl.worlds.unconnected import UnconnectedWorld

        world = runtime.world = UnconnectedWorld()
    scheduler = runtime.scheduler
    effect = Effect(kind=kind, arguments=arguments, branch=scheduler.branch, in_background=in_background)
    try:
        if world.is_slow:
            return scheduler.waiting(lambda: world.perform(effect))
        answer = world.perform(effect)
    except Unconnected:
        raise MuranoError(
            CLOUD_NEEDED,
            f"{kind.value} needs a cloud, and none is connected to this run",
            hint="`sabir run --record` puts one in its place that only writes down what it is asked",
        ) from None
    except WorldFailure as failure:
        raise NativeFailure(failure.name, str(failure)) from None
    if kind is EffectKind.AGENT_CALL and scheduler.is_active:
        scheduler.wait(_WORK)
    return answer


def sleep(runtime: Runtime, seconds: float) -> None:
    """Wait for the world: in a simulated one no time passes."""
    if runtime.world is not None and not runtime.world.is_slow:
        return
    runtime.sleep(seconds)
