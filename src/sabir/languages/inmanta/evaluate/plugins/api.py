"""What plug-ins of modules import by the names they know: the decorator, the context, resources and handlers.

`compat` offers these as `inmanta.plugins`, `inmanta.resources` and so on. Handlers are only bases to inherit from: they
act when something is deployed, never while a model is evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, TypeVar, overload

from msgspec import Struct

if TYPE_CHECKING:
    from sabir.languages.inmanta.model.entities import EntityType

__all__ = [
    "Context",
    "IgnoreResourceException",
    "NotAllowed",
    "PluginException",
    "Registered",
    "RegisteredResource",
    "Registry",
]


P = ParamSpec("P")
R = TypeVar("R")


class Registered(Struct, frozen=True):
    """A function marked as a plug-in."""

    name: str
    function: Callable[..., Any]
    module: str
    allow_unknown: bool = False


class RegisteredResource(Struct, frozen=True):
    """A class registered for an entity: `agent` is the path to the agent's name, `id_attribute` what identifies it."""

    entity: str
    agent: str
    id_attribute: str
    cls: type


class Registry:
    """What the Python of one project (or a library of ours) registers: its methods are the decorators that it imports."""

    def __init__(self) -> None:
        self.plugins: list[Registered] = []
        self.resources: list[RegisteredResource] = []

    @overload
    def plugin(self, function: Callable[P, R], /) -> Callable[P, R]: ...

    @overload
    def plugin(
        self, function: str | None = None, /, *, allow_unknown: bool = False
    ) -> Callable[[Callable[P, R]], Callable[P, R]]: ...

    def plugin(
        self,
        function: Callable[..., Any] | str | None = None,
        commands: object = None,  # noqa: ARG002
        emits_statements: bool = False,  # noqa: FBT001, FBT002, ARG002  # the signature modules call
        allow_unknown: bool = False,  # noqa: FBT001, FBT002
    ) -> Any:
        """Mark a function as a plug-in: `@plugin`, `@plugin("name")` or `@plugin(allow_unknown=True)`."""

        def register(name: str | None, target: Callable[..., Any]) -> Callable[..., Any]:
            self.plugins.append(Registered(name or target.__name__, target, target.__module__, allow_unknown))
            return target

        if callable(function):
            return register(None, function)
        name = function
        return lambda target: register(name, target)

    def resource(self, name: str, id_attribute: str, agent: str) -> Callable[[type], type]:
        """Register a class as the resource of an entity."""

        def register(cls: type) -> type:
            self.resources.append(RegisteredResource(name, agent, id_attribute, cls))
            return cls

        return register


class PluginException(Exception):
    """Raised by plug-ins to say what is wrong."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message)
        self.message = message


class NotAllowed(PluginException):
    """Raised by our own plug-ins: the operator has not allowed this."""

    def __init__(self, message: str, *, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def deprecated(function: Callable[..., Any] | None = None, *, replaced_by: str | None = None) -> Any:  # noqa: ARG001
    """A plug-in that has a successor."""
    if function is not None:
        return function
    return lambda target: target


class Context:
    """The call of a plug-in, as the plug-in sees it: the scope it stands in, types, templates."""

    def __init__(
        self,
        *,
        types: Callable[[str], EntityType | None],
        render: Callable[[str, Mapping[str, Any]], str],
        read_file: Callable[[str, str], bytes],
        list_files: Callable[[str, str], list[str]],
        location: str,
        namespace: str,
    ) -> None:
        self._types = types
        self._render = render
        self._read_file = read_file
        self._list_files = list_files
        self.location = location
        self._namespace = namespace

    @property
    def owner(self) -> Any:
        """The calling statement, of which plug-ins ask for its namespace."""
        space = SimpleNamespace(get_full_name=lambda: self._namespace, name=self._namespace)
        return SimpleNamespace(namespace=space)

    def get_type(self, name: str) -> EntityType | None:
        return self._types(name)

    def render(self, path: str, values: Mapping[str, Any]) -> str:
        return self._render(path, values)

    def read_file(self, folder: str, path: str) -> bytes:
        """A file of a module: `module/path` inside its `files` or `templates`."""
        return self._read_file(folder, path)

    def list_files(self, folder: str, path: str) -> list[str]:
        """The names of the files that lie in such a place."""
        return self._list_files(folder, path)

    def get_environment_id(self) -> str:
        return "00000000-0000-0000-0000-000000000000"

    def get_data_dir(self) -> str:
        raise PluginException("a model is evaluated without a data directory")

    def get_client(self) -> Any:
        raise PluginException("a model is evaluated without a server")

    def run_sync(self, function: Callable[[], Any], timeout: int = 5) -> Any:
        import asyncio

        return asyncio.run(asyncio.wait_for(function(), timeout))


class IgnoreResourceException(Exception):
    """Raised by a resource class to leave a resource out."""


class ResourceMeta(type):
    """Collects `fields` of a class and its bases."""

    def __new__(mcs, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> ResourceMeta:
        cls = super().__new__(mcs, name, bases, members)
        fields: dict[str, None] = {}
        for base in reversed(cls.__mro__):
            fields.update(dict.fromkeys(base.__dict__.get("fields", ())))
        cls.all_fields = tuple(fields)
        return cls

    all_fields: tuple[str, ...]


class Resource(metaclass=ResourceMeta):
    fields: ClassVar[tuple[str, ...]] = ("send_event",)
    map: ClassVar[dict[str, Callable[[Any, Any], Any]]] = {}

    @staticmethod
    def get_send_event(_: Any, obj: Any) -> bool:
        return bool(getattr(obj, "send_event", False))


class PurgeableResource(Resource):
    fields: ClassVar[tuple[str, ...]] = ("purged", "purge_on_delete")

    @staticmethod
    def get_purged(_: Any, obj: Any) -> bool:
        return bool(getattr(obj, "purged", False))

    @staticmethod
    def get_purge_on_delete(_: Any, obj: Any) -> bool:
        return bool(getattr(obj, "purge_on_delete", False))


class ManagedResource(Resource):
    fields: ClassVar[tuple[str, ...]] = ("managed",)

    @staticmethod
    def get_managed(_: Any, obj: Any) -> bool:
        return bool(getattr(obj, "managed", True))


def provider(resource_type: str, name: str | None = None) -> Callable[[type], type]:  # noqa: ARG001
    """Register a handler; it acts only when something is deployed."""
    return lambda cls: cls


def dependency_manager(function: Callable[..., Any]) -> Callable[..., Any]:
    return function
