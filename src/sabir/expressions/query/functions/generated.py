"""generate_string: text by chance, as passwords are. Each evaluation gives another; what is to last belongs into an input or a secret."""

from __future__ import annotations

import secrets
import string
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sabir.expressions.query.context import Context
from sabir.expressions.query.functions.call import Call
from sabir.expressions.query.functions.registry import Function, table
from sabir.expressions.query.values import reveal_deep

__all__ = ["GENERATED_FUNCTIONS"]

_LONGEST: Final = 10_000
_LETTERS: Final = string.ascii_letters + string.digits
_SIGNS: Final = "%()*+,-./<>?=^_~"
_PRESETS: Final = {
    "": (10, _LETTERS + _SIGNS),
    "number": (1, string.digits),
    "password": (15, _LETTERS),
}
_KEYS: Final = ("preset", "len", "ranges")


def generate_string(call: Call, context: Context) -> Any:
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
        characters = "".join(_characters(pair, call, context) for pair in ranges)
    text = _random_string(characters, length)
    # A password has a digit, or it would be refused where it is to be used.
    while preset == "password" and length > 1 and not any(map(str.isdigit, text)):
        text = _random_string(characters, length)
    return text


def _random_string(characters: str, length: int) -> str:
    return "".join(secrets.choice(characters) for _ in range(length))


def _characters(pair: Any, call: Call, context: Context) -> str:
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
