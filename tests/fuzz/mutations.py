"""Files damaged by someone who knows their grammar: blocks, lines and words move, also from one project into another."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

__all__ = ["Mutator"]

_VALUES: Final = (
    *("null", "~", "''", "[]", "{}", "[[]]", "{a: {}}", "true", "no", "-1", "0", "1.5", ".inf", "-.inf", ".nan"),
    *("9" * 30, "9" * 5000, "-" + "9" * 400, "1e999", "0x1f", "0o17", "1_000", "2001-01-01", "12:30:45", "1 GB"),
    *("!!binary aGk=", "!!set {a, b}", "!!omap [a: 1]", "!!python/none x", "&a [*a]", "*nosuch", "<<: {a: 1}"),
    *("'{{ x }}'", "'{{ [1] | map(attribute=0) }}'", "'{% for i in x %}'", "\"{{ ['a'] | map('attr', 'upper') | list }}\""),
    *("$", "$.x", "$.select($)", "'$.x.y(z => 1)'", "'$ +'", "'::*::.name'", "'.::.targets::x'", "'$a::b[c=1]'"),
    *("{eval: ::x}", "{get_property: [SELF, x]}", "{concat: [1, null]}", "{get_input: x}", "{eval: {if: 1}}"),
    *("[1, a, null]", "{1: 2, null: 3}", "{[1]: 2}", "../../x", "/etc/passwd", "http://127.0.0.1:9/x", "file:///x"),
    *("é", "\u2028", "\x00", "\udce9", "'\\ud800'", '"\\x00"', "a b", "a.b", "a::b", "'#'", "'*'", "'('", "(a+)+$"),
)  # fmt: skip
_MARKS: Final = (*"{}[]:,-&*!|>'\"#%@`?=().$<>/\\\t\n ~^", "- ", ": ", "---\n", "\ufeff", "\r\n", "  ")
_WORD: Final = re.compile(r"[\w$.:]*\w")
_MOST_BLOCKS: Final = 4000


class Mutator:
    """`kinds`: texts by kind, out of which pieces are taken."""

    def __init__(self, kinds: Mapping[str, Sequence[str]]) -> None:
        self._lines = {
            kind: [line for text in texts for line in text.splitlines()] for kind, texts in kinds.items()
        }
        self._words: dict[str, list[str]] = {
            kind: sorted({word for text in texts for word in _WORD.findall(text)})
            for kind, texts in kinds.items()
        }
        self._texts = kinds

    def files(self, files: Mapping[str, str], kind: str, source: random.Random) -> dict[str, str]:
        """The files with one to four changes: the fewer, the more of a command's work is reached."""
        changed = dict(files)
        for _ in range(source.choice((1, 1, 1, 2, 4))):
            name = source.choice(list(changed))
            if source.random() < 0.03 and len(changed) > 1:
                text = changed.pop(name)
                if source.random() < 0.5:
                    changed[source.choice(list(changed))] = text
            else:
                changed[name] = self._text(changed[name], kind, source)
        return changed

    def _text(self, text: str, kind: str, source: random.Random) -> str:
        if kind == "graph" and source.random() < 0.8:
            return _other_json(text, source)
        match source.randrange(10):
            case 0 | 1:
                return self._block(text, kind, source)
            case 2:
                return self._line(text, kind, source)
            case 3 | 4 | 5:
                return _value(text, source)
            case 6 | 7:
                return self._word(text, kind, source)
            case _:
                return _characters(text, source)

    def _block(self, text: str, kind: str, source: random.Random) -> str:
        """A block by its indentation: taken away, doubled, or in its place one from elsewhere."""
        lines = text.splitlines() or [""]
        at, end = _block(lines, source)
        other = lines[at:end]
        if source.random() < 0.6:
            strangers = source.choice(self._texts[kind]).splitlines() or [""]
            first, last = _block(strangers, source)
            other = _indented(strangers[first:last], _indent(lines[at]))
        match source.randrange(3):
            case 0:
                lines[at:end] = []
            case 1:
                lines[at:at] = other
            case _:
                lines[at:end] = other
        return "\n".join(lines) + "\n"

    def _line(self, text: str, kind: str, source: random.Random) -> str:
        lines = text.splitlines() or [""]
        at = source.randrange(len(lines))
        match source.randrange(4):
            case 0:
                lines[at] = " " * source.randint(0, 12) + lines[at].lstrip()
            case 1:
                other = source.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
            case 2:
                lines.insert(at, " " * _indent(lines[at]) + source.choice(self._lines[kind]).lstrip())
            case _:
                lines[at] += source.choice(lines).lstrip()
        return "\n".join(lines) + "\n"

    def _word(self, text: str, kind: str, source: random.Random) -> str:
        places = list(_WORD.finditer(text))
        if not places:
            return text
        place = source.choice(places)
        return text[: place.start()] + source.choice(self._words[kind]) + text[place.end() :]


def _block(lines: Sequence[str], source: random.Random) -> tuple[int, int]:
    at = source.randrange(len(lines))
    end = at + 1
    while end < len(lines) and (not lines[end].strip() or _indent(lines[end]) > _indent(lines[at])):
        end += 1
    return at, end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _indented(lines: Sequence[str], indent: int) -> list[str]:
    less = _indent(lines[0])
    return [" " * indent + line[min(less, _indent(line)) :] for line in lines]


def _value(text: str, source: random.Random) -> str:
    """What stands behind a colon or an equals sign becomes something of another kind."""
    places = list(re.finditer(r"(?<=[:=\-,(\[] )[^\n,})\]]+|(?<=[(\[])[^\n,)\]]+", text))
    if not places:
        return text + source.choice(_VALUES)
    place = source.choice(places)
    return text[: place.start()] + source.choice(_VALUES) + text[place.end() :]


def _characters(text: str, source: random.Random) -> str:
    at = source.randint(0, len(text))
    to = min(len(text), at + source.choice((0, 0, 1, 2, 8, 40)))
    return (
        text[:at]
        + source.choice(("", source.choice(_MARKS), text[at:to] * 2, source.choice(_VALUES)))
        + text[to:]
    )


def _other_json(text: str, source: random.Random) -> str:
    """One value of the document replaced: by one of another kind, or by another value of the document."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return _characters(text, source)
    places = [place for place, _ in zip(_places(document), range(_MOST_BLOCKS), strict=False)]
    if not places:
        return _characters(text, source)
    holder, key = source.choice(places)
    other, name = source.choice(places)
    plain: tuple[Any, ...] = (
        None,
        True,
        -1,
        1e308,
        10**40,
        "",
        "x",
        [],
        {},
        [[]],
        {"": None},
        {"ref": "x"},
        {"sensitive": 1},
    )
    match source.randrange(4):
        case 0 if isinstance(holder, dict):
            del holder[key]
        case 1:
            holder[key] = json.loads(json.dumps(other[name]))
        case 2 if isinstance(holder, dict):
            holder[source.choice(("", "ref", "secret", "unknown", "type", "id", "name", "value"))] = (
                holder.pop(key)
            )
        case _:
            holder[key] = source.choice(plain)
    return json.dumps(document)


def _places(value: Any) -> Any:
    if isinstance(value, dict | list):
        for key, item in list(value.items() if isinstance(value, dict) else enumerate(value)):
            yield value, key
            yield from _places(item)
