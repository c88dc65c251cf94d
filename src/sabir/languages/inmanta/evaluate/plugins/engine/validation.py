"""`inmanta.validation_type`: strings that match a regular expression, as pydantic accepts them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from sabir.expressions.patterns import compile_pattern, matches_start

__all__ = ["Regex", "regex_string", "validate_type"]

_HOMES = ("pydantic", "datetime", "ipaddress", "uuid")


class Regex:
    """The constraint in `Annotated[str, Regex("^[a-z]+$")]`."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self._compiled = compile_pattern(pattern)

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema  # type: ignore[import-not-found]  # the module that asks brings pydantic

        return core_schema.no_info_after_validator_function(self.check_match, handler(source))

    def check_match(self, value: str) -> str:
        if not matches_start(self._compiled, value):
            raise ValueError(f"{value!r} does not match {self.pattern}")
        return value


def regex_string(regex: str) -> Any:
    """Return the type of strings that match a regular expression."""
    return Annotated[str, Regex(regex)]


def validate_type(
    fq_type_name: str, value: Any, validation_parameters: Mapping[str, Any] | None = None
) -> None:
    """Raise ValueError if a value does not have a type named as in Python, such as `pydantic.conint`."""
    from importlib import import_module

    from pydantic import TypeAdapter  # type: ignore[import-not-found]  # the module that asks brings pydantic

    home, _, name = fq_type_name.partition(".")
    if home not in _HOMES:
        raise ValueError(f"Unknown fq_type_name: {fq_type_name}")
    parameters = dict(validation_parameters or {})
    pattern, curtail = parameters.pop("regex", None), parameters.pop("curtail_length", None)
    kind: Any = getattr(import_module(home), name)
    TypeAdapter(kind(**parameters) if validation_parameters is not None else kind).validate_python(value)
    if pattern is not None:
        Regex(pattern).check_match(value if curtail is None else value[:curtail])
