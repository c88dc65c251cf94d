"""The Python implementations of system classes, and their access to the world of the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sabir.expressions.yaql import Variables
from sabir.languages.muranopl.model.errors import MuranoError, NativeError
from sabir.languages.muranopl.model.objects import CALLER, current_class
from sabir.languages.muranopl.model.plain_functions import CLOUD_NEEDED
from sabir.languages.muranopl.worlds.effects import EffectKind, EffectRequest, NotConnectedError, WorldError

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.runtime import Runtime
    from sabir.languages.muranopl.model.classes import MuranoClass


F = TypeVar("F", bound=Callable[..., Any])
_CLOUD: Final = ("io.murano.resources.", "io.murano.system.", "io.murano.configuration.")
NATIVE_CLASSES: Final[Mapping[str, str]] = {
    "io.murano.Object": "builtin:OBJECT",
    "io.murano.Project": "services:PROJECT",
    "io.murano.User": "services:USER",
    "io.murano.system.Agent": "agents:AGENT",
    "io.murano.system.AgentListener": "agents:AGENT_LISTENER",
    "io.murano.system.GC": "builtin:GC",
    "io.murano.system.HeatStack": "stacks:HEAT_STACK",
    "io.murano.system.InstanceNotifier": "builtin:NOTIFIER",
    "io.murano.system.Logger": "builtin:LOGGER",
    "io.murano.system.MetadefBrowser": "services:METADEFS",
    "io.murano.system.MistralClient": "services:MISTRAL",
    "io.murano.system.NetworkExplorer": "services:EXPLORER",
    "io.murano.system.Resources": "plans:RESOURCES",
    "io.murano.system.StatusReporter": "builtin:REPORTER",
    "io.murano.test.TestFixture": "fixtures:TEST_FIXTURE",
}
"""Classes of the core library whose methods are Python: the module and the name of their functions."""


class SystemClass:
    """The Python side of one class of the core library or of an embedder."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.methods: dict[str, Callable[..., Any]] = {}

    def method(self, name: str) -> Callable[[F], F]:
        def declare(function: F) -> F:
            self.methods[name] = function
            return function

        return declare


def attach_native(cls: MuranoClass) -> None:
    """Connect the methods of a class that is being built to their Python functions."""
    functions_given = cls.runtime.system.get(cls.name, {})
    if not cls.name.startswith("io.murano.") and not functions_given:
        return
    functions = {**_load_native_methods(cls.name), **functions_given}
    is_cloud = cls.package is cls.runtime.core and cls.name.startswith(_CLOUD)
    for name, method in cls.own_methods.items():
        if name in functions:
            method.native = functions[name]
        elif is_cloud and not method.node.body and cls.name in NATIVE_CLASSES:
            method.native = _not_offered(method.full_name)


def _load_native_methods(name: str) -> Mapping[str, Callable[..., Any]]:
    """Return the Python functions of a class; their module is imported when the class is first used."""
    module, _, attribute = NATIVE_CLASSES.get(name, "").partition(":")
    if not module:
        return {}
    class_: SystemClass = getattr(
        import_module(f"sabir.languages.muranopl.evaluate.system.{module}"), attribute
    )
    return class_.methods


def _not_offered(method: str) -> Callable[..., Any]:
    def fail(_this: Any, _variables: Variables, *_args: Any) -> Any:
        raise MuranoError(CLOUD_NEEDED, f"{method} is declared, but sabir does not offer it")

    return fail


def caller_class(variables: Variables) -> MuranoClass | None:
    """Return the class whose code called the running method."""
    caller = variables.get(CALLER)
    return None if caller is None else current_class(caller)


_WORK: Final = 0.001  # assumed seconds of work of an agent, if the duration is unknown
_LONG: Final = (EffectKind.AGENT_CALL, EffectKind.PAUSE)
"""Effects that other branches need not wait for."""


def perform_effect(
    runtime: Runtime, kind: EffectKind, *, in_background: bool = False, **arguments: Any
) -> Any:
    """Perform an effect and return its result; other branches run meanwhile if it takes time."""
    world = runtime.world or runtime.unconnected
    scheduler = runtime.scheduler
    effect = EffectRequest(
        kind=kind, arguments=arguments, branch=scheduler.branch, in_background=in_background
    )
    try:
        if kind not in _LONG or not scheduler.is_active:
            return world.perform(effect)
        # Other branches start theirs meanwhile. The turn depends on counted time, so that it is the same in every run.
        end = world.begin(effect)
        scheduler.wait(arguments.get("seconds", _WORK))
        return end()
    except NotConnectedError:
        raise MuranoError(
            CLOUD_NEEDED,
            f"{kind.value} needs a cloud, and none is connected to this run",
            hint="`sabir run --record` puts one in its place that only writes down what it is asked",
        ) from None
    except WorldError as failure:
        raise NativeError(failure.name, str(failure)) from None


def pause_run(runtime: Runtime, seconds: float) -> None:
    """Wait for the world; in a simulated one no time passes."""
    perform_effect(runtime, EffectKind.PAUSE, seconds=seconds)
