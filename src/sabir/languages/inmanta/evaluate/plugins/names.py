"""What plug-ins import from the existing engine, and what stands for names that mean nothing while a model is evaluated."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

from sabir.languages.inmanta.evaluate.plugins import api
from sabir.languages.inmanta.evaluate.values import Wait
from sabir.languages.inmanta.evaluate.views import InstanceView, UnknownException, UnknownView

__all__ = ["MODULES", "Exporter", "ModelType", "Placeholder", "engine_names", "stand_in"]


class _PlaceholderType(type):
    """Placeholder classes have whatever attribute is asked for (`const.ResourceState.failed`)."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Placeholder()


class Placeholder(metaclass=_PlaceholderType):
    """Stands for a name of the existing engine that means nothing while a model is evaluated."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def __init_subclass__(cls, **_: object) -> None:
        pass

    def __class_getitem__(cls, _: object) -> type:
        return cls

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Placeholder()

    def __getitem__(self, _: object) -> Any:
        return self

    def __or__(self, other: Any) -> Any:
        return Placeholder | other

    __ror__ = __or__

    def __call__(self, *arguments: Any, **_: object) -> Any:
        return arguments[0] if len(arguments) == 1 and callable(arguments[0]) else self


def stand_in(module: str, name: str) -> Any:
    """For a name that a module of the engine has and that is not in `engine_names`."""
    if name.endswith(("Exception", "Excpetion", "Error")):
        return type(name, (Exception,), {"__module__": module})
    return type(name, (Placeholder,), {"__module__": module}) if name[:1].isupper() else Placeholder()


class ModelType:
    """`Annotated[Any, ModelType["std::port"]]`: a type of the language in an annotation."""

    def __init__(self, model_type: str) -> None:
        self.model_type = model_type

    def __class_getitem__(cls, model_type: str) -> ModelType:
        return cls(model_type)


class Exporter:
    """What `get_<field>` of a resource class gets: contents are named by their hash."""

    def upload_file(self, content: str | bytes) -> str:
        return _hash(content.encode() if isinstance(content, str) else content)

    def get_environment_id(self) -> str:
        return "00000000-0000-0000-0000-000000000000"


def _hash(content: bytes) -> str:
    import hashlib

    return hashlib.sha1(content, usedforsecurity=False).hexdigest()


def _cached(*arguments: Any, **_: object) -> Any:
    return arguments[0] if arguments and callable(arguments[0]) else lambda function: function


_NAMES: Final[dict[str, dict[str, Any]]] = {
    "inmanta": {},
    "inmanta.plugins": {
        "Context": api.Context,
        "PluginException": api.PluginException,
        "deprecated": api.deprecated,
        "ModelType": ModelType,
    },
    "inmanta.resources": {
        "Resource": api.Resource,
        "PurgeableResource": api.PurgeableResource,
        "ManagedResource": api.ManagedResource,
        "DiscoveryResource": api.Resource,
        "IgnoreResourceException": api.IgnoreResourceException,
    },
    "inmanta.agent.handler": {
        "provider": api.provider,
        "cache": _cached,
        "CRUDHandler": Placeholder,
        "CRUDHandlerGeneric": Placeholder,
        "DiscoveryHandler": Placeholder,
        "HandlerAPI": Placeholder,
        "ResourceHandler": Placeholder,
        "HandlerContext": Placeholder,
        "ResourcePurged": type("ResourcePurged", (Exception,), {}),
        "SkipResource": type("SkipResource", (Exception,), {}),
        "InvalidOperation": type("InvalidOperation", (Exception,), {}),
    },
    "inmanta.execute.util": {"Unknown": UnknownView, "NoneValue": type(None)},
    "inmanta.execute.proxy": {
        "DynamicProxy": InstanceView,
        "SequenceProxy": list,
        "DictProxy": dict,
        "UnsetException": Wait,
        "UnknownException": UnknownException,
    },
    "inmanta.ast": {
        "UnsetException": Wait,
        "OptionalValueException": type("OptionalValueException", (Exception,), {}),
    },
    "inmanta.export": {
        "dependency_manager": api.dependency_manager,
        "unknown_parameters": [],
        "Exporter": Exporter,
        "hash_file": _hash,
        "ModelDict": dict,
        "ResourceDict": dict,
    },
    "inmanta.module": {},
}
"""The modules that plug-ins import from, with the names that mean the same in every project."""

MODULES: Final = frozenset(_NAMES) | {
    f"inmanta.{name}"
    for name in [
        "agent",
        "agent.agent",
        "agent.cache",
        "agent.config",
        "agent.io",
        "agent.io.local",
        "agent.io.remote",
        "ast",
        "ast.attribute",
        "ast.entity",
        "ast.type",
        "compiler",
        "config",
        "const",
        "data",
        "data.model",
        "deploy",
        "env",
        "execute",
        "execute.runtime",
        "loader",
        "logging",
        "protocol",
        "protocol.common",
        "protocol.endpoints",
        "protocol.exceptions",
        "references",
        "server",
        "stable_api",
        "types",
        "util",
        "util.dict_path",
        "validation_type",
    ]
}
"""Every module of the engine that is a module and no name in one."""


def engine_names(module: str, registry: api.Registry, project: SimpleNamespace) -> dict[str, Any]:
    """What a module of the engine offers to the plug-ins of a project: they register with it and can ask where it lies."""
    names = dict(_NAMES.get(module, {}))
    if module == "inmanta.plugins":
        names["plugin"] = registry.plugin
    elif module == "inmanta.resources":
        names["resource"] = registry.resource
    elif module == "inmanta.module":
        names["Project"] = type("Project", (), {"get": staticmethod(lambda: project)})
    return names
