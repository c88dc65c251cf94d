"""Small clients: `User`, `Project`, `MistralClient`, `MetadefBrowser`."""

from __future__ import annotations

import json
from typing import Any, Final

from sabir.expressions.yaql import Variables
from sabir.languages.muranopl.evaluate.system.asking import ask, sleep
from sabir.languages.muranopl.evaluate.system.networks import region_name
from sabir.languages.muranopl.evaluate.system.registry import SystemClass
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.errors import NativeFailure
from sabir.languages.muranopl.model.objects import MuranoObject
from sabir.languages.muranopl.worlds.effects import EffectKind

__all__ = ["METADEFS", "MISTRAL", "PROJECT", "USER"]

USER: Final = SystemClass("io.murano.User")
PROJECT: Final = SystemClass("io.murano.Project")
MISTRAL: Final = SystemClass("io.murano.system.MistralClient")
METADEFS: Final = SystemClass("io.murano.system.MetadefBrowser")
_MISTRAL_FAILED: Final = "murano.engine.system.workflowclient.MistralError"
_POLL: Final = 2.0  # seconds between looks at a workflow
_PATIENCE: Final = 600
_INTERNAL: Final = ("openstack", "__execution", "task")  # entries of a workflow's output that are not its own


# -- people -----------------------------------------------------------------------------------------------------------


def _user(this: MuranoClass, _variables: Variables) -> MuranoObject:
    runtime = this.runtime
    fields = ask(runtime, EffectKind.USER, id=runtime.settings.user)
    return _person(this, fields, "email", ("links", "enabled", "default_project_id"))


def _project(this: MuranoClass, _variables: Variables) -> MuranoObject:
    runtime = this.runtime
    fields = ask(runtime, EffectKind.PROJECT, id=runtime.settings.project)
    return _person(this, fields, "description", ("links", "enabled", "parent_id"))


def _person(cls: MuranoClass, fields: dict[str, Any], text: str, dropped: tuple[str, ...]) -> MuranoObject:
    rest = {name: value for name, value in fields.items() if name not in dropped}
    properties = {
        "id": rest.pop("id"),
        "name": rest.pop("name"),
        "domain": rest.pop("domain_id", "Default"),
        text: rest.pop(text, None),
        "extra": rest,
    }
    return cls.runtime.loader.instantiate({cls: properties}, None, cls)


# The environment belongs to whoever runs it.
for _name in ("getCurrent", "getEnvironmentOwner"):
    USER.methods[_name] = _user
    PROJECT.methods[_name] = _project


# -- workflows --------------------------------------------------------------------------------------------------------


@MISTRAL.method("upload")
def upload(this: MuranoObject, _variables: Variables, definition: str) -> None:
    ask(this.cls.runtime, EffectKind.WORKFLOW_UPLOAD, region=_region(this), definition=definition)


@MISTRAL.method("run")
def run(this: MuranoObject, _variables: Variables, name: str, timeout: Any, inputs: Any, params: Any) -> Any:
    """The output of a workflow when it has ended; with a timeout of 0 the id of the execution at once."""
    runtime = this.cls.runtime
    execution = ask(
        runtime, EffectKind.WORKFLOW_RUN, region=_region(this), name=name, input=inputs, params=params
    )
    if timeout == 0:
        return execution["id"]
    seconds = _PATIENCE if timeout is None else timeout
    while execution["state"] not in ("ERROR", "SUCCESS"):
        if seconds <= 0:
            raise NativeFailure(_MISTRAL_FAILED, f"Mistral run timed out. Execution id: {execution['id']}.")
        sleep(runtime, _POLL)
        seconds -= _POLL
        execution = ask(runtime, EffectKind.WORKFLOW_READ, region=_region(this), id=execution["id"])
    if execution["state"] == "ERROR":
        raise NativeFailure(
            _MISTRAL_FAILED,
            f"Mistral execution completed with ERROR. Execution id: {execution['id']}. "
            f"Output: {execution['output']}",
        )
    output = json.loads(execution["output"])
    return {key: value for key, value in output.items() if key not in _INTERNAL}


def _region(this: MuranoObject) -> str:
    name = this.properties.get("regionName")
    if name is None:
        environment = this.nearest_owner(this.cls.runtime.core_class("io.murano.Environment"))
        name = None if environment is None else environment.properties.get("region")
    return name or ""


# -- metadata definitions ---------------------------------------------------------------------------------------------


@METADEFS.method("getNamespaces")
def namespaces(this: MuranoObject, _variables: Variables, resource_type: str) -> Any:
    return _remembered(this, EffectKind.NAMESPACES, resourceType=resource_type)


@METADEFS.method("getObjects")
def objects(this: MuranoObject, _variables: Variables, namespace: str) -> Any:
    return _remembered(this, EffectKind.NAMESPACE_OBJECTS, namespace=namespace)


def _remembered(this: MuranoObject, kind: EffectKind, **arguments: Any) -> Any:
    """Asked once for every question, unless the object was made not to remember."""
    if this.native is None:
        this.native = {}
    key = (kind, *arguments.values())
    if key not in this.native or not this.properties.get("cache", True):
        this.native[key] = ask(this.cls.runtime, kind, region=region_name(this) or "", **arguments)
    return this.native[key]
