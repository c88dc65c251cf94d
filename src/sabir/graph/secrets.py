"""Search for the texts of sensitive values, to redact them in lines and messages.

A secret is also found where it is escaped as JSON or in a URL, or encoded in Base64.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, cast
from urllib.parse import quote
from weakref import WeakKeyDictionary

from sabir.graph.graph import Graph
from sabir.graph.origin import Origin
from sabir.graph.values import Sensitive, Value
from sabir.text import REDACTED, Span

_PLAIN: Final = frozenset({str, int, bool, float, type(None)})
"""Types that cannot contain a secret; most values have one of them."""
_SHORTEST: Final = 3
_LONGEST_WORD: Final = 10
_ALONE: Final = r"(?:(?<![\w./-])|(?<=\s-\w)){}(?![\w/-]|\.\w)"
"""A whole word, also directly after an option letter (`-pWORD`), but not a part of a longer word, name or path."""
_NAMING: Final = frozenset({"app", "image", "name"})
"""Keys whose values identify something."""
_SHORTEST_ENCODED: Final = 6
_MOST: Final = 500


class Secrets:
    """Texts that must not be shown.

    Texts of one or two characters would match everywhere and are ignored. A short plain word such as `service` does
    not hide paths and names that contain it.
    """

    def __init__(self, texts: Iterable[str], *, most: int = _MOST, names: Iterable[str] = ()) -> None:
        """`names` are public names: a plain word equal to one of them stays visible under a key that names something."""
        forms = dict.fromkeys(form for text in texts for form in _text_forms(text) if len(form) >= _SHORTEST)
        self._names = frozenset(filter(_is_word, names))
        self.too_many = len(forms) > most
        """A pattern of thousands of words would slow down every line, so nothing is shown then."""
        longest_first = sorted(forms, key=len, reverse=True)
        self._pattern = (
            re.compile("|".join(map(_form_pattern, longest_first)), re.IGNORECASE)
            if forms and not self.too_many
            else None
        )

    @staticmethod
    def of(graph: Graph) -> Secrets:
        """Return the secrets of all values of a graph; computed once, because a graph does not change."""
        secrets = _KNOWN.get(graph)
        if secrets is None:
            secrets = _KNOWN[graph] = Secrets(text for texts, _ in sensitive_values(graph) for text in texts)
        return secrets

    def __bool__(self) -> bool:
        return self.too_many or self._pattern is not None

    def are_in(self, text: str) -> bool:
        """Return whether a text contains a secret."""
        return self.too_many or (self._pattern is not None and self._pattern.search(text) is not None)

    def spans(self, text: str) -> list[Span]:
        """Return the spans of the secrets in a text."""
        if self.too_many:
            return [Span(0, len(text))]
        return (
            [] if self._pattern is None else [Span(*match.span()) for match in self._pattern.finditer(text)]
        )

    def redact(self, text: str) -> str:
        """Return the text with every secret replaced."""
        if self.too_many:
            return REDACTED
        return text if self._pattern is None else self._pattern.sub(REDACTED, text)

    def mark_sensitive(self, value: Value) -> Value:
        """Return the value with every part that contains a secret marked as sensitive; the same object when none does."""
        match value:
            case None | bool() | Sensitive():
                return value
            case str() | int() | float():
                return Sensitive(value) if self.are_in(str(value)) else value
            case Mapping():
                pairs = {
                    key: item if self.is_name(key, item) else self.mark_sensitive(item)
                    for key, item in value.items()
                }
                return value if all(pairs[key] is item for key, item in value.items()) else pairs
            case Sequence() if not isinstance(value, bytes):
                items = [self.mark_sensitive(item) for item in value]
                return value if all(new is old for new, old in zip(items, value, strict=True)) else items
            case _:
                return value

    def is_name(self, key: str, value: Value) -> bool:
        """Return whether a value only identifies something, although a password may be the same word."""
        return key in _NAMING and isinstance(value, str) and value in self._names and not self.too_many


_KNOWN: Final[WeakKeyDictionary[Graph, Secrets]] = WeakKeyDictionary()


def _form_pattern(form: str) -> str:
    return _ALONE.format(form) if _is_word(form) else re.escape(form)


def _is_word(text: str) -> bool:
    return text.isascii() and text.isalpha() and text.islower() and len(text) <= _LONGEST_WORD


def _text_forms(text: str) -> Iterator[str]:
    """Yield the forms in which other texts may contain a text: escaped, URL-quoted, in Base64.

    Base64 encodes three bytes at once, so the secret has three forms, depending on the bytes before it.
    """
    yield text
    yield json.dumps(text)[1:-1]
    data = text.encode("utf-8", "surrogatepass")
    yield quote(data, safe="")
    for before in range(3):
        # Six bits per character: drop the characters that share bits with the bytes before or after the secret.
        encoded = b64encode(bytes(before) + data).decode("ascii").rstrip("=")
        inner = encoded[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
        if len(inner) >= _SHORTEST_ENCODED:
            yield inner


def sensitive_values(graph: Graph) -> Iterator[tuple[tuple[str, ...], Origin | None]]:
    """Yield, for every value with a sensitive part, the texts of its secrets and its origin."""
    for instance in graph:
        if _PLAIN.issuperset(map(type, instance.attributes.row)):
            continue
        for name, value in zip(instance.attributes.layout.keys, instance.attributes.row, strict=True):
            if type(value) not in _PLAIN and (texts := secret_texts(value)) is not None:
                yield texts, instance.origins.get(name)
    for name, value in graph.outputs.items():
        if (texts := secret_texts(value)) is not None:
            yield texts, graph.output_origins.get(name)


def holds_sensitive(value: Any) -> bool:
    """Return whether a value is or contains a sensitive value."""
    return type(value) not in _PLAIN and secret_texts(cast("Value", value)) is not None


def secret_texts(value: Value) -> tuple[str, ...] | None:
    """Return the texts of the sensitive parts of a value, line by line; None when there are none."""
    texts: list[str] = []
    is_sensitive = False
    todo: list[tuple[Value, bool]] = [(value, False)]
    seen: set[tuple[int, bool]] = set()
    while todo:
        value, secret = todo.pop()
        match value:
            case Sensitive():
                is_sensitive = True
                todo.append((value.value, True))
            case str():
                texts += [line.strip() for line in value.splitlines()] if secret else []
            case None | bool() | bytes():
                pass
            case int() | float():
                if secret and (isinstance(value, float) or value.bit_length() < 4096):
                    texts.append(str(value))
            case Mapping() | Sequence():
                if (id(value), secret) not in seen:
                    seen.add((id(value), secret))
                    todo += [
                        (part, secret) for part in (value.values() if isinstance(value, Mapping) else value)
                    ]
            case _:
                pass
    return tuple(text for text in texts if text != REDACTED) if is_sensitive else None
