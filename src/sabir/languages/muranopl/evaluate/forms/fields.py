"""Form fields as they are displayed, and the conversion and validation of submitted values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from html import escape
from ipaddress import AddressValueError, IPv4Address
from typing import Any, Final

from msgspec import Struct

from sabir.errors import SabirError
from sabir.expressions.patterns import PatternError, PatternRefusedError, compile_pattern, guard_pattern
from sabir.expressions.yaql import YaqlError
from sabir.languages.muranopl.evaluate.forms.cloud import Choice
from sabir.languages.muranopl.evaluate.forms.definition import FieldSpec, FormExpression
from sabir.lazy import lazy_pattern

REQUIRED: Final = "This field is required."
_WEAK: Final = "The password must contain at least one letter, one number and one special character"
_SPECIAL: Final = r"!@#$%^&*()_+|\/.,~?><:{}-"
_NO: Final = frozenset({"false", "off", "no", "0", ""})
_TEXTS: Final = frozenset({"string", "text", "password", "databaselist"})

Evaluate = Callable[[Any], Any]


class FieldError(SabirError):
    """A value that a field rejects, with the reasons."""

    def __init__(self, *messages: str) -> None:
        super().__init__(*messages)
        self.messages = messages


class FormField(Struct, frozen=True, eq=False):
    """A field as it is displayed: with its choices and its evaluated initial value."""

    spec: FieldSpec
    choices: list[Choice] | None
    initial: Any
    label: str | None = None
    confirms: str | None = None
    """The name of the password that this one repeats."""

    @property
    def name(self) -> str:
        return self.spec.name if self.confirms is None else f"{self.spec.name}-clone"

    def resolve_value(self, values: Mapping[str, Any]) -> Any:
        """Return the value that the field submits if the user does not change it."""
        if self.name in values:
            return values[self.name]
        if self.initial is not None:
            return self.initial
        return self.choices[0][0] if self.choices else None

    def summarize(self) -> dict[str, Any]:
        shown: dict[str, Any] = {
            "name": self.name,
            "required": self.spec.is_required,
            "hidden": self.spec.is_hidden,
        }
        if self.label is not None:
            shown["label"] = self.label
        if self.initial is not None:
            shown["initial"] = self.initial
        if self.choices is not None:
            shown["choices"] = [[value, text] for value, text in self.choices]
        return shown

    def describe(self) -> dict[str, Any]:
        """Return the summary with everything that a page needs to display the field."""
        spec = self.spec
        kind = spec.kind if isinstance(spec.kind, str) else spec.kind[0]
        keys = (
            "description",
            "helpText",
            "minLength",
            "maxLength",
            "minValue",
            "maxValue",
            "regexpValidator",
        )
        limits = {key: value for key in keys if (value := spec.literal(key)) is not None}
        return {**self.summarize(), "type": kind, **limits}

    def clean(self, value: Any, evaluate_for: Callable[[Any], Evaluate], *, enabled: bool) -> Any:
        """Return the value for the model; raise `FieldError`. A disabled field is converted but not validated."""
        spec = self.spec
        if spec.kind == "flavor":
            names = {str(id_): name for id_, name in self.choices or ()}
            return names.get(str(value), value)
        converted = _convert_value(spec.kind, value)
        if enabled:
            is_empty = converted in (None, "", [], ())
            if is_empty and spec.is_required:
                raise FieldError(REQUIRED)
            self._check_choice(converted)
            if not is_empty:
                _check_names(spec, converted)
                messages = [*self._violations(converted, evaluate_for(converted))]
                if messages:
                    raise FieldError(*messages)
        return None if self._is_object and converted == "" else converted

    @property
    def _is_object(self) -> bool:
        """Tell whether the field selects an application."""
        return isinstance(self.spec.kind, tuple) or "." in self.spec.kind or self.spec.kind == "domain"

    def _check_choice(self, value: Any) -> None:
        if self.choices is None or value in (None, ""):
            return
        if not any(str(value) == str(offered) for offered, _ in self.choices):
            raise FieldError(f"Select a valid choice. {value} is not one of the available choices.")

    def _violations(self, value: Any, evaluate: Evaluate) -> Iterator[str]:
        spec = self.spec
        messages = spec.literal("errorMessages") or {}
        validators = spec.keys.get("validators") or []
        pattern = spec.literal("regexpValidator")
        if pattern is not None and not _matches_pattern(pattern, value):
            yield str(messages.get("invalid", "Enter a valid value."))
        for validator in validators:
            if isinstance(validator, Mapping) and not _is_accepted(validator.get("expr"), value, evaluate):
                yield str(validator.get("message", ""))
        is_plain_password = spec.kind == "password" and pattern is None and not validators
        if is_plain_password and not _password_pattern().match(str(value)):
            yield str(messages.get("invalid", _WEAK))
        least, most = (7, 255) if is_plain_password else (None, None)
        if spec.kind in _TEXTS:
            yield from _wrong_length(value, spec.literal("minLength", least), spec.literal("maxLength", most))
        elif spec.kind == "integer":
            yield from _wrong_size(value, spec.literal("minValue"), spec.literal("maxValue"))


def escape_initial(value: Any) -> Any:
    """Return a literal initial value as a page displays it."""
    return escape(str(value)) if value else value


def _convert_value(kind: str | tuple[str, ...], value: Any) -> Any:
    if kind in ("boolean", "floatingip"):
        return value if isinstance(value, bool) else str(value or "").strip().lower() not in _NO
    if kind == "integer":
        return _parse_integer(value)
    if kind == "network":
        return list(value) if isinstance(value, list | tuple) else [None, None]
    if kind == "databaselist":
        return [name.strip() for name in str(value).split(",")] if value else []
    text = "" if value is None else str(value).strip()
    if kind == "clusterip" and text:
        try:
            return str(IPv4Address(text))
        except AddressValueError:
            raise FieldError("Enter a valid IPv4 address.") from None
    return text


def _parse_integer(value: Any) -> int | None:
    if value is None or str(value).strip() == "":
        return None
    try:
        return int(re.sub(r"\.0*\s*$", "", str(value)))
    except ValueError:
        raise FieldError("Enter a whole number.") from None


def _check_names(spec: FieldSpec, value: Any) -> None:
    """Check that every item of a list of databases is a name."""
    if spec.kind == "databaselist" and not all(map(_database_pattern().match, value)):
        raise FieldError(
            "First symbol should be latin letter or underscore. Subsequent symbols can be latin letter, numeric, "
            "underscore, at sign, number sign or dollar sign"
        )


def _is_accepted(expression: Any, value: Any, evaluate: Evaluate) -> bool:
    """Tell whether a validator of a field accepts a value; a validator without an expression accepts everything."""
    if isinstance(expression, Mapping):
        pattern = expression.get("regexpValidator")
        return pattern is None or _matches_pattern(pattern, value)
    if not isinstance(expression, FormExpression):
        return True
    try:
        return bool(evaluate(expression))
    except YaqlError as error:
        raise FieldError(str(error)) from None


def _matches_pattern(pattern: Any, value: Any) -> bool:
    """Match `^[a-z]+$`, or `/^[a-z]+$/i` with flags."""
    text, flags = str(pattern), 0
    written = re.fullmatch(r"/(.*)/([A-Za-z]*)", text)
    if written is not None:
        text = written[1]
        for letter in written[2].upper():
            flags |= getattr(re, letter, 0)
    try:
        return guard_pattern(compile_pattern(text, flags), str(value)).search(str(value)) is not None
    except PatternError as error:
        raise FieldError(f"the pattern {text!r} of this field is no regular expression: {error}") from None
    except PatternRefusedError as error:
        raise FieldError(str(error)) from None


def _wrong_length(value: Any, least: int | None, most: int | None) -> Iterator[str]:
    if most is not None and len(value) > most:
        yield f"Ensure this value has at most {most} characters (it has {len(value)})."
    if least is not None and len(value) < least:
        yield f"Ensure this value has at least {least} characters (it has {len(value)})."


def _wrong_size(value: int, least: int | None, most: int | None) -> Iterator[str]:
    if most is not None and value > most:
        yield f"Ensure this value is less than or equal to {most}."
    if least is not None and value < least:
        yield f"Ensure this value is greater than or equal to {least}."


_password_pattern: Final = lazy_pattern(rf"^.*(?=.*\d)(?=.*[a-z])(?=.*[A-Z])(?=.*[{re.escape(_SPECIAL)}]).*$")
_database_pattern: Final = lazy_pattern(r"^[a-zA-z_][a-zA-Z0-9_$#@]*$")
