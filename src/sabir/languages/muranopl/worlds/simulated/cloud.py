"""A cloud in memory: each effect goes to its service (agents, Keystone, Glance, Neutron, Mistral, Heat)."""

from __future__ import annotations

import copy
import json
import random
import time
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Any, Final

from sabir.languages.muranopl.worlds.effects import Branch, EffectKind, EffectRequest, ProgramReport
from sabir.languages.muranopl.worlds.simulated.stacks import SimulatedStacks


class Agents:
    """Agents in memory: the first matching rule decides how a plan ends; None stands for no response."""

    def __init__(self, description: Mapping[str, Any] | None) -> None:
        self._rules: list[Mapping[str, Any]] = list((description or {}).get("answers") or ())
        self._used: dict[int, int] = {}

    def call(self, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
        plan = arguments["plan"]
        is_first = not str(plan.get("FormatVersion") or "1.").startswith("2")
        for index, rule in enumerate(self._rules):
            if not _matches_rule(rule, arguments["queue"], plan):
                continue
            if self._used.get(index, 0) >= rule.get("times", float("inf")):
                continue
            self._used[index] = self._used.get(index, 0) + 1
            return _build_response(copy.deepcopy(dict(rule)), is_first=is_first)
        return _build_response({}, is_first=is_first)


def _matches_rule(rule: Mapping[str, Any], queue: str, plan: Mapping[str, Any]) -> bool:
    values = {"queue": queue, "name": plan.get("Name"), "body": plan.get("Body")}
    return all(
        fnmatchcase(str(value or ""), str(rule[name])) for name, value in values.items() if name in rule
    )


def _build_response(rule: dict[str, Any], *, is_first: bool) -> dict[str, Any] | None:
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


class SimulatedDirectory:
    """Keystone users and projects, and the metadata definitions of Glance, in memory."""

    def __init__(self, keystone: Mapping[str, Any] | None, glance: Mapping[str, Any] | None) -> None:
        self._users: Mapping[str, Any] | None = None if keystone is None else keystone.get("users") or {}
        self._projects: Mapping[str, Any] | None = (
            None if keystone is None else keystone.get("projects") or {}
        )
        self._namespaces: Mapping[str, Any] = (glance or {}).get("namespaces") or {}
        self._properties: Mapping[str, Any] = (glance or {}).get("properties") or {}

    def user(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return _find_entry(self._users, arguments["id"])

    def project(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return _find_entry(self._projects, arguments["id"])

    def namespaces(self, arguments: Mapping[str, Any]) -> list[dict[str, Any]]:
        wanted = arguments["resourceType"]
        return [{"namespace": name} for name, types in self._namespaces.items() if wanted in types]

    def objects(self, arguments: Mapping[str, Any]) -> list[dict[str, Any]]:
        names = self._properties.get(arguments["namespace"]) or ()
        return [{"name": name, "properties": {name: {}}} for name in names]


def _find_entry(entries: Mapping[str, Any] | None, id_: str) -> dict[str, Any]:
    if entries is None:
        return {"id": id_, "name": id_, "domain_id": "default"}
    return dict(entries[id_])


_INVENTED: Final[Mapping[str, Any]] = {
    "routers": [
        {
            "id": "simulated-router",
            "name": "murano-default-router",
            "external_gateway_info": {"network_id": "simulated-external"},
        }
    ],
    "networks": [
        {"id": "simulated-external", "name": "ext-net", "router:external": True, "tenant_id": "admin"},
        {"id": "simulated-network", "name": "simulated", "router:external": False, "tenant_id": "project"},
    ],
    "subnets": [
        {
            "id": "simulated-subnet",
            "name": "simulated",
            "network_id": "simulated-network",
            "cidr": "192.168.0.0/24",
            "dns_nameservers": [],
            "gateway_ip": "192.168.0.1",
        }
    ],
    "ports": [],
    "extensions": ["security-group", "router"],
}


class Networks:
    """Neutron in memory: lists with filters, and a router that can be created."""

    def __init__(self, description: Mapping[str, Any] | None) -> None:
        self._lists: dict[str, list[Any]] = {
            name: list(items) for name, items in (description or _INVENTED).items() if items
        }
        self._is_invented = description is None

    def list(self, arguments: Mapping[str, Any]) -> list[Any]:
        resource, filters = arguments["resource"], dict(arguments.get("filters") or {})
        items = self._lists.get(resource, [])
        if resource == "extensions":
            return [{"alias": item} for item in items]
        # A router of the description belongs to the running project, unless it names another one.
        chosen = [
            item for item in items if all(item.get(name, value) == value for name, value in filters.items())
        ]
        if not chosen and self._is_invented:
            return [{**items[0], **filters}] if items else []
        return chosen

    def create_router(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        router = {**arguments["router"], "id": "created-router"}
        self._lists.setdefault("routers", []).append(router)
        return router


class Workflows:
    """Mistral in memory: executions that end as soon as they start."""

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


Answer = Callable[[Mapping[str, Any]], Any]
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


class SimulatedWorld:
    """One cloud. `stacks` exist before the run and are changed by it."""

    def __init__(
        self,
        description: Mapping[str, Any] | None = None,
        *,
        stacks: SimulatedStacks | None = None,
        random_numbers: random.Random | None = None,
    ) -> None:
        description = description or {}
        self.stacks = SimulatedStacks() if stacks is None else stacks
        self.stacks.describe(description.get("heat"))
        self._random = random_numbers or random.Random(0)  # the names of a dry run are the same in every one
        networks = Networks(description.get("neutron"))
        directory = SimulatedDirectory(description.get("keystone"), description.get("glance"))
        agents = Agents(description.get("agent"))
        workflows = Workflows(description.get("mistral"))
        self._answers: dict[EffectKind, Answer] = {
            EffectKind.STACK_READ: self.stacks.read,
            EffectKind.STACK_CREATE: self.stacks.create,
            EffectKind.STACK_UPDATE: self.stacks.update,
            EffectKind.STACK_DELETE: self.stacks.delete,
            EffectKind.AGENT_CALL: agents.call,
            EffectKind.NETWORK_LIST: networks.list,
            EffectKind.ROUTER_CREATE: networks.create_router,
            EffectKind.NAMESPACES: directory.namespaces,
            EffectKind.NAMESPACE_OBJECTS: directory.objects,
            EffectKind.USER: directory.user,
            EffectKind.PROJECT: directory.project,
            EffectKind.WORKFLOW_RUN: workflows.run,
            EffectKind.WORKFLOW_READ: workflows.read,
            EffectKind.RANDOM: self._name,
            EffectKind.CLOCK: lambda _arguments: time.time(),
        }

    def perform(self, effect: EffectRequest) -> Any:
        answer = self._answers.get(effect.kind)
        return None if answer is None else answer(effect.arguments)

    def begin(self, effect: EffectRequest) -> Callable[[], Any]:
        answer = self.perform(effect)
        return lambda: answer

    def open_branches(self, parent: Branch, group: int, size: int) -> None:
        """Do nothing: without a journal, branches need no separate sequences."""

    def report(self, report: ProgramReport) -> None:
        """Do nothing: a simulation has no user to report to."""

    def _name(self, arguments: Mapping[str, Any]) -> str:
        return "".join(self._random.choice(_LETTERS) for _ in range(arguments["length"]))
