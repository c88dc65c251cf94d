"""Why something failed, in words for users who never see Python.

The wording of Python and of libraries changes with their versions, so decisions use only the type of an exception and
its attributes. Common types have their own text; all others keep the library's message, without traces of the
interpreter.
"""

from __future__ import annotations

import os
import re
from errno import errorcode
from typing import Final

from msgspec import MsgspecError

from sabir.diagnostics.decoding import explain_decode_error

_NOT_A_HOST: Final = "not a valid host name"
_DAMAGED: Final = "damaged data"
_BY_TYPE: Final = {
    "_lzma.LZMAError": _DAMAGED,
    "binascii.Error": "not base64 text",
    "builtins.IndexError": "index out of range",
    "builtins.KeyError": "there is no {said}",
    "builtins.OverflowError": "value out of range",
    "builtins.RecursionError": "nested too deeply, or contains itself",
    "builtins.UnicodeDecodeError": "not UTF-8 text",
    "builtins.ZeroDivisionError": "division by zero",
    "configparser.DuplicateOptionError": "line {error.lineno}: duplicate option '{error.option}'",
    "configparser.DuplicateSectionError": "line {error.lineno}: duplicate section '{error.section}'",
    "configparser.InterpolationError": "option '{error.option}' of [{error.section}] refers to something that is not set",
    "configparser.MissingSectionHeaderError": "line {error.lineno}: expected a [section]",
    "configparser.ParsingError": "line {error.errors[0][0]}: expected NAME = VALUE",
    "json.decoder.JSONDecodeError": "{error.msg}: line {error.lineno}, column {error.colno}",
    "jsonschema_rs.ValidationError": "{error.message}",
    "sqlalchemy.exc.ArgumentError": "not the URL of a database",
    "sqlalchemy.exc.DBAPIError": "{error.orig}",
    "sqlalchemy.exc.NoSuchModuleError": "unknown type of database",
    "urllib.error.URLError": "{error.reason}",
    "zlib.error": _DAMAGED,
}
"""Texts by the names of types, which need not be imported for that; the nearest base of an exception counts."""

_CONVERSIONS: Final = (
    (r"invalid literal for int\(\) with base \d+: (.*)", "expected an integer, found {0}"),
    (r"could not convert string to float: (.*)", "expected a number, found {0}"),
    (r"Exceeds the limit \(\d+ digits\) for integer string conversion.*", "number has too many digits"),
    (r"(?:cannot use .* as a .*\()?unhashable type: (\w+).*", "{0} cannot be the key of a mapping"),
)
"""The texts of Python that tell about its functions, from exceptions that have nothing but a text."""

_KINDS: Final = {
    "NoneType": "null",
    "bool": "boolean",
    "bytes": "bytes",
    "complex": "number",
    "dict": "mapping",
    "float": "number",
    "frozenset": "set",
    "int": "integer",
    "list": "list",
    "set": "set",
    "str": "string",
    "tuple": "list",
}


def explain_error(error: BaseException) -> str:
    """Why something failed, on one line, for those who wrote no Python."""
    if isinstance(error, MsgspecError):
        return explain_decode_error(error)
    mark = getattr(error, "problem_mark", None)
    if mark is not None:  # of a YAML file
        return f"at line {mark.line + 1}, column {mark.column + 1}, {getattr(error, 'problem', None) or 'it is no YAML'}"
    if type(error) is UnicodeError or (isinstance(error, UnicodeEncodeError) and error.encoding == "idna"):
        return _NOT_A_HOST  # only the codec of host names raises the base class
    if isinstance(error, NameError) and error.name in (
        "inf",
        "nan",
    ):  # a number of a template, written as Python
        return _BY_TYPE["builtins.OverflowError"]
    said = error_text(error)
    for base in type(error).__mro__:
        text = _BY_TYPE.get(f"{base.__module__}.{base.__qualname__}")
        if text is not None:
            said = text.format(error=error, said=said)
            break
    if isinstance(error, OSError):
        said = _system_reason(error) or said
    elif isinstance(error, TypeError | AttributeError) or _about_types(error, said):
        said = _with_known_kinds(said)
    for pattern, words in _CONVERSIONS:
        match = re.fullmatch(pattern, said, re.DOTALL)
        if match is not None:
            return words.format(*match.groups())
    return " ".join(_unwrap_reason(said).split()) or type(error).__name__


def _system_reason(error: OSError) -> str | None:
    """What the system says of a number; `asyncio` and `ssl` put words of their own beside it."""
    if error.errno is None or not error.strerror or getattr(error, "library", None) is not None:
        return None
    return os.strerror(error.errno) if error.errno in errorcode else error.strerror


def _unwrap_reason(said: str) -> str:
    """The reason of the system inside the text of a library that wraps it, as `OSError` and `ssl` write it."""
    match = re.search(
        r"\[(?:Errno (-?\d+)|(?:SSL|X509|PEM|ASN1)[^\]]*)\] ([^\[\]<>'\"()]*[^\[\]<>'\"() ])", said
    )
    if match is None:
        return said
    number = int(match[1] or 0)
    return os.strerror(number) if number in errorcode else match[2]


def _about_types(error: BaseException, said: str) -> bool:
    return type(error).__module__.startswith("jinja2.") or "object of type" in said


def _with_known_kinds(said: str) -> str:
    """Types by the names that YAML has for them, and functions of templates by theirs."""
    names = "|".join(_KINDS)
    quoted = re.sub(rf"""(['"])({names})(?: object)?\1(?: object)?""", lambda match: _KINDS[match[2]], said)
    bare = re.sub(rf"\b({names})\b(?: object)?(?![.(])", lambda match: _KINDS[match[1]], quoted)
    return re.sub(r"\b(?:sync_)?(?:do_|test_)(\w+\(\))", r"\1", bare)


def error_text(error: BaseException) -> str:
    """The text of an exception that may be of anybody's class."""
    try:
        return without_addresses(str(error))
    except Exception:  # noqa: BLE001  # the text of an exception is code, too
        return "its text cannot be made"


def without_addresses(text: str) -> str:
    """The text without the places of objects in memory, which mean nothing and differ from run to run."""
    return re.sub(r" at 0x[0-9a-fA-F]{6,}", "", text) if " at 0x" in text else text
