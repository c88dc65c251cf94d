"""Signatures of plugins: annotations are types of the language, as strings or as Python types.

The declaration is read from the function itself with the same result as `inspect.signature`. Importing
`inspect` takes longer than everything else that a small model needs, and `std` alone has eighty
functions.
"""

from __future__ import annotations

import numbers
import sys
import types
import typing
from collections import abc
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any, Final

from msgspec import Struct

from sabir.errors import PluginError
from sabir.graph.values import Unknown
from sabir.languages.inmanta.evaluate.functions import PluginFunction, PluginParameter
from sabir.languages.inmanta.evaluate.plugins.api import Context, RegisteredPlugin
from sabir.languages.inmanta.evaluate.plugins.engine.plugins import resolve_callable
from sabir.languages.inmanta.evaluate.values import ModelInstance
from sabir.languages.inmanta.evaluate.views import wrap_python_function
from sabir.languages.inmanta.model.definitions import Definitions
from sabir.languages.inmanta.model.entities import EntityType
from sabir.languages.inmanta.model.types import (
    ANY,
    PRIMITIVES,
    Late,
    ValueType,
    dict_of,
    list_of,
    nullable_type,
)
from sabir.languages.inmanta.syntax.project import Namespace
from sabir.session import Session

if sys.version_info >= (3, 12):
    TYPE_ALIASES: Final[tuple[type[Any], ...]] = (typing.TypeAliasType,)
else:
    TYPE_ALIASES: Final[tuple[type[Any], ...]] = ()
"""Classes of what `type Name = …` creates. Older versions of Python have no such statement."""
_VARIADIC: Final = 0x04
_KEYWORDS: Final = 0x08


class _Absent:
    def __repr__(self) -> str:
        return "<absent>"


ABSENT: Final = _Absent()
"""No default, or no annotation."""


class DeclaredParameter(Struct, frozen=True):
    """A parameter of a Python function; `default` and `annotation` may be the marker for none."""

    name: str
    annotation: Any
    default: Any
    only_by_name: bool


class ModelType:
    """A type of the language in an annotation: `Annotated[Any, ModelType["std::port"]]`."""

    def __init__(self, model_type: str) -> None:
        self.model_type = model_type

    def __class_getitem__(cls, model_type: str) -> ModelType:
        return cls(model_type)


class DeclaredSignature(Struct, frozen=True):
    """The parameters and the return annotation of a Python function."""

    parameters: tuple[DeclaredParameter, ...]
    """Without `*args` and `**kwargs`."""
    variadic: DeclaredParameter | None
    """`*args`, of which each value is as its annotation says."""
    keywords: DeclaredParameter | None
    """`**kwargs`"""
    returned: Any

    @property
    def everything(self) -> tuple[DeclaredParameter, ...]:
        return (*self.parameters, *filter(None, (self.variadic, self.keywords)))


def resolve_alias(annotation: Any) -> Any:
    """Return the type that an alias stands for, or the annotation itself if it is not an alias."""
    while isinstance(annotation, TYPE_ALIASES):
        annotation = annotation.__value__
    return annotation


def read_signature(function: Callable[..., Any]) -> DeclaredSignature:
    """Return the signature of a function; of a wrapper (`functools.wraps`) that of the wrapped function."""
    seen: set[int] = set()
    while id(function) not in seen:
        seen.add(id(function))
        function = getattr(function, "__wrapped__", function)
    if not isinstance(function, FunctionType) or hasattr(function, "__signature__"):
        return _inspect_signature(function)
    code = function.__code__
    annotations = function.__annotations__
    defaults = function.__defaults__ or ()
    by_name = function.__kwdefaults__ or {}
    count, more = code.co_argcount, code.co_kwonlyargcount
    first = count - len(defaults)
    parameters = [
        DeclaredParameter(
            name, annotations.get(name, ABSENT), ABSENT if at < first else defaults[at - first], False
        )
        for at, name in enumerate(code.co_varnames[:count])
    ]
    parameters += (
        DeclaredParameter(name, annotations.get(name, ABSENT), by_name.get(name, ABSENT), True)
        for name in code.co_varnames[count : count + more]
    )
    rest = iter(code.co_varnames[count + more :])

    def collecting(flag: int) -> DeclaredParameter | None:
        name = next(rest) if code.co_flags & flag else None
        return None if name is None else DeclaredParameter(name, annotations.get(name, ABSENT), ABSENT, False)

    return DeclaredSignature(
        tuple(parameters),
        variadic=collecting(_VARIADIC),
        keywords=collecting(_KEYWORDS),
        returned=annotations.get("return", ABSENT),
    )


def asks_for_session(function: Callable[..., Any]) -> bool:
    """Return whether the first parameter of a bundled function is the session, so its result depends on it."""
    return "Session" in getattr(function, "__annotations__", {}).values()


def with_session(function: Callable[..., Any], session: Session) -> Callable[..., Any]:
    """Return the function with the session bound, if it declares one."""
    return partial(function, session) if asks_for_session(function) else function


def _inspect_signature(function: Callable[..., Any]) -> DeclaredSignature:
    """Return the signature of any other callable: an object, a partial function."""
    import inspect

    signature = inspect.signature(function)
    kinds = inspect.Parameter

    def present(value: Any) -> Any:
        return ABSENT if value is kinds.empty else value

    by_kind: dict[Any, list[DeclaredParameter]] = {}
    for parameter in signature.parameters.values():
        only_by_name = parameter.kind is kinds.KEYWORD_ONLY
        declared = DeclaredParameter(
            parameter.name, present(parameter.annotation), present(parameter.default), only_by_name
        )
        collects = parameter.kind in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD)
        by_kind.setdefault(parameter.kind if collects else None, []).append(declared)
    return DeclaredSignature(
        tuple(by_kind.get(None, ())),
        variadic=next(iter(by_kind.get(kinds.VAR_POSITIONAL, ())), None),
        keywords=next(iter(by_kind.get(kinds.VAR_KEYWORD, ())), None),
        returned=present(signature.return_annotation),
    )


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


class AnnotationError(PluginError):
    """Raised if an annotation of a plugin is missing or not a type."""


def language_type(
    annotation: Any, definitions: Definitions, space: Namespace, names: dict[str, Any] | None = None
) -> ValueType:
    """Return the type an annotation names. A Python class without an equivalent type accepts anything."""
    if isinstance(annotation, str):
        text = annotation.strip()
        if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
            text = text[1:-1]  # a string annotation under `from __future__ import annotations`
        named = _find_named_type(text, definitions, space)
        if named is not None:
            return named
        return language_type(_evaluate_annotation(text, names), definitions, space)
    if isinstance(annotation, TYPE_ALIASES):
        return language_type(resolve_alias(annotation), definitions, space, names)
    if annotation in (ABSENT, Any, object):
        return ANY
    try:
        if annotation in _PYTHON:
            return _PYTHON[annotation]
    except TypeError:
        return ANY
    return _generic_type(annotation, definitions, space)


def _check_type(annotation: Any) -> None:
    """Reject an annotation that is not a type. A type argument may be anything and is then not restricted."""
    if annotation is None or isinstance(annotation, (str, type, *TYPE_ALIASES)):
        return
    if annotation in (typing.Union, typing.Optional):
        raise AnnotationError(f"{annotation} is no type by itself: say of what, like Union[int, str]")
    if annotation not in (ABSENT, Any) and typing.get_origin(annotation) is None:
        raise AnnotationError(f"{annotation!r} is no type")


def _evaluate_annotation(text: str, names: dict[str, Any] | None) -> Any:
    """Evaluate an annotation kept as a string, with the names of the plugin's own module."""
    try:
        return eval(text, names or {})  # noqa: S307  # the plug-in's own code, which is being loaded anyway
    except Exception:  # noqa: BLE001  # whatever is wrong with it
        raise AnnotationError(f"there is no type {text!r}") from None


def _generic_type(annotation: Any, definitions: Definitions, space: Namespace) -> ValueType:
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
            raise AnnotationError(f"the keys of a dict are strings, and {annotation} says otherwise")
        return dict_of(language_type(arguments[-1], definitions, space)) if arguments else PRIMITIVES["dict"]
    if isinstance(annotation, type) and hasattr(annotation, "__dataclass_fields__"):
        return _of_entity(annotation, definitions)
    if isinstance(origin, type) and issubclass(origin, Late):
        return references_of(language_type(arguments[0], definitions, space) if arguments else ANY)
    if isinstance(origin, type) and issubclass(origin, abc.Set):
        raise AnnotationError(f"there are no sets in the language: {annotation} is a list[…]")
    return ANY


def _of_entity(cls: type, definitions: Definitions) -> ValueType:
    """Return the type of the instances of the entity that a dataclass stands for."""
    from sabir.languages.inmanta.evaluate.plugins.dataclasses import entity_of

    entity = entity_of(cls, definitions)
    if entity is None:
        raise AnnotationError(f"no entity stands for the data class {cls.__name__}")
    return instances_of(entity, entity.shown)


def _find_named_type(name: str, definitions: Definitions, space: Namespace) -> ValueType | None:
    if name.endswith("?"):
        inner = _find_named_type(name[:-1], definitions, space)
        return None if inner is None else nullable_type(inner)
    if name.endswith("[]"):
        inner = _find_named_type(name[:-2], definitions, space)
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
    """Return the type that accepts references, whose values only deployment looks up, and unknown values."""
    return ValueType(f"Reference[{item.name}]", lambda value: isinstance(value, (Late, Unknown)))


def instances_of(entity: EntityType, shown: str) -> ValueType:
    """Return the type of the instances of an entity. An unknown value may become one."""

    def accepts(value: object) -> bool:
        if isinstance(value, ModelInstance):
            return entity in value.entity.ancestor_set
        return isinstance(value, Unknown)

    return ValueType(shown, accepts)


def function_of(
    registered: RegisteredPlugin,
    full: str,
    definitions: Definitions,
    space: Namespace,
    session: Session | None,
) -> PluginFunction:
    """Return a registered plugin as a function of the language. Bundled functions may use the session."""
    function: Callable[..., Any] = resolve_callable(registered.function)
    declared = read_signature(registered.function)
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

    def parameter(declaration: DeclaredParameter) -> PluginParameter:
        kind = language_type(declaration.annotation, definitions, space, annotated)
        return PluginParameter(
            declaration.name,
            kind,
            declaration.default is ABSENT,
            declaration.only_by_name,
            references=_says_reference(declaration.annotation),
        )

    in_python = [_resolve_annotation(declaration.annotation, names) for declaration in declarations]
    returned = declared.returned
    returns = None if returned is ABSENT else language_type(returned, definitions, space, annotated)
    return PluginFunction(
        full,
        _wrap_function(function, in_python) if session is None else with_session(function, session),
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


def _check_annotated(declared: DeclaredSignature) -> None:
    for declaration in declared.everything:
        if declaration.annotation is ABSENT:
            raise AnnotationError(f"{declaration.name!r} has no annotation that says of which type it is")
        _check_type(declaration.annotation)
    _check_type(declared.returned)


def _context_first(function: Callable[..., Any], at: int, name: str) -> Callable[..., Any]:
    """Return the function with the context as first parameter, wherever it declares it."""
    if at == 0:
        return function

    def call(context: Any, *values: Any, **named: Any) -> Any:
        if len(values) < at:
            return function(*values, **named, **{name: context})
        return function(*values[:at], context, *values[at:], **named)

    return call


def _wrap_function(function: Callable[..., Any], annotations: list[Any]) -> Callable[..., Any]:
    from sabir.languages.inmanta.evaluate.plugins.dataclasses import as_object, wants_objects

    return (
        wrap_python_function(function, as_object)
        if any(map(wants_objects, annotations))
        else wrap_python_function(function)
    )


def _resolve_annotation(annotation: Any, names: dict[str, Any]) -> Any:
    """Return the Python type of an annotation; a type of the language has none."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return _evaluate_annotation(annotation, names)
    except AnnotationError:
        return None


def _has_dataclasses(names: dict[str, Any]) -> bool:
    """Return whether the file of a plugin knows dataclasses, so that it may return objects."""
    return any(hasattr(value, "__dataclass_fields__") for value in names.values() if isinstance(value, type))


def _is_context(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return annotation.rpartition(".")[2] == "Context"
    return annotation is Context or getattr(annotation, "__name__", "") == "Context"
