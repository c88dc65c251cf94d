"""Effects of programs answered with machines that are there already.

Stacks are data: they come from the record of the last deployment, change as the program pushes, and go back into the record. Only
what really happens is an effect of its own in the journal: a machine is claimed or released, a plan or script is run on it. A
program that is run again gets the same answers and so arrives at the same stacks.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from sabir.languages.muranopl.worlds.effects import Branch, Effect, EffectKind, Report, World, WorldFailure
from sabir.languages.muranopl.worlds.machines.templates import Machine, Template, refused_types
from sabir.languages.muranopl.worlds.simulated.directory import Directory
from sabir.languages.muranopl.worlds.simulated.networks import Networks

__all__ = ["MachineCloud"]

_NO_ANSWER: Final = "murano.common.exceptions.TimeoutException"
_BAD_REQUEST: Final = "heatclient.exc.HTTPBadRequest"
_NOT_THERE: Final = "heatclient.exc.HTTPNotFound"
_UNHEARD: Final = (EffectKind.TRACK, EffectKind.UNTRACK)

Stacks = dict[str, dict[str, Any]]


class MachineCloud:
    """`world` carries out what concerns machines; `stacks` are those of the last deployment, by region and name."""

    def __init__(self, world: World, stacks: Mapping[str, Any] | None = None) -> None:
        self._world = world
        self.stacks: Stacks = copy.deepcopy(dict(stacks or {}))
        self._sent: list[Callable[[], Any]] = []
        directory = Directory(None, None)
        self._answers: dict[EffectKind, Callable[[Effect], Any]] = {
            EffectKind.STACK_READ: self._read,
            EffectKind.STACK_CREATE: lambda effect: self._push("CREATE", effect),
            EffectKind.STACK_UPDATE: lambda effect: self._push("UPDATE", effect),
            EffectKind.STACK_DELETE: self._delete,
            EffectKind.AGENT_CALL: lambda effect: self._begin_plan(effect)(),
            EffectKind.AGENT_SEND: self._send,
            EffectKind.NETWORK_LIST: lambda effect: Networks(None).list(effect.arguments),
            EffectKind.ROUTER_CREATE: lambda effect: Networks(None).create_router(effect.arguments),
            EffectKind.NAMESPACES: lambda effect: directory.namespaces(effect.arguments),
            EffectKind.NAMESPACE_OBJECTS: lambda effect: directory.objects(effect.arguments),
            EffectKind.USER: lambda effect: directory.user(effect.arguments),
            EffectKind.PROJECT: lambda effect: directory.project(effect.arguments),
        }

    def perform(self, effect: Effect) -> Any:
        if effect.kind in _UNHEARD:
            return None
        answer = self._answers.get(effect.kind)
        return self._world.perform(effect) if answer is None else answer(effect)

    def begin(self, effect: Effect) -> Callable[[], Any]:
        if effect.kind is EffectKind.AGENT_CALL:
            return self._begin_plan(effect)
        if effect.kind in self._answers or effect.kind in _UNHEARD:
            answer = self.perform(effect)
            return lambda: answer
        return self._world.begin(effect)

    def open_branches(self, parent: Branch, group: int, size: int) -> None:
        self._world.open_branches(parent, group, size)

    def report(self, report: Report) -> None:
        self._world.report(report)

    def finish(self) -> None:
        """Wait for plans that nobody waited for."""
        while self._sent:
            self._sent.pop(0)()

    # -- stacks ---------------------------------------------------------------------------------------------------------

    def _read(self, effect: Effect) -> dict[str, Any] | None:
        stack = self.stacks.get(_key(effect))
        if stack is None:
            return None
        return copy.deepcopy({name: value for name, value in stack.items() if name != "machines"})

    def _push(self, verb: str, effect: Effect) -> dict[str, Any] | None:
        arguments = effect.arguments
        refused = refused_types(arguments["template"])
        if refused:
            raise WorldFailure(
                _BAD_REQUEST,
                f"machines of a pool cannot stand in for {', '.join(refused)}: the stack {arguments['stack']} needs a cloud",
            )
        stack = self.stacks.setdefault(_key(effect), {"machines": {}})
        stack.update(
            template=copy.deepcopy(arguments["template"]),
            parameters=dict(arguments.get("parameters") or {}),
            status=f"{verb}_COMPLETE",
            reason=None,
        )
        try:
            self._place(stack, effect)
        except WorldFailure as failure:
            stack.update(status=f"{verb}_FAILED", reason=str(failure))
        stack["outputs"] = Template(stack["template"], stack["machines"], stack["parameters"]).outputs()
        return self._read(effect)

    def _place(self, stack: dict[str, Any], effect: Effect) -> None:
        """Servers that are gone give their machines back first, so that others can have them."""
        machines: dict[str, Machine] = stack["machines"]
        template = Template(stack["template"], machines, stack["parameters"])
        servers = template.servers()
        for name in [name for name in machines if name not in servers]:
            self._release(name, machines, effect)
        for name, properties in servers.items():
            if name not in machines:
                machines[name] = self._claim(name, properties, effect)
                script = template.boot_script(name)
                if script is not None:
                    self._boot(name, machines[name], script, effect)

    def _claim(self, name: str, properties: Mapping[str, Any], effect: Effect) -> Machine:
        hostname = properties.get("name")
        machine: Machine = self._ask(
            EffectKind.MACHINE_CLAIM,
            effect,
            name=name,
            hostname=hostname if isinstance(hostname, str) else name,
            stack=effect.arguments["stack"],
        )
        return machine

    def _release(self, name: str, machines: dict[str, Machine], effect: Effect) -> None:
        stack = effect.arguments["stack"]
        self._ask(EffectKind.MACHINE_RELEASE, effect, machine=machines[name]["id"], name=name, stack=stack)
        del machines[name]

    def _boot(self, name: str, machine: Machine, script: str, effect: Effect) -> None:
        answer = self._ask(
            EffectKind.MACHINE_PLAN, effect, machine=machine["id"], plan=_boot_plan(name, script)
        )
        if answer is None or answer.get("ErrorCode"):
            raise WorldFailure(
                "OSError", f"the user data of {name} failed on {machine['id']}: {_words(answer)}"
            )

    def _delete(self, effect: Effect) -> None:
        stack = self.stacks.get(_key(effect))
        if stack is None:
            raise WorldFailure(_NOT_THERE, "The stack could not be found")
        for name in [*stack["machines"]]:
            self._release(name, stack["machines"], effect)
        del self.stacks[_key(effect)]

    # -- plans ----------------------------------------------------------------------------------------------------------

    def _begin_plan(self, effect: Effect) -> Callable[[], Any]:
        arguments = effect.arguments
        machine = self._machine(arguments.get("host"), arguments.get("stack"))
        if machine is None:
            raise WorldFailure(
                _NO_ANSWER,
                f"a plan is sent to {arguments.get('host') or arguments['queue']}, which has no machine (yet)",
            )
        more = {"timeout": arguments["timeout"]} if arguments.get("timeout") is not None else {}
        return self._world.begin(
            Effect(
                kind=EffectKind.MACHINE_PLAN,
                arguments={"machine": machine["id"], "plan": arguments["plan"], **more},
                branch=effect.branch,
            )
        )

    def _send(self, effect: Effect) -> None:
        self._sent.append(self._begin_plan(effect))

    def _machine(self, host: str | None, stack: str | None) -> Machine | None:
        for key, kept in self.stacks.items():
            if host in kept["machines"] and (stack is None or _stack_of(key) == stack):
                machine: Machine = kept["machines"][host]
                return machine
        return None

    def _ask(self, kind: EffectKind, effect: Effect, **arguments: Any) -> Any:
        return self._world.perform(Effect(kind=kind, arguments=arguments, branch=effect.branch))


def _key(effect: Effect) -> str:
    """Keys are texts, so that stacks can be kept as JSON."""
    return json.dumps([effect.arguments.get("region") or "", effect.arguments["stack"]])


def _stack_of(key: str) -> str:
    name: str = json.loads(key)[1]
    return name


def _boot_plan(name: str, script: str) -> dict[str, Any]:
    options = {"captureStdout": True, "captureStderr": True, "verifyExitcode": True}
    return {
        "FormatVersion": "2.0.0",
        "Version": "1.0.0",
        "Name": f"user data of {name}",
        "Parameters": {},
        "Body": "return userData()",
        "Scripts": {
            "userData": {
                "Type": "Application",
                "Version": "1.0.0",
                "EntryPoint": "boot",
                "Files": [],
                "Options": options,
            }
        },
        "Files": {"boot": {"Name": "user-data", "BodyType": "Text", "Body": script}},
    }


def _words(answer: Any) -> str:
    body = (answer or {}).get("Body")
    return str(body.get("Message", body) if isinstance(body, Mapping) else body or "no answer")
