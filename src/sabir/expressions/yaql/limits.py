"""How much an expression may use, and the checks that keep it so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass
from itertools import chain, islice
from sys import getsizeof
from typing import Any, cast

from sabir.expressions.yaql.errors import LimitExceeded
from sabir.expressions.yaql.kinds import KINDS, MAPPING, SEQUENCE, SET

__all__ = ["Limits", "Options"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Settings of an engine.

    `limit_iterators`: most items a list may have when it is gone through; `memory_quota`: most bytes one value may take;
    both off when negative. `iterable_dicts`: a dictionary counts as the list of its keys (MuranoPL 1.0 and 1.1).
    """

    limit_iterators: int = 2000
    memory_quota: int = 512 * 1024
    iterable_dicts: bool = False


class Limits:
    """The checks of one engine. Methods raise `LimitExceeded`; the caller adds the place."""

    __slots__ = ("items", "options", "quota")

    def __init__(self, options: Options) -> None:
        self.options = options
        unlimited = 1 << 62
        self.items = options.limit_iterators if options.limit_iterators >= 0 else unlimited
        self.quota = options.memory_quota if options.memory_quota > 0 else unlimited

    def iterable(self, value: Any) -> Iterable[Any]:
        """The value, to be gone through: a list that is too long is refused now, a lazy one when it gets there."""
        if type(value) is list or KINDS[type(value)] & (SEQUENCE | SET | MAPPING):
            if len(cast(Sized, value)) > self.items:
                raise self.too_many()
            return cast(Iterable[Any], value)
        iterator = iter(value)
        return chain(islice(iterator, self.items), self._overflow(iterator))

    def _overflow(self, iterator: Iterator[Any]) -> Iterator[Any]:
        for _ in iterator:
            raise self.too_many()
        yield from ()

    def too_many(self) -> LimitExceeded:
        return LimitExceeded(f"a list has more than {self.items} items, the most that is allowed")

    def too_big(self) -> LimitExceeded:
        return LimitExceeded(f"a value takes more than {self.quota} bytes, the most that is allowed")

    def check(self, value: Any) -> Any:
        if getsizeof(value, 0) > self.quota:
            raise self.too_big()
        return value

    def check_sizes(self, *parts: tuple[int, object]) -> None:
        """Refuses a value before it is made: each part is a count and a sample."""
        total = 0
        for count, sample in parts:
            total += count * getsizeof(sample, 0)
            if total > self.quota:
                raise self.too_big()

    def check_bits(self, bits: int | float) -> None:
        if bits > self.quota * 8:
            raise self.too_big()

    def guard(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function with its result checked against the memory quota."""
        quota, size, too_big = self.quota, getsizeof, self.too_big

        def guarded(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            if size(result, 0) > quota:
                raise too_big()
            return result

        return guarded
