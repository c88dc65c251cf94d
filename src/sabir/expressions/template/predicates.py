"""The tests of Ansible that templates commonly use (`x is match('a')`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from jinja2.exceptions import TemplateRuntimeError

from sabir.expressions.patterns import PatternError, compile_pattern, guard_pattern
from sabir.expressions.template.texts import to_bool
from sabir.lazy import lazy_pattern

_OPERATORS: Final[Mapping[str, Callable[[int], bool]]] = {
    **dict.fromkeys(("==", "=", "eq"), lambda sign: sign == 0),
    **dict.fromkeys(("!=", "<>", "ne"), lambda sign: sign != 0),
    **dict.fromkeys(("<", "lt"), lambda sign: sign < 0),
    **dict.fromkeys(("<=", "le"), lambda sign: sign <= 0),
    **dict.fromkeys((">", "gt"), lambda sign: sign > 0),
    **dict.fromkeys((">=", "ge"), lambda sign: sign >= 0),
}


def regex(
    value: Any = "",
    pattern: str = "",
    ignorecase: bool = False,  # noqa: FBT001, FBT002  # the parameters of Ansible's test
    multiline: bool = False,  # noqa: FBT001, FBT002
    match_type: str = "search",
) -> bool:
    flags = (re.IGNORECASE if ignorecase else 0) | (re.MULTILINE if multiline else 0)
    try:
        compiled = compile_pattern(pattern, flags)
    except PatternError as error:
        raise TemplateRuntimeError(f"{pattern!r} is no regular expression: {error}") from error
    text = str(value)
    searcher = guard_pattern(compiled, text)
    if match_type == "fullmatch":
        return searcher.fullmatch(text) is not None
    return (searcher.match(text) if match_type == "match" else searcher.search(text)) is not None


def match(value: Any, pattern: str = "", ignorecase: bool = False, multiline: bool = False) -> bool:  # noqa: FBT001, FBT002
    return regex(value, pattern, ignorecase, multiline, "match")


def search(value: Any, pattern: str = "", ignorecase: bool = False, multiline: bool = False) -> bool:  # noqa: FBT001, FBT002
    return regex(value, pattern, ignorecase, multiline, "search")


def version(
    value: Any,
    other: Any,
    operator: str = "eq",
    strict: bool | None = None,  # noqa: FBT001
    version_type: str | None = None,
) -> bool:
    del strict, version_type
    decide = _OPERATORS.get(operator)
    if decide is None:
        raise TemplateRuntimeError(f"version: there is no operator {operator!r}")
    left, right = _version_key(str(value)), _version_key(str(other))
    return decide((left > right) - (left < right))


_version_part: Final = lazy_pattern(r"[0-9]+|[A-Za-z]+")


def _version_key(text: str) -> list[tuple[int, int, str]]:
    return [(1, int(part), "") if part.isdigit() else (0, 0, part) for part in _version_part().findall(text)]


def contains(value: Iterable[Any], item: Any) -> bool:
    return item in value


def subset(left: Iterable[Any], right: Iterable[Any]) -> bool:
    other = list(right)
    return all(item in other for item in left)


def is_truthy(value: Any, convert_bool: bool = False) -> bool:  # noqa: FBT001, FBT002
    return bool(to_bool(value)) if convert_bool else bool(value)


def is_url(value: Any, schemes: list[str] | None = None) -> bool:
    parts = urlsplit(str(value))
    return bool(parts.scheme and parts.netloc) and (not schemes or parts.scheme in schemes)


def has_failed(result: Any) -> bool:
    return bool(isinstance(result, Mapping) and result.get("failed", False))


PREDICATES: Final[Mapping[str, Callable[..., bool]]] = {
    "all": all,
    "any": any,
    "changed": lambda result: bool(isinstance(result, Mapping) and result.get("changed", False)),
    "contains": contains,
    "failed": has_failed,
    "failure": has_failed,
    "falsy": lambda value, convert_bool=False: not is_truthy(value, convert_bool),
    "match": match,
    "nan": lambda value: value != value,
    "regex": regex,
    "search": search,
    "skipped": lambda result: bool(isinstance(result, Mapping) and result.get("skipped", False)),
    "subset": subset,
    "succeeded": lambda result: not has_failed(result),
    "success": lambda result: not has_failed(result),
    "superset": lambda left, right: subset(right, left),
    "truthy": is_truthy,
    "uri": is_url,
    "url": is_url,
    "urn": lambda value: str(value).lower().startswith("urn:"),
    "vault_encrypted": lambda value: str(value).startswith("$ANSIBLE_VAULT;"),
    "version": version,
    "version_compare": version,
}
