"""Contexts of plugin calls: the parts of the calling scope that Python can access."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sabir.languages.inmanta.evaluate.interrupts import Unset
from sabir.languages.inmanta.evaluate.plugins.api import CallingCompiler, Context, PluginException
from sabir.languages.inmanta.evaluate.plugins.dataclasses import classes_of, identity_of
from sabir.languages.inmanta.evaluate.plugins.engine.client import clients
from sabir.languages.inmanta.evaluate.plugins.engine.exporting import Exporter
from sabir.languages.inmanta.evaluate.plugins.engine.faults import NotFoundException, OptionalValueException
from sabir.languages.inmanta.evaluate.plugins.engine.plugins import CallablePlugin
from sabir.languages.inmanta.evaluate.plugins.engine.types import entity_view
from sabir.languages.inmanta.evaluate.scopes import BlockScope
from sabir.languages.inmanta.evaluate.values import Frame, ModelInstance
from sabir.languages.inmanta.evaluate.views import InstanceView, instance_of
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.compiler import ModelCompiler


class Contexts:
    """Creates the contexts of all calls of a model."""

    def __init__(self, compiler: ModelCompiler) -> None:
        self.compiler = compiler
        given = compiler.engine.given
        self.facts: Mapping[tuple[str, str], str] = MappingProxyType({}) if given is None else given.facts
        self.types = {entity.shown: entity_view(entity) for entity in compiler.definitions.entities.values()}
        registry = compiler.functions.registry
        assert registry is not None
        self.registry = registry
        registry.identify = lambda instance: self._identify(instance) or None
        registry.references.facts = self.facts
        self._clients = clients(lambda: self.facts)
        facts: dict[str, dict[str, str]] = {}
        for (resource, name), value in self.facts.items():
            facts.setdefault(resource, {})[name] = value
        self._refs = {"facts": facts}

    def maker(self, scope: BlockScope, place: Place) -> Callable[[Frame], Context]:
        """Return a function that creates the context of one call each time it runs."""
        compiler = self.compiler
        render = compiler.templates.renderer(scope, place)
        location = str(place.location)
        home = scope.space.name.partition("::")[0]

        def whole(path: str) -> str:
            """`./path` is in the module of the call."""
            return f"{home}/{path[2:]}" if path.startswith("./") else path

        def make(frame: Frame) -> Context:
            return Context(
                types=lambda name: compiler.definitions.entity(name, scope.space),
                render=lambda path, values: render(frame, whole(path), values),
                read_file=lambda folder, path: compiler.read_file(folder, whole(path)),
                list_files=lambda folder, path: compiler.list_files(folder, whole(path)),
                location=location,
                namespace=scope.space.name,
                fact=self.fact,
                resource_id=self.resource_id,
                compiler=self._build_compiler,
                lookup=lambda name: self._lookup(name, scope, place, frame),
            )

        return make

    def _build_compiler(self, context: Context) -> CallingCompiler:
        return CallingCompiler(
            plugins=lambda: self._plugins(context),
            types=self.types,
            client=lambda name: self._clients[name]("compiler"),
            refs=self._refs,
        )

    def _plugins(self, context: Context) -> dict[str, CallablePlugin]:
        functions = self.compiler.functions
        offered = ((name, functions.get(name)) for name in functions)
        return {
            name: CallablePlugin(function, context)
            for name, function in offered
            if function is not None and not function.refused
        }

    def _lookup(self, name: str, scope: BlockScope, place: Place, frame: Frame) -> Callable[[], Any]:
        read = self.compiler.expressions.find(name, scope, place)
        if read is None:
            raise NotFoundException(None, name)

        def value() -> Any:
            try:
                return read(frame)
            except Unset as unset:
                raise OptionalValueException(None, str(unset)) from None

        return value

    def fact(self, instance: ModelInstance, name: str) -> tuple[str, str | None]:
        """Return the resource id of an instance and the fact; None if the fact is not known yet."""
        text = self.resource_id(instance)
        value = self.facts.get((text, name))
        if value is None:
            self.registry.unknown_parameters.append({"resource": text, "parameter": name, "source": "fact"})
        return text, value

    def resource_id(self, instance: ModelInstance) -> str:
        text = self._identify(instance)
        if text is None:
            raise PluginException(
                f"{instance.entity.shown!r} is no resource, and facts are known about resources only"
            )
        return text

    def _identify(self, instance: Any) -> str | None:
        """Return the resource id of an instance: None if it has none, empty if it is not known yet."""
        held: ModelInstance = instance_of(instance) if isinstance(instance, InstanceView) else instance
        registered = {resource.entity: resource for resource in self.registry.resources}
        classes = classes_of(held.entity, registered)
        if not classes:
            return None
        identity = identity_of(held, classes[0], Exporter())
        return "" if identity is None else identity.resource_str()
