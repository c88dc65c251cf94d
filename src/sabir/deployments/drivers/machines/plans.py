"""Execution plans as commands: the runner with the plan in it is a script that leaves its marks like any other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from sabir.graph.values import Value

__all__ = ["plan_command"]


def plan_command(plan: Mapping[str, Any], python: str) -> dict[str, Value]:
    """The fields of a `command` that runs a plan. It holds secrets of the plan in clear: it goes to the machine only."""
    runner = files("sabir.deployments.drivers.machines").joinpath("runner.py").read_text("utf-8")
    text = json.dumps(plan, default=str)
    return {
        "script": f"{runner}\n\nmain(json.loads({text!r}))\n",
        "interpreter": [python, "-I"],
        "outputs": ["answer"],
    }
