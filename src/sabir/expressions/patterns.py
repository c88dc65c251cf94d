"""Running regular expressions so that none of them runs for ever.

Python's engine backtracks: `(a+)+$` on thirty characters takes minutes. So the cost is estimated first. What is surely
cheap just runs; the rest runs under a timer of processor time, or in a process of its own that is ended after a second.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import Any

__all__ = ["PatternFailed", "PatternTooSlow", "ResultTooLong", "is_cheap", "matches_start", "run_apart"]

Pattern = re.Pattern[str]

_CHEAP = 20_000_000  # steps that surely take less than a second
_SECONDS = 1.0
_MAX_NESTED = 18  # characters; a nested repetition may take two to that power of steps


class PatternTooSlow(Exception):
    """A regular expression did not come to an end on a text."""

    def __init__(self, pattern: str) -> None:
        super().__init__(f"the regular expression {pattern!r} takes more than a second on this text")


class PatternFailed(Exception):
    """The process that ran a regular expression failed."""


class ResultTooLong(Exception):
    """The text after a replacement would be longer than allowed."""


def matches_start(pattern: Pattern, text: str) -> bool:
    """Whether the beginning of a text matches. Raises `PatternTooSlow`."""
    if is_cheap(pattern, text):
        return pattern.match(text) is not None
    if _has_timer():
        with _timer(pattern):
            return pattern.match(text) is not None
    spans: list[list[list[int]]] = run_apart("start", pattern, text)
    return bool(spans)


def is_cheap(pattern: Pattern, text: str) -> bool:
    size = len(text)
    nested, repeats = _repetitions(pattern.pattern)
    if nested:
        return size <= _MAX_NESTED
    return repeats == 0 or (size + 1) ** (repeats + 1) <= _CHEAP


@cache
def _token() -> Pattern:
    return re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(|\)|\||[*+]|\{\d*,?\d*\}|.", re.DOTALL)


@lru_cache(maxsize=512)
def _repetitions(pattern: str) -> tuple[bool, int]:
    """Whether a repetition lies within a repetition (or a choice does), and how many repetitions there are."""
    nested, repeats = False, 0
    groups = [False]  # for each open group: whether it holds a repetition or a choice
    closed = False  # whether the group just closed does
    for match in _token().finditer(pattern):
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


def _has_timer() -> bool:
    """Python looks for signals while it matches, on the main thread; the timer must be nobody else's."""
    import signal
    import threading

    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        return False
    return signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


@contextmanager
def _timer(pattern: Pattern) -> Generator[None, None, None]:
    import signal

    def ring(*_: object) -> None:
        raise PatternTooSlow(pattern.pattern)

    before = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, _SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


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
elif job["what"] == "start":
    match = pattern.match(text)
    result = [match.regs] if match else []
else:
    result = []
    for match in pattern.finditer(text):
        result.append(match.regs)
        if len(result) == count:
            break
json.dump(result, sys.stdout)
"""


def run_apart(
    what: str, pattern: Pattern, text: str, *, count: int = 0, template: str = "", quota: int = 0
) -> Any:
    """`start`, `all`, `split` or `sub` in a process of its own. Raises what this module defines."""
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
        raise PatternTooSlow(pattern.pattern) from None
    if done.returncode == 3:
        raise ResultTooLong("the text after the replacement would be too long")
    if done.returncode != 0:
        raise PatternFailed(
            f"the regular expression {pattern.pattern!r} failed: {done.stderr.strip()[-200:]}"
        )
    return json.loads(done.stdout)
