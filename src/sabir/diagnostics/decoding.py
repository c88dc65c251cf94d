"""Decoding errors in plain words, with the path or the location in the data."""

from __future__ import annotations

import re
from typing import Final

from msgspec import MsgspecError, Struct

UNDECODED: Final = (MsgspecError, UnicodeDecodeError, RecursionError)
"""What decoding raises for data that does not fit."""

_KINDS: Final = {
    "object": "a map",
    "array": "a list",
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "null",
    "bytes": "bytes",
}
_NO_JSON: Final = ("JSON is malformed", "MessagePack data is malformed", "Input data was truncated")
_HERE: Final = "is wanted here"
_WORDS: Final = (
    (r"Expected `(.+?)`, got `(.+?)`", f"{{0}} {_HERE}, not {{1}}"),
    (r"Expected `(.+?)` of length >= (\d+)", f"{{0}} of at least {{1}} {_HERE}"),
    (r"Expected `(.+?)` of length <= (\d+)", f"{{0}} of at most {{1}} {_HERE}"),
    (r"Expected `(.+?)` of length (\d+)(?: to \d+)?(?:, got \d+)?", f"{{0}} of exactly {{1}} {_HERE}"),
    (r"Expected `(.+?)` matching regex (.*)", f"{{0}} that matches {{1}} {_HERE}"),
    (r"Expected `(.+?)` ([<>]=?) (.*)", f"{{0}} {{1}} {{2}} {_HERE}"),
    (r"Object missing required field `(.*)`", "'{0}' is missing"),
    (r"Object contains unknown field `(.*)`", "'{0}' is no key that is known here"),
    (r"Invalid (?:enum )?value (.*)", "{0} is none of the values that may stand here"),
    (r"(?:Number|Integer value) out of range", "the number is too large"),
    (r"Invalid base64 encoded string", "it is no base64 text"),
    (r"Input data was truncated", "it ends too early"),
    (r"(?:JSON|MessagePack data) is malformed: trailing comma in \w+", "there is a comma with nothing behind it"),
    (r"(?:JSON|MessagePack data) is malformed: object keys must be strings", "a key has to be a text in quotes"),
    (r"(?:JSON|MessagePack data) is malformed: trailing characters", "there is something behind its end"),
    (r"(?:JSON|MessagePack data) is malformed: expected (.*)", "{0} is missing"),
    (r"(?:JSON|MessagePack data) is malformed: invalid escape character in string", "a backslash cannot stand before this"),
    (r"(?:JSON|MessagePack data) is malformed: invalid number", "a number is not written like this"),
    (r"(?:JSON|MessagePack data) is malformed: invalid (?:character|opcode).*", "this cannot stand here"),
    (r"(?:JSON|MessagePack data) is malformed: (.*)", "{0}"),
)  # fmt: skip


class DecodeError(Struct, frozen=True, kw_only=True):
    """Why data could not be read."""

    path: str = ""
    """`resources[0].address`, the keys and numbers that lead to it; empty for the data as a whole, or when it is no JSON."""
    reason: str
    byte: int | None = None
    """Where it stands in data that is no JSON."""
    is_json: bool = True


def parse_decode_error(error: Exception) -> DecodeError:
    """What an error of msgspec means, or another error of decoding."""
    if isinstance(error, UnicodeDecodeError):
        return DecodeError(reason="it is no UTF-8 text")
    if isinstance(error, RecursionError):
        return DecodeError(reason="it is nested too deeply")
    words, _, place = str(error).partition(" - at `")
    malformed = re.fullmatch(r"(.*?)(?: \(byte (\d+)\))?", words, re.DOTALL)
    if malformed is None or not words.startswith(_NO_JSON):
        return DecodeError(path=_format_path(place), reason=_translate_message(words))
    said, byte = malformed.groups()
    return DecodeError(
        reason=_translate_message(said), byte=None if byte is None else int(byte), is_json=False
    )


def explain_decode_error(error: Exception, data: bytes | str = b"") -> str:
    """One sentence, with the path or, where the data is no JSON, its line and column."""
    defect = parse_decode_error(error)
    if defect.is_json:
        return f"{defect.path}: {defect.reason}" if defect.path else defect.reason
    if defect.byte is None or not data:
        return f"it is no JSON: {defect.reason}"
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    before = raw[: defect.byte]
    line, column = before.count(b"\n") + 1, len(before) - before.rfind(b"\n")
    return f"it is no JSON at line {line}, column {column}: {defect.reason}"


def _format_path(place: str) -> str:
    """``$.l[1].x`` and ``key` in `$.d`` as people would write them."""
    key, _, inside = place.rstrip("`").rpartition("` in `")
    path = inside.removeprefix("$").replace("[...]", ".…").removeprefix(".")
    return f"a key of {path or 'it'}" if key else path


def _translate_message(words: str) -> str:
    for pattern, ours in _WORDS:
        match = re.fullmatch(pattern, words, re.DOTALL)
        if match is not None:
            return ours.format(*map(_join_kinds, match.groups()))
    return words


def _join_kinds(kinds: str) -> str:
    """`int | str | null` as "a whole number, a text or null"."""
    *others, last = [_KINDS.get(kind, kind) for kind in kinds.split(" | ")]
    return f"{', '.join(others)} or {last}" if others else last
