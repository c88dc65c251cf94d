"""The hands by kind, and the five things they do."""

from __future__ import annotations

from typing import Any

from sabir.deployments.hands.absent import Absent
from sabir.deployments.hands.archive import Archive
from sabir.deployments.hands.commands import Command
from sabir.deployments.hands.files import Directory, File, Symlink
from sabir.deployments.hands.machine import Group, Package, User
from sabir.deployments.hands.place import Fields, HandError, Place
from sabir.deployments.hands.process import Process
from sabir.deployments.hands.services import Service

__all__ = ["HANDS", "VERBS", "do"]

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
