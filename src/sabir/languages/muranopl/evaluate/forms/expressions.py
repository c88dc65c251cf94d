"""Expressions of a UI definition: YAQL with the functions that forms add, and templates that are filled when they are used."""

from __future__ import annotations

import random
import string
from collections.abc import Mapping
from typing import Any, Final
from uuid import uuid4

from sabir.expressions.yaql import (
    LAZY_RULE,
    STANDARD,
    Engine,
    Library,
    Options,
    Rule,
    Variables,
    YaqlRuntimeError,
)
from sabir.expressions.yaql.kinds import ANY, BOOL, INT, NULL, STRING
from sabir.languages.muranopl.evaluate.forms.definition import Expression
from sabir.languages.muranopl.model.first_functions import first_library

__all__ = ["FormExpressions", "with_ids"]

_OPTIONS: Final = Options(limit_iterators=10_000)
_MOST_REPEATED: Final = 10_000
_RANDOM_LETTERS: Final = 14


class ObjectId:
    """The id of an object that `ref` names; it becomes a text when the model is finished."""

    def __init__(self) -> None:
        self.text = str(uuid4())


class Template:
    """A value with expressions in it, as a variable holds it until it is used."""

    def __init__(self, value: Any) -> None:
        self.value = value


class FormExpressions:
    """Evaluates the values of one definition; what `ref` made is kept, so that it is made once."""

    def __init__(self, templates: Mapping[str, Any]) -> None:
        self._templates = templates
        self._referred: dict[str, Any] = {}
        self._engine = Engine(self._library(), options=_OPTIONS)

    def variables(self, data: Mapping[str, Any], parameters: Mapping[str, Any]) -> Variables:
        """The names that an expression can use, the values of the forms as `$`."""
        templates = {name: Template(value) for name, value in self._templates.items()}
        return {**parameters, **templates, "$": data, "forms": data}

    def evaluate(self, value: Any, variables: Variables) -> Any:
        """A value with its expressions evaluated; templates that come out of them are filled, too."""
        match value:
            case Expression(text=text):
                return self.evaluate(self._engine.compile(text)(variables), variables)
            case Template(value=inner):
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
        library.extension("switch", ANY, LAZY_RULE, rules=True)(_switch)
        library.function("generateHostname", STRING | NULL, INT)(_host_name)
        library.function("name")(_application_name)
        library.function("encryptData", STRING)(_encrypt)

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
        """The object of a template: whole where it is named first, then its id. Another name makes another object."""
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
        return header["id"] if wants_id else Template(object_)


def _switch(value: Any, *conditions: Rule) -> Any:
    """`$.switch($ > 1 => many, true => one)`: the first argument is the value, whatever it looks like."""
    for case in conditions:
        if case.source(value):
            return case.target(value)
    return None


def _host_name(pattern: str | None, number: int) -> str:
    """The pattern with the number for `#`; without a pattern a name that no other host has."""
    if pattern:
        return pattern.replace("#", str(number))
    letters = random.choices(string.ascii_lowercase, k=_RANDOM_LETTERS)  # a name, not a secret
    return "".join(letters)


def _application_name(variables: Variables) -> Any:
    forms = variables.get("forms") or {}
    return forms.get("workflowManagement", {}).get("application_name")


def _encrypt(_data: str) -> str:
    raise YaqlRuntimeError("`encryptData` needs a key manager, which is not offered here")


def with_ids(value: Any) -> Any:
    """A finished model: every object has an id, and references are texts."""
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
