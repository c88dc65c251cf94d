"""`Meta`: objects attached to packages, classes, properties, methods and arguments.

Meta objects are created when they are requested. A class also has the meta objects that its ancestors attach
with an `Inherited` meta class; with `Cardinality: One` the nearest of a class wins.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.model.objects import CONTEXT, DEPTH, THIS, MuranoObject
from sabir.languages.muranopl.syntax.defects import FORM
from sabir.languages.muranopl.syntax.nodes import Constant, ListValue, MapValue, Value
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.arguments import MethodArgument
    from sabir.languages.muranopl.evaluate.methods import Method
    from sabir.languages.muranopl.model.properties import PropertyDeclaration


SYNCHRONIZE = "io.murano.metadata.engine.Synchronize"
SERIALIZE = "io.murano.metadata.engine.Serialize"


# -- what a class attaches itself ------------------------------------------------------------------------------------


def check_meta(cls: MuranoClass) -> None:
    """Check that all `Meta` sections of a class name meta classes that are allowed there."""
    for meta, target in _meta_sections(cls):
        before: list[MuranoClass] = []
        for part in _meta_parts(meta):
            _check_attached(part, cls, target, before)


def _meta_sections(cls: MuranoClass) -> Iterator[tuple[Value | None, str]]:
    node = cls.node
    yield node.meta, "Type"
    for property_ in node.properties:
        yield property_.meta, "Property"
    for method in node.methods:
        yield method.meta, "Method"
        for argument in method.arguments:
            yield argument.meta, "Argument"


def _meta_parts(meta: Value | None) -> tuple[Value, ...]:
    if meta is None or (isinstance(meta, Constant) and meta.value is None):
        return ()
    return tuple(meta.items) if isinstance(meta, ListValue) else (meta,)


def _check_attached(part: Value, cls: MuranoClass, target: str, before: list[MuranoClass]) -> MuranoClass:
    """Check `Applies`, the allowed targets of a meta class, and `Cardinality: One`, which forbids a second
    object.
    """
    place = Place(cls.node.source, part.span)
    meta = _meta_class(part, cls, place)
    applies = meta.node.applies
    if applies and not {target, "All"} & set(applies):
        raise MuranoError(
            FORM,
            f"{meta.name} cannot be attached to a {target.lower()}: it applies to {', '.join(applies)}",
            place=place,
        )
    if meta.node.cardinality == "One" and meta in before:
        raise MuranoError(
            FORM,
            f"{meta.name} is attached twice, but its Cardinality is One",
            place=place,
            hint="leave one out, or declare the meta class with `Cardinality: Many`",
        )
    before.append(meta)
    return meta


def _meta_class(part: Value, cls: MuranoClass, place: Place) -> MuranoClass:
    name = part.entries[0][0] if isinstance(part, MapValue) and len(part.entries) == 1 else part
    value = None if isinstance(name, MapValue | ListValue) else _evaluate_value(name, cls)
    if isinstance(value, str):
        try:
            value = cls.resolve(value)
        except MuranoError as error:
            error.place = error.place or place
            raise
    if not isinstance(value, MuranoClass):
        raise MuranoError(FORM, "an entry of Meta is `ns:MetaClass: {properties}`", place=place)
    if value.node.usage != "Meta":
        raise MuranoError(
            FORM,
            f"{value.name} is no meta class",
            place=place,
            hint="a meta class has `Usage: Meta`",
        )
    return value


def _evaluate_value(value: Value, cls: MuranoClass) -> Any:
    return cls.engine.guard_value(value)({"$": cls, THIS: cls, CONTEXT: cls.context, DEPTH: 0})


def _build_meta_objects(meta: Value | None, cls: MuranoClass, target: str) -> tuple[MuranoObject, ...]:
    """Return the meta objects that a `Meta` section describes for a target (`Type`, `Property` …)."""
    before: list[MuranoClass] = []
    metas: list[MuranoObject] = []
    for part in _meta_parts(meta):
        kind = _check_attached(part, cls, target, before)
        properties = _evaluate_value(part.entries[0][1], cls) if isinstance(part, MapValue) else None
        metas.append(cls.runtime.loader.instantiate({kind: properties}, None, kind))
    return tuple(metas)


# -- with what ancestors attach ----------------------------------------------------------------------------------------


def meta_of_class(cls: MuranoClass) -> list[MuranoObject]:
    """Return the meta objects of a class, including inherited ones."""
    return _collect_meta_objects(cls, "", "Type")


def meta_of_property(declaration: PropertyDeclaration) -> list[MuranoObject]:
    """Return the meta objects of a property, including those that ancestors attach to it."""
    return _collect_meta_objects(declaration.cls, declaration.name, "Property")


def meta_of_method(method: Method) -> list[MuranoObject]:
    """Return the meta objects of a method, including those that ancestors attach to it."""
    return _collect_meta_objects(method.cls, method.name, "Method")


def meta_of_argument(argument: MethodArgument, cls: MuranoClass) -> list[MuranoObject]:
    """Return the meta objects of an argument; `cls` is the class of its method. These are not inherited."""
    return list(_build_meta_objects(argument.node.meta, cls, "Argument"))


def meta_of_package(cls: MuranoClass) -> list[MuranoObject]:
    """Return the meta objects that the manifest attaches to the package of a class."""
    return list(_build_meta_objects(cls.package.manifest.meta, cls, "Package"))


def _collect_meta_objects(cls: MuranoClass, member: str, target: str) -> list[MuranoObject]:
    """Return the meta objects of a class or member, and those that ancestors attach with an `Inherited` meta
    class.

    With `Cardinality: One` the nearest object of a meta class wins.
    """
    metas: list[MuranoObject] = []
    for owner in cls.lineage:
        for meta in _own_meta_objects(owner, member, target):
            if owner is not cls and not meta.cls.node.inherited:
                continue
            if meta.cls.node.cardinality == "One" and any(other.cls is meta.cls for other in metas):
                continue
            metas.append(meta)
    return metas


def _own_meta_objects(cls: MuranoClass, member: str, target: str) -> tuple[MuranoObject, ...]:
    metas = cls.metadata.get((target, member))
    if metas is None:
        metas = cls.metadata[target, member] = _build_meta_objects(
            _find_meta_section(cls, member, target), cls, target
        )
    return metas


def _find_meta_section(cls: MuranoClass, member: str, target: str) -> Value | None:
    if target == "Type":
        return cls.node.meta
    if target == "Method":
        return cls.own_methods[member].node.meta if member in cls.own_methods else None
    return cls.own_properties[member].node.meta if member in cls.own_properties else None


# -- what the engine itself reads --------------------------------------------------------------------------------------


class LockScope(Struct, frozen=True):
    """Defines which calls of a method exclude each other in `Parallel`: by object, and by values of arguments."""

    on_this: bool
    on_arguments: tuple[str, ...]


def find_lock_scope(method: Method) -> LockScope:
    """Return the scope that `Synchronize` sets for a method; by default calls on the same object exclude each
    other.
    """
    for meta in meta_of_method(method):
        if meta.cls.name == SYNCHRONIZE:
            return LockScope(bool(meta.properties["onThis"]), tuple(meta.properties["onArgs"]))
    return LockScope(on_this=True, on_arguments=())


def references_of(cls: MuranoClass) -> tuple[str, ...]:
    """Return the properties that `Serialize` with `as: reference` writes as references in dumps and templates."""
    if cls.references is None:
        cls.references = tuple(
            name
            for name, declaration in cls.members.items()
            if any(
                meta.cls.name == SERIALIZE and meta.properties["as"] == "reference"
                for meta in meta_of_property(declaration)
            )
        )
    return cls.references
