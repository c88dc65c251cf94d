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
from sabir.deployments.host_agent.root import Fields, HandError, Place
from sabir.deployments.host_agent.system import Group, Package, Service, User


class Absent:
    def __init__(self, hands: Mapping[str, Any]) -> None:
        self._hands = hands

    def read(self, fields: Fields, place: Place) -> Fields:
        seen = self._hands[fields["of"]].read(_inner(fields), place)
        return {"exists": True, "fields": dict(_inner(fields), of=fields["of"], gone=not seen["exists"])}

    def apply(self, task: Fields, place: Place) -> Fields:
        fields = task["fields"]
        answer: Fields = self._hands[fields["of"]].delete(dict(task, fields=_inner(fields)), place)
        return answer

    def delete(self, task: Fields, place: Place) -> Fields:  # noqa: ARG002  # whoever wants it back makes it
        return {"changed": False}

    def observe(self, task: Fields, place: Place) -> Fields:
        done = task["action"] == "delete" or self.read(task["fields"], place)["fields"]["gone"]
        return {"sighting": "done" if done else "not done"}


def _inner(fields: Fields) -> Fields:
    return {name: value for name, value in fields.items() if name != "of"}


HANDS: dict[str, Any] = {
    "archive": Archive(),
    "command": Command(),
    "directory": Directory(),
    "file": File(),
    "group": Group(),
    "package": Package(),
    "process": Process(),
    "service": Service(),
    "symlink": Symlink(),
    "user": User(),
}
HANDS["absent"] = Absent(HANDS)


VERBS = ("apply", "call", "delete", "observe", "read")


def do(verb: str, kind: str, data: Fields, place: Place) -> Fields:
    """`data` are the fields for who reads, the task for all others."""
    if verb not in VERBS:
        raise KeyError(verb)
    hand = HANDS[kind]
    if verb == "call" and not hasattr(hand, "call"):
        raise HandError(f"there is nothing to call on a {kind}")
    further = (data["call"],) if verb == "call" else ()
    answer: Fields = getattr(hand, verb)(data, place, *further)
    return answer
