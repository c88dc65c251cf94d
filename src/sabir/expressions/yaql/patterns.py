"""Running regular expressions so that none of them runs for ever.

Python's engine backtracks and cannot be stopped from within: `(a+)+$` on thirty characters takes minutes. So the cost is
estimated first. What is surely cheap runs here; the rest runs in a process of its own that is ended after a second.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from sabir.expressions.yaql.errors import LimitExceeded, YaqlRuntimeError

__all__ = ["Found", "find", "find_all", "split", "substitute"]

Pattern = re.Pattern[str]

_CHEAP = 20_000_000  # steps that surely take less than a second
_SECONDS = 1.0
_MAX_NESTED = 18  # characters; a nested repetition may take two to that power of steps


class Found(NamedTuple):
    """One match: the text and the spans of the whole and of each group; (-1, -1) for a group that took no part."""

    text: str
    spans: tuple[tuple[int, int], ...]

    def group(self, number: int = 0) -> str | None:
        start, end = self.spans[number]
        return None if start < 0 else self.text[start:end]


def find(pattern: Pattern, text: str) -> Found | None:
    if _is_cheap(pattern, text):
        match = pattern.search(text)
        return Found(text, match.regs) if match else None
    spans = _far("all", pattern, text, count=1)
    return Found(text, _as_spans(spans[0])) if spans else None


def find_all(pattern: Pattern, text: str) -> Iterator[Found]:
    if _is_cheap(pattern, text):
        return (Found(text, match.regs) for match in pattern.finditer(text))
    return iter([Found(text, _as_spans(spans)) for spans in _far("all", pattern, text)])


def split(pattern: Pattern, text: str, count: int) -> list[Any]:
    if _is_cheap(pattern, text):
        return pattern.split(text, count)
    result: list[Any] = _far("split", pattern, text, count=count)
    return result


def substitute(pattern: Pattern, text: str, template: str, *, count: int, quota: int) -> str:
    """Replaces matches. Refuses a result that would take more than the quota before it is built."""
    try:
        if not _is_cheap(pattern, text):
            result: str = _far("sub", pattern, text, template=template, count=count, quota=quota)
            return result
        size = len(text)
        for number, match in enumerate(pattern.finditer(text), 1):
            size += len(match.expand(template))
            if size > quota:
                raise LimitExceeded("the text after the replacement would be too long")
            if number == count:
                break
        return pattern.sub(template, text, count)
    except (re.error, IndexError) as problem:
        raise YaqlRuntimeError(f"{template!r} is not a replacement: {problem}") from problem


def _as_spans(spans: list[list[int]]) -> tuple[tuple[int, int], ...]:
    return tuple((start, end) for start, end in spans)


def _is_cheap(pattern: Pattern, text: str) -> bool:
    size = len(text)
    nested, repeats = _repetitions(pattern.pattern)
    if nested:
        return size <= _MAX_NESTED
    return repeats == 0 or (size + 1) ** (repeats + 1) <= _CHEAP


_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(|\)|\||[*+]|\{\d*,?\d*\}|.", re.DOTALL)


@lru_cache(maxsize=512)
def _repetitions(pattern: str) -> tuple[bool, int]:
    """Whether a repetition lies within a repetition (or a choice does), and how many repetitions there are."""
    nested, repeats = False, 0
    groups = [False]  # for each open group: whether it holds a repetition or a choice
    closed = False  # whether the group just closed does
    for match in _TOKEN.finditer(pattern):
        token = match.group()
        if token == "(":
            groups.append(False)
        elif token == ")" and len(groups) > 1:
            closed = groups.pop()
            groups[-1] = groups[-1] or closed
            continue
        elif token == "|":
            groups[-1] = True
        elif token in "*+" or (token[0] == "{" and token[-1] == "}" and len(token) > 2):
            repeats += 1
            nested = nested or closed
            groups[-1] = True
        closed = False
    return nested, repeats


_WORKER = """
import json, re, sys
job = json.load(sys.stdin)
pattern, text, count = re.compile(job["pattern"], job["flags"]), job["text"], job["count"]
if job["what"] == "split":
    result = pattern.split(text, count)
elif job["what"] == "sub":
    size = len(text)
    for number, match in enumerate(pattern.finditer(text), 1):
        size += len(match.expand(job["template"]))
        if size > job["quota"]:
            sys.exit(3)
        if number == count:
            break
    result = pattern.sub(job["template"], text, count)
else:
    result = []
    for match in pattern.finditer(text):
        result.append(match.regs)
        if len(result) == count:
            break
json.dump(result, sys.stdout)
"""


def _far(
    what: str, pattern: Pattern, text: str, *, count: int = 0, template: str = "", quota: int = 0
) -> Any:
    import subprocess

    job = {"what": what, "pattern": pattern.pattern, "flags": pattern.flags, "text": text}
    job |= {"count": count, "template": template, "quota": quota}
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _WORKER],
            input=json.dumps(job),
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise LimitExceeded(
            f"the regular expression {pattern.pattern!r} takes more than a second on this text"
        ) from None
    if done.returncode == 3:
        raise LimitExceeded("the text after the replacement would be too long")
    if done.returncode != 0:
        raise YaqlRuntimeError(
            f"the regular expression {pattern.pattern!r} failed: {done.stderr.strip()[-200:]}"
        )
    return json.loads(done.stdout)
