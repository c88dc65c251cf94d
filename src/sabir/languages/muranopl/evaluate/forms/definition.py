"""The UI definition of a package: forms, templates and the application, read with its expressions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct, field

from sabir.errors import UnusableInput
from sabir.expressions.yaql import YaqlSyntaxError, parse
from sabir.lazy import lazy_pattern
from sabir.source.yaml import compose
from sabir.source.yaml.nodes import Style, YamlMapping, YamlNode, YamlScalar, YamlSequence
from sabir.text import Place, Source

__all__ = ["LATEST", "Definition", "Expression", "FieldSpec", "FormSpec", "read_definition"]

LATEST: Final = (2, 4)
_TAGS: Final = frozenset({"!yaql"})


class Expression(Struct, frozen=True):
    """A text of the definition that is evaluated."""

    text: str


class FieldSpec(Struct, frozen=True):
    """A field as it is written, its keys in the spelling of the definition."""

    name: str
    kind: str | tuple[str, ...]
    keys: Mapping[str, Any]

    def literal(self, key: str, default: Any = None) -> Any:
        """The value of a key; the default where an expression stands, which has no effect there."""
        value = self.keys.get(key, default)
        return default if isinstance(value, Expression) else value

    @property
    def is_required(self) -> bool:
        return self.kind not in ("boolean", "floatingip") and bool(self.literal("required", default=True))

    @property
    def is_hidden(self) -> bool:
        return bool(self.literal("hidden", default=False))


class FormSpec(Struct, frozen=True):
    name: str
    fields: tuple[FieldSpec, ...]
    validators: tuple[Mapping[str, Any], ...] = ()


class Definition(Struct, frozen=True, kw_only=True):
    version: tuple[int, int]
    application: Mapping[str, Any]
    forms: tuple[FormSpec, ...] = ()
    templates: Mapping[str, Any] = field(default_factory=dict[str, Any])
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    parameters_source: str | None = None

    @property
    def asks_for_a_name(self) -> bool:
        """Whether the last form asks for the name of the application."""
        return self.version >= (2, 2)


def read_definition(source: Source) -> Definition:
    """Raises `UnusableInput`, with the place of what is wrong."""
    stream = compose(source, tags=_TAGS)
    if stream.broken:  # a key that stands twice is told by `check`; the last one counts
        problem = stream.findings[-1]
        raise UnusableInput(f"{problem.location}: {problem.message}")
    root = stream.documents[0] if stream.documents else None
    if not isinstance(root, YamlMapping):
        raise _unusable(source, root, "a UI definition is a mapping with Application and Forms")
    sections = {str(key.value): _value(value) for key, value in root.items() if isinstance(key, YamlScalar)}
    application = sections.get("Application")
    if not isinstance(application, Mapping):
        raise _unusable(source, root.get("Application") or root, "the section Application is required")
    return Definition(
        version=_version(source, root, sections.get("Version", ".".join(map(str, LATEST)))),
        application=application,
        forms=tuple(_forms(source, root.get("Forms"))),
        templates=_mapping(sections.get("Templates")),
        parameters=_mapping(sections.get("Parameters")),
        parameters_source=sections.get("ParametersSource"),
    )


def _unusable(source: Source, node: YamlNode | None, message: str) -> UnusableInput:
    where = source.name if node is None else str(Place(source, node.span).location)
    return UnusableInput(f"{where}: {message}")


def _version(source: Source, root: YamlMapping, written: Any) -> tuple[int, int]:
    parts = str(written).split(".")
    if not all(part.isdecimal() and len(part) < 10 for part in parts) or parts[0] not in ("1", "2"):
        message = f"forms of version {written} are not known; there are 1 and 2"
        raise _unusable(source, root.get("Version"), message)
    version = int(parts[0]), int([*parts, "0"][1])
    if version > LATEST:
        message = f"forms of version {written} are not known; the latest one is {LATEST[0]}.{LATEST[1]}"
        raise _unusable(source, root.get("Version"), message)
    return version


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _forms(source: Source, node: YamlNode | None) -> Iterator[FormSpec]:
    for item in node.items if isinstance(node, YamlSequence) else ():
        content = _value(item)
        if not isinstance(content, Mapping) or not content:
            raise _unusable(source, item, "a form is a mapping of its name to its fields")
        name, form = next(iter(content.items()))
        if not isinstance(form, Mapping) or not isinstance(form.get("fields"), Sequence):
            raise _unusable(source, item, f"the form {name!r} has no list of fields")
        fields = [_field(source, item, spec) for spec in form["fields"]]
        yield FormSpec(str(name), tuple(fields), tuple(form.get("validators") or ()))


def _field(source: Source, node: YamlNode, spec: Any) -> FieldSpec:
    if not isinstance(spec, Mapping) or not spec.get("name") or not spec.get("type"):
        raise _unusable(source, node, "a field needs a name and a type")
    kind = spec["type"]
    if not isinstance(kind, str) and not (
        isinstance(kind, list) and all(isinstance(name, str) for name in kind)
    ):
        raise _unusable(source, node, "the type of a field is a name, or a list of names of classes")
    keys = {key: value for key, value in spec.items() if key not in ("name", "type")}
    return FieldSpec(str(spec["name"]), tuple(kind) if isinstance(kind, list) else str(kind), keys)


def _value(node: YamlNode) -> Any:
    match node:
        case YamlMapping():
            return {_key(key): _value(value) for key, value in node.items()}
        case YamlSequence(items=items):
            return [_value(item) for item in items]
        case _:
            return Expression(node.text) if _is_expression(node) else node.value


def _key(node: YamlNode) -> Any:
    return node.value if isinstance(node, YamlScalar) else None


def _is_expression(scalar: YamlScalar) -> bool:
    """Plain text that is more than words and parses, or anything with the tag `!yaql`."""
    if scalar.tag == "!yaql":
        return True
    if scalar.style is not Style.PLAIN or not isinstance(scalar.value, str) or _words().match(scalar.text):
        return False
    try:
        parse(scalar.text)
    except YaqlSyntaxError:
        return False
    return True


_words: Final = lazy_pattern(r"^[\s\w\d.:]*$")
