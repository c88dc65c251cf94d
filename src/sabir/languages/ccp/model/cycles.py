"""Cycles among units, and an order in which they can start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["find_cycles", "start_order"]


def find_cycles(needs: Mapping[str, Sequence[str]]) -> list[tuple[str, ...]]:
    """The groups of units that wait for each other, each sorted (Tarjan, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    on_stack: set[str] = set()
    stack: list[str] = []
    cycles: list[tuple[str, ...]] = []
    for root in needs:
        if root in index:
            continue
        work = [(root, 0)]
        while work:
            unit, position = work.pop()
            if position == 0:
                index[unit] = low[unit] = len(index)
                stack.append(unit)
                on_stack.add(unit)
            targets = needs.get(unit, ())
            for at in range(position, len(targets)):
                target = targets[at]
                if target not in index:
                    work += [(unit, at + 1), (target, 0)]
                    break
                if target in on_stack:
                    low[unit] = min(low[unit], index[target])
            else:
                if low[unit] == index[unit]:
                    group = _popped(stack, on_stack, unit)
                    if len(group) > 1 or unit in targets:
                        cycles.append(tuple(sorted(group)))
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[unit])
    return sorted(cycles)


def _popped(stack: list[str], on_stack: set[str], unit: str) -> list[str]:
    group: list[str] = []
    while True:
        member = stack.pop()
        on_stack.discard(member)
        group.append(member)
        if member == unit:
            return group


def start_order(needs: Mapping[str, Sequence[str]]) -> list[tuple[str, ...]]:
    """Units in waves: each wave needs only what came before it (Kahn). Units of a cycle never come."""
    missing = {unit: len(wanted) for unit, wanted in needs.items()}
    wanted_by: dict[str, list[str]] = {unit: [] for unit in needs}
    for unit, wanted in needs.items():
        for target in wanted:
            wanted_by[target].append(unit)
    wave = sorted(unit for unit, count in missing.items() if count == 0)
    waves: list[tuple[str, ...]] = []
    while wave:
        waves.append(tuple(wave))
        following: list[str] = []
        for unit in wave:
            for waiting in wanted_by[unit]:
                missing[waiting] -= 1
                if missing[waiting] == 0:
                    following.append(waiting)
        wave = sorted(following)
    return waves
