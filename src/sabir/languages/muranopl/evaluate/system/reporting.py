"""`io.murano.system.StatusReporter` and `InstanceNotifier`: what users and accountants are told."""

from __future__ import annotations

from typing import Any, Final

from sabir.expressions.yaql import Variables
from sabir.languages.muranopl.evaluate.system.asking import ask
from sabir.languages.muranopl.evaluate.system.registry import SystemClass
from sabir.languages.muranopl.model.objects import MuranoObject, unwrapped
from sabir.languages.muranopl.worlds.effects import EffectKind, Report

__all__ = ["NOTIFIER", "REPORTER"]

REPORTER: Final = SystemClass("io.murano.system.StatusReporter")
NOTIFIER: Final = SystemClass("io.murano.system.InstanceNotifier")
_APPLICATION: Final = 100
_MACHINE: Final = 200


@REPORTER.method("report")
def report(this: MuranoObject, _variables: Variables, instance: Any, message: Any) -> None:
    _tell(this, "info", instance, message)


@REPORTER.method("report_error")
def report_error(this: MuranoObject, _variables: Variables, instance: Any, message: Any) -> None:
    _tell(this, "error", instance, message)


@REPORTER.method("reportError")
def report_error_camel(this: MuranoObject, _variables: Variables, instance: Any, message: Any) -> None:
    _tell(this, "error", instance, message)


def _tell(this: MuranoObject, level: str, instance: Any, said: Any) -> None:
    message = said if isinstance(said, str) else str(said)  # programs report whatever they have
    runtime, source = this.cls.runtime, unwrapped(instance)
    is_object = isinstance(source, MuranoObject)
    runtime.report(level, f"{source.name or source.id}: {message}" if is_object else message)
    if runtime.world is not None:
        id_ = source.id if is_object else None
        runtime.world.report(Report(level=level, source=id_, line=message, branch=runtime.scheduler.branch))


@NOTIFIER.method("trackApplication")
def track_application(
    this: MuranoObject, _variables: Variables, instance: Any, title: Any, unit_count: Any
) -> None:
    _track(this, instance, _APPLICATION, title, unit_count)


@NOTIFIER.method("trackCloudInstance")
def track_machine(this: MuranoObject, _variables: Variables, instance: Any) -> None:
    _track(this, instance, _MACHINE, None, 1)


@NOTIFIER.method("untrackApplication")
def untrack_application(this: MuranoObject, _variables: Variables, instance: Any) -> None:
    _untrack(this, instance, _APPLICATION)


@NOTIFIER.method("untrackCloudInstance")
def untrack_machine(this: MuranoObject, _variables: Variables, instance: Any) -> None:
    _untrack(this, instance, _MACHINE)


def _track(this: MuranoObject, instance: Any, kind: int, title: Any, count: Any) -> None:
    tracked = unwrapped(instance)
    ask(
        this.cls.runtime,
        EffectKind.TRACK,
        instance=tracked.id,
        environment=_environment(this),
        instance_type=kind,
        type_name=tracked.cls.name,
        type_title=title,
        unit_count=count,
    )


def _untrack(this: MuranoObject, instance: Any, kind: int) -> None:
    ask(
        this.cls.runtime,
        EffectKind.UNTRACK,
        instance=unwrapped(instance).id,
        environment=_environment(this),
        instance_type=kind,
    )


def _environment(this: MuranoObject) -> str | None:
    environment = unwrapped(this.properties.get("environment"))
    return environment.id if isinstance(environment, MuranoObject) else None
