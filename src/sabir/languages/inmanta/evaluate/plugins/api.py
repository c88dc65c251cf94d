"""What the Python of a project registers, and the context that a plugin gets for a call.

`compat` provides these names as `inmanta.plugins` and similar modules. The classes that modules inherit
from are in `engine`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

from msgspec import Struct

from sabir.languages.inmanta.evaluate.plugins.engine.exporting import NO_ENVIRONMENT
from sabir.languages.inmanta.evaluate.plugins.engine.plugins import plugin_class
from sabir.languages.inmanta.evaluate.plugins.engine.references import Registrations

if TYPE_CHECKING:
    from sabir.languages.inmanta.model.entities import EntityType


P = ParamSpec("P")
R = TypeVar("R")


class RegisteredPlugin(Struct, frozen=True):
    """A function marked as a plugin."""

    name: str
    function: Callable[..., Any]
    module: str
    allow_unknown: bool = False
    successor: str | None = None
    """For a deprecated one: what to call instead, or nothing."""


class RegisteredExport(Struct, frozen=True):
    """A function that runs with the instances of these entities when the model is exported under its name."""

    name: str
    entities: tuple[str, ...]
    function: Callable[..., Any]


class RegisteredResource(Struct, frozen=True):
    """A class registered for an entity.

    `agent` is the path to the name of the agent, `id_attribute` the attribute that identifies the
    resource.
    """

    entity: str
    agent: str
    id_attribute: str
    cls: type


class Registry:
    """What the Python of one project or bundled module registers. Its methods are the decorators."""

    def __init__(self) -> None:
        self.plugins: list[RegisteredPlugin] = []
        self.resources: list[RegisteredResource] = []
        self.handlers: dict[str, type] = {}
        """By entity; what is registered later takes the place of what was there."""
        self.dependency_managers: list[Callable[[Mapping[str, Any], dict[Any, Any]], None]] = []
        self.exports: dict[str, RegisteredExport] = {}
        self.finalizers: list[Callable[[], object]] = []
        self.references = Registrations()
        self.unknown_parameters: list[dict[str, Any]] = []
        """What the model asked for and nobody knows yet: `{"resource": …, "parameter": …, "source": …}`."""
        self.deprecations: dict[Callable[..., Any], str] = {}
        self.identify: Callable[[Any], str | None] = _identify_too_early
        """How an instance becomes the id of its resource, once there are instances."""

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
        """Register a function as a plugin: `@plugin`, `@plugin("name")` or `@plugin(allow_unknown=True)`."""

        def register(name: str | None, target: Callable[..., Any]) -> Callable[..., Any]:
            called = name or target.__name__
            self.plugins.append(RegisteredPlugin(called, target, target.__module__, allow_unknown))
            if hasattr(target, "__dict__"):
                target.__dict__["__plugin__"] = plugin_class(called, target)
            return target

        if callable(function):
            return register(None, function)
        name = function
        return lambda target: register(name, target)

    def resource(self, name: str, id_attribute: str, agent: str) -> Callable[[type], type]:
        """Register a class as the resource of an entity."""
        if not isinstance(agent, str):
            raise TypeError(f"The agent parameter has to be a string, got {agent} of type {type(agent)}")

        def register(cls: type) -> type:
            self.resources.append(RegisteredResource(name, agent, id_attribute, cls))
            return cls

        return register

    def provider(self, resource_type: str, name: str | None = None) -> Callable[[type], type]:  # noqa: ARG002
        """Register a handler for the resources of an entity; it runs during deployment."""

        def register(cls: type) -> type:
            self.handlers[resource_type] = cls
            return cls

        return register

    def dependency_manager(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Register a function that may add requirements to resources before they are exported."""
        self.dependency_managers.append(function)
        return function

    def export(self, name: str, *types: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            self.exports[name] = RegisteredExport(name, types, function)
            return function

        return register

    def finalizer(self, function: Callable[[], object]) -> Callable[[], object]:
        """Register a function that is called after evaluation, even if that failed."""
        self.finalizers.append(function)
        return function

    def deprecated(
        self, function: Callable[..., Any] | None = None, *, replaced_by: str | None = None
    ) -> Any:
        """Mark a plugin as deprecated, with or without a replacement."""

        def register(target: Callable[..., Any]) -> Callable[..., Any]:
            self.deprecations[target] = replaced_by or ""
            return target

        return register if function is None else register(function)

    def to_id(self, entity: Any) -> str | None:
        """Return the id of the resource of an instance, or None if it has none."""
        return self.identify(entity)


def _identify_too_early(_: Any) -> str | None:
    raise PluginException("instances have their resources once the model is evaluated")


class PluginException(Exception):
    """Raised by plugins to report an error."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message)
        self.message = message


class NotAllowed(PluginException):
    """Raised by bundled plugins if a permission is missing."""

    def __init__(self, message: str, *, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class CallingCompiler:
    """The compiler as a plugin sees it: other plugins by name, types, and facts about resources."""

    def __init__(
        self,
        *,
        plugins: Callable[[], Mapping[str, Any]],
        types: Mapping[str, Any],
        client: Callable[[str], Any],
        refs: Mapping[str, Any],
    ) -> None:
        self.get_plugins = plugins
        self.types = types
        self.client = client
        self.refs = refs
        """Facts by resource and name, where `std` of the existing engine looks for them first."""


class _Resolver:
    """Finds the variables of the calling scope by name."""

    def __init__(self, lookup: Callable[[str], Any]) -> None:
        self._lookup = lookup

    def lookup(self, name: str, root: object = None) -> Any:
        del root
        read = self._lookup(name)
        return SimpleNamespace(get_value=read)


class Context:
    """The call of a plugin as the plugin sees it: the calling scope, types, templates."""

    def __init__(
        self,
        *,
        types: Callable[[str], EntityType | None],
        render: Callable[[str, Mapping[str, Any]], str],
        read_file: Callable[[str, str], bytes],
        list_files: Callable[[str, str], list[str]],
        location: str,
        namespace: str,
        fact: Callable[[Any, str], tuple[str, str | None]],
        compiler: Callable[[Context], CallingCompiler],
        lookup: Callable[[str], Any],
        resource_id: Callable[[Any], str],
    ) -> None:
        self.resource_id = resource_id
        """The id of an instance's resource."""
        self._types = types
        self._render = render
        self._read_file = read_file
        self._list_files = list_files
        self.location = location
        self._namespace = namespace
        self.fact = fact
        """The id of an instance's resource, and what is known about it under a name."""
        self.compiler = compiler(self)
        self.resolver = _Resolver(lookup)

    @property
    def owner(self) -> Any:
        """The calling statement, whose namespace plugins read."""
        space = SimpleNamespace(get_full_name=lambda: self._namespace, name=self._namespace)
        return SimpleNamespace(namespace=space)

    def entity(self, name: str) -> EntityType | None:
        """Return an entity by a name as resolved in the calling scope."""
        return self._types(name)

    def get_type(self, name: str) -> Any:
        """Return a type by a name as resolved in the calling scope, for Python of modules."""
        from sabir.languages.inmanta.evaluate.plugins.engine.faults import NotFoundException
        from sabir.languages.inmanta.evaluate.plugins.engine.types import entity_view

        entity = self._types(str(name))
        if entity is None:
            raise NotFoundException(
                None, str(name), f"could not find type {name} in namespace {self._namespace}"
            )
        return entity_view(entity)

    def get_compiler(self) -> CallingCompiler:
        return self.compiler

    def get_resolver(self) -> Any:
        return self.resolver

    @property
    def queue(self) -> Any:
        """The stand-in for the scheduler of the original engine, through which plugins reach the compiler."""
        return SimpleNamespace(get_compiler=self.get_compiler, get_types=lambda: self.compiler.types)

    def get_queue_scheduler(self) -> Any:
        return self.queue

    def render(self, path: str, values: Mapping[str, Any]) -> str:
        return self._render(path, values)

    def read_file(self, folder: str, path: str) -> bytes:
        """Return a file of a module: `module/path` inside its `files` or `templates`."""
        return self._read_file(folder, path)

    def list_files(self, folder: str, path: str) -> list[str]:
        """Return the names of the files in such a directory."""
        return self._list_files(folder, path)

    def get_environment_id(self) -> str:
        return NO_ENVIRONMENT

    def get_data_dir(self) -> str:
        raise PluginException("a model is evaluated without a data directory")

    def get_client(self) -> Any:
        return self.compiler.client("Client")

    def get_sync_client(self) -> Any:
        return self.compiler.client("SyncClient")

    def run_sync(self, function: Callable[[], Any], timeout: int = 5) -> Any:
        import asyncio

        return asyncio.run(asyncio.wait_for(function(), timeout))
