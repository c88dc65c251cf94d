"""Encoding of values and decoding of values and origins.

A value that JSON cannot express is an object with one key that starts with `$`:

    {"$ref": "id"}               an instance
    {"$sensitive": true}         a redacted value; "value" holds it only when revealing was requested
    {"$unknown": true}           a value known after apply; {"of": ADDRESS, "why": TEXT} instead of true names it
    {"$bytes": "aGk="}           bytes, base64
    {"$date": "2026-11-15"}      a date; {"$datetime": "2026-11-15T10:00:00"} a date and time
    {"$float": "nan"}            a float without a JSON form: nan, inf, -inf
    {"$int": "0x…"}              an integer beyond 64 bits
    {"$map": [[key, value], …]}  a mapping with a key that is not a string or starts with `$`

Decoders raise ValueError with a reason when the data is invalid.
"""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final

from sabir.diagnostics.reasons import explain_error
from sabir.graph.origin import AttributeRead, How, Origin
from sabir.graph.record import Record
from sabir.graph.values import UNKNOWN, Ref, Sensitive, Unknown, Value
from sabir.text import REDACTED, Location

FORMAT: Final = "sabir.graph/1"
PLAIN: Final = frozenset({str, bool, type(None)})
"""Types that JSON has itself; checked by identity, which is fast."""


def encode_value(value: Value, *, reveal: bool = False) -> Any:
    """Return data for a JSON writer. Sensitive values are redacted unless `reveal` is set."""
    if type(value) in PLAIN:
        return value
    match value:
        case bool():
            return value
        case int():
            return int(value) if -(2**63) <= value < 2**64 else {"$int": hex(value)}
        case float():
            return value if math.isfinite(value) else {"$float": str(float(value))}
        case str():
            return str(value)
        case Sensitive():
            shown = {"value": encode_value(value.value, reveal=True)} if reveal else {}
            return {"$sensitive": True, **shown}
        case Unknown():
            named = {"of": value.of, "why": value.why}
            return {"$unknown": {key: text for key, text in named.items() if text is not None} or True}
        case Ref():
            return {"$ref": value.id}
        case bytes():
            return {"$bytes": b64encode(value).decode("ascii")}
        case datetime():
            return {"$datetime": value.isoformat()}
        case date():
            return {"$date": value.isoformat()}
        case Mapping():
            return _encode_mapping(value, reveal=reveal)
        case Sequence():
            return [encode_value(item, reveal=reveal) for item in value]
        case _:
            raise TypeError(f"no value of a graph: {type(value).__name__}")


def _encode_mapping(value: Mapping[Any, Value], *, reveal: bool) -> dict[str, Any]:
    if all(type(key) is str and key[:1] != "$" for key in value):
        return {key: encode_value(item, reveal=reveal) for key, item in value.items()}
    return {
        "$map": [
            [encode_value(key, reveal=reveal), encode_value(item, reveal=reveal)]
            for key, item in value.items()
        ]
    }


def has_words(text: bytes) -> bool:
    """Return whether a JSON text may contain a special value: a `$`, plain or escaped.

    False positives only cost time: the caller then decodes value by value.
    """
    return b"$" in text or b"\\u0024" in text


def decode_value(data: Any) -> Value:
    """Return the value of JSON data; raise ValueError with a reason when it is invalid."""
    if isinstance(data, dict):
        if len(data) <= 2 and (word := next(iter(data), "")).startswith("$"):
            return _decode_special(word, data)
        return {key: decode_value(item) for key, item in data.items()}
    if isinstance(data, list):
        return [decode_value(item) for item in data]
    plain: Value = data
    return plain


def _decode_special(word: str, data: Mapping[str, Any]) -> Value:
    decode = _SPECIAL.get(word)
    if decode is None:
        kinds = ", ".join(_SPECIAL)
        raise ValueError(f"{word!r} is no kind of value; known are {kinds}")
    if len(data) > 1 and not (word == "$sensitive" and "value" in data):
        raise ValueError(f"{word!r} stands beside another key")
    try:
        return decode(data)
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"bad {word!r} value: {explain_error(error)}") from error


def _require_true(data: Mapping[str, Any], word: str) -> None:
    if data[word] is not True:
        raise ValueError("it must be true")


def _require_text(data: Mapping[str, Any], word: str) -> str:
    text = data[word]
    if not isinstance(text, str):
        raise TypeError("it must be a string")
    return text


def _decode_sensitive(data: Mapping[str, Any]) -> Value:
    _require_true(data, "$sensitive")
    return Sensitive(decode_value(data["value"]) if "value" in data else REDACTED)


def _decode_unknown(data: Mapping[str, Any]) -> Value:
    named = data["$unknown"]
    if named is True:
        return UNKNOWN
    if not isinstance(named, dict) or not named.keys() <= {"of", "why"}:
        raise ValueError("it must be true, or say of what and why")
    if not all(isinstance(text, str) for text in named.values()):
        raise TypeError("it must say of what and why with strings")
    return Unknown(**named)


def _decode_float(data: Mapping[str, Any]) -> Value:
    text = _require_text(data, "$float")
    if text not in ("nan", "inf", "-inf"):
        raise ValueError("it must be nan, inf or -inf")
    return float(text)


def _decode_map(data: Mapping[str, Any]) -> Value:
    pairs = data["$map"]
    if not isinstance(pairs, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise ValueError("it must be a list of [key, value]")
    # Keys that are not strings are not part of `Value`, but YAML allows them and they must survive.
    result: dict[Any, Value] = {decode_value(key): decode_value(item) for key, item in pairs}
    return result


_SPECIAL: Final[Mapping[str, Callable[[Mapping[str, Any]], Value]]] = {
    "$ref": lambda data: Ref(_require_text(data, "$ref")),
    "$sensitive": _decode_sensitive,
    "$unknown": _decode_unknown,
    "$bytes": lambda data: b64decode(_require_text(data, "$bytes"), validate=True),
    "$date": lambda data: date.fromisoformat(_require_text(data, "$date")),
    "$datetime": lambda data: datetime.fromisoformat(_require_text(data, "$datetime")),
    "$float": _decode_float,
    "$int": lambda data: int(_require_text(data, "$int"), 16),
    "$map": _decode_map,
}


def origins_of(data: Any, where: str) -> Record[Origin]:
    """Decode origins by attribute name; `where` is the path for error messages."""
    if not isinstance(data, dict):
        raise ValueError(f"{where} must be an object")
    return Record.of({name: origin_of(item, f"{where}.{name}") for name, item in data.items()})


def origin_of(data: Any, where: str) -> Origin:
    """Decode one origin with its sources; raise ValueError with the path and the reason when it is invalid."""
    if not isinstance(data, dict):
        raise ValueError(f"{where} must be an object")
    file, line, column = (data.get(key) for key in ("file", "line", "column"))
    if not (isinstance(file, str) and isinstance(line, int) and isinstance(column, int)):
        raise ValueError(f"{where} must have a file, a line and a column")
    try:
        how = How(data.get("how", How.LITERAL.value))
    except ValueError:
        raise ValueError(f"{where}: {data['how']!r} is no way in which a value is made") from None
    note = data.get("note")
    if not (note is None or isinstance(note, str)):
        raise ValueError(f"{where}.note must be a string")
    sources = data.get("sources", ())
    if not isinstance(sources, list | tuple):
        raise ValueError(f"{where}.sources must be a list")
    return Origin(
        Location(file, line, column), how, tuple(_decode_source(source, where) for source in sources), note
    )


def _decode_source(data: Any, where: str) -> Origin | AttributeRead:
    if isinstance(data, dict) and data.get("instance") is not None:
        instance, attribute = data["instance"], data.get("attribute")
        if not (isinstance(instance, str) and (attribute is None or isinstance(attribute, str))):
            raise ValueError(f"{where}.sources: an instance and an attribute must be named by strings")
        return AttributeRead(instance, attribute)
    return origin_of(data, f"{where}.sources")
