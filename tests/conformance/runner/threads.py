"""The order of what parallel branches did: a list with threads as a tree, and trees compared by the rule.

`thread: g1:2/g3:1` says: made in the second thread of group 1, and there in the first thread of group 3. Entries of different
threads of one group have no order; all else has. The numbers of groups and threads have no meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tests.conformance.runner.placeholders import Binding, Matcher

__all__ = ["Tree", "are_parallel", "match_trees", "tree_of"]

Entry = Mapping[str, Any]
Tree = tuple["Entry | tuple[Tree, ...]", ...]
"""Entries and groups in their order; a group is the trees of its threads."""
MatchEntry = Callable[[Entry, Entry, Binding, bool], Iterator[Binding]]
"""The last argument: whether the entries stand inside of a group."""


def tree_of(entries: Sequence[Entry], depth: int = 0) -> Tree:
    parts: list[Any] = []
    done: set[int] = set()
    for index, entry in enumerate(entries):
        if index in done:
            continue
        way = _way(entry)
        if len(way) <= depth:
            parts.append(entry)
            continue
        group = way[depth].partition(":")[0]
        threads: dict[str, list[Entry]] = {}
        for later in range(index, len(entries)):
            other = _way(entries[later])
            if len(other) > depth and other[depth].partition(":")[0] == group:
                threads.setdefault(other[depth], []).append(entries[later])
                done.add(later)
        trees = tuple(tree_of(thread, depth + 1) for thread in threads.values())
        if len(trees) == 1:  # what stands alone in its group is in order with everything
            parts.extend(trees[0])
        else:
            parts.append(trees)
    return tuple(parts)


def _way(entry: Entry) -> list[str]:
    thread = entry.get("thread")
    return thread.split("/") if thread else []


def are_parallel(left: str | None, right: str | None) -> bool:
    """Whether two threads have no order between them."""
    for one, other in zip((left or "").split("/"), (right or "").split("/"), strict=False):
        if one != other:
            return bool(one and other) and one.partition(":")[0] == other.partition(":")[0]
    return False


def match_trees(
    want: Tree, real: Tree, binding: Binding, matcher: Matcher, entry: MatchEntry, *, inside: bool = False
) -> Iterator[Binding]:
    """Bindings under which one tree is the other."""
    if len(want) != len(real):
        matcher.differ(("length",), [_brief(part) for part in want], [_brief(part) for part in real])
        return
    if not want:
        yield binding
        return
    for extended in _match_part(want[0], real[0], binding, matcher, entry, inside):
        yield from match_trees(want[1:], real[1:], extended, matcher, entry, inside=inside)


def _match_part(
    want: Any, real: Any, binding: Binding, matcher: Matcher, entry: MatchEntry, inside: bool
) -> Iterator[Binding]:
    if isinstance(want, tuple) != isinstance(real, tuple):
        matcher.differ(("group",), _brief(want), _brief(real))
    elif isinstance(want, tuple):
        yield from _match_threads(want, real, binding, matcher, entry)
    else:
        yield from entry(want, real, binding, inside)


def _match_threads(
    want: tuple[Tree, ...], real: tuple[Tree, ...], binding: Binding, matcher: Matcher, entry: MatchEntry
) -> Iterator[Binding]:
    if len(want) != len(real):
        matcher.differ(("threads",), len(want), len(real))
        return
    if not want:
        yield binding
        return
    for index, thread in enumerate(real):
        others = real[:index] + real[index + 1 :]
        for extended in match_trees(want[0], thread, binding, matcher, entry, inside=True):
            yield from _match_threads(want[1:], others, extended, matcher, entry)


def _brief(part: Any) -> Any:
    if isinstance(part, tuple):
        return [_brief(inner) for inner in part]
    keys = ("heat", "agent", "notify", "neutron", "mistral", "text", "instance", "queue")
    return " ".join(str(part[key]) for key in keys if key in part)
