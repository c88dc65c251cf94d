"""Who owns which fields of an object, when another tool made it.

An apply only takes fields away that its own manager owns. What an earlier tool has set and nobody wants any more would stay for
ever, so the fields of that tool are given to our manager before its first apply.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, Final

__all__ = ["convert_created", "taken_over"]

_CONTROLLERS: Final = ("kube-", "kubelet", "cloud-controller", "sabir-restart")
"""How the names of those begin that fill in what is never described: status, addresses, numbers of replicas."""


def taken_over(managed: Sequence[Mapping[str, Any]], manager: str) -> list[dict[str, Any]] | None:
    """The `managedFields` with those of other tools under our manager; None when it has applied already, or there are none."""
    theirs = [entry for entry in managed if _is_of_tool(entry)]
    if not theirs or any(entry.get("manager") == manager for entry in managed):
        return None
    version = theirs[-1].get("apiVersion")
    ours = {
        "manager": manager,
        "operation": "Apply",
        "apiVersion": version,
        "fieldsType": "FieldsV1",
        "fieldsV1": reduce(_joined, (entry.get("fieldsV1") or {} for entry in theirs)),
    }
    return [*(dict(entry) for entry in managed if not _is_of_tool(entry)), ours]


def convert_created(managed: Sequence[Mapping[str, Any]], manager: str) -> list[dict[str, Any]] | None:
    """The `managedFields` with what our manager has created as if it had applied it; None when there is nothing to convert."""
    ours = [entry for entry in managed if entry.get("manager") == manager and "subresource" not in entry]
    if not any(entry.get("operation") == "Update" for entry in ours):
        return None
    applied = {
        **ours[-1],
        "operation": "Apply",
        "fieldsV1": reduce(_joined, (entry.get("fieldsV1") or {} for entry in ours)),
    }
    return [*(dict(entry) for entry in managed if entry not in ours), applied]


def _is_of_tool(entry: Mapping[str, Any]) -> bool:
    fields = entry.get("fieldsV1") or {}
    return (
        not str(entry.get("manager", "")).startswith(_CONTROLLERS)
        and "subresource" not in entry
        and fields.keys() != {"f:status"}
    )


def _joined(left: Mapping[str, Any], right: Mapping[str, Any]) -> dict[str, Any]:
    """Two sets of fields, which are trees of names, as one."""
    shared = {name: _joined(left[name], right[name]) for name in left.keys() & right.keys()}
    return {**left, **right, **shared}
