"""Functions of `std` on strings, templates and files of modules."""

from __future__ import annotations

import re
from typing import Any

from sabir.diagnostics.reasons import explain_error
from sabir.languages.inmanta.evaluate.plugins.api import Context, PluginException
from sabir.languages.inmanta.library.std.plugins.registry import plugin

__all__: list[str] = []


@plugin
def template(ctx: Context, path: str, **kwargs: Any) -> Any:
    """Return a Jinja2 template of a module, rendered in the scope of the call."""
    return ctx.render(path, kwargs)


@plugin
def source(ctx: Context, path: str) -> str:
    """Return the text of a file of a module: `module/path` is its `files/path`."""
    return _decode_text(ctx.read_file("files", path), path)


@plugin
def file(ctx: Context, path: str) -> str:
    """Return the text of a file, as `source` does."""
    return _decode_text(ctx.read_file("files", path), path)


@plugin
def list_files(ctx: Context, path: str) -> list[str]:
    """Return the names of the files in a directory of a module: `module/path` is its `files/path`."""
    return ctx.list_files("files", path)


def _decode_text(raw: bytes, path: str) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise PluginException(f"the file {path!r} is no UTF-8 text") from None


@plugin
def replace(string: str, old: str, new: str) -> str:
    return string.replace(old, new)


@plugin
def split(string_list: str, delim: str) -> list[str]:
    return string_list.split(delim)


@plugin
def join(items: list[Any], separator: str = "") -> str:
    return separator.join(str(item) for item in items)


@plugin
def lower(string: str) -> str:
    return string.lower()


@plugin
def upper(string: str) -> str:
    return string.upper()


@plugin
def capitalize(string: str) -> str:
    return string.capitalize()


@plugin
def strip(string: str) -> str:
    return string.strip()


@plugin
def length(value: str) -> int:
    return len(value)


@plugin
def limit(string: str, length: int) -> str:
    return string[:length]


@plugin("format")
def format_(__string: str, *args: Any, **kwargs: Any) -> str:
    """Return the result of Python's format, without access to attributes and items."""
    if re.search(r"\{[^{}]*[.\[]", __string.replace("{{", "")):
        raise PluginException("a format names values by position or name only")
    if re.search(r":[^}]*[0-9]{5,}", __string):
        raise PluginException("a format of that width is refused")
    try:
        return __string.format(*args, **kwargs)
    except (IndexError, KeyError, ValueError) as error:
        raise PluginException(f"the format does not fit its values: {explain_error(error)}") from None


@plugin
def to_number(value: str) -> Any:
    try:
        return int(value)
    except ValueError:
        try:
            return float(value)
        except ValueError:
            raise PluginException(f"{value!r} is no number") from None


@plugin("print")
def print_(message: Any) -> Any:
    """Return the value unchanged; a model has no output."""
    return message


@plugin("assert")
def assert_true(expression: bool, message: str = "") -> bool:  # noqa: FBT001
    if not expression:
        raise PluginException("the assertion does not hold" + (f": {message}" if message else ""))
    return True


@plugin
def equals(arg1: Any, arg2: Any, desc: str | None = None) -> bool:
    if arg1 != arg2:
        raise PluginException(f"{arg1!r} does not equal {arg2!r}" + (f": {desc}" if desc else ""))
    return True


@plugin
def delay(x: Any) -> Any:
    return x


@plugin
def hostname(fqdn: str) -> str:
    """Return the first part of a full host name."""
    return fqdn.split(".")[0]


@plugin
def base64_encode(s: str) -> str:
    import base64

    return base64.b64encode(s.encode()).decode("ascii")


@plugin
def base64_decode(s: str) -> str:
    import base64

    try:
        return base64.b64decode(s).decode()
    except ValueError:
        raise PluginException("this is no base64 text") from None
