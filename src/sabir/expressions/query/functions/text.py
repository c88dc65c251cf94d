"""concat, join, token, q: text out of parts, and quoting.

urljoin and portspec: addresses and ports out of parts; is_function_defined: whether a function is there to be called.

generate_string: text by chance, as passwords are. Each evaluation gives another; what is to last belongs into an input or a secret.
"""

from __future__ import annotations

import re
import secrets
import string
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final
from urllib.parse import quote, quote_plus

from sabir.expressions.query.context import QueryContext
from sabir.expressions.query.functions.call import FunctionCall, Matches
from sabir.expressions.query.functions.registry import Function, find_function, table
from sabir.expressions.query.values import (
    build_unknown,
    holds_unknown,
    is_sensitive,
    mark_sensitive,
    reveal_deep,
)
from sabir.graph.values import Unknown

_ORDINARY: Final = frozenset({str, int, float, bool, type(None)})
"""Neither marked nor unknown, nor able to hold what is."""


def concat_texts(call: FunctionCall, context: QueryContext) -> Any:
    value = call.value(context)
    separator = call.keyword(context, "sep", "")
    if type(value) is list and type(separator) is str and _ORDINARY.issuperset(map(type, value)):
        return separator.join(map(_to_text, value))
    if not isinstance(reveal_deep(value), list):
        return value
    if holds_unknown(value):
        return build_unknown(value)
    return _copy_mark(
        [value, separator], _to_text(reveal_deep(separator)).join(map(_to_text, reveal_deep(value)))
    )


def join_texts(call: FunctionCall, context: QueryContext) -> Any:
    """S-82: `[[parts], delimiter]` as TOSCA has it; a flat list is joined without one."""
    value = call.value(context)
    items = reveal_deep(value)
    if not isinstance(items, list):
        return value
    if holds_unknown(items):
        return build_unknown(items)
    delimiter = ""
    parts = items
    if items and isinstance(items[0], list):
        if len(items) > 2:
            call.fail(context, "join needs a list of parts and at most one delimiter")
        parts = items[0]
        delimiter = _to_text(items[1]) if len(items) == 2 else ""
    return _copy_mark([value], delimiter.join(map(_to_text, parts)))


def select_token(call: FunctionCall, context: QueryContext) -> Any:
    items = call.items(context, 3, 3)
    value = call.value(context)
    text, separator, index = (reveal_deep(item) for item in reveal_deep(value))
    if isinstance(index, str) and index.lstrip("-").isdigit():
        index = int(index)
    if not isinstance(index, int) or isinstance(index, bool):
        call.fail(context, f"the third item of token must be a whole number, not {index!r}")
    if not isinstance(separator, str) or not separator:
        call.fail(context, "the second item of token must be the text to split by")
    if isinstance(text, Unknown):
        return text
    parts = _to_text(text).split(separator)
    if not -len(parts) <= index < len(parts):
        call.fail(context, f"token wants part {index}, but there are only {len(parts)}")
    return _copy_mark(items, parts[index]) if not is_sensitive(value) else mark_sensitive(parts[index])


def quote_text(call: FunctionCall, context: QueryContext) -> Any:
    del context
    return Matches([call.argument])


def _to_text(value: Any) -> str:
    return value if isinstance(value, str) else str(value)


def _copy_mark(values: list[Any], result: str) -> Any:
    """S-99: text computed from a marked value is marked."""
    return mark_sensitive(result) if is_sensitive(values) else result


TEXT_FUNCTIONS: Final = table(
    Function("concat", concat_texts, standalone=True, keywords=("sep",)),
    Function("join", join_texts, standalone=True),
    Function("token", select_token, standalone=True),
    Function("q", quote_text, standalone=True),
)


_USUAL_PORTS: Final = {"http": "80", "https": "443"}
_HIGHEST_PORT: Final = 65535


def join_url(call: FunctionCall, context: QueryContext) -> Any:
    """`[scheme, host, port, path, query, fragment]`, of which all but the first two may be left out."""
    call.items(context, 2, 6)
    value = call.value(context)
    if holds_unknown(value):
        return build_unknown(value)
    parts = ["" if part is None else str(part) for part in reveal_deep(value)]
    url = _format_url(*parts)
    return mark_sensitive(url) if url and is_sensitive(value) else url


def _format_url(
    scheme: str, host: str, port: str = "", path: str = "", query: str = "", fragment: str = ""
) -> str | None:
    if not (scheme or host or path or query or fragment):
        return None
    place = f"{host}:{port}" if port and _USUAL_PORTS.get(scheme) != port else host
    path = quote(path)
    if place and path and not path.startswith("/"):
        path = "/" + path
    begin = (f"{scheme}:" if scheme else "") + ("//" if place else "")
    end = (f"?{quote_plus(query)}" if query else "") + (f"#{quote(fragment)}" if fragment else "")
    return begin + place + path + end


@cache
def _port_pattern() -> re.Pattern[str]:
    ends = r"(\d{1,5})(?:-(\d{1,5}))?"
    return re.compile(rf"{ends}(?::{ends})?(?:/(\w+))?", re.ASCII)


def parse_portspec(call: FunctionCall, context: QueryContext) -> Any:
    """`source[-last][:target[-last]][/protocol]` as the map that tosca.datatypes.network.PortSpec is."""
    value = call.value(context)
    if holds_unknown(value):
        return build_unknown(value)
    written = reveal_deep(value)
    if written is None or written == "" or isinstance(written, dict):
        return written or None
    read = _port_pattern().fullmatch(str(written).strip())
    numbers = [int(number) for number in read.groups()[:4] if number] if read else []
    if (
        read is None
        or isinstance(written, bool)
        or not all(0 < number <= _HIGHEST_PORT for number in numbers)
    ):
        call.fail(
            context,
            f"portspec cannot read {written!r}",
            hint="write 80, 80:8080, 80-90:8080-8090 or 53/udp, with ports from 1 to 65535",
        )
    source, source_end, target, target_end, protocol = read.groups()
    if target is None:
        target, target_end = source, source_end
    ports = {
        "protocol": protocol or "tcp",
        **_port_fields("source", source, source_end),
        **_port_fields("target", target, target_end),
    }
    return Matches([mark_sensitive(ports) if is_sensitive(value) else ports])


def _port_fields(name: str, first: str, last: str | None) -> dict[str, Any]:
    single, several = (int(first), None) if last is None else (None, [int(first), int(last)])
    return {name: single, f"{name}_range": several}


def is_function_defined(call: FunctionCall, context: QueryContext) -> Any:
    return find_function(call.text(context, "the name of a function")) is not None


ADDRESS_FUNCTIONS: Final = table(
    Function("urljoin", join_url),
    Function("portspec", parse_portspec),
    Function("is_function_defined", is_function_defined),
)


_LONGEST: Final = 10_000
_LETTERS: Final = string.ascii_letters + string.digits
_SIGNS: Final = "%()*+,-./<>?=^_~"
_PRESETS: Final = {
    "": (10, _LETTERS + _SIGNS),
    "number": (1, string.digits),
    "password": (15, _LETTERS),
}
_KEYS: Final = ("preset", "len", "ranges")


def generate_string(call: FunctionCall, context: QueryContext) -> Any:
    """`{preset: password | number, len: 20, ranges: [[a, z]]}`."""
    wanted = reveal_deep(call.value(context))
    if not isinstance(wanted, Mapping) or any(key not in _KEYS for key in wanted):
        call.fail(
            context,
            "generate_string needs a map with preset, len or ranges",
            hint="as {preset: password, len: 20}",
        )
    preset, ranges = wanted.get("preset") or "", wanted.get("ranges")
    if preset not in _PRESETS:
        call.fail(
            context, f"generate_string knows no preset {preset!r}", hint="there are number and password"
        )
    usual, characters = _PRESETS[preset]
    length = wanted.get("len") or usual
    if isinstance(length, bool) or not isinstance(length, int) or not 0 < length <= _LONGEST:
        call.fail(context, f"the length of a generated text must be from 1 to {_LONGEST:,}, not {length!r}")
    if ranges and not preset:
        characters = "".join(_range_characters(pair, call, context) for pair in ranges)
    text = _random_string(characters, length)
    # A password has a digit, or it would be refused where it is to be used.
    while preset == "password" and length > 1 and not any(map(str.isdigit, text)):
        text = _random_string(characters, length)
    return text


def _random_string(characters: str, length: int) -> str:
    return "".join(secrets.choice(characters) for _ in range(length))


def _range_characters(pair: Any, call: FunctionCall, context: QueryContext) -> str:
    """The characters of a range, two letters or two numbers; as in Unfurl the second one is not among them."""
    if isinstance(pair, Sequence) and len(pair) == 2:
        ends: list[Any] = [ord(end) if isinstance(end, str) and len(end) == 1 else end for end in pair]
        if all(type(end) is int and 0 <= end < 0x3000 for end in ends) and ends[0] < ends[1]:
            return "".join(map(chr, range(*ends)))
    raise call.error(
        context,
        f"a range of generate_string has a first and a last character, not {pair!r}",
        hint="as [a, z]",
    )


GENERATED_FUNCTIONS: Final = table(
    Function("generate_string", generate_string),
    Function("_generate", generate_string),
)

FUNCTIONS: Final[Mapping[str, Function]] = {**TEXT_FUNCTIONS, **ADDRESS_FUNCTIONS, **GENERATED_FUNCTIONS}
