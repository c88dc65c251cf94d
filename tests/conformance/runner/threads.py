"""The order of what parallel branches did.

`thread: g1:2/g3:1` says: made in the second thread of group 1, and there in the first thread of group 3. Entries of different
threads of one group have no order between them; all else is in the order listed. The numbers of groups and threads have no meaning.
What a program did is a list, too; it is right when it keeps every order that the expected list has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tests.conformance.runner.placeholders import Binding, Matcher

__all__ = ["are_parallel", "match_in_order"]

Entry = Mapping[str, Any]
MatchEntry = Callable[[Entry, Entry, Binding, bool], Iterator[Binding]]
"""The last argument: whether the expected entry has others beside it."""


def are_parallel(left: str | None, right: str | None) -> bool:
    """Whether two threads have no order between them."""
    for one, other in zip((left or "").split("/"), (right or "").split("/"), strict=False):
        if one != other:
            return bool(one and other) and one.partition(":")[0] == other.partition(":")[0]
    return False


def match_in_order(
    want: Sequence[Entry], real: Sequence[Entry], binding: Binding, matcher: Matcher, entry: MatchEntry
) -> Iterator[Binding]:
    """Bindings under which the real entries are the expected ones, in an order that is allowed."""
    if len(want) != len(real):
        matcher.differ(("length",), [brief(part) for part in want], [brief(part) for part in real])
        return
    threads = [part.get("thread") for part in want]
    before = [
        frozenset(earlier for earlier in range(index) if not are_parallel(threads[earlier], threads[index]))
        for index in range(len(want))
    ]
    beside = [any(are_parallel(thread, other) for other in threads) for thread in threads]

    def extend(at: int, done: frozenset[int], bound: Binding) -> Iterator[Binding]:
        if at == len(real):
            yield bound
            return
        for index, part in enumerate(want):
            if index not in done and before[index] <= done:
                for extended in entry(part, real[at], bound, beside[index]):
                    yield from extend(at + 1, done | {index}, extended)

    yield from extend(0, frozenset(), binding)


def brief(entry: Entry) -> str:
    keys = ("heat", "agent", "notify", "neutron", "mistral", "text", "instance", "queue")
    return " ".join(str(entry[key]) for key in keys if key in entry)
