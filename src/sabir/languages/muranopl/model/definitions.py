"""Definitions of objects in a model: with a `?` header, with a type as a key, or as bare properties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.errors import MuranoError, format_value
from sabir.languages.muranopl.syntax.rules import failure_rule
from sabir.lazy import lazy_pattern

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.runtime import Runtime


_OWN_ENTRIES = frozenset({"id", "type", "name", "package", "classVersion", "dependencies"})

MODEL_FORM: Final = failure_rule(
    "InvalidModel",
    "MRUN:E026",
    "an object model of the wrong form",
    "A model is a mapping whose '?' entry has the id and the type of the root object; each object inside it has one, too.",
)


class TypeName(Struct, frozen=True):
    """`name/version@package`; version and package are optional."""

    name: str
    version: str | None
    package: str | None


class ObjectDefinition(Struct, frozen=True):
    """A parsed definition: the class, the header and the properties of an object that is to be created."""

    cls: MuranoClass
    id: str | None
    name: str | None
    header: dict[str, Any] | None
    properties: Mapping[Any, Any]


def parse_type(text: str) -> TypeName:
    """Parse `name/version@package`; surrounding blanks are removed."""
    rest, _, package = text.partition("@")
    name, _, version = rest.partition("/")
    return TypeName(name.strip(), version.strip() or None, package.strip() or None)


def parse_definition(
    raw: Mapping[Any, Any], default: MuranoClass | None, runtime: Runtime
) -> ObjectDefinition:
    """Return the definition in a mapping of a model. `default` is the class if it names none."""
    header = raw.get("?")
    if header is None:
        return _without_header(raw, default)
    if not isinstance(header, Mapping):
        raise MuranoError(MODEL_FORM, f"the entry '?' must be a mapping, not {format_value(header)}")
    written = header.get("type")
    if written is None:
        cls = default
    elif isinstance(written, MuranoClass):
        cls = written
    elif isinstance(written, str):
        cls = runtime.class_of_type(_complete_type(written, header))
    else:
        raise MuranoError(MODEL_FORM, f"the type of an object is a text, not {format_value(written)}")
    if cls is None:
        raise MuranoError(
            MODEL_FORM,
            "an object of the model has no type",
            hint="add `type` with the full class name to its '?' entry",
        )
    others = {key: value for key, value in header.items() if key not in _OWN_ENTRIES} or None
    return ObjectDefinition(
        cls, _optional_text(header.get("id")), _optional_text(header.get("name")), others, raw
    )


def with_type(raw: Mapping[Any, Any], scope: MuranoClass) -> Mapping[Any, Any]:
    """Return the definition with a key such as `':Name'` or `'ns:Name'` replaced by the class it refers to."""
    if "?" in raw:
        return raw
    name = next((key for key in raw if isinstance(key, str) and _type_key().fullmatch(key)), None)
    if name is None:
        return raw
    return {scope.resolve(key) if key == name else key: value for key, value in raw.items()}


def _complete_type(written: str, header: Mapping[Any, Any]) -> TypeName:
    type_ = parse_type(written)
    return TypeName(
        type_.name,
        type_.version or _optional_text(header.get("classVersion")),
        type_.package or _optional_text(header.get("package")),
    )


def _without_header(raw: Mapping[Any, Any], default: MuranoClass | None) -> ObjectDefinition:
    typed = next((key for key in raw if isinstance(key, MuranoClass)), None)
    if typed is not None:  # { :Type: {properties}, name: x, id: y }
        properties = raw[typed]
        if properties is None:
            properties = {}
        if not isinstance(properties, Mapping):
            raise MuranoError(MODEL_FORM, f"the properties of {typed.name} must be a mapping")
        return ObjectDefinition(
            typed, _optional_text(raw.get("id")), _optional_text(raw.get("name")), None, properties
        )
    if default is None:
        raise MuranoError(
            MODEL_FORM,
            "an object of the model has no type",
            hint="add a '?' entry with `type` and `id`",
        )
    return ObjectDefinition(default, None, None, None, raw)


def _optional_text(value: object) -> str | None:
    return None if value is None else str(value)


def find_definitions(model: Any) -> dict[str, Mapping[Any, Any]]:
    """Return all definitions with an id in a model, by id, owners before their parts."""
    definitions: dict[str, Mapping[Any, Any]] = {}
    waiting = [model]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            header = value.get("?")
            if isinstance(header, Mapping) and header.get("id") is not None:
                definitions.setdefault(str(header["id"]), value)
            waiting.extend(reversed(list(value.values())))
        elif isinstance(value, list):
            waiting.extend(reversed(value))
    return definitions


_type_key: Final = lazy_pattern(r"\w*:\w+(\.\w+)*")
