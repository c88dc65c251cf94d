"""Bounds of one rendering: steps, size of every value, and processor time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sized
from typing import Any, Final

from msgspec import Struct

from sabir.errors import ExpressionError
from sabir.graph.values import no_data, no_data_within
from sabir.lazy import lazy_pattern

_CLOCK_EVERY: Final = 64
_LARGEST_ARGUMENT: Final = 100_000
_TEXT_WEIGHT: Final = 100
"""Characters that weigh as much as one item of a list."""
_wide_format: Final = lazy_pattern(r"[0-9]{4,}|\*|\{[^{}]*\{")


class TemplateLimits(Struct, frozen=True, kw_only=True):
    seconds: float = 0.6
    """Processor time of one rendering."""
    steps: int = 400_000
    """Iterations, calls and pieces of output."""
    size: int = 4_000_000
    """Characters of one text, bits of one number; a hundredth of it is the most items of one list,
    a fortieth with those of the lists in it."""


class TemplateLimitError(ExpressionError):
    """A template asked for more than a description may."""


MISTAKES: Final = (
    TemplateLimitError,
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    NameError,  # of the code that Jinja2 writes, which has no word for a number beyond all bounds (1e999)
    OSError,
    RuntimeError,
    SyntaxError,  # of that code, too, when a template nests deeper than Python allows
    TypeError,
    ValueError,
)
"""What Python raises for something that the author of a template wrote. Anything else is a defect of ours, to be seen."""


def refuse_no_data(value: Any) -> Any:
    """The value, unless it is something of Python that only its place in memory could stand for."""
    kind = no_data_within(value)
    if kind is None:
        return value
    from jinja2 import TemplateRuntimeError

    todo = {"a function": ": call it, with ()", "an iterator": ": make a list of it, with | list"}.get(
        kind, ""
    )
    raise TemplateRuntimeError(f"{kind} is no data{todo}")


class RenderMeter:
    """Counts what a rendering does and stops it.

    The clock is asked after some steps only, and for the first time after the first of them: on some systems asking it
    costs more than rendering a small template.
    """

    __slots__ = ("_ask_at", "_deadline", "_share", "_steps", "limits")

    def __init__(self, limits: TemplateLimits) -> None:
        self.limits = limits
        self.restart()

    def restart(self, share: float = 1.0) -> None:
        """Count anew; `share` of the time is allowed."""
        self._steps = 0
        self._ask_at = _CLOCK_EVERY
        self._share = share
        self._deadline: float | None = None

    def extend(self, share: float) -> None:
        """Count steps anew, within the time that is left but at least this share of it."""
        self._steps = 0
        self._ask_at = _CLOCK_EVERY
        if self._deadline is None:
            self._share = max(self._share, share)
        else:
            self._deadline = max(self._deadline, time.thread_time() + self.limits.seconds * share)

    def step(self) -> None:
        self._steps += 1
        if self._steps >= self._ask_at:
            self._check()

    def _check(self) -> None:
        self._ask_at = self._steps + _CLOCK_EVERY
        if self._steps > self.limits.steps:
            raise TemplateLimitError(f"the template takes more than {self.limits.steps:,} steps")
        now = time.thread_time()
        if self._deadline is None:
            self._deadline = now + self.limits.seconds * self._share
        elif now > self._deadline:
            raise TemplateLimitError(f"the template takes more than {self.limits.seconds:g} s")

    def limit_items(self, items: Iterable[Any]) -> Iterable[Any]:
        """The items of a loop, one step each; those of a short list are counted before the loop begins."""
        if isinstance(items, list | tuple) and len(items) < _CLOCK_EVERY:
            self._steps += len(items)
            if self._steps >= self._ask_at:
                self._check()
            return items
        return self._count_items(items)

    def _count_items(self, items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            self._steps += 1
            if self._steps >= self._ask_at:
                self._check()
            yield item

    def room(self, size: int, *, items: bool = False) -> None:
        """Refuse a text (or a list) of this size before it is made."""
        limit = self.limits.size // 100 if items else self.limits.size
        if size > limit:
            what = "items" if items else "characters"
            raise TemplateLimitError(f"the template makes a value of {size:,} {what}; {limit:,} is the most")

    def check_size(self, value: Any) -> Any:
        """A value just made, when it is not too large."""
        if isinstance(value, str):
            self.room(len(value))
        elif isinstance(value, list | tuple | dict):
            self.room(len(value), items=True)
            self._weigh(value)
        return value

    def _weigh(self, value: Any) -> None:
        """Refuse a value that is small but, written out or compared, is not: `[x, x]` of `[x, x]` and so on."""
        most = self.limits.size // 40
        weight = 0
        waiting = [value]
        while waiting:
            one = waiting.pop()
            if isinstance(one, str):
                weight += len(one) // _TEXT_WEIGHT
            elif isinstance(one, dict):
                weight += len(one)
                waiting += one.keys()
                waiting += one.values()
            elif isinstance(one, list | tuple):
                weight += len(one)
                waiting += one
            elif no_data(one) == "a function":
                refuse_no_data(one)
            if weight > most:
                raise TemplateLimitError(
                    f"the template makes a value of more than {most:,} parts, one in another"
                )

    def join_parts(self, *parts: Any) -> str:
        """`a ~ b`, within bounds."""
        texts = [str(refuse_no_data(part)) for part in parts]
        self.room(sum(map(len, texts)))
        return "".join(texts)

    def binary(self, operator: str, left: Any, right: Any) -> None:
        """Refuse an operation whose result would be too large."""
        self.step()
        if operator == "%" and isinstance(left, str):
            refuse_no_data(right)
        if operator == "+":
            self._room_for_sum(left, right)
        elif operator == "*":
            self._room_for_product(left, right)
        elif operator == "**":
            if isinstance(left, int) and isinstance(right, int):
                self.room(left.bit_length() * max(right, 1))
        elif operator == "%" and isinstance(left, str) and _wide_format().search(left):
            raise TemplateLimitError(f"format {left[:40]!r} asks for a width that is too large")

    def _room_for_sum(self, left: Any, right: Any) -> None:
        if isinstance(left, Sized) and isinstance(right, Sized):
            self.room(len(left) + len(right), items=not isinstance(left, str))

    def _room_for_product(self, left: Any, right: Any) -> None:
        for one, other in ((left, right), (right, left)):
            if isinstance(one, str | list | tuple) and isinstance(other, int):
                self.room(len(one) * other, items=not isinstance(one, str))
        if isinstance(left, int) and isinstance(right, int):
            self.room(left.bit_length() + right.bit_length())

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Refuse a call that would give a text without bounds."""
        self.step()
        function = getattr(function, "__wrapped__", function)  # the sandbox wraps str.format
        name = getattr(function, "__name__", "")
        owner = getattr(function, "__self__", None)
        if isinstance(owner, str):
            refuse_no_data([*args, *kwargs.values()] if name.startswith("format") else None)
            self.arguments(name, (owner, *args), kwargs)

    def arguments(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The same for a filter: its first argument is the value."""
        self.step()
        for argument in (*args[1:], *kwargs.values()):
            if isinstance(argument, int) and abs(argument) > _LARGEST_ARGUMENT:
                raise TemplateLimitError(
                    f"{name}() is asked for {argument:,}; {_LARGEST_ARGUMENT:,} is the most"
                )
        first = args[0] if args else None
        if name == "join":
            self._room_for_join(args)
        elif name == "replace" and len(args) > 2 and all(isinstance(arg, str) for arg in args[:3]):
            text, old, new = args[:3]
            self.room(len(text) + (text.count(old) if old else len(text) + 1) * len(new))
        elif name in ("format", "format_map") and isinstance(first, str) and _wide_format().search(first):
            raise TemplateLimitError(f"format {first[:40]!r} asks for a width that is too large")
        elif name == "indent" and isinstance(first, str):
            width = next((arg for arg in (*args[1:], kwargs.get("width")) if isinstance(arg, int)), 4)
            self.room(len(first) + (first.count("\n") + 1) * width)

    def _room_for_join(self, args: tuple[Any, ...]) -> None:
        """`"sep".join(items)` and `items|join("sep")`: whichever is the text is the separator."""
        separators = [arg for arg in args[:2] if isinstance(arg, str)]
        sequences = [arg for arg in args[:2] if isinstance(arg, list | tuple | dict)]
        for items in sequences:
            gap = len(separators[0]) if separators else 0
            self.room(sum(len(item) if isinstance(item, str) else 8 for item in items) + gap * len(items))
