"""Expected values with placeholders `<<kind:n>>` against real ones.

A placeholder stands for one text, the same wherever it occurs, in keys and inside of texts too; different placeholders stand for
different texts; `<<any>>` stands for anything. Matching looks for a binding of placeholders to texts and goes back where a first
guess does not hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

__all__ = ["ANY", "Binding", "Matcher", "masked"]

Binding = Mapping[str, str]
ANY = "<<any>>"
_TOKEN = re.compile(r"<<([^<>]+)>>")


def masked(value: Any) -> str:
    """A value as text without its placeholders, to bring lists into one order."""
    return _TOKEN.sub("", str(value))


class Matcher:
    """Yields bindings under which two values are equal. `deepest` is the difference that was furthest inside."""

    def __init__(self) -> None:
        self.deepest: tuple[int, str] = (-1, "")
        self._guessing = 0

    def match(self, want: Any, real: Any, binding: Binding, path: tuple[Any, ...] = ()) -> Iterator[Binding]:
        if isinstance(want, str) and "<<" in want:
            yield from self._match_text(want, real, binding, path)
        elif isinstance(want, dict):
            yield from self._match_dict(want, real, binding, path)
        elif isinstance(want, list | tuple):
            yield from self._match_list(want, real, binding, path)
        elif want == real and isinstance(want, bool) == isinstance(real, bool):
            yield binding
        else:
            self.differ(path, want, real)

    def differ(self, path: tuple[Any, ...], want: Any, real: Any) -> None:
        if not self._guessing and len(path) > self.deepest[0]:
            place = "/".join(map(str, path))
            self.deepest = (len(path), f"{place}: wanted {want!r:.400}, found {real!r:.400}")

    def _match_text(self, want: str, real: Any, binding: Binding, path: tuple[Any, ...]) -> Iterator[Binding]:
        extended = binding if want == ANY else _bound(want, real, binding)
        if extended is None:
            self.differ(path, want, real)
        else:
            yield extended

    def _match_list(
        self, want: Sequence[Any], real: Any, binding: Binding, path: tuple[Any, ...]
    ) -> Iterator[Binding]:
        if not isinstance(real, list | tuple) or len(want) != len(real):
            self.differ(path, want, real)
            return
        yield from self._match_items(want, real, 0, binding, path)

    def _match_items(
        self, want: Sequence[Any], real: Sequence[Any], index: int, binding: Binding, path: tuple[Any, ...]
    ) -> Iterator[Binding]:
        if index == len(want):
            yield binding
            return
        for extended in self.match(want[index], real[index], binding, (*path, index)):
            yield from self._match_items(want, real, index + 1, extended, path)

    def _match_dict(
        self, want: Mapping[Any, Any], real: Any, binding: Binding, path: tuple[Any, ...]
    ) -> Iterator[Binding]:
        if not isinstance(real, Mapping):
            self.differ(path, want, real)
            return
        plain = [key for key in want if not _is_open(key)]
        missing = [key for key in plain if key not in real]
        if missing or len(want) != len(real):
            extra = [key for key in real if key not in want]
            self.differ((*path, "(keys)"), missing or sorted(map(str, want)), extra)
            return
        keys = plain + [key for key in want if _is_open(key)]
        yield from self._match_keys(keys, want, real, frozenset(), binding, path)

    def _match_keys(
        self,
        keys: list[Any],
        want: Mapping[Any, Any],
        real: Mapping[Any, Any],
        used: frozenset[Any],
        binding: Binding,
        path: tuple[Any, ...],
    ) -> Iterator[Binding]:
        if not keys:
            yield binding
            return
        key, rest = keys[0], keys[1:]
        if not _is_open(key):
            for extended in self.match(want[key], real[key], binding, (*path, key)):
                yield from self._match_keys(rest, want, real, used, extended, path)
            return
        free = [name for name in real if name not in want and name not in used and isinstance(name, str)]
        for guess, name in enumerate(sorted(free, key=lambda name: -_likeness(want[key], real[name]))):
            extended_by_key = _bound(key, name, binding)
            if extended_by_key is None:
                continue
            self._guessing += guess > 0  # only the likeliest guess is worth a message
            for extended in self.match(want[key], real[name], extended_by_key, (*path, name)):
                yield from self._match_keys(rest, want, real, used | {name}, extended, path)
            self._guessing -= guess > 0


def _likeness(want: Any, real: Any) -> int:
    """How many words two values share."""
    words = set(re.findall(r"\w+", masked(want)))
    return len(words & set(re.findall(r"\w+", str(real)))) - len(words - set(re.findall(r"\w+", str(real))))


def _is_open(key: Any) -> bool:
    return isinstance(key, str) and "<<" in key


def _bound(want: str, real: Any, binding: Binding) -> Binding | None:
    """The binding under which a text with placeholders is the real one."""
    if not isinstance(real, str):
        return None
    pattern, names, last = "", list[str](), 0
    for token in _TOKEN.finditer(want):
        pattern += re.escape(want[last : token.start()])
        name, last = token.group(1), token.end()
        if name == "any":
            pattern += "(?:.|\n)*?"
        elif name in binding:
            pattern += re.escape(binding[name])
        elif name in names:
            pattern += f"(?P=g{names.index(name)})"
        else:
            pattern += f"(?P<g{len(names)}>.+?)"
            names.append(name)
    fitting = re.fullmatch(pattern + re.escape(want[last:]), real, re.DOTALL)
    if fitting is None:
        return None
    extended = {**binding, **{name: fitting[f"g{index}"] for index, name in enumerate(names)}}
    return extended if len(set(extended.values())) == len(extended) else None
