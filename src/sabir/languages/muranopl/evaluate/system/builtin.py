"""The system classes that need nothing but this machine."""

from __future__ import annotations

from typing import Any, Final

from sabir.expressions.yaql import Variables, YaqlError
from sabir.languages.muranopl.evaluate.system.registry import SystemClass, calling
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError
from sabir.languages.muranopl.model.objects import MuranoObject, unwrapped
from sabir.source.packages import PackageFile
from sabir.source.yaml import plain_data

__all__ = ["BUILTIN"]

OBJECT: Final = SystemClass("io.murano.Object")
RESOURCES: Final = SystemClass("io.murano.system.Resources")
REPORTER: Final = SystemClass("io.murano.system.StatusReporter")
LOGGER: Final = SystemClass("io.murano.system.Logger")
GC: Final = SystemClass("io.murano.system.GC")
BUILTIN: Final = (OBJECT, RESOURCES, REPORTER, LOGGER, GC)


# -- io.murano.Object ----------------------------------------------------------------------------------------------


def _owner(this: MuranoObject, variables: Variables, owner: Any) -> MuranoClass:
    """Attributes belong to the class that sets them, unless another one is named."""
    caller = calling(variables)
    if owner is None:
        return caller or this.cls
    if isinstance(owner, MuranoClass):
        return owner
    return (caller or this.cls).resolve(str(owner))


@OBJECT.method("getAttr")
def get_attribute(this: MuranoObject, variables: Variables, name: str, default: Any, owner: Any) -> Any:
    value = this.cls.runtime.attributes.get(this, _owner(this, variables, owner), name)
    return default if value is None else value


@OBJECT.method("setAttr")
def set_attribute(this: MuranoObject, variables: Variables, name: str, value: Any, owner: Any) -> None:
    plain = unwrapped(value)
    if isinstance(plain, MuranoObject):
        plain = plain.id
    this.cls.runtime.attributes.set(this, _owner(this, variables, owner), name, plain)


# -- io.murano.system.Resources ------------------------------------------------------------------------------------


def _resource(this: MuranoClass, variables: Variables, name: str) -> PackageFile:
    cls = calling(variables) or this
    file = cls.package.resource(name)
    if file is None:
        raise MuranoError(UNUSABLE_VALUE, f"package {cls.package.name} has no file Resources/{name}")
    recorder = cls.runtime.recorder
    if recorder is not None:
        recorder.read_resource(name, file.source)
    return file


@RESOURCES.method("string")
def string(this: MuranoClass, variables: Variables, name: str, binary: Any) -> str:
    file = _resource(this, variables, name)
    return file.raw().decode("latin-1") if binary else file.source.text


@RESOURCES.method("json")
def json_(this: MuranoClass, variables: Variables, name: str) -> Any:
    import json

    file = _resource(this, variables, name)
    try:
        return json.loads(file.source.text)
    except ValueError as error:
        raise MuranoError(UNUSABLE_VALUE, f"Resources/{name} is no JSON: {error}") from None


@RESOURCES.method("yaml")
def yaml_(this: MuranoClass, variables: Variables, name: str) -> Any:
    stream = _resource(this, variables, name).yaml
    if stream.broken:
        raise MuranoError(UNUSABLE_VALUE, f"Resources/{name}: {stream.findings[0].message}")
    documents = [document for document in stream.documents if document is not None]
    return plain_data(documents[0]) if documents else None


# -- io.murano.system.StatusReporter -------------------------------------------------------------------------------


@REPORTER.method("report")
def report(this: MuranoObject, _variables: Variables, instance: Any, message: str) -> None:
    this.cls.runtime.report("info", _line(instance, message))


@REPORTER.method("report_error")
def report_error(this: MuranoObject, _variables: Variables, instance: Any, message: str) -> None:
    this.cls.runtime.report("error", _line(instance, message))


@REPORTER.method("reportError")
def report_error_camel(this: MuranoObject, _variables: Variables, instance: Any, message: str) -> None:
    this.cls.runtime.report("error", _line(instance, message))


def _line(instance: Any, message: str) -> str:
    return f"{instance.name or instance.id}: {message}" if isinstance(instance, MuranoObject) else message


# -- io.murano.system.Logger ---------------------------------------------------------------------------------------


def _log(level: str) -> Any:
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
    LOGGER.methods[_level] = _log(_level)


# -- io.murano.system.GC -------------------------------------------------------------------------------------------


@GC.method("subscribeDestruction")
def subscribe(_this: Any, variables: Variables, publisher: Any, subscriber: Any, handler: str | None) -> None:
    publisher.cls.runtime.destruction.subscribe(publisher, subscriber, handler)
    del variables


@GC.method("unsubscribeDestruction")
def unsubscribe(
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
def collect(this: MuranoClass, variables: Variables) -> None:
    this.runtime.destruction.collect(variables)
