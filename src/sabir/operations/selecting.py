"""What `--target` means: the resources of an environment that a plan is limited to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sabir.deployments.store.records import ResourceRecord
from sabir.deployments.targets import Placed
from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import UsageError

__all__ = ["selected_addresses"]


def selected_addresses(
    only: Sequence[str], placed: Mapping[str, Placed], records: Mapping[str, ResourceRecord], *, destroy: bool
) -> set[str]:
    """The addresses that words mean (a target's name, an address, the name at its end), with what they need."""
    selected: set[str] = set()
    for word in only:
        named = {
            address
            for address in (*placed, *records)
            if word in (address, address.rpartition("/")[2], _target(address, placed, records))
        }
        if not named:
            hint = did_you_mean(word, [*placed, *records])
            raise UsageError(
                f"--target {word!r} is neither a target nor a resource" + (f": {hint}" if hint else "")
            )
        selected |= named
    needs = _users(records) if destroy else _needs(placed)
    queue = [*selected]
    for address in queue:
        for other in needs.get(address, ()):
            if other not in selected:
                selected.add(other)
                queue.append(other)
    return selected


def _target(address: str, placed: Mapping[str, Placed], records: Mapping[str, ResourceRecord]) -> str:
    return placed[address].target.name if address in placed else records[address].target


def _needs(placed: Mapping[str, Placed]) -> dict[str, list[str]]:
    """What has to be there before each."""
    return {address: [str(other) for other in place.resource.requires] for address, place in placed.items()}


def _users(records: Mapping[str, ResourceRecord]) -> dict[str, list[str]]:
    """What has to go before each."""
    users: dict[str, list[str]] = {}
    for user, record in records.items():
        for address in record.requires:
            users.setdefault(address, []).append(user)
    return users
