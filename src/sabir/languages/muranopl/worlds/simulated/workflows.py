"""Mistral in memory: executions that are over as soon as they begin."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["Workflows"]


class Workflows:
    def __init__(self, description: Mapping[str, Any] | None) -> None:
        self._outcomes: Mapping[str, Any] = (description or {}).get("executions") or {}
        self._executions: dict[str, dict[str, Any]] = {}

    def run(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        outcome = self._outcomes.get(arguments["name"]) or {}
        output = outcome.get("output")
        execution = {
            "id": "execution-1",
            "state": outcome.get("state", "SUCCESS"),
            "output": output if isinstance(output, str) else json.dumps(output if output is not None else {}),
        }
        self._executions[execution["id"]] = execution
        return execution

    def read(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return self._executions[arguments["id"]]
