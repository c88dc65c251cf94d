"""The machines of a target: hosts with what they have in common, each with settings of its own.

Who has a machine: a file on the machine itself, so that two environments with one pool never take the same.

A hard link is made or is not: of two that come at the same moment one has the machine. The file lies beside the marks of operations.

Execution plans as commands: the runner with the plan in it is a script that leaves its marks like any other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from importlib.resources import files
from typing import Any, Final

from msgspec import Struct

from sabir.errors import DeployError
from sabir.graph.values import Value, reveal_value
from sabir.resources.target import Target

_BEGIN: Final = """\
set -eu
umask 077
place=$(dirname "$(dirname "$SABIR_MARK")")
"""
_TAKE: Final = """\
printf '%s' "$OWNER" > "$place/claim.$$"
ln "$place/claim.$$" "$place/claim" 2>/dev/null || true
rm -f "$place/claim.$$"
"""
_TELL: Final = """\
owner=
[ ! -e "$place/claim" ] || owner=$(cat "$place/claim")
printf 'owner=%s\\nhostname=%s\\n' "$owner" "$(hostname)" > "$SABIR_OUTPUTS"
"""
_GIVE_BACK: Final = """\
[ "$(cat "$place/claim" 2>/dev/null || true)" != "$OWNER" ] || rm -f "$place/claim"
"""


def owner_command() -> dict[str, Value]:
    """Tells who has the machine."""
    return _build_command(_TELL, "")


def claim_command(owner: str) -> dict[str, Value]:
    """Takes the machine if nobody has it, and tells who has it then."""
    return _build_command(_TAKE + _TELL, owner)


def release_command(owner: str, farewell: Sequence[str]) -> dict[str, Value]:
    """Gives the machine back after `farewell`, commands that leave it as the next one wants it."""
    return _build_command("".join(f"{line}\n" for line in farewell) + _GIVE_BACK + _TELL, owner)


def _build_command(text: str, owner: str) -> dict[str, Value]:
    return {
        "script": _BEGIN + text,
        "interpreter": ["/bin/sh"],
        "environment": {"OWNER": owner},
        "outputs": ["owner", "hostname"],
    }


def plan_command(plan: Mapping[str, Any], python: str) -> dict[str, Value]:
    """The fields of a `command` that runs a plan. It holds secrets of the plan in clear: it goes to the machine only."""
    runner = files("sabir.deployments.drivers.machine_pool").joinpath("runner.py").read_text("utf-8")
    text = json.dumps(plan, default=str)
    return {
        "script": f"{runner}\n\nmain(json.loads({text!r}))\n",
        "interpreter": [python, "-I"],
        "outputs": ["answer"],
    }


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
        return str(reveal_value(self.settings.get("python")) or "python3")


def machines_of(target: Target) -> tuple[PooledMachine, ...]:
    """The pool of a target; a `DeployError` says which host is not described as it should be."""
    shared = {name: value for name, value in target.settings.items() if name not in _OF_THE_POOL}
    hosts = reveal_value(target.settings.get("hosts"))
    machines = tuple(_build_machine(target, entry, shared) for entry in _read_hosts(target, hosts))
    ids = [machine.id for machine in machines]
    for id_ in ids:
        if ids.count(id_) > 1:
            raise DeployError(f"target {target.name!r}: the host {id_} is there twice")
    return machines


def _read_hosts(target: Target, hosts: Any) -> Iterator[Mapping[str, Any]]:
    for entry in hosts if isinstance(hosts, Sequence) and not isinstance(hosts, str) else [hosts]:
        plain = reveal_value(entry)
        if isinstance(plain, str):
            yield {"host": plain}
        elif isinstance(plain, Mapping) and isinstance(plain.get("host"), str):
            yield plain
        else:
            raise DeployError(
                f"target {target.name!r}: a host is a name, or a mapping with the key host, not {plain!r}"
            )


def _build_machine(target: Target, entry: Mapping[str, Any], shared: Mapping[str, Value]) -> PooledMachine:
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
