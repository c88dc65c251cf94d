"""Who hosts whom: the one relation of a topology that must not go round, as nothing could be created first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from sabir.languages.tosca.model.requirements import Link

__all__ = ["find_hosts"]


def find_hosts(
    links: Mapping[str, Iterable[Link]], is_hosting: Callable[[str], bool]
) -> tuple[dict[str, str], list[list[str]]]:
    """The host of every template that has one, and the rings of templates that host one another."""
    hosts: dict[str, str] = {}
    automatic: dict[str, str] = {}
    for name, requirements in links.items():
        for link in requirements:
            if link.target is not None and is_hosting(link.relationship_type):
                (automatic if link.automatic else hosts).setdefault(name, link.target)
    rings: list[list[str]] = []
    grounded: set[str] = set()
    for name in list(hosts):
        ring = _ring(name, hosts, grounded)
        if ring:
            rings.append(ring)
            del hosts[name]
    for name, target in automatic.items():
        # Nobody wrote these, so one that would go round is left out.
        if name not in hosts and not _leads_to(target, name, hosts):
            hosts[name] = target
    return hosts, rings


def _leads_to(start: str, end: str, hosts: Mapping[str, str]) -> bool:
    here: str | None = start
    while here is not None and here != end:
        here = hosts.get(here)
    return here is not None


def _ring(start: str, hosts: Mapping[str, str], grounded: set[str]) -> list[str]:
    """The way from a template through its hosts back to itself; empty when it ends, as `grounded` then remembers."""
    way = [start]
    here: str | None = hosts.get(start)
    seen = {start}
    while here is not None and here not in seen and here not in grounded:
        way.append(here)
        seen.add(here)
        here = hosts.get(here)
    if here == start:
        return [*way, start]
    grounded.update(way if here is None or here in grounded else ())
    return []
