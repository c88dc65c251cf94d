"""How native classes ask the world of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sabir.languages.muranopl.model.errors import MuranoError, NativeFailure
from sabir.languages.muranopl.model.plain_functions import CLOUD_NEEDED
from sabir.languages.muranopl.worlds.effects import Effect, EffectKind, Unconnected, WorldFailure

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.runtime import Runtime

__all__ = ["ask", "sleep"]

_WORK: Final = 0.001  # seconds that an agent is said to work, when it is nobody knows how long
_LONG: Final = (EffectKind.AGENT_CALL, EffectKind.PAUSE)
"""Effects that other branches need not wait for."""


def ask(runtime: Runtime, kind: EffectKind, *, in_background: bool = False, **arguments: Any) -> Any:
    """Perform an effect; other branches go on meanwhile, where it takes time."""
    world = runtime.world or runtime.unconnected
    scheduler = runtime.scheduler
    effect = Effect(kind=kind, arguments=arguments, branch=scheduler.branch, in_background=in_background)
    try:
        if kind not in _LONG or not scheduler.is_active:
            return world.perform(effect)
        # Others begin theirs meanwhile. Whose turn it is depends on counted time, so that it is the same in every run.
        end = world.begin(effect)
        scheduler.wait(arguments.get("seconds", _WORK))
        return end()
    except Unconnected:
        raise MuranoError(
            CLOUD_NEEDED,
            f"{kind.value} needs a cloud, and none is connected to this run",
            hint="`sabir run --record` puts one in its place that only writes down what it is asked",
        ) from None
    except WorldFailure as failure:
        raise NativeFailure(failure.name, str(failure)) from None


def sleep(runtime: Runtime, seconds: float) -> None:
    """Wait for the world: in a simulated one no time passes."""
    ask(runtime, EffectKind.PAUSE, seconds=seconds)
