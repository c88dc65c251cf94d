"""How much an expression may use, and the checks that keep it so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from itertools import chain, islice
from operator import length_hint
from sys import getsizeof
from types import GeneratorType
from typing import Any, cast

from msgspec import Struct

from sabir.expressions.yaql.errors import LimitExceeded
from sabir.expressions.yaql.kinds import COLLECTION, ITERATOR, KINDS, MAPPING, SEQUENCE, SET

_MAX_NESTING = 300
_MAX_CALLS = 150


class Options(Struct, frozen=True, kw_only=True):
    """Settings of an engine.

    `limit_iterators`: most items a list may have when it is gone through; `memory_quota`: most bytes one value may take;
    `limit_steps`: most work one evaluation may do, about one step for each item looked at and each lambda called. All are
    off when negative. `iterable_dicts`: a dictionary counts as the list of its keys (MuranoPL 1.0 and 1.1).
    """

    limit_iterators: int = 2000
    memory_quota: int = 512 * 1024
    limit_steps: int = 2_000_000
    iterable_dicts: bool = False


class YaqlLimits:
    """The checks of one engine. Methods raise `LimitExceeded`; the caller adds the place."""

    __slots__ = ("calls", "items", "left", "options", "quota", "steps")

    def __init__(self, options: Options) -> None:
        self.options = options
        unlimited = 1 << 62
        self.items = options.limit_iterators if options.limit_iterators >= 0 else unlimited
        self.quota = options.memory_quota if options.memory_quota > 0 else unlimited
        self.steps = options.limit_steps if options.limit_steps > 0 else unlimited
        self.left = self.steps  # set anew for each evaluation
        self.calls = 0  # of defined functions, that have not returned

    def iterable(self, value: Any) -> Iterable[Any]:
        """The value, to be gone through: a list that is too long is refused now, a lazy one when it gets there."""
        if type(value) is list or KINDS[type(value)] & (SEQUENCE | SET | MAPPING):
            size = len(cast(Sized, value))
            if size > self.items:
                raise self.too_many()
            self.charge(size)
            return cast(Iterable[Any], value)
        size = length_hint(value, -1)
        self.charge(max(size, 1))
        iterator = iter(value)
        if size < 0 and type(value) is not GeneratorType:
            return self._count_items(iterator)
        # Its length is known, or the lambdas that make it count their calls: this costs no Python step for an item.
        return chain(islice(iterator, self.items), self._overflow(iterator))

    def _count_items(self, iterator: Iterator[Any]) -> Iterator[Any]:
        for number, item in enumerate(iterator):
            if number >= self.items:
                raise self.too_many()
            self.left -= 1
            yield item

    def _overflow(self, iterator: Iterator[Any]) -> Iterator[Any]:
        for _ in iterator:
            raise self.too_many()
        yield from ()

    def charge(self, steps: int) -> None:
        """Counts work done. A list of two thousand in a list of two thousand in a list … is short to write."""
        self.left -= steps
        if self.left < 0:
            raise LimitExceeded(
                f"the expression takes more than {self.steps} steps, the most that is allowed"
            )

    def weigh(self, value: Any) -> None:
        """Counts all parts of a value before something goes through all of them at once.

        A list that holds one list twice, which holds one list twice …, takes little memory and has no end.
        """
        level, depth = [value], 0
        while level:
            inner: list[Any] = []
            for container in level:
                self.charge(len(container) + 3)
                parts = container.values() if isinstance(container, dict) else container
                inner += [part for part in parts if isinstance(part, list | dict | tuple | frozenset)]
            level = inner
            depth += 1
            self.check_depth(depth)

    def check_depth(self, depth: int) -> None:
        """Values may not lie in one another without end: Python compares and writes them by recursion, on the C stack."""
        if depth > _MAX_NESTING:
            raise LimitExceeded(f"values are nested deeper than {_MAX_NESTING} levels")

    def check_calls(self) -> None:
        if self.calls > _MAX_CALLS:
            raise LimitExceeded(f"defined functions call one another more than {_MAX_CALLS} deep")

    def settle(self, value: Any, number: int) -> Any:
        """The value of the n-th round of a loop that builds on the one before.

        A lazy list that draws on a lazy list that draws … needs the C stack for each, so now and then it is run.
        """
        if number % 50 == 49 and KINDS[type(value)] & (ITERATOR | COLLECTION):
            return iter(list(self.iterable(value)))
        return value

    def too_many(self) -> LimitExceeded:
        error = LimitExceeded(f"a list has more than {self.items} items, the most that is allowed")
        error.is_list = True
        return error

    def too_big(self) -> LimitExceeded:
        return LimitExceeded(f"a value takes more than {self.quota} bytes, the most that is allowed")

    def check(self, value: Any) -> Any:
        """The value, unless it takes more than the quota; for values that grow."""
        if getsizeof(value, 0) > self.quota:
            raise self.too_big()
        return value

    def charge_value(self, value: Any) -> Any:
        """A finished value: held to the quota, and its bytes counted as work, which bounds the memory of all of them."""
        size = getsizeof(value, 0)
        if size > self.quota:
            raise self.too_big()
        self.charge(size >> 6)
        return value

    def check_sizes(self, *parts: tuple[int, object]) -> None:
        """Refuses a value before it is made: each part is a count and a sample."""
        total = 0
        for count, sample in parts:
            total += count * getsizeof(sample, 0)
            if total > self.quota:
                raise self.too_big()
        self.charge(max(total, 0) >> 6)

    def check_bits(self, bits: int | float) -> None:
        if bits > self.quota * 8:
            raise self.too_big()
