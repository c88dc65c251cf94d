"""One evaluation: packages, classes, objects, limits. Nothing is shared between two runtimes but what was parsed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NotRequired, TypedDict

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.near import did_you_mean
from sabir.expressions.yaql import Dialect, Engine, Library, Options
from sabir.graph.origin import How, Origin
from sabir.languages.muranopl.evaluate.attributes import AttributeStore
from sabir.languages.muranopl.evaluate.building import ROOT, build_class
from sabir.languages.muranopl.evaluate.destruction import Destruction
from sabir.languages.muranopl.evaluate.extensions import with_extensions
from sabir.languages.muranopl.evaluate.functions import library_for
from sabir.languages.muranopl.evaluate.identity import Identities, MadeFor
from sabir.languages.muranopl.evaluate.limits import Meter, RunLimits
from sabir.languages.muranopl.evaluate.loading import Loader
from sabir.languages.muranopl.evaluate.metadata import check_meta
from sabir.languages.muranopl.evaluate.packages import Package, PackageRegistry, newest
from sabir.languages.muranopl.evaluate.parallel import Scheduler
from sabir.languages.muranopl.evaluate.store import ObjectStore
from sabir.languages.muranopl.evaluate.system import SystemClass, attach_native
from sabir.languages.muranopl.evaluate.system.asking import ask
from sabir.languages.muranopl.examples.runs import MODEL, run_package, run_rule
from sabir.languages.muranopl.library import core_package
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.definitions import MODEL_FORM, TypeName
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.model.hosts import HostObjects
from sabir.languages.muranopl.model.objects import MuranoObject
from sabir.languages.muranopl.syntax.defects import FORM, UNKNOWN_CLASS
from sabir.languages.muranopl.syntax.names import UnknownPrefix, is_qualified_name
from sabir.languages.muranopl.syntax.nodes import ClassNode
from sabir.languages.muranopl.syntax.versions import InvalidVersion, VersionSpec
from sabir.languages.muranopl.worlds.effects import EffectKind
from sabir.languages.muranopl.worlds.settings import EngineSettings
from sabir.session import wall_clock
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.expressions.yaql.engine import Clock, MakeCompiler
    from sabir.languages.muranopl.evaluate.recording.recorder import RunRecorder
    from sabir.languages.muranopl.worlds.effects import World

__all__ = ["ClassConfig", "Report", "Runtime"]

ClassConfig = Mapping[str, Mapping[str, Any]]
Report = Callable[[str, str], None]
"""Where progress goes: the level ("info", "warning", "error") and a line."""

KEY_DROPPED: Final = run_rule(
    "MRUN:W002",
    "a key that a dictionary contract drops",
    "A contract that names the keys of a dictionary keeps those only. Add the key to the contract, or let it take others "
    "with `$.string().notNull(): $`.",
    run_package(
        "Name: Root\n\nProperties:\n  d:\n    Contract:\n      a: $.int()\n", MODEL + "d: {a: 1, b: 2}\n"
    ),
    run_package("Name: Root\n\nProperties:\n  d:\n    Contract:\n      a: $.int()\n", MODEL + "d: {a: 1}\n"),
)


class _Watching(TypedDict):
    objects: HostObjects
    compiler: NotRequired[MakeCompiler]


class Runtime:
    """Everything one evaluation needs. `functions` adds YAQL functions, as tests and embedders want them; without `sleeps`
    nothing outside is waited for, and the time that code sleeps is only counted."""

    def __init__(
        self,
        packages: Iterable[Package] | PackageRegistry,
        *,
        config: ClassConfig | None = None,
        limits: RunLimits | None = None,
        functions: Library | None = None,
        report: Report | None = None,
        system: Iterable[SystemClass] = (),
        recorder: RunRecorder | None = None,
        clock: Clock = wall_clock,
        sleeps: bool = True,
        world: World | None = None,
        settings: EngineSettings | None = None,
        core: Package | None = None,
    ) -> None:
        self.registry = packages if isinstance(packages, PackageRegistry) else PackageRegistry(packages)
        self.core = core or core_package()
        self.world = world
        """What answers effects; None: the run has nothing outside of itself."""
        self.settings = settings or EngineSettings()
        self.at_end: dict[str, Callable[[], None]] = {}
        """What is to be done when the program has ended, by what it is done to."""
        self.config: ClassConfig = config or {}
        self.config_places: Mapping[tuple[str, str], Place] = {}
        """Where values of the class configuration stand, by class and property."""
        self.system = {class_.name: class_.methods for class_ in system}
        """System classes of this run alone, before those that are registered."""
        self.limits = limits or RunLimits()
        self.max_depth = self.limits.depth
        self.meter = Meter(self.limits)
        self.scheduler = Scheduler(self.limits, sleeps=sleeps)
        self._clock = clock
        self._sleeps = sleeps
        if world is not None:
            self.scheduler.opened = world.open_branches
        self.store = ObjectStore()
        self.identities = Identities(lambda id_: self.store.get(id_) is not None)
        self.constructing: set[MuranoObject] = set()
        """Objects whose constructors are running."""
        self.attributes = AttributeStore()
        self.recorder = recorder
        """What records the steps to every value; None: nobody wants to know."""
        if recorder is not None:
            recorder.watch(self)
        self.origins: dict[str, Any] = {}
        self.overridden: dict[tuple[str, str], How | Origin] = {}
        """Properties whose values were given beside the model."""
        self.written: dict[tuple[str, str], Place] | None = None
        """Where code wrote properties last, by object id and property; None: nobody wants to know."""
        self.warnings: list[Finding] = []
        self.report: Report = report or (lambda _level, _line: None)
        self.root: MuranoObject | None = None
        self.destruction = Destruction(self)
        self.loader = _ImmediateLoader(self)
        """What contracts outside of a load use: objects made of data are complete at once."""
        self.argument_loader: Loader = _ArgumentLoader(self)
        self._functions = functions
        self._resolved: dict[tuple[int, str], MuranoClass] = {}
        self._type_texts: dict[MuranoClass, str] = {}
        self._classes: dict[tuple[str, str, str], MuranoClass] = {}
        self._building: list[str] = []
        self._engines: dict[tuple[str, tuple[str, ...]], Engine] = {}
        self._dropped: set[tuple[str, Any]] = set()

    @cached_property
    def unconnected(self) -> World:
        """What answers where no world is connected."""
        from sabir.languages.muranopl.worlds.unconnected import UnconnectedWorld

        return UnconnectedWorld()

    # -- classes -----------------------------------------------------------------------------------------------------

    def class_named(self, name: str, inside: MuranoClass) -> MuranoClass:
        """The class that a name means in the code of another one."""
        try:
            full = inside.node.namespaces.resolve(name)
        except UnknownPrefix as error:
            hint = did_you_mean(error.prefix, inside.node.namespaces.table)
            raise MuranoError(UNKNOWN_CLASS, str(error), hint=hint) from None
        return self.find_class(full, inside.package)

    def find_class(self, name: str, package: Package) -> MuranoClass:
        """The class of a full name as a package sees it."""
        cls = self._resolved.get((id(package), name))
        if cls is not None:
            return cls
        for provider in self._visible(package):
            node = provider.node(name)
            if node is not None:
                cls = self._resolved[id(package), name] = self._class(node, provider)
                return cls
        names = [cls for visible in self._visible(package) for cls in visible.class_names()]
        raise MuranoError(
            UNKNOWN_CLASS,
            f"there is no class {name} in package {package.name}, what it requires, or the core library",
            hint=did_you_mean(name, names) or _require_hint(name, self.registry, package),
        )

    def _visible(self, package: Package) -> list[Package]:
        return [package, *self.registry.required(package), self.core]

    def class_of_type(self, type_: TypeName) -> MuranoClass:
        """The class that the header of an object names, in whatever package it is."""
        providers = [*self.registry.providers(type_.name)]
        if type_.name in self.core.class_names():
            providers.append(self.core)
        if type_.package is not None:
            providers = [provider for provider in providers if provider.name == type_.package]
        if len(providers) > 1:
            providers = _of_version(providers, type_)
        node = providers[0].node(type_.name) if providers else None
        if node is None:
            names = {
                name for provider in (*self.registry.packages, self.core) for name in provider.class_names()
            }
            raise MuranoError(
                UNKNOWN_CLASS,
                f"no package has the class {type_.name}, which the type of an object names",
                hint=did_you_mean(type_.name, names),
            )
        return self._class(node, providers[0])

    def core_class(self, name: str) -> MuranoClass:
        return self.find_class(name, self.core)

    def _class(self, node: ClassNode, package: Package) -> MuranoClass:
        key = (package.name, str(package.manifest.version), node.name)
        cls = self._classes.get(key)
        if cls is None:
            cls = self._classes[key] = self._build(node, package)
            check_meta(cls)
        return cls

    def _build(self, node: ClassNode, package: Package) -> MuranoClass:
        if node.name in self._building:
            circle = " → ".join((*self._building[self._building.index(node.name) :], node.name))
            raise MuranoError(
                UNKNOWN_CLASS,
                f"classes extend each other in a circle: {circle}",
                place=Place(node.source, node.span),
            )
        self._building.append(node.name)
        try:
            parents = tuple(self._parent(name.text, node, package, name.span) for name in node.extends)
            if not parents and node.name != ROOT:
                parents = (self.core_class(ROOT),)
            meta = next((parent for parent in parents if parent.node.usage == "Meta"), None)
            if meta is not None and node.usage != "Meta":
                raise MuranoError(
                    FORM,
                    f"{node.name} extends the meta class {meta.name} but is none",
                    place=Place(node.source, node.span),
                    hint="only a class with `Usage: Meta` can",
                )
            return build_class(node, package, self, parents)
        finally:
            self._building.pop()

    def _parent(self, name: str, node: ClassNode, package: Package, span: Any) -> MuranoClass:
        try:
            return self.find_class(name, package)
        except MuranoError as error:
            error.place = error.place or Place(node.source, span)
            raise

    def attach_native(self, cls: MuranoClass) -> None:
        attach_native(cls)

    def engine_for(self, format_: str, imports: tuple[MuranoClass, ...]) -> Engine:
        """The expression engine of a package format, with the extension methods of imported classes."""
        key = (format_, tuple(cls.name for cls in imports))
        engine = self._engines.get(key)
        if engine is None:
            library = library_for(format_, self._functions)
            is_first = format_ in ("1.0", "1.1")
            options = Options(iterable_dicts=is_first)
            engine = self._engines[key] = Engine(
                with_extensions(library, imports),
                options=options,
                dialect=Dialect.MURANO_FIRST if is_first else Dialect.MURANO,
                clock=self.clock,
                **self._watching(),
            )
        return engine

    def _watching(self) -> _Watching:
        """How expressions are compiled: the usual way, or so that the recorder sees what they read."""
        if self.recorder is None:
            return {"objects": HostObjects()}
        from sabir.languages.muranopl.evaluate.recording.expressions import RecordingHosts, recording_compiler

        return {"objects": RecordingHosts(self.recorder), "compiler": recording_compiler(self.recorder)}

    def own_engine(self, engine: Engine) -> Engine:
        """A copy of an engine whose library can be added to."""
        return engine.with_library(Library(engine.library))

    def type_text(self, cls: MuranoClass) -> str:
        """The type of an object for its header; with version and package only where the name alone is not enough."""
        text = self._type_texts.get(cls)
        if text is None:
            is_unique = len(self.registry.providers(cls.name)) < 2
            text = self._type_texts[cls] = cls.name if is_unique else cls.full_name
        return text

    def built_classes(self) -> list[MuranoClass]:
        return list(self._classes.values())

    def clock(self) -> datetime:
        """The time of day, with the sleep that was counted and not waited for.

        It is the world's, where there is one and nobody brought a clock: a run that is repeated sees the same times.
        """
        counted = timedelta(seconds=self.scheduler.skipped)
        if self.world is None or self._clock is not wall_clock:
            return self._clock() + counted
        return datetime.fromtimestamp(ask(self, EffectKind.CLOCK), UTC) + counted

    def sleep(self, seconds: float) -> None:
        """Wait, letting other branches run, but not past the end of the time that the run has."""
        if self.meter.deadline is not None and self._sleeps:
            seconds = min(seconds, max(0.0, self.meter.deadline - monotonic()) + 0.001)
        self.scheduler.wait(seconds)
        self.meter.refill()

    def finish(self) -> None:
        """Do what was left for the end of the program, and what that leaves in turn."""
        while self.at_end:
            self.at_end.pop(next(iter(self.at_end)))()

    def note_dropped(self, keys: list[Any], this: Any) -> None:
        if not isinstance(this, MuranoObject):
            return
        for key in keys:
            if (this.cls.name, key) not in self._dropped:
                self._dropped.add((this.cls.name, key))
                place = Place(this.cls.node.source, this.cls.node.span)
                message = f"a dictionary contract of {this.cls.name} does not name the key {key!r}, which is dropped"
                self.warnings.append(KEY_DROPPED.at(place, message))


class _ImmediateLoader(Loader):
    """A loader for running code: what it makes is complete, constructors included, when it is given back."""

    def instantiate(
        self, raw: Mapping[Any, Any], owner: MuranoObject | None, default: MuranoClass | None
    ) -> MuranoObject:
        return self.make(raw, owner, default=default)

    def make(
        self,
        raw: Mapping[Any, Any],
        owner: MuranoObject | None,
        made_for: MadeFor = None,
        default: MuranoClass | None = None,
    ) -> MuranoObject:
        """What code makes for the target of an assignment, or for nothing in particular."""
        loader = Loader(self.runtime)
        loader.made_for = made_for
        object_ = loader.shell(raw, owner, default)
        loader.finish()
        return object_


class _ArgumentLoader(_ImmediateLoader):
    """The same for arguments of methods: what is made of data that a caller passes belongs to nobody."""

    def owner_for(self, this: Any) -> MuranoObject | None:
        del this
        return None


def _of_version(providers: list[Package], type_: TypeName) -> list[Package]:
    """The newest package that fits the version in a header; without one the newest of version 0, if there is any."""
    if type_.version is None:
        fitting = [provider for provider in providers if provider.manifest.version.major == 0] or providers
    else:
        try:
            spec = VersionSpec.parse(type_.version)
        except InvalidVersion as error:
            raise MuranoError(MODEL_FORM, f"type {type_.name}: {error}") from None
        fitting = [provider for provider in providers if spec.allows(provider.manifest.version)]
        if not fitting:
            versions = ", ".join(sorted(str(provider.manifest.version) for provider in providers))
            raise MuranoError(
                UNKNOWN_CLASS,
                f"the class {type_.name} is there in the versions {versions}, not in {type_.version}",
            )
    return [newest(fitting)]


def _require_hint(name: str, registry: PackageRegistry, package: Package) -> str | None:
    if not is_qualified_name(name):
        return None
    for provider in registry.providers(name):
        if provider is not package:
            return f"package {provider.name} has it: add it to Require in the manifest"
    return None
