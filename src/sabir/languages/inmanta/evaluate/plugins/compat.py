"""Import hooks for plugins: `inmanta.…` without the original engine, and `inmanta_plugins.<module>`.

Both work only inside `ProjectPython.importable`, through finders at the front of the import path. So a
model has the same result whether or not the original engine is installed as well. On exit the modules
that were loaded before are restored, and the ones provided here are removed. Everything loaded and
registered belongs to the project. Only the import system is shared, by one project at a time.

A table lists the names that plugins can import. Any other name of the original engine can be imported
too, so that a module which only uses it in an annotation loads. Using it raises `NotOffered`.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, NoReturn

from sabir.languages.inmanta.evaluate.plugins import api
from sabir.languages.inmanta.evaluate.plugins.api import Registry
from sabir.languages.inmanta.evaluate.plugins.signature import ModelType, with_session
from sabir.languages.inmanta.evaluate.views import UnknownView, wrap_model_function
from sabir.languages.inmanta.syntax.modules import Module
from sabir.session import Session
from sabir.text import Source

_ENGINE: Final = "sabir.languages.inmanta.evaluate.plugins.engine."


class NotOffered(Exception):
    """Raised when a name of the original engine is used that sabir does not provide."""


def _refuse_class(cls: type) -> NoReturn:
    name = f"{cls.__module__}.{cls.__name__}"
    raise NotOffered(f"{name} is not offered by sabir: a model is evaluated without it")


class _NotOfferedName(type):
    """A placeholder that can be imported and used in annotations, and nothing else."""

    def __call__(cls, *_: Any, **__: Any) -> Any:
        _refuse_class(cls)

    def __instancecheck__(cls, _: object) -> bool:
        _refuse_class(cls)

    def __subclasscheck__(cls, _: type) -> bool:
        _refuse_class(cls)

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        _refuse_class(cls)

    def __getitem__(cls, _: object) -> type:
        return cls


def not_offered(module: str, name: str) -> Any:
    """Return the placeholder for a name: an exception class that is never raised, or an unusable name."""
    if name.endswith(("Exception", "Excpetion", "Error")):
        return type(name, (Exception,), {"__module__": module})
    return _NotOfferedName(name, (), {"__module__": module, "__init_subclass__": _no_subclass})


@classmethod  # type: ignore[misc]  # becomes a member of the classes above
def _no_subclass(cls: Any, **_: object) -> None:
    base = cls.__mro__[1]
    raise NotOffered(
        f"{base.__module__}.{base.__name__} is not offered by sabir, so nothing can be made from it"
    )


def _import_engine(name: str) -> ModuleType:
    return import_module(_ENGINE + name)


def _all_of(name: str) -> dict[str, Any]:
    module = _import_engine(name)
    return {word: getattr(module, word) for word in module.__all__}


def _plugins_namespace(registry: api.Registry, _: SimpleNamespace) -> dict[str, Any]:
    return {
        "Context": api.Context,
        "PluginException": api.PluginException,
        "ModelType": ModelType,
        "deprecated": registry.deprecated,
        "plugin": registry.plugin,
        "allow_reference_values": _import_engine("proxies").allow_reference_values,
        "Null": None,
        "CheckedArgs": _import_engine("plugins").CheckedArgs,
        "Plugin": _import_engine("plugins").Plugin,
    }


def _resources_namespace(registry: api.Registry, _: SimpleNamespace) -> dict[str, Any]:
    return {**_all_of("resources"), "resource": registry.resource, "to_id": registry.to_id}


def _handler_namespace(registry: api.Registry, _: SimpleNamespace) -> dict[str, Any]:
    handlers = _all_of("handler")
    return {
        **_all_of("context"),
        **handlers,
        "CRUDHandlerGeneric": handlers["CRUDHandler"],
        "provider": registry.provider,
    }


def _export_namespace(registry: api.Registry, _: SimpleNamespace) -> dict[str, Any]:
    return {
        **_all_of("exporting"),
        "dependency_manager": registry.dependency_manager,
        "export": registry.export,
        "unknown_parameters": registry.unknown_parameters,
        "ModelDict": dict,
        "ResourceDict": dict,
    }


def _references_namespace(registry: api.Registry, _: SimpleNamespace) -> dict[str, Any]:
    return {
        **_all_of("references"),
        "reference": registry.references.reference,
        "mutator": registry.references.mutator,
    }


def _module_namespace(_: api.Registry, project: SimpleNamespace) -> dict[str, Any]:
    modules = _import_engine("modules")
    return {
        "Project": modules.project_class(project),
        "InmantaModuleRequirement": modules.InmantaModuleRequirement,
    }


def _protocol_namespace(registry: api.Registry, _: SimpleNamespace) -> dict[str, Any]:
    client = _import_engine("client")
    return {**client.clients(lambda: registry.references.facts), "Result": client.Result}


def _proxies_namespace(*_: object) -> dict[str, Any]:
    faults = _import_engine("faults")
    return {
        **_all_of("proxies"),
        "NoneValue": type(None),
        "OptionalValueException": faults.OptionalValueException,
        "UnsetException": faults.UnsetException,
    }


_NAMES: Final[dict[str, Any]] = {
    "inmanta.agent.handler": _handler_namespace,
    "inmanta.agent.agent": lambda *_: {"AgentInstance": object},
    "inmanta.agent.executor": lambda *_: {"AgentInstance": object},
    "inmanta.agent.io.local": lambda *_: {
        "IOBase": _import_engine("io").IOBase,
        "LocalIO": _import_engine("io").LocalIO,
    },
    "inmanta.agent.io.remote": lambda *_: {
        "RemoteIO": _import_engine("remote_io").RemoteIO,
        "IOBase": _import_engine("io").IOBase,
    },
    "inmanta.ast": lambda *_: {**_all_of("faults"), "PluginException": api.PluginException},
    "inmanta.ast.attribute": lambda *_: {
        "Attribute": _import_engine("types").Attribute,
        "RelationAttribute": _import_engine("types").RelationAttribute,
    },
    "inmanta.ast.entity": lambda *_: {"Entity": _import_engine("types").Entity},
    "inmanta.compiler": lambda registry, _: {"finalizer": registry.finalizer},
    "inmanta.config": lambda *_: {"Config": _import_engine("modules").Config},
    "inmanta.const": lambda *_: _all_of("const"),
    "inmanta.data": lambda *_: {"convert_boolean": _import_engine("modules").convert_boolean},
    "inmanta.data.model": lambda *_: {
        "AttributeStateChange": _import_engine("context").AttributeStateChange,
        "ResourceIdStr": str,
        "ResourceVersionIdStr": str,
    },
    "inmanta.execute.proxy": _proxies_namespace,
    "inmanta.execute.util": lambda *_: {"Unknown": UnknownView, "NoneValue": type(None)},
    "inmanta.export": _export_namespace,
    "inmanta.module": _module_namespace,
    "inmanta.plugins": _plugins_namespace,
    "inmanta.protocol": _protocol_namespace,
    "inmanta.protocol.common": _protocol_namespace,
    "inmanta.protocol.endpoints": _protocol_namespace,
    "inmanta.references": _references_namespace,
    "inmanta.resources": _resources_namespace,
    "inmanta.util": lambda *_: {"JSONSerializable": _import_engine("types").JSONSerializable},
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
    """Return the names that a module of the engine provides to the plugins of a project."""
    names = _NAMES.get(module)
    return {} if names is None else dict(names(registry, project))


if TYPE_CHECKING:
    from importlib.abc import Loader, MetaPathFinder
else:
    # The import system asks for methods, not for these classes, and their module brings tempfile, shutil and more along.
    Loader = MetaPathFinder = object


class _EngineModule(ModuleType):
    """A module of the original engine. Names that are not provided raise when they are used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        inner = f"{self.__name__}.{name}"
        value = import_module(inner) if inner in MODULES else not_offered(self.__name__, name)
        setattr(self, name, value)
        return value


class _EngineLoader(Loader):
    def __init__(self, python: ProjectPython) -> None:
        self._python = python

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = _EngineModule(spec.name)
        module.__path__ = list(spec.submodule_search_locations or [])
        return module

    def exec_module(self, module: ModuleType) -> None:
        python = self._python
        module.__dict__.update(engine_names(module.__name__, python.registry, python.project))


class _EngineFinder(MetaPathFinder):
    def __init__(self, python: ProjectPython) -> None:
        self._python = python

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        if fullname == "inmanta" or fullname.startswith("inmanta."):
            return ModuleSpec(fullname, _EngineLoader(self._python), is_package=True)
        return None


class _ModuleLoader(Loader):
    """The loader for Python files of the project's modules, from wherever the project was loaded."""

    def __init__(self, text: str, shown: str, file: str) -> None:
        self._text = text
        self._shown = shown
        self._file = file

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:  # noqa: ARG002
        return None

    def exec_module(self, module: ModuleType) -> None:
        code = compile(self._text, f"<plug-in {self._shown}>", "exec", dont_inherit=True)
        module.__file__ = self._file
        exec(code, module.__dict__)  # noqa: S102  # running the plug-in is what its owner allowed


class _ModuleFinder(MetaPathFinder):
    def __init__(self, python: ProjectPython) -> None:
        self._python = python

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        if fullname == "inmanta_plugins":
            spec = ModuleSpec(fullname, _EngineLoader(self._python), is_package=True)
            # Plug-ins may import those of installed modules that the model itself does not import.
            folders = [Path(entry or ".") / fullname for entry in sys.path]
            spec.submodule_search_locations = [str(folder) for folder in folders if folder.is_dir()]
            return spec
        if not fullname.startswith("inmanta_plugins."):
            return None
        name, *rest = fullname.split(".")[1:]
        module = self._python.modules.get(name)
        if module is None:
            return None
        if module.ours:
            return ModuleSpec(fullname, _OursLoader(name, self._python.session), is_package=True)
        inside = "/".join(rest)
        for file, is_package in ((f"{inside}/__init__.py".lstrip("/"), True), (f"{inside}.py", False)):
            code = module.plugins.file(file) if file != ".py" else None
            if code is not None:
                source = code.source
                self._python.sources[source.name] = source
                # Plug-ins look for files beside their own, so they are told where it really lies.
                folder = module.plugins.directory
                real = source.name if folder is None else str((folder / file).absolute())
                loader = _ModuleLoader(source.text, source.name, real)
                return ModuleSpec(fullname, loader, is_package=is_package, origin=source.name)
        if not rest or module.plugins.list(inside):
            return ModuleSpec(fullname, _EngineLoader(self._python), is_package=True)
        return None


class _OursLoader(Loader):
    """The loader for a bundled module as `inmanta_plugins.<name>`, with the functions that models call."""

    def __init__(self, name: str, session: Session) -> None:
        self._name = name
        self._session = session

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return _EngineModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        library = f"sabir.languages.inmanta.library.{self._name}.plugins"
        ours, names = import_module(library), import_module(f"{library}.python_names")
        module.__dict__.update({name: getattr(names, name) for name in names.__all__})
        module.__dict__.update(
            {
                plugin.name: wrap_model_function(with_session(plugin.function, self._session))
                for plugin in ours.REGISTRY.plugins
            }
        )


class ProjectPython:
    """The Python of one project: its location, what it registered, the sources of loaded files."""

    def __init__(self, modules: Mapping[str, Module], root: Path | None, session: Session) -> None:
        self.modules = modules
        self.session = session
        self.registry = Registry()
        self._loaded: dict[str, ModuleType] = {}
        """What was imported while it was importable: a class must be the same each time it is asked for."""
        self.sources: dict[str, Source] = {}
        """By the names that code objects carry, for the lines of exceptions and of provenance."""
        places = {
            name: SimpleNamespace(name=name, _path=str(module.data.directory))
            for name, module in modules.items()
        }
        self.project = SimpleNamespace(modules=places, project_path=str(root), _path=str(root))
        """What plug-ins get when they ask for the project."""

    @contextmanager
    def importable(self) -> Generator[None]:
        """Return a context in which plugins can be imported and can import what is provided."""
        before = {name: module for name, module in sys.modules.items() if _is_ours_to_clear(name)}
        for name in before:
            del sys.modules[name]
        sys.modules.update(self._loaded)
        finders = [_ModuleFinder(self), _EngineFinder(self)]
        sys.meta_path[:0] = finders
        try:
            yield
        finally:
            for finder in finders:
                sys.meta_path.remove(finder)
            for name in [name for name in sys.modules if _is_ours_to_clear(name)]:
                spec = getattr(sys.modules[name], "__spec__", None)
                if isinstance(getattr(spec, "loader", None), _EngineLoader | _ModuleLoader | _OursLoader):
                    self._loaded[name] = sys.modules.pop(name)
            sys.modules.update(before)


def _is_ours_to_clear(name: str) -> bool:
    return name.split(".")[0] in ("inmanta", "inmanta_plugins")
