"""Classes by name, as packages see them; each is built once per evaluation, when it is first needed.

A class is built from its node in a fixed order: parents, then members, then lookup tables. References to
other classes are resolved at first use, so that classes may refer to each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.muranopl.evaluate.metadata import check_meta
from sabir.languages.muranopl.evaluate.methods import Method, add_extensions
from sabir.languages.muranopl.evaluate.packages import MuranoPackage, PackageRegistry, newest_package
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.contracts import compile_contract
from sabir.languages.muranopl.model.definitions import MODEL_FORM, TypeName
from sabir.languages.muranopl.model.engines import ClassEngine
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.model.properties import PropertyDeclaration
from sabir.languages.muranopl.syntax.classes import DEEPEST_CLASS
from sabir.languages.muranopl.syntax.defects import FORM, UNKNOWN_CLASS
from sabir.languages.muranopl.syntax.manifest import VersionError, VersionSpec
from sabir.languages.muranopl.syntax.names import UnknownPrefixError, is_qualified_name
from sabir.languages.muranopl.syntax.nodes import ClassNode, PropertyNode
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.runtime import Runtime


ROOT = "io.murano.Object"


def build_class(
    node: ClassNode, package: MuranoPackage, runtime: Runtime, parents: tuple[MuranoClass, ...]
) -> MuranoClass:
    """Build a class whose parents are built. Its properties refer to classes by name, resolved at first use."""
    cls = MuranoClass(node, package, runtime, parents)
    imports = tuple(_resolve_import(name.text, name.span, cls) for name in node.imports)
    engine = runtime.engine_for(package.format, imports)
    if extends := any(
        method.usage == "Extension" for class_ in cls.lineage for method in class_.node.methods
    ):
        engine = runtime.own_engine(engine)  # a class can also call its own extension methods on values
    cls.engine = ClassEngine(cls, engine)
    make_method: type[Method] = Method
    if runtime.recorder is not None:
        make_method = runtime.recorder.watch_class(cls)
        cls.engine.unseen = runtime.recorder.mute_reads
    for declaration in node.properties:
        cls.own_properties[declaration.name] = _build_property(declaration, cls)
    for method in node.methods:
        cls.own_methods[method.name] = make_method(method, cls)
    runtime.attach_native(cls)
    if extends:
        add_extensions(engine.library, (cls,))
    cls.link()
    return cls


def _resolve_import(name: str, span: Any, cls: MuranoClass) -> MuranoClass:
    try:
        return cls.resolve(name)
    except MuranoError as error:
        error.place = error.place or Place(cls.node.source, span)
        raise


def _build_property(node: PropertyNode, cls: MuranoClass) -> PropertyDeclaration:
    contract = compile_contract(node.contract, cls)
    default = None if node.default is None else cls.engine.guard_value(node.default)
    declaration = PropertyDeclaration(node, cls, contract, default)
    configured = cls.runtime.config.get(cls.name, {})
    if node.name in configured and not declaration.is_static:
        value = configured[node.name]
        declaration.default = lambda _variables: value
        declaration.configured = True
        declaration.configured_place = cls.runtime.config_places.get((cls.name, node.name))
    return declaration


class ClassTable:
    """The classes of one evaluation."""

    def __init__(self, runtime: Runtime, registry: PackageRegistry, core: MuranoPackage) -> None:
        self._runtime = runtime
        self.registry = registry
        self.core = core
        self._resolved: dict[tuple[int, str], MuranoClass] = {}
        self._built: dict[tuple[str, str, str], MuranoClass] = {}
        self._of_types: dict[TypeName, MuranoClass] = {}
        self._building: list[str] = []
        self._too_deep: dict[str, MuranoError] = {}

    def list_classes(self) -> list[MuranoClass]:
        return list(self._built.values())

    def resolve_name(self, name: str, inside: MuranoClass) -> MuranoClass:
        """Return the class that a name refers to in the code of another class."""
        try:
            full = inside.node.namespaces.resolve(name)
        except UnknownPrefixError as error:
            hint = did_you_mean(error.prefix, inside.node.namespaces.table)
            raise MuranoError(UNKNOWN_CLASS, str(error), hint=hint) from None
        return self.find(full, inside.package)

    def find(self, name: str, package: MuranoPackage) -> MuranoClass:
        """Return the class with a full name as a package sees it."""
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

    def _visible(self, package: MuranoPackage) -> list[MuranoPackage]:
        return [package, *self.registry.find_required(package), self.core]

    def of_type(self, type_: TypeName) -> MuranoClass:
        """Return the class that the header of an object names, in any package."""
        cls = self._of_types.get(type_)
        if cls is None:
            cls = self._of_types[type_] = self._find_by_type(type_)
        return cls

    def _find_by_type(self, type_: TypeName) -> MuranoClass:
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

    def in_core(self, name: str) -> MuranoClass:
        return self.find(name, self.core)

    def _class(self, node: ClassNode, package: MuranoPackage) -> MuranoClass:
        key = (package.name, str(package.manifest.version), node.name)
        cls = self._built.get(key)
        if cls is None:
            cls = self._built[key] = self._build(node, package)
            check_meta(cls)
        return cls

    def _build(self, node: ClassNode, package: MuranoPackage) -> MuranoClass:
        if node.name in self._building:
            circle = " → ".join((*self._building[self._building.index(node.name) :], node.name))
            raise MuranoError(
                UNKNOWN_CLASS,
                f"classes extend each other in a circle: {circle}",
                place=Place(node.source, node.span),
            )
        if node.name in self._too_deep or len(self._building) >= DEEPEST_CLASS:
            # One finding per chain: later lookups of the same class raise the first failure again.
            error = next(iter(self._too_deep.values()), None) or MuranoError(
                UNKNOWN_CLASS,
                f"{self._building[0]} has more than {DEEPEST_CLASS} ancestors",
                place=Place(node.source, node.span),
            )
            self._too_deep.update(dict.fromkeys(self._building, error))
            raise error
        self._building.append(node.name)
        try:
            parents = tuple(self._parent(name.text, node, package, name.span) for name in node.extends)
            if not parents and node.name != ROOT:
                parents = (self.in_core(ROOT),)
            meta = next((parent for parent in parents if parent.node.usage == "Meta"), None)
            if meta is not None and node.usage != "Meta":
                raise MuranoError(
                    FORM,
                    f"{node.name} extends the meta class {meta.name} but is none",
                    place=Place(node.source, node.span),
                    hint="only a class with `Usage: Meta` can",
                )
            return build_class(node, package, self._runtime, parents)
        finally:
            self._building.pop()

    def _parent(self, name: str, node: ClassNode, package: MuranoPackage, span: Any) -> MuranoClass:
        try:
            return self.find(name, package)
        except MuranoError as error:
            error.place = error.place or Place(node.source, span)
            raise


def _of_version(providers: list[MuranoPackage], type_: TypeName) -> list[MuranoPackage]:
    """Return the newest package that matches the version in a header; without one, the newest 0.x if there is
    any.
    """
    if type_.version is None:
        fitting = [provider for provider in providers if provider.manifest.version.major == 0] or providers
    else:
        try:
            spec = VersionSpec.parse(type_.version)
        except VersionError as error:
            raise MuranoError(MODEL_FORM, f"type {type_.name}: {error}") from None
        fitting = [provider for provider in providers if spec.allows(provider.manifest.version)]
        if not fitting:
            versions = ", ".join(sorted(str(provider.manifest.version) for provider in providers))
            raise MuranoError(
                UNKNOWN_CLASS,
                f"the class {type_.name} is there in the versions {versions}, not in {type_.version}",
            )
    return [newest_package(fitting)]


def _require_hint(name: str, registry: PackageRegistry, package: MuranoPackage) -> str | None:
    if not is_qualified_name(name):
        return None
    for provider in registry.providers(name):
        if provider is not package:
            return f"package {provider.name} has it: add it to Require in the manifest"
    return None
