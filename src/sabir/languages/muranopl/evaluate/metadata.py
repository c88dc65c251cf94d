"""`Meta`: objects attached to packages, classes, properties, methods and arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sabir.languages.muranopl.evaluate.classes import MuranoClass
from sabir.languages.muranopl.evaluate.errors import MuranoError
from sabir.languages.muranopl.evaluate.hosts import CONTEXT, DEPTH, THIS
from sabir.languages.muranopl.evaluate.objects import MuranoObject
from sabir.languages.muranopl.syntax.nodes import ListValue, Value
from sabir.source.text import Place

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.methods import Method

__all__ = ["meta_of_class", "meta_of_value", "synchronises"]

SYNCHRONIZE = "io.murano.metadata.engine.Synchronize"


def meta_of_value(meta: Value | None, cls: MuranoClass, target: str) -> tuple[MuranoObject, ...]:
    """The meta objects that a `Meta` section of a target (`Type`, `Property` …) describes, made when first asked for."""
    if meta is None:
        return ()
    found: list[MuranoObject] = []
    for part in meta.items if isinstance(meta, ListValue) else (meta,):
        object_ = _object(part, cls)
        _check_attached(
            object_.cls, target, [other.cls for other in found], Place(cls.node.source, part.span)
        )
        found.append(object_)
    return tuple(found)


def _check_attached(meta: MuranoClass, target: str, before: list[MuranoClass], place: Place) -> None:
    """`Applies` says what a meta class may be attached to, `Cardinality: One` that once is enough."""
    applies = meta.node.applies
    if applies and not {target, "All"} & set(applies):
        raise MuranoError(
            "DslSyntaxError",
            f"{meta.name} cannot be attached to a {target.lower()}: it applies to {', '.join(applies)}",
            place=place,
        )
    if meta.node.cardinality == "One" and meta in before:
        raise MuranoError(
            "DslSyntaxError",
            f"{meta.name} is attached twice, but its Cardinality is One",
            place=place,
            hint="leave one out, or declare the meta class with `Cardinality: Many`",
        )


def _object(part: Value, cls: MuranoClass) -> MuranoObject:
    value = cls.engine.guarded_value(part)({"$": cls, THIS: cls, CONTEXT: cls.context, DEPTH: 0})
    place = Place(cls.node.source, part.span)
    if isinstance(value, str):
        value = cls.resolve(value)
    if isinstance(value, MuranoClass):
        value = {value: {}}
    if isinstance(value, dict):
        value = {_class_key(key, cls, len(value)): item for key, item in value.items()}
    if not isinstance(value, dict) or not any(isinstance(key, MuranoClass) for key in value):
        raise MuranoError("DslSyntaxError", "an entry of Meta is `ns:MetaClass: {properties}`", place=place)
    meta_class = next(key for key in value if isinstance(key, MuranoClass))
    if meta_class.node.usage != "Meta":
        raise MuranoError(
            "DslSyntaxError",
            f"{meta_class.name} is no meta class",
            place=place,
            hint="a meta class has `Usage: Meta`",
        )
    return cls.runtime.loader.instantiate(value, None, meta_class)


def _class_key(key: Any, cls: MuranoClass, count: int) -> Any:
    return cls.resolve(key) if isinstance(key, str) and count == 1 else key


def meta_of_class(cls: MuranoClass) -> tuple[MuranoObject, ...]:
    """Own meta objects, and those of ancestors whose meta class is `Inherited`; with `Cardinality: One` the nearest
    of a kind counts."""
    found: list[MuranoObject] = []
    for one in cls.lineage:
        if one.metadata is None:
            one.metadata = meta_of_value(one.node.meta, one, "Type")
        for meta in one.metadata:
            single = meta.cls.node.cardinality == "One"
            if one is not cls and not meta.cls.node.inherited:
                continue
            if single and any(other.cls is meta.cls for other in found):
                continue
            found.append(meta)
    return tuple(found)


def synchronises(method: Method) -> bool:
    """Whether calls of a method on one object wait for each other; `Synchronize` with `onThis: false` says no."""
    if method.node.meta is None:
        return True
    for meta in meta_of_value(method.node.meta, method.cls, "Method"):
        if meta.cls.name == SYNCHRONIZE:
            return bool(meta.properties.get("onThis", True))
    return True
