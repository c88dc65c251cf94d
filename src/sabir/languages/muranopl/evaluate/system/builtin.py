"""The native classes that need nothing but the run itself: attributes, logs, the end of objects."""

from __future__ import annotations

from typing import Any, Final

from sabir.expressions.yaql import Variables, YaqlError
from sabir.languages.muranopl.evaluate.system.registry import SystemClass, calling
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError
from sabir.languages.muranopl.model.objects import MuranoObject, unwrapped

__all__ = ["GC", "LOGGER", "OBJECT"]

OBJECT: Final = SystemClass("io.murano.Object")
LOGGER: Final = SystemClass("io.murano.system.Logger")
GC: Final = SystemClass("io.murano.system.GC")


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
def collect(this: MuranoClass, _variables: Variables) -> None:
    this.runtime.destruction.collect()
