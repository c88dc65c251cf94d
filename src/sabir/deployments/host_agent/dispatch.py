"""The hands by kind, and the five things they do.

What must not be there: taken away by the hand of its kind, and looked for from then on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sabir.deployments.host_agent.archives import Archive
from sabir.deployments.host_agent.commands import Command
from sabir.deployments.host_agent.files import Directory, File, Symlink
from sabir.deployments.host_agent.processes import Process
from sabir.deployments.host_agent.root import Fields, HostAgentError, HostRoot
from sabir.deployments.host_agent.system import Group, Package, SystemService, User


class Absent:
    def __init__(self, hands: Mapping[str, Any]) -> None:
        self._hands = hands

    def read(self, fields: Fields, place: HostRoot) -> Fields:
        seen = self._hands[fields["of"]].read(_inner_fields(fields), place)
        return {
            "exists": True,
            "fields": dict(_inner_fields(fields), of=fields["of"], gone=not seen["exists"]),
        }

    def apply(self, task: Fields, place: HostRoot) -> Fields:
        fields = task["fields"]
        answer: Fields = self._hands[fields["of"]].delete(dict(task, fields=_inner_fields(fields)), place)
        return answer

    def delete(self, task: Fields, place: HostRoot) -> Fields:  # noqa: ARG002  # whoever wants it back makes it
        return {"changed": False}

    def observe(self, task: Fields, place: HostRoot) -> Fields:
        done = task["action"] == "delete" or self.read(task["fields"], place)["fields"]["gone"]
        return {"sighting": "done" if done else "not done"}


def _inner_fields(fields: Fields) -> Fields:
    return {name: value for name, value in fields.items() if name != "of"}


HANDLERS: dict[str, Any] = {
    "archive": Archive(),
    "command": Command(),
    "directory": Directory(),
    "file": File(),
    "group": Group(),
    "package": Package(),
    "process": Process(),
    "service": SystemService(),
    "symlink": Symlink(),
    "user": User(),
}
HANDLERS["absent"] = Absent(HANDLERS)


VERBS = ("apply", "call", "delete", "observe", "read")


def run_verb(verb: str, kind: str, data: Fields, place: HostRoot) -> Fields:
    """`data` are the fields for who reads, the task for all others."""
    if verb not in VERBS:
        raise KeyError(verb)
    hand = HANDLERS[kind]
    if verb == "call" and not hasattr(hand, "call"):
        raise HostAgentError(f"there is nothing to call on a {kind}")
    further = (data["call"],) if verb == "call" else ()
    answer: Fields = getattr(hand, verb)(data, place, *further)
    return answer
