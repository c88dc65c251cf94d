"""Signatures of plug-ins: annotations are types of the language, written as strings or as Python types."""

from __future__ import annotations

import numbers
import types
import typing
from collections import abc
from collections.abc import Callable
from typing import Any

from sabir.graph.values import Unknown
from sabir.languages.inmanta.evaluate.functions import Function, Parameter
from sabir.languages.inmanta.evaluate.plugins.api import Context, Registered
from sabir.languages.inmanta.evaluate.plugins.declared import (
    ABSENT,
    TYPE_ALIASES,
    Declared,
    DeclaredParameter,
    ModelType,
    asks_for_session,
    declared_by,
    resolve_alias,
    with_session,
)
from sabir.languages.inmanta.evaluate.plugins.engine.plugins import called
from sabir.languages.inmanta.evaluate.values import Instance
from sabir.languages.inmanta.evaluate.views import seen_by_python
from sabir.languages.inmanta.model.definitions import Definitions
from sabir.languages.inmanta.model.entities import EntityType
from sabir.languages.inmanta.model.types import ANY, PRIMITIVES, Late, ValueType, dict_of, list_of, nullable
from sabir.languages.inmanta.syntax.project import Namespace
from sabir.session import Session

__all__ = ["BadAnnotation", "function_of", "language_type"]

_NULL = ValueType("null", lambda value: value is None)
_PYTHON: dict[Any, ValueType] = {
    str: PRIMITIVES["string"],
    int: PRIMITIVES["int"],
    float: PRIMITIVES["float"],
    numbers.Number: PRIMITIVES["number"],
    bool: PRIMITIVES["bool"],
    dict: PRIMITIVES["dict"],
    list: PRIMITIVES["list"],
    None: _NULL,
    type(None): _NULL,
}


class BadAnnotation(Exception):
    """An annotation of a plug-in that is missing or says nothing."""


def language_type(
    annotation: Any, definitions: Definitions, space: Namespace, names: dict[str, Any] | None = None
) -> ValueType:
    """The type an annotation names; a class of Python that no type stands for accepts anything."""
    if isinstance(annotation, str):
        text = annotation.strip()
        if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
            text = text[1:-1]  # a string annotation under `from __future__ import annotations`
        named = _named(text, definitions, space)
        if named is not None:
            return named
        return language_type(_evaluated(text, names), definitions, space)
    if isinstance(annotation, TYPE_ALIASES):
        return language_type(resolve_alias(annotation), definitions, space, names)
    if annotation in (ABSENT, Any, object):
        return ANY
    try:
        if annotation in _PYTHON:
            return _PYTHON[annotation]
    except TypeError:
        return ANY
    return _generic(annotation, definitions, space)


def _check_type(annotation: Any) -> None:
    """What stands alone as an annotation is a type; what stands inside of one may be anything, and restricts nothing then."""
    if annotation is None or isinstance(annotation, (str, type, *TYPE_ALIASES)):
        return
    if annotation in (typing.Union, typing.Optional):
        raise BadAnnotation(f"{annotation} is no type by itself: say of what, like Union[int, str]")
    if annotation not in (ABSENT, Any) and typing.get_origin(annotation) is None:
        raise BadAnnotation(f"{annotation!r} is no type")


def _evaluated(text: str, names: dict[str, Any] | None) -> Any:
    """A Python annotation kept as text, in the names of the plug-in's own module."""
    try:
        return eval(text, names or {})  # noqa: S307  # the plug-in's own code, which is being loaded anyway
    except Exception:  # noqa: BLE001  # whatever is wrong with it
        raise BadAnnotation(f"there is no type {text!r}") from None


def _generic(annotation: Any, definitions: Definitions, space: Namespace) -> ValueType:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        named = [argument.model_type for argument in arguments[1:] if isinstance(argument, ModelType)]
        return language_type(named[-1] if named else arguments[0], definitions, space)
    if origin in (typing.Union, types.UnionType):
        inner = [language_type(argument, definitions, space) for argument in arguments]
        name = " | ".join(member.name for member in inner)
        return ValueType(name, lambda value: any(member.accepts(value) for member in inner))
    if origin is typing.Literal:
        return ValueType(str(arguments), lambda value: value in arguments)
    if origin in (list, abc.Sequence):
        return list_of(language_type(arguments[0], definitions, space)) if arguments else PRIMITIVES["list"]
    if origin in (dict, abc.Mapping):
        if arguments and arguments[0] is not str:
            raise BadAnnotation(f"the keys of a dict are strings, and {annotation} says otherwise")
        return dict_of(language_type(arguments[-1], definitions, space)) if arguments else PRIMITIVES["dict"]
    if isinstance(annotation, type) and hasattr(annotation, "__dataclass_fields__"):
        return _of_entity(annotation, definitions)
    if isinstance(origin, type) and issubclass(origin, Late):
        return references_of(language_type(arguments[0], definitions, space) if arguments else ANY)
    if isinstance(origin, type) and issubclass(origin, abc.Set):
        raise BadAnnotation(f"there are no sets in the language: {annotation} is a list[…]")
    return ANY


def _of_entity(cls: type, definitions: Definitions) -> ValueType:
    """The instances of the entity that a data class stands for."""
    from sabir.languages.inmanta.evaluate.plugins.objects import entity_of

    entity = entity_of(cls, definitions)
    if entity is None:
        raise BadAnnotation(f"no entity stands for the data class {cls.__name__}")
    return instances_of(entity, entity.shown)


def _named(name: str, definitions: Definitions, space: Namespace) -> ValueType | None:
    if name.endswith("?"):
        inner = _named(name[:-1], definitions, space)
        return None if inner is None else nullable(inner)
    if name.endswith("[]"):
        inner = _named(name[:-2], definitions, space)
        return None if inner is None else list_of(inner)
    if name in ("null", "None"):
        return _NULL
    if name in ("expression", "any"):
        return ANY
    declared = definitions.value_type(name, space)
    if declared is not None:
        return declared
    # A plug-in may name any loaded type by its full name, imported or not.
    entity = definitions.entity(name, space) or definitions.entities.get(name)
    if entity is not None:
        return instances_of(entity, name)
    return definitions.typedefs.get(name)


def references_of(item: ValueType) -> ValueType:
    """Values that only deployment looks up."""
    return ValueType(f"Reference[{item.name}]", lambda value: isinstance(value, (Late, Unknown)))


def instances_of(entity: EntityType, shown: str) -> ValueType:
    """The instances of an entity; what is not known yet may become one."""

    def accepts(value: object) -> bool:
        if isinstance(value, Instance):
            return entity in value.entity.ancestor_set
        return isinstance(value, Unknown)

    return ValueType(shown, accepts)


def function_of(
    registered: Registered, full: str, definitions: Definitions, space: Namespace, session: Session | None
) -> Function:
    """A registered plug-in as a function of the language; a session for functions of ours, which may ask for it."""
    function: Callable[..., Any] = called(registered.function)
    declared = declared_by(registered.function)
    names: dict[str, Any] = getattr(registered.function, "__globals__", {})
    # Text that somebody wrote as an annotation is a type of the language; all of it is text with `from __future__ import
    # annotations`, and may be a type of Python then.
    annotated = names if session is not None or _keeps_text(registered.function) else {"__builtins__": {}}
    if session is None:
        _check_annotated(declared)
    declarations = list(declared.parameters)
    contexts = [at for at, declaration in enumerate(declarations) if _is_context(declaration.annotation)]
    if contexts:
        at = contexts[0]
        function = _context_first(function, at, declarations.pop(at).name)
    elif session is not None and asks_for_session(function):
        del declarations[0]

    def parameter(declaration: DeclaredParameter) -> Parameter:
        kind = language_type(declaration.annotation, definitions, space, annotated)
        return Parameter(
            declaration.name,
            kind,
            declaration.default is ABSENT,
            declaration.only_by_name,
            references=_says_reference(declaration.annotation),
        )

    in_python = [_resolved(declaration.annotation, names) for declaration in declarations]
    returned = declared.returned
    returns = None if returned is ABSENT else language_type(returned, definitions, space, annotated)
    return Function(
        full,
        _seen(function, in_python) if session is None else with_session(function, session),
        tuple(map(parameter, declarations)),
        returns,
        context=bool(contexts),
        allow_unknown=registered.allow_unknown,
        foreign=session is None,
        gives_objects=session is None and _has_dataclasses(names),
        variadic=None if declared.variadic is None else parameter(declared.variadic),
        keywords=None if declared.keywords is None else parameter(declared.keywords),
    )


def _says_reference(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return "Reference" in annotation
    if isinstance(annotation, TYPE_ALIASES):
        return _says_reference(resolve_alias(annotation))
    origin = typing.get_origin(annotation) or annotation
    if isinstance(origin, type) and issubclass(origin, Late):
        return True
    return any(map(_says_reference, typing.get_args(annotation))) if origin is not typing.Literal else False


def _keeps_text(function: Any) -> bool:
    flags: int = getattr(getattr(function, "__code__", None), "co_flags", 0)
    return bool(flags & annotations.compiler_flag)


def _check_annotated(declared: Declared) -> None:
    for declaration in declared.everything:
        if declaration.annotation is ABSENT:
            raise BadAnnotation(f"{declaration.name!r} has no annotation that says of which type it is")
        _check_type(declaration.annotation)
    _check_type(declared.returned)


def _context_first(function: Callable[..., Any], at: int, name: str) -> Callable[..., Any]:
    """The function with the context of its call in front, wherever it declares it."""
    if at == 0:
        return function

    def call(context: Any, *values: Any, **named: Any) -> Any:
        if len(values) < at:
            return function(*values, **named, **{name: context})
        return function(*values[:at], context, *values[at:], **named)

    return call


def _seen(function: Callable[..., Any], annotations: list[Any]) -> Callable[..., Any]:
    from sabir.languages.inmanta.evaluate.plugins.objects import as_object, wants_objects

    return (
        seen_by_python(function, as_object)
        if any(map(wants_objects, annotations))
        else seen_by_python(function)
    )


def _resolved(annotation: Any, names: dict[str, Any]) -> Any:
    """What an annotation is in Python; a type of the language is nothing there."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return _evaluated(annotation, names)
    except BadAnnotation:
        return None


def _has_dataclasses(names: dict[str, Any]) -> bool:
    """Whether the file of a plug-in knows data classes, of which it may answer objects."""
    return any(hasattr(value, "__dataclass_fields__") for value in names.values() if isinstance(value, type))


def _is_context(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return annotation.rpartition(".")[2] == "Context"
    return annotation is Context or getattr(annotation, "__name__", "") == "Context"
