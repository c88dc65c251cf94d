"""What must not be there: taken away by the hand of its kind, and looked for from then on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sabir.deployments.hands.place import Fields, Place

__all__ = ["Absent"]


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
