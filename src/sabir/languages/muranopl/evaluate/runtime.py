"""One evaluation: packages, classes, objects, limits. Two runtimes share only what was parsed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NotRequired, TypedDict

from sabir.diagnostics.finding import Finding
from sabir.expressions.yaql import Dialect, Engine, Library, Options
from sabir.graph.origin import How, Origin
from sabir.languages.muranopl.evaluate.class_table import ClassTable
from sabir.languages.muranopl.evaluate.destruction import Destruction
from sabir.languages.muranopl.evaluate.functions import library_for
from sabir.languages.muranopl.evaluate.limits import RunLimits, RunMeter
from sabir.languages.muranopl.evaluate.loader import ArgumentLoader, ImmediateLoader, Loader
from sabir.languages.muranopl.evaluate.methods import with_extensions
from sabir.languages.muranopl.evaluate.objects import AttributeStore, Identities, ObjectStore
from sabir.languages.muranopl.evaluate.packages import MuranoPackage, PackageRegistry
from sabir.languages.muranopl.evaluate.parallel import Scheduler
from sabir.languages.muranopl.evaluate.system import SystemClass, attach_native
from sabir.languages.muranopl.evaluate.system.registry import perform_effect
from sabir.languages.muranopl.examples import package_rule
from sabir.languages.muranopl.library import core_package
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.definitions import TypeName
from sabir.languages.muranopl.model.objects import HostObjects, MuranoObject
from sabir.languages.muranopl.worlds.effects import EffectKind
from sabir.languages.muranopl.worlds.settings import EngineSettings
from sabir.session import wall_clock
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.expressions.yaql.engine import Clock, MakeCompiler
    from sabir.languages.muranopl.evaluate.recording.recorder import RunRecorder
    from sabir.languages.muranopl.worlds.effects import World


ClassConfig = Mapping[str, Mapping[str, Any]]
Report = Callable[[str, str], None]
"""Where progress goes: the level ("info", "warning", "error") and a line."""

KEY_DROPPED: Final = package_rule(
    "MRUN:W002",
    "a key that a dictionary contract drops",
    "A contract that names the keys of a dictionary keeps those only. Add the key to the contract, or let it take others "
    "with `$.string().notNull(): $`.",
    when="evaluate",
)


class _CompilerOptions(TypedDict):
    objects: HostObjects
    compiler: NotRequired[MakeCompiler]


class Runtime:
    """Everything that one evaluation needs.

    `functions` adds YAQL functions for tests and embedders. Without `sleeps` nothing external is waited for,
    and the time that code sleeps is only counted.
    """

    def __init__(
        self,
        packages: Iterable[MuranoPackage] | PackageRegistry,
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
        core: MuranoPackage | None = None,
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
        self.meter = RunMeter(self.limits)
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
        self.loader = ImmediateLoader(self)
        """What contracts outside of a load use: objects made of data are complete at once."""
        self.argument_loader: Loader = ArgumentLoader(self)
        self._functions = functions
        self._type_texts: dict[MuranoClass, str] = {}
        self._classes = ClassTable(self, self.registry, self.core)
        self._engines: dict[tuple[str, tuple[str, ...]], Engine] = {}
        self._dropped: set[tuple[str, Any]] = set()

    @cached_property
    def unconnected(self) -> World:
        """What performs effects if no world is connected."""
        from sabir.languages.muranopl.worlds.offline import UnconnectedWorld

        return UnconnectedWorld()

    # -- classes -----------------------------------------------------------------------------------------------------

    def class_named(self, name: str, inside: MuranoClass) -> MuranoClass:
        """Return the class that a name refers to in the code of another class."""
        return self._classes.resolve_name(name, inside)

    def find_class(self, name: str, package: MuranoPackage) -> MuranoClass:
        """Return the class with a full name as a package sees it."""
        return self._classes.find(name, package)

    def class_of_type(self, type_: TypeName) -> MuranoClass:
        """Return the class that the header of an object names, in any package."""
        return self._classes.of_type(type_)

    def core_class(self, name: str) -> MuranoClass:
        return self._classes.in_core(name)

    def attach_native(self, cls: MuranoClass) -> None:
        attach_native(cls)

    def engine_for(self, format_: str, imports: tuple[MuranoClass, ...]) -> Engine:
        """Return the expression engine of a package format, with the extension methods of imported classes."""
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
                **self._compiler_options(),
            )
        return engine

    def _compiler_options(self) -> _CompilerOptions:
        """Return how expressions are compiled: normally, or so that the recorder sees their reads."""
        if self.recorder is None:
            return {"objects": HostObjects()}
        from sabir.languages.muranopl.evaluate.recording.methods import RecordingHosts, build_compiler_factory

        return {"objects": RecordingHosts(self.recorder), "compiler": build_compiler_factory(self.recorder)}

    def own_engine(self, engine: Engine) -> Engine:
        """Return a copy of an engine whose library can be extended."""
        return engine.with_library(Library(engine.library))

    def type_text(self, cls: MuranoClass) -> str:
        """Return the type of an object for its header, with version and package only if the name is ambiguous."""
        text = self._type_texts.get(cls)
        if text is None:
            is_unique = len(self.registry.providers(cls.name)) < 2
            text = self._type_texts[cls] = cls.name if is_unique else cls.full_name
        return text

    def list_classes(self) -> list[MuranoClass]:
        return self._classes.list_classes()

    def clock(self) -> datetime:
        """Return the time of day, plus the sleep that was only counted.

        It comes from the world, if there is one and no clock was passed: a repeated run sees the same times.
        """
        counted = timedelta(seconds=self.scheduler.skipped)
        if self.world is None or self._clock is not wall_clock:
            return self._clock() + counted
        return datetime.fromtimestamp(perform_effect(self, EffectKind.CLOCK), UTC) + counted

    def sleep(self, seconds: float) -> None:
        """Wait, letting other branches run, but not beyond the time limit of the run."""
        if self.meter.deadline is not None and self._sleeps:
            seconds = min(seconds, max(0.0, self.meter.deadline - monotonic()) + 0.001)
        self.scheduler.wait(seconds)
        self.meter.refill()

    def finish(self) -> None:
        """Run the actions deferred to the end of the program, and those that they defer in turn."""
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
