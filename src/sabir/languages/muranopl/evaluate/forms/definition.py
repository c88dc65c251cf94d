"""The UI definition of a package: forms, templates, the application, and the evaluation of its expressions.

Expressions are YAQL with a few functions that forms add. A template is not evaluated when it is defined but
wherever a value uses it, so that it sees the values entered by then.
"""

from __future__ import annotations

import random
import string
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import uuid4

from msgspec import Struct, field

from sabir.errors import InputError
from sabir.expressions.yaql import (
    LAZY_RULE,
    STANDARD,
    Engine,
    Library,
    Options,
    Variables,
    YaqlRule,
    YaqlRuntimeError,
    YaqlSyntaxError,
    parse,
)
from sabir.expressions.yaql.kinds import ANY, BOOL, INT, NULL, STRING
from sabir.languages.muranopl.model.legacy_functions import first_library
from sabir.lazy import lazy_pattern
from sabir.source.yaml import compose
from sabir.source.yaml.nodes import Style, YamlMapping, YamlNode, YamlScalar, YamlSequence
from sabir.text import Place, Source

LATEST: Final = (2, 4)
_TAGS: Final = frozenset({"!yaql"})


class FormExpression(Struct, frozen=True):
    """A text of the definition that is evaluated."""

    text: str


class FieldSpec(Struct, frozen=True):
    """A field as it is written, with the keys as the definition spells them."""

    name: str
    kind: str | tuple[str, ...]
    keys: Mapping[str, Any]

    def literal(self, key: str, default: Any = None) -> Any:
        """Return the value of a key; the default if it is an expression, which has no effect there."""
        value = self.keys.get(key, default)
        return default if isinstance(value, FormExpression) else value

    @property
    def is_required(self) -> bool:
        return self.kind not in ("boolean", "floatingip") and bool(self.literal("required", default=True))

    @property
    def is_hidden(self) -> bool:
        return bool(self.literal("hidden", default=False))


class FormSpec(Struct, frozen=True):
    """A form as it is written: its fields in order, and the validators of the form as a whole."""

    name: str
    fields: tuple[FieldSpec, ...]
    validators: tuple[Mapping[str, Any], ...] = ()


class FormDefinition(Struct, frozen=True, kw_only=True):
    """A parsed UI definition. `version` decides which functions and fields it may use."""

    version: tuple[int, int]
    application: Mapping[str, Any]
    forms: tuple[FormSpec, ...] = ()
    templates: Mapping[str, Any] = field(default_factory=dict[str, Any])
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    parameters_source: str | None = None

    @property
    def asks_for_a_name(self) -> bool:
        """Tell whether the last form asks for the name of the application."""
        return self.version >= (2, 2)


def read_definition(source: Source) -> FormDefinition:
    """Read a UI definition; raise an input error with the location of the first defect."""
    stream = compose(source, tags=_TAGS)
    if stream.broken:  # `check` reports duplicate keys; here the last one counts
        problem = stream.findings[-1]
        raise InputError(f"{problem.location}: {problem.message}")
    root = stream.documents[0] if stream.documents else None
    if not isinstance(root, YamlMapping):
        raise _input_error(source, root, "a UI definition is a mapping with Application and Forms")
    sections = {
        str(key.value): _read_value(value) for key, value in root.items() if isinstance(key, YamlScalar)
    }
    application = sections.get("Application")
    if not isinstance(application, Mapping):
        raise _input_error(source, root.get("Application") or root, "the section Application is required")
    return FormDefinition(
        version=_parse_version(source, root, sections.get("Version", ".".join(map(str, LATEST)))),
        application=application,
        forms=tuple(_read_forms(source, root.get("Forms"))),
        templates=_mapping_or_empty(sections.get("Templates")),
        parameters=_mapping_or_empty(sections.get("Parameters")),
        parameters_source=sections.get("ParametersSource"),
    )


def _input_error(source: Source, node: YamlNode | None, message: str) -> InputError:
    where = source.name if node is None else str(Place(source, node.span).location)
    return InputError(f"{where}: {message}")


def _parse_version(source: Source, root: YamlMapping, written: Any) -> tuple[int, int]:
    parts = str(written).split(".")
    if not all(part.isdecimal() and len(part) < 10 for part in parts) or parts[0] not in ("1", "2"):
        message = f"forms of version {written} are not known; there are 1 and 2"
        raise _input_error(source, root.get("Version"), message)
    version = int(parts[0]), int([*parts, "0"][1])
    if version > LATEST:
        message = f"forms of version {written} are not known; the latest one is {LATEST[0]}.{LATEST[1]}"
        raise _input_error(source, root.get("Version"), message)
    return version


def _mapping_or_empty(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _read_forms(source: Source, node: YamlNode | None) -> Iterator[FormSpec]:
    for item in node.items if isinstance(node, YamlSequence) else ():
        content = _read_value(item)
        if not isinstance(content, Mapping) or not content:
            raise _input_error(source, item, "a form is a mapping of its name to its fields")
        name, form = next(iter(content.items()))
        if not isinstance(form, Mapping) or not isinstance(form.get("fields"), Sequence):
            raise _input_error(source, item, f"the form {name!r} has no list of fields")
        fields = [_read_field(source, item, spec) for spec in form["fields"]]
        yield FormSpec(str(name), tuple(fields), tuple(form.get("validators") or ()))


def _read_field(source: Source, node: YamlNode, spec: Any) -> FieldSpec:
    if not isinstance(spec, Mapping) or not spec.get("name") or not spec.get("type"):
        raise _input_error(source, node, "a field needs a name and a type")
    kind = spec["type"]
    if not isinstance(kind, str) and not (
        isinstance(kind, list) and all(isinstance(name, str) for name in kind)
    ):
        raise _input_error(source, node, "the type of a field is a name, or a list of names of classes")
    keys = {key: value for key, value in spec.items() if key not in ("name", "type")}
    return FieldSpec(str(spec["name"]), tuple(kind) if isinstance(kind, list) else str(kind), keys)


def _read_value(node: YamlNode) -> Any:
    match node:
        case YamlMapping():
            return {_read_key(key): _read_value(value) for key, value in node.items()}
        case YamlSequence(items=items):
            return [_read_value(item) for item in items]
        case _:
            return FormExpression(node.text) if _is_expression(node) else node.value


def _read_key(node: YamlNode) -> Any:
    return node.value if isinstance(node, YamlScalar) else None


def _is_expression(scalar: YamlScalar) -> bool:
    """Tell whether a scalar is an expression: plain text that is more than words and parses, or the tag `!yaql`."""
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


_OPTIONS: Final = Options(limit_iterators=10_000)
_MOST_REPEATED: Final = 10_000
_RANDOM_LETTERS: Final = 14


class ObjectId:
    """The id of an object that `ref` names; it becomes a string when the model is finished."""

    def __init__(self) -> None:
        self.text = str(uuid4())


class FormTemplate:
    """A value with unevaluated expressions, as a variable holds it until it is used."""

    def __init__(self, value: Any) -> None:
        self.value = value


class FormExpressions:
    """Evaluates the values of one definition. Objects created by `ref` are stored, so that each is created once."""

    def __init__(self, templates: Mapping[str, Any]) -> None:
        self._templates = templates
        self._referred: dict[str, Any] = {}
        self._engine = Engine(self._library(), options=_OPTIONS)

    def variables(self, data: Mapping[str, Any], parameters: Mapping[str, Any]) -> Variables:
        """Return the variables of an expression, with the values of the forms as `$`."""
        templates = {name: FormTemplate(value) for name, value in self._templates.items()}
        return {**parameters, **templates, "$": data, "forms": data}

    def evaluate(self, value: Any, variables: Variables) -> Any:
        """Return a value with its expressions evaluated, including templates that result from them."""
        match value:
            case FormExpression(text=text):
                return self.evaluate(self._engine.compile(text)(variables), variables)
            case FormTemplate(value=inner):
                return self.evaluate(inner, variables)
            case dict():
                return {
                    self.evaluate(key, variables): self.evaluate(item, variables)
                    for key, item in value.items()
                }
            case list() | tuple():
                return [self.evaluate(item, variables) for item in value]
            case _:
                return value

    def _library(self) -> Library:
        library = Library(first_library(STANDARD))
        library.hide_parents("switch", "repeat", "name")
        library.extension("switch", ANY, LAZY_RULE, rules=True)(_select_case)
        library.function("generateHostname", STRING | NULL, INT)(_host_name)
        library.function("name")(_application_name)
        library.function("encryptData", STRING)(_reject_encryption)

        @library.function("repeat", ANY, INT)
        def repeat(variables: Variables, template: Any, times: int) -> list[Any]:
            if times > _MOST_REPEATED:
                raise YaqlRuntimeError(f"`repeat` makes at most {_MOST_REPEATED:,} copies, not {times:,}")
            return [self.evaluate(template, {**variables, "index": number + 1}) for number in range(times)]

        @library.function("ref", STRING, STRING | NULL, BOOL | NULL)
        def ref(
            variables: Variables,
            template_name: str,
            parameter_name: str | None = None,
            id_only: bool | None = None,  # noqa: FBT001  # an argument of the language
        ) -> Any:
            return self._ref(variables, template_name, parameter_name or template_name, id_only=id_only)

        return library

    def _ref(self, variables: Variables, template: str, name: str, *, id_only: bool | None) -> Any:
        """Return the object of a template: in full at its first use, then its id. Another name gives another
        object.
        """
        if name not in self._referred and template in self._templates:
            self._referred[name] = self.evaluate(self._templates[template], variables)
        object_ = self._referred.get(name)
        if not isinstance(object_, dict):
            return None
        header = object_.setdefault("?", {})
        is_first = not isinstance(header.get("id"), ObjectId)
        if is_first:
            header["id"] = ObjectId()
        wants_id = not is_first if id_only is None else id_only
        return header["id"] if wants_id else FormTemplate(object_)


def _select_case(value: Any, *conditions: YaqlRule) -> Any:
    """Evaluate `$.switch($ > 1 => many, true => one)`: the first argument is the value, whatever it looks like."""
    for case in conditions:
        if case.source(value):
            return case.target(value)
    return None


def _host_name(pattern: str | None, number: int) -> str:
    """Replace `#` in a pattern by a number; without a pattern generate a name that no other host has."""
    if pattern:
        return pattern.replace("#", str(number))
    letters = random.choices(string.ascii_lowercase, k=_RANDOM_LETTERS)  # a name, not a secret
    return "".join(letters)


def _application_name(variables: Variables) -> Any:
    forms = variables.get("forms") or {}
    return forms.get("workflowManagement", {}).get("application_name")


def _reject_encryption(_data: str) -> str:
    raise YaqlRuntimeError("`encryptData` needs a key manager, which is not offered here")


def with_ids(value: Any) -> Any:
    """Return the finished model: every object has an id, and references are strings."""
    match value:
        case ObjectId(text=text):
            return text
        case dict():
            model = {key: with_ids(item) for key, item in value.items()}
            header = value.get("?")
            if isinstance(header, dict) and not isinstance(header.get("id"), ObjectId):
                model["?"] = {**model["?"], "id": str(uuid4())}
            return model
        case list():
            return [with_ids(item) for item in value]
        case _:
            return value
