"""Signatures of plug-ins: annotations are types of the language, written as strings or as Python types."""

from __future__ import annotations

import types
import typing
from collections import abc
from collections.abc import Callable
from typing import Any

from sabir.languages.inmanta.evaluate.functions import Function, Parameter
from sabir.languages.inmanta.evaluate.plugins.api import Context, Registered
from sabir.languages.inmanta.evaluate.plugins.declared import (
    ABSENT,
    asks_for_session,
    declared_by,
    with_session,
)
from sabir.languages.inmanta.evaluate.plugins.engine.plugins import called
from sabir.languages.inmanta.evaluate.values import Instance
from sabir.languages.inmanta.evaluate.views import seen_by_python
from sabir.languages.inmanta.model.definitions import Definitions
from sabir.languages.inmanta.model.types import ANY, PRIMITIVES, Late, ValueType, list_of, nullable
from sabir.languages.inmanta.syntax.project import Namespace
from sabir.session import Session

__all__ = ["function_of", "language_type"]

_NULL = ValueType("null", lambda value: value is None)
_PYTHON: dict[Any, ValueType] = {
    str: PRIMITIVES["string"],
    int: PRIMITIVES["int"],
    float: PRIMITIVES["number"],
    bool: PRIMITIVES["bool"],
    dict: PRIMITIVES["dict"],
    list: PRIMITIVES["list"],
    None: _NULL,
    type(None): _NULL,
}


def language_type(
    annotation: Any, definitions: Definitions, space: Namespace, names: dict[str, Any] | None = None
) -> ValueType:
    """The type an annotation names; what cannot be understood accepts anything."""
    if isinstance(annotation, str):
        text = annotation.strip()
        if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
            text = text[1:-1]  # a string annotation under `from __future__ import annotations`
        named = _named(text, definitions, space)
        if named is not None:
            return named
        return language_type(_evaluated(text, names), definitions, space)
    if annotation in (ABSENT, Any, object):
        return ANY
    try:
        if annotation in _PYTHON:
            return _PYTHON[annotation]
    except TypeError:
        return ANY
    return _generic(annotation, definitions, space)


def _evaluated(text: str, names: dict[str, Any] | None) -> Any:
    """A Python annotation kept as text, in the names of the plug-in's own module."""
    if names is None or "::" in text:
        return Any
    try:
        return eval(text, names)  # noqa: S307  # the plug-in's own code, which is being loaded anyway
    except Exception:  # noqa: BLE001  # an annotation that means nothing restricts nothing
        return Any


def _generic(annotation: Any, definitions: Definitions, space: Namespace) -> ValueType:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        marks = (getattr(argument, "model_type", argument) for argument in arguments[1:])
        named = [mark for mark in marks if isinstance(mark, str)]
        return language_type(named[0] if named else arguments[0], definitions, space)
    if origin in (typing.Union, types.UnionType):
        inner = [language_type(argument, definitions, space) for argument in arguments]
        name = " | ".join(member.name for member in inner)
        return ValueType(name, lambda value: any(member.accepts(value) for member in inner))
    if origin is typing.Literal:
        return ValueType(str(arguments), lambda value: value in arguments)
    if origin in (list, abc.Sequence, abc.Iterable, abc.Collection):
        return list_of(language_type(arguments[0], definitions, space)) if arguments else PRIMITIVES["list"]
    if origin in (dict, abc.Mapping):
        return PRIMITIVES["dict"]
    if isinstance(annotation, type) and hasattr(annotation, "__dataclass_fields__"):
        return _of_entity(annotation, definitions)
    if isinstance(origin, type) and issubclass(origin, Late):
        return language_type(arguments[0], definitions, space) if arguments else ANY
    return ANY


def _of_entity(cls: type, definitions: Definitions) -> ValueType:
    """The instances of the entity that a data class stands for."""
    from sabir.languages.inmanta.evaluate.plugins.objects import entity_of

    entity = entity_of(cls, definitions)
    if entity is None:
        return ANY
    wanted = entity
    return ValueType(
        entity.shown, lambda value: isinstance(value, Instance) and wanted in value.entity.ancestor_set
    )


def _named(name: str, definitions: Definitions, space: Namespace) -> ValueType | None:
    if name.endswith("?"):
        inner = _named(name[:-1], definitions, space)
        return None if inner is None else nullable(inner)
    if name.endswith("[]"):
        inner = _named(name[:-2], definitions, space)
        return None if inner is None else list_of(inner)
    if name in ("null", "None"):
        return _NULL
    if name in ("expression", "object", "any", "Any"):
        return ANY
    if name in ("str",):
        return PRIMITIVES["string"]
    declared = definitions.value_type(name, space)
    if declared is not None:
        return declared
    # A plug-in may name any loaded type by its full name, imported or not.
    entity = definitions.entity(name, space) or definitions.entities.get(name)
    if entity is not None:
        wanted = entity
        return ValueType(
            name, lambda value: isinstance(value, Instance) and wanted in value.entity.ancestor_set
        )
    return definitions.typedefs.get(name)


def function_of(
    registered: Registered, full: str, definitions: Definitions, space: Namespace, session: Session | None
) -> Function:
    """A registered plug-in as a function of the language; a session for functions of ours, which may ask for it."""
    function: Callable[..., Any] = called(registered.function)
    declared = declared_by(registered.function)
    names: dict[str, Any] = getattr(registered.function, "__globals__", {})
    declarations = list(declared.parameters)
    context = bool(declarations) and _is_context(declarations[0].annotation)
    if context or (session is not None and asks_for_session(function)):
        del declarations[0]
    parameters: list[Parameter] = []
    for declaration in declarations:
        kind = language_type(declaration.annotation, definitions, space, names)
        if declaration.default is None:
            kind = nullable(kind)
        parameters.append(
            Parameter(declaration.name, kind, declaration.default is ABSENT, declaration.only_by_name)
        )
    annotations = [_resolved(declaration.annotation, names) for declaration in declarations]
    returned = declared.returned
    returns = None if returned is ABSENT else language_type(returned, definitions, space, names)
    return Function(
        full,
        _seen(function, annotations) if session is None else with_session(function, session),
        tuple(parameters),
        returns,
        context=context,
        allow_unknown=registered.allow_unknown,
        foreign=session is None,
        gives_objects=session is None and _has_dataclasses(names),
        variadic=declared.variadic,
        keywords=declared.keywords,
    )


def _seen(function: Callable[..., Any], annotations: list[Any]) -> Callable[..., Any]:
    from sabir.languages.inmanta.evaluate.plugins.objects import as_object, wants_objects

    return (
        seen_by_python(function, as_object)
        if any(map(wants_objects, annotations))
        else seen_by_python(function)
    )


def _resolved(annotation: Any, names: dict[str, Any]) -> Any:
    return _evaluated(annotation, names) if isinstance(annotation, str) else annotation


def _has_dataclasses(names: dict[str, Any]) -> bool:
    """Whether the file of a plug-in knows data classes, of which it may answer objects."""
    return any(hasattr(value, "__dataclass_fields__") for value in names.values() if isinstance(value, type))


def _is_context(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return annotation.rpartition(".")[2] == "Context"
    return annotation is Context or getattr(annotation, "__name__", "") == "Context"
