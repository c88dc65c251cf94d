"""The machines of a target: hosts with what they have in common, each with settings of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from msgspec import Struct

from sabir.errors import DeployError
from sabir.graph.values import Value, reveal
from sabir.resources.target import Target

__all__ = ["PooledMachine", "machines_of"]

_OF_THE_POOL = ("hosts", "release")
_OF_THE_MACHINE = ("names", "address")


class PooledMachine(Struct, frozen=True, kw_only=True, eq=False):
    """A host of the pool."""

    id: str
    """How it is told apart: its name and port."""
    settings: Mapping[str, Value]
    """As a target of the driver `ssh` has them."""
    address: str
    """Where others reach what runs on it."""
    names: tuple[str, ...] = ()
    """Patterns of the servers that it is for; none: any."""

    def takes(self, server: str) -> bool:
        return not self.names or any(fnmatchcase(server, pattern) for pattern in self.names)

    @property
    def python(self) -> str:
        return str(reveal(self.settings.get("python")) or "python3")


def machines_of(target: Target) -> tuple[PooledMachine, ...]:
    """The pool of a target; a `DeployError` says which host is not described as it should be."""
    shared = {name: value for name, value in target.settings.items() if name not in _OF_THE_POOL}
    hosts = reveal(target.settings.get("hosts"))
    machines = tuple(_machine(target, entry, shared) for entry in _entries(target, hosts))
    ids = [machine.id for machine in machines]
    for id_ in ids:
        if ids.count(id_) > 1:
            raise DeployError(f"target {target.name!r}: the host {id_} is there twice")
    return machines


def _entries(target: Target, hosts: Any) -> Iterator[Mapping[str, Any]]:
    for entry in hosts if isinstance(hosts, Sequence) and not isinstance(hosts, str) else [hosts]:
        plain = reveal(entry)
        if isinstance(plain, str):
            yield {"host": plain}
        elif isinstance(plain, Mapping) and isinstance(plain.get("host"), str):
            yield plain
        else:
            raise DeployError(
                f"target {target.name!r}: a host is a name, or a mapping with the key host, not {plain!r}"
            )


def _machine(target: Target, entry: Mapping[str, Any], shared: Mapping[str, Value]) -> PooledMachine:
    settings: dict[str, Value] = {"root": "/", **shared, **entry}
    names = settings.pop("names", None) or ()
    address = settings.pop("address", None) or entry["host"]
    port = settings.get("port")
    if isinstance(names, str):
        names = (names,)
    if not isinstance(names, Sequence):
        raise DeployError(f"target {target.name!r}: names of {entry['host']} is a list of patterns")
    return PooledMachine(
        id=entry["host"] if port is None else f"{entry['host']}:{port}",
        settings=settings,
        address=str(address),
        names=tuple(map(str, names)),
    )
