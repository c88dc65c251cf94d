"""Filters on text, paths and single values."""

from __future__ import annotations

import base64
import hashlib
import ntpath
import os.path
import posixpath
import re
import shlex
import uuid
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import unquote_plus, urlsplit

from jinja2.exceptions import FilterArgumentError, UndefinedError
from jinja2.runtime import Undefined

from sabir.expressions.patterns import (
    PatternError,
    ResultTooLongError,
    compile_pattern,
    guard_pattern,
    substitute_matches,
)
from sabir.expressions.template.limits import TemplateLimitError

# The name space Ansible makes its identifiers in.
_NAMESPACE: Final = uuid.UUID("361E6D51-FAEC-444A-9079-341386DA8E2E")
_LONGEST_RESULT: Final = 4_000_000


def to_bool(value: Any) -> bool | None:
    """Ansible's `bool`: yes, on, 1 and true are true, any other text is false, null stays null."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        value = value.lower()
    return value in ("yes", "on", "1", "true", 1)


def _filter_pattern(pattern: str, *, ignorecase: bool = False, multiline: bool = False) -> re.Pattern[str]:
    flags = (re.IGNORECASE if ignorecase else 0) | (re.MULTILINE if multiline else 0)
    try:
        return compile_pattern(pattern, flags)
    except PatternError as error:
        raise FilterArgumentError(f"{pattern!r} is no regular expression: {error}") from error


def regex_replace(
    value: Any = "",
    pattern: str = "",
    replacement: str = "",
    ignorecase: bool = False,  # noqa: FBT001, FBT002  # the parameters of Ansible's filter
    multiline: bool = False,  # noqa: FBT001, FBT002
    count: int = 0,
) -> str:
    compiled = _filter_pattern(pattern, ignorecase=ignorecase, multiline=multiline)
    try:
        return substitute_matches(compiled, str(value), replacement, count=count, most=_LONGEST_RESULT)
    except (re.error, IndexError) as error:
        raise FilterArgumentError(f"{replacement!r} is no replacement: {error}") from error
    except ResultTooLongError as error:
        raise TemplateLimitError(str(error)) from error


def regex_search(
    value: Any, pattern: str, *groups: str, ignorecase: bool = False, multiline: bool = False
) -> Any:
    text, compiled = str(value), _filter_pattern(pattern, ignorecase=ignorecase, multiline=multiline)
    match = guard_pattern(compiled, text).search(text)
    if match is None:
        return None
    if not groups:
        return match.group()
    return [match.group(_group_number(group, compiled)) for group in groups]


def _group_number(written: str, pattern: re.Pattern[str]) -> int:
    name = written.lstrip("\\")
    if name.startswith("g<"):
        name = name[2:].rstrip(">")
    number = int(name) if name.isdecimal() and len(name) < 4 else pattern.groupindex.get(name, -1)
    if not 0 <= number <= pattern.groups:
        raise FilterArgumentError(f"the regular expression has no group {written!r}")
    return number


def regex_findall(value: Any, pattern: str, multiline: bool = False, ignorecase: bool = False) -> list[Any]:  # noqa: FBT001, FBT002
    text = str(value)
    return guard_pattern(_filter_pattern(pattern, ignorecase=ignorecase, multiline=multiline), text).findall(
        text
    )


def regex_escape(value: Any, re_type: str = "python") -> str:
    if re_type == "posix_basic":
        return re.sub(r"([].[^$*\\])", r"\\\1", str(value))
    return re.escape(str(value))


def b64encode(value: Any, encoding: str = "utf-8") -> str:
    raw = value if isinstance(value, bytes) else str(value).encode(encoding)
    return base64.b64encode(raw).decode("ascii")


def b64decode(value: Any, encoding: str = "utf-8") -> str:
    return base64.b64decode(value).decode(encoding)


def make_hash(value: Any, hashtype: str = "sha1") -> str:
    try:
        digest = hashlib.new(hashtype, usedforsecurity=False)
    except ValueError as error:
        raise FilterArgumentError(f"there is no hash {hashtype!r}") from error
    digest.update(str(value).encode())
    return digest.hexdigest()


def mandatory(value: Any, msg: str | None = None) -> Any:
    if isinstance(value, Undefined):
        raise UndefinedError(msg or "a mandatory value is not defined")
    return value


def ternary(value: Any, true_value: Any, false_value: Any, none_value: Any = None) -> Any:
    if value is None and none_value is not None:
        return none_value
    return true_value if value else false_value


def comment(value: str, style: str = "plain", decoration: str | None = None) -> str:
    marks = {"plain": "# ", "erlang": "% ", "c": "// "}
    mark = decoration or marks.get(style, "# ")
    lines = [mark.rstrip(), *(f"{mark}{line}".rstrip() for line in str(value).splitlines()), mark.rstrip()]
    return "\n".join(lines)


def url_split(value: str, query: str = "") -> Any:
    parts = urlsplit(value)
    found: dict[str, Any] = {
        "hostname": parts.hostname,
        "netloc": parts.netloc,
        "username": parts.username,
        "password": parts.password,
        "path": parts.path,
        "port": parts.port,
        "scheme": parts.scheme,
        "query": parts.query,
        "fragment": parts.fragment,
    }
    if query and query not in found:
        raise FilterArgumentError(f"urlsplit: there is no part {query!r}")
    return found[query] if query else found


def path_join(value: Any) -> str:
    return os.path.join(*value) if isinstance(value, list | tuple) else str(value)


def to_uuid(value: Any, namespace: Any = _NAMESPACE) -> str:
    return str(uuid.uuid5(uuid.UUID(str(namespace)), str(value)))


def split(value: str, separator: str | None = None, maximum: int = -1) -> list[str]:
    return str(value).split(separator, maximum)


def type_debug(value: Any) -> str:
    return type(value).__name__


TEXT_FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "b64decode": b64decode,
    "b64encode": b64encode,
    "basename": lambda value: os.path.basename(str(value)),
    "bool": to_bool,
    "checksum": make_hash,
    "comment": comment,
    "dirname": lambda value: os.path.dirname(str(value)),
    "hash": make_hash,
    "mandatory": mandatory,
    "md5": lambda value: make_hash(value, "md5"),
    "normpath": lambda value: posixpath.normpath(str(value)),
    "path_join": path_join,
    "quote": lambda value: shlex.quote("" if value is None else str(value)),
    "regex_escape": regex_escape,
    "regex_findall": regex_findall,
    "regex_replace": regex_replace,
    "regex_search": regex_search,
    "relpath": lambda value, start=".": posixpath.relpath(str(value), str(start)),
    "sha1": make_hash,
    "split": split,
    "splitext": lambda value: list(os.path.splitext(str(value))),
    "ternary": ternary,
    "to_uuid": to_uuid,
    "type_debug": type_debug,
    "urldecode": lambda value: unquote_plus(str(value)),
    "urlsplit": url_split,
    "win_basename": lambda value: ntpath.basename(str(value)),
    "win_dirname": lambda value: ntpath.dirname(str(value)),
}
