"""`inmanta.util.dict_path`: paths into nested dicts and lists, `a.b[name=x].c`.

In a wild path `*` matches any key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from sabir.lazy import lazy_pattern

__all__ = [
    "ComposedPath",
    "ContainerStructureException",
    "DictPath",
    "InDict",
    "InvalidPathException",
    "KeyedList",
    "NullPath",
    "NullValue",
    "WildDictPath",
    "to_path",
    "to_wild_path",
]

_LONGEST: Final = 10_000


class InvalidPathException(Exception):
    """Raised for a string that is not a path."""


class ContainerStructureException(Exception):
    """Raised if a path refers into something that is not a dict or list."""


_tokens: Final = lazy_pattern(
    r"(?P<dot>\.)|(?P<open>\[)|(?P<close>\])|(?P<equals>=)|(?P<comma>,)|(?P<word>(?:\\.|[^.\[\]=,\\])+)|(?P<null>\\0)"
)


def _unescape_name(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def _escape_name(text: str) -> str:
    return re.sub(r"([\\.\[\]=,*])", r"\\\1", text)


class NullValue:
    """The value null in a key of a list."""

    def matches(self, value: object) -> bool:
        return value is None

    def __str__(self) -> str:
        return "\\0"


class WildDictPath:
    """A path that may match several elements."""

    def get_elements(self, container: object) -> list[Any]:
        """Return every value that the path matches."""
        return [value for _, value in self.match_elements(container)]

    def match_elements(self, container: object) -> Iterator[tuple[DictPath, Any]]:
        raise NotImplementedError

    def resolve_wild_cards(self, container: object) -> list[DictPath]:
        """Return the plain paths that a wild path matches in a container."""
        return [path for path, _ in self.match_elements(container)]

    def get_path_sections(self) -> Sequence[WildDictPath]:
        return (self,)

    def to_str(self) -> str:
        raise NotImplementedError

    def __str__(self) -> str:
        return self.to_str()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WildDictPath) and self.to_str() == other.to_str()

    def __hash__(self) -> int:
        return hash(self.to_str())

    def __add__(self, other: WildDictPath) -> WildDictPath:
        sections = [*self.get_path_sections(), *other.get_path_sections()]
        plain = [section for section in sections if isinstance(section, DictPath)]
        return ComposedPath(plain) if len(plain) == len(sections) else _WildComposed(sections)


class DictPath(WildDictPath):
    """A path to one element."""

    def get_element(self, container: object, construct: bool = False) -> Any:  # noqa: FBT001, FBT002  # as modules call it
        """Return the element; KeyError if there is none. `construct` creates the dicts on the path."""
        raise NotImplementedError

    def set_element(self, container: object, value: object, construct: bool = True) -> None:  # noqa: FBT001, FBT002
        raise NotImplementedError

    def remove(self, container: object) -> None:
        raise NotImplementedError

    def construct(self, container: object) -> Any:
        """Return the dict at the path, created if it is missing."""
        return self.get_element(container, construct=True)

    def match_elements(self, container: object) -> Iterator[tuple[DictPath, Any]]:
        try:
            yield self, self.get_element(container)
        except KeyError:
            return

    def get_key(self) -> str:
        """Return the last name of the path."""
        raise NotImplementedError


def _require_dict(container: object) -> dict[str, Any]:
    if not isinstance(container, dict):
        raise ContainerStructureException(f"{container!r} is no dict")
    return container


class NullPath(DictPath):
    """The path `.`: the container itself."""

    def get_element(self, container: object, construct: bool = False) -> Any:  # noqa: FBT001, FBT002, ARG002
        return container

    def set_element(self, container: object, value: object, construct: bool = True) -> None:  # noqa: FBT001, FBT002, ARG002
        raise LookupError("the path '.' is the container itself, which cannot be set")

    def remove(self, container: object) -> None:  # noqa: ARG002
        raise LookupError("the path '.' is the container itself, which cannot be removed")

    def get_key(self) -> str:
        return "."

    def get_path_sections(self) -> Sequence[WildDictPath]:
        return ()

    def to_str(self) -> str:
        return "."


class InDict(DictPath):
    """The path `key`: the value of a dict under a key."""

    def __init__(self, key: str) -> None:
        self.key = key

    def get_element(self, container: object, construct: bool = False) -> Any:  # noqa: FBT001, FBT002
        holder = _require_dict(container)
        if self.key not in holder and construct:
            holder[self.key] = {}
        return holder[self.key]

    def set_element(self, container: object, value: object, construct: bool = True) -> None:  # noqa: FBT001, FBT002, ARG002
        _require_dict(container)[self.key] = value

    def remove(self, container: object) -> None:
        _require_dict(container).pop(self.key, None)

    def get_key(self) -> str:
        return self.key

    def to_str(self) -> str:
        return _escape_name(self.key)


class KeyedList(DictPath):
    """The path `relation[key=value,…]`: the one dict of a list that has these values."""

    def __init__(self, relation: str, key_value_pairs: Sequence[tuple[str, str | NullValue]]) -> None:
        self.relation = relation
        self.pairs = tuple(key_value_pairs)

    def _matches(self, item: object) -> bool:
        holder = _require_dict(item)
        return all(
            value.matches(holder.get(key)) if isinstance(value, NullValue) else str(holder.get(key)) == value
            for key, value in self.pairs
        )

    def _items(self, container: object, *, construct: bool = False) -> list[Any]:
        holder = _require_dict(container)
        if self.relation not in holder and construct:
            holder[self.relation] = []
        items = holder[self.relation]
        if not isinstance(items, list):
            raise ContainerStructureException(f"{self.relation!r} is no list")
        return items

    def get_element(self, container: object, construct: bool = False) -> Any:  # noqa: FBT001, FBT002
        items = self._items(container, construct=construct)
        fitting = [item for item in items if self._matches(item)]
        if len(fitting) > 1:
            raise KeyError(f"{self.to_str()} fits {len(fitting)} items")
        if fitting:
            return fitting[0]
        if not construct:
            raise KeyError(self.to_str())
        made = {key: None if isinstance(value, NullValue) else value for key, value in self.pairs}
        items.append(made)
        return made

    def set_element(self, container: object, value: object, construct: bool = True) -> None:  # noqa: FBT001, FBT002
        if not self._matches(value):
            raise ValueError(f"{value!r} does not fit {self.to_str()}")
        items = self._items(container, construct=construct)
        for position, item in enumerate(items):
            if self._matches(item):
                items[position] = value
                return
        items.append(value)

    def remove(self, container: object) -> None:
        items = self._items(container)
        items[:] = [item for item in items if not self._matches(item)]

    def get_key(self) -> str:
        return self.relation

    def to_str(self) -> str:
        pairs = ",".join(
            f"{_escape_name(key)}={value if isinstance(value, NullValue) else _escape_name(value)}"
            for key, value in self.pairs
        )
        return f"{_escape_name(self.relation)}[{pairs}]"


class ComposedPath(DictPath):
    """The path `a.b.c`."""

    def __init__(self, path: Sequence[DictPath]) -> None:
        self.expanded_path = tuple(path)

    def get_element(self, container: object, construct: bool = False) -> Any:  # noqa: FBT001, FBT002
        for section in self.expanded_path:
            container = section.get_element(container, construct)
        return container

    def set_element(self, container: object, value: object, construct: bool = True) -> None:  # noqa: FBT001, FBT002
        *before, last = self.expanded_path
        for section in before:
            container = section.get_element(container, construct)
        last.set_element(container, value, construct)

    def remove(self, container: object) -> None:
        *before, last = self.expanded_path
        for section in before:
            container = section.get_element(container)
        last.remove(container)

    def get_key(self) -> str:
        return self.expanded_path[-1].get_key()

    def get_path_sections(self) -> Sequence[WildDictPath]:
        return self.expanded_path

    def to_str(self) -> str:
        return ".".join(section.to_str() for section in self.expanded_path)


class _WildInDict(WildDictPath):
    """The path `*`: every value of a dict."""

    def match_elements(self, container: object) -> Iterator[tuple[DictPath, Any]]:
        for key, value in _require_dict(container).items():
            yield InDict(key), value

    def to_str(self) -> str:
        return "*"


class _WildKeyedList(WildDictPath):
    """The paths `relation[key=*]` and `relation[*=value]`: every matching dict of a list."""

    def __init__(self, relation: str, pairs: Sequence[tuple[str | None, str | NullValue | None]]) -> None:
        self.relation = relation
        self.pairs = tuple(pairs)

    def _matches(self, item: dict[str, Any]) -> bool:
        for key, value in self.pairs:
            values = [item[key]] if key in item else [] if key is not None else list(item.values())
            if value is None:
                fits = bool(values)
            elif isinstance(value, NullValue):
                fits = None in values
            else:
                fits = value in map(str, values)
            if not fits:
                return False
        return True

    def match_elements(self, container: object) -> Iterator[tuple[DictPath, Any]]:
        items = _require_dict(container).get(self.relation, [])
        if not isinstance(items, list):
            raise ContainerStructureException(f"{self.relation!r} is no list")
        for item in items:
            if self._matches(_require_dict(item)):
                keys = [key for key, _ in self.pairs if key is not None]
                yield KeyedList(self.relation, [(key, str(item[key])) for key in keys]), item

    def to_str(self) -> str:
        pairs = ",".join(
            f"{'*' if key is None else _escape_name(key)}={'*' if value is None else value}"
            for key, value in self.pairs
        )
        return f"{_escape_name(self.relation)}[{pairs}]"


class _WildComposed(WildDictPath):
    def __init__(self, sections: Sequence[WildDictPath]) -> None:
        self.expanded_path = tuple(sections)

    def match_elements(self, container: object) -> Iterator[tuple[DictPath, Any]]:
        places: list[tuple[list[DictPath], Any]] = [([], container)]
        for section in self.expanded_path:
            places = [
                ([*before, path], value)
                for before, holder in places
                for path, value in section.match_elements(holder)
            ]
        for sections, value in places:
            yield ComposedPath(sections), value

    def get_path_sections(self) -> Sequence[WildDictPath]:
        return self.expanded_path

    def to_str(self) -> str:
        return ".".join(section.to_str() for section in self.expanded_path)


def to_path(inp: str) -> DictPath:
    """Parse a path without wildcards."""
    path = to_wild_path(inp)
    if not isinstance(path, DictPath):
        raise InvalidPathException(f"{inp!r} has a wildcard, and only a plain path can be used here")
    return path


def to_wild_path(inp: str) -> WildDictPath:
    """Parse a path with or without wildcards."""
    if inp == ".":
        return NullPath()
    if not inp or len(inp) > _LONGEST:
        raise InvalidPathException(f"{inp[:40]!r} is no path")
    sections = _Reader(inp).sections()
    if len(sections) == 1:
        return sections[0]
    plain = [section for section in sections if isinstance(section, DictPath)]
    return ComposedPath(plain) if len(plain) == len(sections) else _WildComposed(sections)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.kinds: list[tuple[str, str]] = []
        at = 0
        while at < len(text):
            match = _tokens().match(text, at)
            if match is None:
                raise InvalidPathException(f"{text!r} is no path")
            self.kinds.append((match.lastgroup or "", match.group()))
            at = match.end()
        self.kinds.append(("end", ""))
        self.at = 0

    def _take(self, kind: str) -> str:
        found, text = self.kinds[self.at]
        if found != kind:
            raise InvalidPathException(
                f"{self.text!r} is no path: {text or 'its end'!r} stands where a {kind} should"
            )
        self.at += 1
        return text

    def sections(self) -> list[WildDictPath]:
        sections = [self._section()]
        while self.kinds[self.at][0] == "dot":
            self.at += 1
            sections.append(self._section())
        self._take("end")
        return sections

    def _section(self) -> WildDictPath:
        name = self._take("word")
        if self.kinds[self.at][0] != "open":
            return _WildInDict() if name == "*" else InDict(_unescape_name(name))
        pairs: list[tuple[str | None, str | NullValue | None]] = []
        while self.kinds[self.at][0] == "open":  # several keys are written [a=1,b=2] or [a=1][b=2]
            self.at += 1
            pairs.append(self._pair())
            while self.kinds[self.at][0] == "comma":
                self.at += 1
                pairs.append(self._pair())
            self._take("close")
        plain = [(key, value) for key, value in pairs if key is not None and value is not None]
        if len(plain) == len(pairs):
            return KeyedList(_unescape_name(name), plain)
        return _WildKeyedList(_unescape_name(name), pairs)

    def _pair(self) -> tuple[str | None, str | NullValue | None]:
        key = self._take("word")
        self._take("equals")
        kind, text = self.kinds[self.at]
        value: str | NullValue | None
        if kind in ("close", "comma"):
            value = ""
        elif text in ("\\0",):
            self.at += 1
            value = NullValue()
        else:
            word = self._take("word")
            value = NullValue() if word == "\\0" else None if word == "*" else _unescape_name(word)
        return None if key == "*" else _unescape_name(key), value
