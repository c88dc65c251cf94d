"""Cycles among units, and an order in which they can start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sabir.graph.order import strongly_connected

__all__ = ["find_cycles", "start_order"]


def find_cycles(needs: Mapping[str, Sequence[str]]) -> list[tuple[str, ...]]:
    """The groups of units that wait for each other, each sorted."""
    names = [*needs]
    number = {name: position for position, name in enumerate(names)}
    waits = [[number[target] for target in targets if target in number] for targets in needs.values()]
    groups = (group for group in strongly_connected(waits) if len(group) > 1 or group[0] in waits[group[0]])
    return sorted(tuple(sorted(names[position] for position in group)) for group in groups)


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
