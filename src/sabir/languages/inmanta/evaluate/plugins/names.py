"""Which names plug-ins can import from `inmanta.…`, and what the others do.

What is not offered can be imported, so that a module which names it in an annotation loads; using it says that it is not there.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any, Final, NoReturn

from sabir.languages.inmanta.evaluate.plugins import api
from sabir.languages.inmanta.evaluate.plugins.declared import ModelType
from sabir.languages.inmanta.evaluate.views import UnknownView

__all__ = ["MODULES", "ModelType", "NotOffered", "engine_names", "not_offered"]

_ENGINE: Final = "sabir.languages.inmanta.evaluate.plugins.engine."


class NotOffered(Exception):
    """A name of the existing engine that has no meaning here was used."""


def _refuse(cls: type) -> NoReturn:
    name = f"{cls.__module__}.{cls.__name__}"
    raise NotOffered(f"{name} is not offered by sabir: a model is evaluated without it")


class _NotOfferedName(type):
    """A name that can be imported and stand in annotations, and nothing else."""

    def __call__(cls, *_: Any, **__: Any) -> Any:
        _refuse(cls)

    def __instancecheck__(cls, _: object) -> bool:
        _refuse(cls)

    def __subclasscheck__(cls, _: type) -> bool:
        _refuse(cls)

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        _refuse(cls)

    def __getitem__(cls, _: object) -> type:
        return cls


def not_offered(module: str, name: str) -> Any:
    """What stands for a name: an exception that nobody raises, or a name that cannot be used."""
    if name.endswith(("Exception", "Excpetion", "Error")):
        return type(name, (Exception,), {"__module__": module})
    return _NotOfferedName(name, (), {"__module__": module, "__init_subclass__": _no_subclass})


@classmethod  # type: ignore[misc]  # becomes a member of the classes above
def _no_subclass(cls: Any, **_: object) -> None:
    base = cls.__mro__[1]
    raise NotOffered(
        f"{base.__module__}.{base.__name__} is not offered by sabir, so nothing can be made from it"
    )


def _engine(name: str) -> ModuleType:
    return import_module(_ENGINE + name)


def _all_of(name: str) -> dict[str, Any]:
    module = _engine(name)
    return {word: getattr(module, word) for word in module.__all__}


def _plugins(registry: api.Registry, _: SimpleNamespace) -> dict[str, Any]:
    return {
        "Context": api.Context,
        "PluginException": api.PluginException,
        "ModelType": ModelType,
        "deprecated": registry.deprecated,
        "plugin": registry.plugin,
        "allow_reference_values": _engine("proxies").allow_reference_values,
        "Null": None,
        "CheckedArgs": _engine("plugins").CheckedArgs,
        "Plugin": _engine("plugins").Plugin,
    }


def _resources(registry: api.Registry, _: SimpleNamespace) -> dict[str, Any]:
    return {**_all_of("resources"), "resource": registry.resource, "to_id": registry.to_id}


def _handler(registry: api.Registry, _: SimpleNamespace) -> dict[str, Any]:
    handlers = _all_of("handler")
    return {
        **_all_of("context"),
        **handlers,
        "CRUDHandlerGeneric": handlers["CRUDHandler"],
        "provider": registry.provider,
    }


def _export(registry: api.Registry, _: SimpleNamespace) -> dict[str, Any]:
    return {
        **_all_of("exporting"),
        "dependency_manager": registry.dependency_manager,
        "export": registry.export,
        "unknown_parameters": registry.unknown_parameters,
        "ModelDict": dict,
        "ResourceDict": dict,
    }


def _references(registry: api.Registry, _: SimpleNamespace) -> dict[str, Any]:
    return {
        **_all_of("references"),
        "reference": registry.references.reference,
        "mutator": registry.references.mutator,
    }


def _module(_: api.Registry, project: SimpleNamespace) -> dict[str, Any]:
    modules = _engine("modules")
    return {
        "Project": modules.project_class(project),
        "InmantaModuleRequirement": modules.InmantaModuleRequirement,
    }


def _protocol(registry: api.Registry, _: SimpleNamespace) -> dict[str, Any]:
    client = _engine("client")
    return {**client.clients(lambda: registry.references.facts), "Result": client.Result}


def _proxies(*_: object) -> dict[str, Any]:
    faults = _engine("faults")
    return {
        **_all_of("proxies"),
        "NoneValue": type(None),
        "OptionalValueException": faults.OptionalValueException,
        "UnsetException": faults.UnsetException,
    }


_NAMES: Final[dict[str, Any]] = {
    "inmanta.agent.handler": _handler,
    "inmanta.agent.agent": lambda *_: {"AgentInstance": object},
    "inmanta.agent.executor": lambda *_: {"AgentInstance": object},
    "inmanta.agent.io.local": lambda *_: {"IOBase": _engine("io").IOBase, "LocalIO": _engine("io").LocalIO},
    "inmanta.agent.io.remote": lambda *_: {
        "RemoteIO": _engine("remote_io").RemoteIO,
        "IOBase": _engine("io").IOBase,
    },
    "inmanta.ast": lambda *_: {**_all_of("faults"), "PluginException": api.PluginException},
    "inmanta.ast.attribute": lambda *_: {
        "Attribute": _engine("types").Attribute,
        "RelationAttribute": _engine("types").RelationAttribute,
    },
    "inmanta.ast.entity": lambda *_: {"Entity": _engine("types").Entity},
    "inmanta.compiler": lambda registry, _: {"finalizer": registry.finalizer},
    "inmanta.config": lambda *_: {"Config": _engine("modules").Config},
    "inmanta.const": lambda *_: _all_of("const"),
    "inmanta.data": lambda *_: {"convert_boolean": _engine("modules").convert_boolean},
    "inmanta.data.model": lambda *_: {
        "AttributeStateChange": _engine("context").AttributeStateChange,
        "ResourceIdStr": str,
        "ResourceVersionIdStr": str,
    },
    "inmanta.execute.proxy": _proxies,
    "inmanta.execute.util": lambda *_: {"Unknown": UnknownView, "NoneValue": type(None)},
    "inmanta.export": _export,
    "inmanta.module": _module,
    "inmanta.plugins": _plugins,
    "inmanta.protocol": _protocol,
    "inmanta.protocol.common": _protocol,
    "inmanta.protocol.endpoints": _protocol,
    "inmanta.references": _references,
    "inmanta.resources": _resources,
    "inmanta.util": lambda *_: {"JSONSerializable": _engine("types").JSONSerializable},
    "inmanta.util.dict_path": lambda *_: _all_of("dict_path"),
    "inmanta.validation_type": lambda *_: _all_of("validation"),
}
"""The modules that offer something, each with how its names are found: nothing is loaded before a plug-in asks for it."""

MODULES: Final = frozenset(_NAMES) | {
    f"inmanta.{name}".rstrip(".")
    for name in [
        "",
        "agent",
        "agent.cache",
        "agent.config",
        "agent.io",
        "ast.type",
        "deploy",
        "env",
        "execute",
        "execute.runtime",
        "loader",
        "logging",
        "parser",
        "parser.plyInmantaLex",
        "protocol.exceptions",
        "server",
        "stable_api",
        "types",
    ]
}
"""Every module of the engine that is a module and no name in one."""


def engine_names(module: str, registry: api.Registry, project: SimpleNamespace) -> dict[str, Any]:
    """What a module of the engine offers to the plug-ins of a project: they register with it and can ask where it lies."""
    names = _NAMES.get(module)
    return {} if names is None else dict(names(registry, project))
