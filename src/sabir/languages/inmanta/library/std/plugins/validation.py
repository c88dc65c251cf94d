"""`std::validate_type`: tests whether a value has a type named as in Python, within its bounds."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from sabir.expressions.patterns import compile_pattern, matches_start
from sabir.languages.inmanta.evaluate.plugins.api import PluginException
from sabir.languages.inmanta.library.std.plugins.registry import plugin

__all__: list[str] = []

_NUMBERS: Final = {"conint": int, "confloat": (int, float), "condecimal": (int, float)}
_SIGNS: Final[dict[str, tuple[Any, Callable[[Any], bool]]]] = {
    "PositiveInt": (int, lambda value: value > 0),
    "NegativeInt": (int, lambda value: value < 0),
    "NonNegativeInt": (int, lambda value: value >= 0),
    "NonPositiveInt": (int, lambda value: value <= 0),
    "PositiveFloat": ((int, float), lambda value: value > 0),
    "NegativeFloat": ((int, float), lambda value: value < 0),
    "NonNegativeFloat": ((int, float), lambda value: value >= 0),
    "NonPositiveFloat": ((int, float), lambda value: value <= 0),
}
_PLAIN: Final = {
    "str": str,
    "int": int,
    "bool": bool,
    "float": float,
    "StrictStr": str,
    "StrictInt": int,
    "StrictBool": bool,
}
_ADDRESS: Final = r"[^@\s<>]+@[^@\s<>.]+(\.[^@\s<>.]+)+"
_TEXTS: Final = {
    "EmailStr": re.compile(f"{_ADDRESS}$"),
    "NameEmail": re.compile(f"(.*<{_ADDRESS}>|{_ADDRESS})$"),
    "AnyUrl": re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:\S+$"),
    "AnyHttpUrl": re.compile(r"(?i:https?)://[^\s/?#]+\S*$"),
    "HttpUrl": re.compile(r"(?i:https?)://[^\s/?#]+\S*$"),
}


@plugin
def validate_type(fq_type_name: str, value: Any, validation_parameters: dict[str, Any] | None = None) -> bool:
    """Return whether a value has a named type within its bounds (`gt`, `ge`, `lt`, `le`, `regex`, lengths …)."""
    name = fq_type_name.rpartition(".")[2]
    bounds = validation_parameters or {}
    if name in _NUMBERS:
        return _is_number(value, _NUMBERS[name]) and _is_within(value, bounds)
    if name == "constr":
        return isinstance(value, str) and _is_within(value, bounds)
    if name in _SIGNS:
        kind, test = _SIGNS[name]
        return _is_number(value, kind) and test(value)
    if name in _PLAIN:
        return isinstance(value, _PLAIN[name]) and (name.endswith("ool") or not isinstance(value, bool))
    if name in _TEXTS:
        return isinstance(value, str) and matches_start(_TEXTS[name], value)
    parse = _find_parser(name)
    if parse is None:
        raise PluginException(f"{fq_type_name!r} is no type that values can be validated with")
    try:
        parse(value)
    except (ValueError, TypeError):
        return False
    return True


def _is_number(value: Any, kind: Any) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _find_parser(name: str) -> Callable[[Any], object] | None:
    """Return the function that parses a string into a standard library type, or fails."""
    import datetime
    import ipaddress
    import uuid

    parsers: dict[str, Callable[[Any], object]] = {
        "date": datetime.date.fromisoformat,
        "time": datetime.time.fromisoformat,
        "datetime": datetime.datetime.fromisoformat,
        "UUID": uuid.UUID,
        "IPvAnyAddress": ipaddress.ip_address,
        "IPvAnyNetwork": ipaddress.ip_network,
        "IPvAnyInterface": ipaddress.ip_interface,
        "IPv4Address": ipaddress.IPv4Address,
        "IPv4Interface": ipaddress.IPv4Interface,
        "IPv4Network": ipaddress.IPv4Network,
        "IPv6Address": ipaddress.IPv6Address,
        "IPv6Interface": ipaddress.IPv6Interface,
        "IPv6Network": ipaddress.IPv6Network,
    }
    return parsers.get(name)


def _is_within(value: Any, bounds: dict[str, Any]) -> bool:
    def matches(pattern: str) -> bool:
        text = value[: bounds["curtail_length"]] if bounds.get("curtail_length") else value
        return matches_start(compile_pattern(pattern), text)

    tests: dict[str, Callable[[Any], bool]] = {
        "gt": lambda bound: value > bound,
        "ge": lambda bound: value >= bound,
        "lt": lambda bound: value < bound,
        "le": lambda bound: value <= bound,
        "multiple_of": lambda bound: bound != 0 and value % bound == 0,
        "max_digits": lambda bound: len(str(value).replace("-", "").replace(".", "")) <= bound,
        "decimal_places": lambda bound: len(str(value).partition(".")[2]) <= bound,
        "min_length": lambda bound: len(value) >= bound,
        "max_length": lambda bound: len(value) <= bound,
        "regex": matches,
        "pattern": matches,
        "curtail_length": lambda _: True,
        "strict": lambda _: True,  # values are never converted here
        "strip_whitespace": lambda _: True,
        "to_lower": lambda _: True,
    }
    for key, bound in bounds.items():
        if key not in tests:
            raise PluginException(f"{key!r} is no bound of a type")
        if bound is not None and not tests[key](bound):
            return False
    return True
