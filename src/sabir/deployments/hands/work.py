"""The hands by kind, and the five things they do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sabir.deployments.hands.absent import Absent
from sabir.deployments.hands.archive import Archive
from sabir.deployments.hands.commands import Command
from sabir.deployments.hands.files import Directory, File, Symlink
from sabir.deployments.hands.machine import Group, Package, User
from sabir.deployments.hands.place import Fields, HandError, Place
from sabir.deployments.hands.process import Process
from sabir.deployments.hands.services import Service

__all__ = ["HANDS", "VERBS", "apply", "call", "delete", "observe", "read"]

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


def read(kind: str, fields: Fields, place: Place) -> Fields:
    answer: Fields = _hand(kind).read(fields, place)
    return answer


def apply(kind: str, task: Fields, place: Place) -> Fields:
    answer: Fields = _hand(kind).apply(task, place)
    return answer


def delete(kind: str, task: Fields, place: Place) -> Fields:
    answer: Fields = _hand(kind).delete(task, place)
    return answer


def observe(kind: str, task: Fields, place: Place) -> Fields:
    answer: Fields = _hand(kind).observe(task, place)
    return answer


def call(kind: str, task: Fields, place: Place) -> Fields:
    hand = _hand(kind)
    if not hasattr(hand, "call"):
        raise HandError(f"there is nothing to call on a {kind}")
    answer: Fields = hand.call(task, place, task["call"])
    return answer


def _hand(kind: str) -> Any:
    return HANDS[kind]


VERBS: dict[str, Callable[[str, Fields, Place], Fields]] = {
    "apply": apply,
    "call": call,
    "delete": delete,
    "observe": observe,
    "read": read,
}
