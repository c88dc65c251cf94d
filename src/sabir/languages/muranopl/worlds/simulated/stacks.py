"""Heat in memory: stacks by region and name, with outputs derived from their templates.

An output that the description does not define gets an invented value of the kind that its resource would
return.
"""

from __future__ import annotations

import copy
import json
import zlib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any, Final

from sabir.languages.muranopl.worlds.effects import WorldError
from sabir.resources.effects import heat_failure_name

_DOCUMENTED: Final = "203.0.113"  # RFC 5737: addresses for examples


def invent_output(key: str, output: Any) -> Any:
    """Return an invented value, the same in every run and different for different outputs."""
    value = output.get("value", output.get("Value")) if isinstance(output, Mapping) else None
    return _invent_value(value, key)


def _invent_value(value: Any, key: str) -> Any:
    if isinstance(value, list):
        return [_invent_value(item, f"{key}-{index}") for index, item in enumerate(value)]
    if not isinstance(value, Mapping):
        return value
    attribute = value.get("get_attr") or value.get("Fn::GetAtt")
    if attribute is not None:
        return _invent_attribute([str(part) for part in attribute], key)
    resource = value.get("get_resource") or value.get("Ref")
    if resource is not None:
        return f"simulated-{resource}"
    return {name: _invent_value(item, f"{key}-{name}") for name, item in value.items()}


def _invent_attribute(path: list[str], key: str) -> Any:
    last = path[-1] if path else ""
    if last == "networks":
        return {"simulated": [_invent_address("10.0.0", key)]}
    if "addresses" in path:
        address = {"addr": _invent_address("10.0.0", key), "OS-EXT-IPS:type": "fixed", "version": 4}
        return [address] if len(path) > 2 else {"simulated": [address]}
    if last == "fixed_ips":
        return [{"ip_address": _invent_address("10.0.0", key), "subnet_id": "simulated-subnet"}]
    if "floating" in last.lower() or "floating" in key.lower():
        return _invent_address(_DOCUMENTED, key)
    if "ip" in last.split("_") or "address" in last:
        return _invent_address("10.0.0", key)
    if last == "attachments":
        return []
    return f"simulated-{'-'.join(path)}"


def _invent_address(net: str, key: str) -> str:
    return f"{net}.{zlib.crc32(key.encode()) % 250 + 3}"


class SimulatedStacks:
    """The stacks of a cloud. A stack is its template, parameters, status and outputs."""

    def __init__(self) -> None:
        self._stacks: dict[tuple[str, str], dict[str, Any]] = {}
        self._patterns: Mapping[str, Any] | None = None
        self._failures: list[Mapping[str, Any]] = []
        self._calls: dict[str, int] = {}
        self._known: dict[tuple[str, str], Mapping[str, Any]] = {}

    def describe(self, description: Mapping[str, Any] | None) -> None:
        """Set how stacks respond from now on, and reset the counters of calls."""
        self._patterns = None if description is None else description.get("outputs") or {}
        self._failures = list((description or {}).get("failures") or ())
        self._calls = {}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Start with the stored stacks of a deployment: by region and name, as JSON. Known outputs keep their values."""
        for key, stack in kept.items():
            region, name = json.loads(key)
            told = {
                field: copy.deepcopy(stack.get(field))
                for field in ("template", "parameters", "status", "reason")
            }
            self._stacks[region, name] = told
            self._known[region, name] = stack.get("outputs") or {}

    def templates(self) -> dict[str, Any]:
        """Return the existing templates, by stack name."""
        return {name: stack["template"] for (_, name), stack in self._stacks.items()}

    def read(self, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
        stack = self._stacks.get(_stack_key(arguments))
        if stack is None:
            return None
        return {**copy.deepcopy(stack), "outputs": self._outputs(stack["template"], _stack_key(arguments))}

    def create(self, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
        return self._push("create", arguments)

    def update(self, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
        return self._push("update", arguments)

    def delete(self, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
        failure = self._failure("delete")
        if failure is not None and failure.get("status"):
            stack = self._stacks.setdefault(_stack_key(arguments), {"template": {}, "parameters": {}})
            stack.update(status=failure["status"], reason=failure.get("reason"))
            return self.read(arguments)
        if self._stacks.pop(_stack_key(arguments), None) is None:
            raise WorldError(heat_failure_name(404), "The stack could not be found")
        return None

    def _push(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
        failure = self._failure(operation) or {}
        status = failure.get("status") or f"{operation.upper()}_COMPLETE"
        self._stacks[_stack_key(arguments)] = {
            "template": copy.deepcopy(arguments["template"]),
            "parameters": dict(arguments.get("parameters") or {}),
            "status": status,
            "reason": failure.get("reason"),
        }
        return self.read(arguments)

    def _failure(self, operation: str) -> Mapping[str, Any] | None:
        count = self._calls[operation] = self._calls.get(operation, 0) + 1
        for failure in self._failures:
            if failure["operation"] == operation and failure.get("nth", 1) == count:
                if "http" in failure:
                    code = failure["http"]
                    raise WorldError(
                        heat_failure_name(code),
                        failure.get("reason") or f"HTTP {code}",
                    )
                return failure
        return None

    def _outputs(self, template: Mapping[str, Any], key: tuple[str, str]) -> dict[str, Any]:
        declared = template.get("outputs") or template.get("Outputs") or {}
        if self._patterns is None:
            known = self._known.get(key, {})
            return {
                name: known[name] if name in known else invent_output(name, output)
                for name, output in declared.items()
            }
        outputs: dict[str, Any] = {}
        for name in declared:
            for pattern, value in self._patterns.items():
                if fnmatchcase(name, pattern):
                    outputs[name] = copy.deepcopy(value)
                    break
        return outputs


def _stack_key(arguments: Mapping[str, Any]) -> tuple[str, str]:
    return arguments.get("region") or "", arguments["stack"]
