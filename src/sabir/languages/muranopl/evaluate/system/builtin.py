"""The native classes that need nothing but the run itself: attributes, logs, the end of objects.

`io.murano.system.StatusReporter` and `InstanceNotifier`: what users and accountants are told.
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
    """Attributes belong to the class that sets them, unless another one is named."""
    caller = caller_class(variables)
    if owner is None:
        return caller or this.cls
    if isinstance(owner, MuranoClass):
        return owner
    return (caller or this.cls).resolve(str(owner))


@OBJECT.method("getAttr")
def get_attribute(this: MuranoObject, variables: Variables, name: str, default: Any, owner: Any) -> Any:
    value = this.cls.runtime.attributes.get(this, _resolve_owner(this, variables, owner), name)
    return default if value is None else value


@OBJECT.method("setAttr")
def set_attribute(this: MuranoObject, variables: Variables, name: str, value: Any, owner: Any) -> None:
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
    publisher.cls.runtime.destruction.subscribe(publisher, subscriber, handler)
    del variables


@GC.method("unsubscribeDestruction")
def unsubscribe_destruction(
    _this: Any, variables: Variables, publisher: Any, subscriber: Any, handler: str | None
) -> None:
    publisher.cls.runtime.destruction.unsubscribe(publisher, subscriber, handler)
    del variables


@GC.method("isDoomed")
def is_doomed(this: MuranoClass, _variables: Variables, object_: Any) -> bool:
    return this.runtime.destruction.is_doomed(object_)


@GC.method("isDestroyed")
def is_destroyed(_this: Any, _variables: Variables, object_: Any) -> bool:
    return object_ is None or bool(object_.is_destroyed)


@GC.method("collect")
def collect(this: MuranoClass, _variables: Variables) -> None:
    this.runtime.destruction.collect()


REPORTER: Final = SystemClass("io.murano.system.StatusReporter")
NOTIFIER: Final = SystemClass("io.murano.system.InstanceNotifier")
_APPLICATION: Final = 100
_MACHINE: Final = 200


@REPORTER.method("report")
def report(this: MuranoObject, _variables: Variables, instance: Any, message: Any) -> None:
    _send_report(this, "info", instance, message)


@REPORTER.method("report_error")
def report_error(this: MuranoObject, _variables: Variables, instance: Any, message: Any) -> None:
    _send_report(this, "error", instance, message)


@REPORTER.method("reportError")
def report_error_camel(this: MuranoObject, _variables: Variables, instance: Any, message: Any) -> None:
    _send_report(this, "error", instance, message)


def _send_report(this: MuranoObject, level: str, instance: Any, said: Any) -> None:
    message = said if isinstance(said, str) else str(said)  # programs report whatever they have
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
    _track_instance(this, instance, _APPLICATION, title, unit_count)


@NOTIFIER.method("trackCloudInstance")
def track_machine(this: MuranoObject, _variables: Variables, instance: Any) -> None:
    _track_instance(this, instance, _MACHINE, None, 1)


@NOTIFIER.method("untrackApplication")
def untrack_application(this: MuranoObject, _variables: Variables, instance: Any) -> None:
    _untrack_instance(this, instance, _APPLICATION)


@NOTIFIER.method("untrackCloudInstance")
def untrack_machine(this: MuranoObject, _variables: Variables, instance: Any) -> None:
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
