"""Agents in memory: the first rule that fits a plan says how it ends."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

__all__ = ["Agents"]


class Agents:
    """An answer is a message of an agent; None stands for silence."""

    def __init__(self, description: Mapping[str, Any] | None) -> None:
        self._rules: list[Mapping[str, Any]] = list((description or {}).get("answers") or ())
        self._used: dict[int, int] = {}

    def call(self, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
        plan = arguments["plan"]
        is_first = not str(plan.get("FormatVersion") or "1.").startswith("2")
        for index, rule in enumerate(self._rules):
            if not _fits(rule, arguments["queue"], plan):
                continue
            if self._used.get(index, 0) >= rule.get("times", float("inf")):
                continue
            self._used[index] = self._used.get(index, 0) + 1
            return _answer(copy.deepcopy(dict(rule)), is_first=is_first)
        return _answer({}, is_first=is_first)


def _fits(rule: Mapping[str, Any], queue: str, plan: Mapping[str, Any]) -> bool:
    values = {"queue": queue, "name": plan.get("Name"), "body": plan.get("Body")}
    return all(
        fnmatchcase(str(value or ""), str(rule[name])) for name, value in values.items() if name in rule
    )


def _answer(rule: dict[str, Any], *, is_first: bool) -> dict[str, Any] | None:
    if rule.get("silent"):
        return None
    if "v1" in rule:
        message: dict[str, Any] = rule["v1"]
        return message
    if is_first:
        return {"IsException": False, "Result": [{"IsException": False, "Result": rule.get("result")}]}
    return {
        "FormatVersion": "2.0.0",
        "ErrorCode": rule.get("errorCode", 0),
        "Body": rule.get("result"),
        "Time": rule.get("time"),
    }
