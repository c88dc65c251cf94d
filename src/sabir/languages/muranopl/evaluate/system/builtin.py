"""System classes that need only the run itself: attributes, logging, garbage collection, status reports.

`StatusReporter` and `InstanceNotifier` send progress to users and usage data to the accounting of the cloud.
"""

from __future__ import annotations

from typing import Any, Final

from sabir.expressions.yaql import Variables, YaqlError
from sabir.languages.muranopl.evaluate.system.registry import SystemClass, caller_class, perform_effect
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError
from sabir.languages.muranopl.model.objects import MuranoObject, unwrap_object
from sabir.languages.muranopl.worlds.effects import EffectKind, ProgramReport

OBJECT: Final = SystemClass("io.murano.Object")
LOGGER: Final = SystemClass("io.murano.system.Logger")
GC: Final = SystemClass("io.murano.system.GC")


# -- io.murano.Object ----------------------------------------------------------------------------------------------


def _resolve_owner(this: MuranoObject, variables: Variables, owner: Any) -> MuranoClass:
    """Return the class that owns an attribute: the class that sets it, unless another one is named."""
    caller = caller_class(variables)
    if owner is None:
        return caller or this.cls
    if isinstance(owner, MuranoClass):
        return owner
    return (caller or this.cls).resolve(str(owner))


@OBJECT.method("getAttr")
def get_attribute(this: MuranoObject, variables: Variables, name: str, default: Any, owner: Any) -> Any:
    """Return an attribute of the object as its owning class set it; the default if it is unset or null."""
    value = this.cls.runtime.attributes.get(this, _resolve_owner(this, variables, owner), name)
    return default if value is None else value


@OBJECT.method("setAttr")
def set_attribute(this: MuranoObject, variables: Variables, name: str, value: Any, owner: Any) -> None:
    """Set an attribute of the object for its owning class. An object is stored as its id."""
    plain = unwrap_object(value)
    if isinstance(plain, MuranoObject):
        plain = plain.id
    this.cls.runtime.attributes.set(this, _resolve_owner(this, variables, owner), name, plain)


# -- io.murano.system.Logger ---------------------------------------------------------------------------------------


def _build_logger(level: str) -> Any:
    def log(this: MuranoObject, variables: Variables, message: str, *args: Any) -> None:
        text = message
        if args or variables.get("kwargs"):
            try:
                engine = this.cls.engine.engine
                text = engine.call("format", message, *args, **variables.get("kwargs", {}))
            except YaqlError as error:
                raise MuranoError(UNUSABLE_VALUE, f"logger: {error}") from None
        this.cls.runtime.report(level, f"{this.properties['name']}: {text}")

    return log


for _level in ("debug", "trace", "info", "warning", "error", "critical", "exception"):
    LOGGER.methods[_level] = _build_logger(_level)


# -- io.murano.system.GC -------------------------------------------------------------------------------------------


@GC.method("subscribeDestruction")
def subscribe_destruction(
    _this: Any, variables: Variables, publisher: Any, subscriber: Any, handler: str | None
) -> None:
    """Call `handler` of the subscriber when the publisher is about to be destroyed."""
    publisher.cls.runtime.destruction.subscribe(publisher, subscriber, handler)
    del variables


@GC.method("unsubscribeDestruction")
def unsubscribe_destruction(
    _this: Any, variables: Variables, publisher: Any, subscriber: Any, handler: str | None
) -> None:
    """Remove a subscription to the destruction of the publisher."""
    publisher.cls.runtime.destruction.unsubscribe(publisher, subscriber, handler)
    del variables


@GC.method("isDoomed")
def is_doomed(this: MuranoClass, _variables: Variables, object_: Any) -> bool:
    """Tell whether an object is about to be destroyed."""
    return this.runtime.destruction.is_doomed(object_)


@GC.method("isDestroyed")
def is_destroyed(_this: Any, _variables: Variables, object_: Any) -> bool:
    """Tell whether an object has been destroyed; null counts as destroyed."""
    return object_ is None or bool(object_.is_destroyed)


@GC.method("collect")
def collect(this: MuranoClass, _variables: Variables) -> None:
    """Destroy all unreachable objects."""
    this.runtime.destruction.collect()


REPORTER: Final = SystemClass("io.murano.system.StatusReporter")
NOTIFIER: Final = SystemClass("io.murano.system.InstanceNotifier")
_APPLICATION: Final = 100
_MACHINE: Final = 200


@REPORTER.method("report")
def report(this: MuranoObject, _variables: Variables, instance: Any, message: Any) -> None:
    """Report progress on an object to the user."""
    _send_report(this, "info", instance, message)


@REPORTER.method("report_error")
def report_error(this: MuranoObject, _variables: Variables, instance: Any, message: Any) -> None:
    """Report an error on an object to the user (`report_error`)."""
    _send_report(this, "error", instance, message)


@REPORTER.method("reportError")
def report_error_camel(this: MuranoObject, _variables: Variables, instance: Any, message: Any) -> None:
    """Report an error on an object to the user (`reportError`, the newer spelling)."""
    _send_report(this, "error", instance, message)


def _send_report(this: MuranoObject, level: str, instance: Any, said: Any) -> None:
    message = said if isinstance(said, str) else str(said)  # programs report values of any type
    runtime, source = this.cls.runtime, unwrap_object(instance)
    is_object = isinstance(source, MuranoObject)
    runtime.report(level, f"{source.name or source.id}: {message}" if is_object else message)
    if runtime.world is not None:
        id_ = source.id if is_object else None
        runtime.world.report(
            ProgramReport(level=level, source=id_, line=message, branch=runtime.scheduler.branch)
        )


@NOTIFIER.method("trackApplication")
def track_application(
    this: MuranoObject, _variables: Variables, instance: Any, title: Any, unit_count: Any
) -> None:
    """Tell the accounting of the cloud that an application is in use."""
    _track_instance(this, instance, _APPLICATION, title, unit_count)


@NOTIFIER.method("trackCloudInstance")
def track_machine(this: MuranoObject, _variables: Variables, instance: Any) -> None:
    """Tell the accounting of the cloud that a machine is in use."""
    _track_instance(this, instance, _MACHINE, None, 1)


@NOTIFIER.method("untrackApplication")
def untrack_application(this: MuranoObject, _variables: Variables, instance: Any) -> None:
    """Tell the accounting of the cloud that an application is no longer in use."""
    _untrack_instance(this, instance, _APPLICATION)


@NOTIFIER.method("untrackCloudInstance")
def untrack_machine(this: MuranoObject, _variables: Variables, instance: Any) -> None:
    """Tell the accounting of the cloud that a machine is no longer in use."""
    _untrack_instance(this, instance, _MACHINE)


def _track_instance(this: MuranoObject, instance: Any, kind: int, title: Any, count: Any) -> None:
    tracked = unwrap_object(instance)
    perform_effect(
        this.cls.runtime,
        EffectKind.TRACK,
        instance=tracked.id,
        environment=_environment_id(this),
        instance_type=kind,
        type_name=tracked.cls.name,
        type_title=title,
        unit_count=count,
    )


def _untrack_instance(this: MuranoObject, instance: Any, kind: int) -> None:
    perform_effect(
        this.cls.runtime,
        EffectKind.UNTRACK,
        instance=unwrap_object(instance).id,
        environment=_environment_id(this),
        instance_type=kind,
    )


def _environment_id(this: MuranoObject) -> str | None:
    environment = unwrap_object(this.properties.get("environment"))
    return environment.id if isinstance(environment, MuranoObject) else None
