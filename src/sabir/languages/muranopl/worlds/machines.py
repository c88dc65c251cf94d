"""A cloud on existing machines: sabir stores the stacks, servers are machines of a pool, plans use SSH.

A server of a Heat template is a machine of the pool. The network of these machines already exists: networks,
ports, routers, security groups and floating addresses of a template are accepted, and their attributes are
those of the machine that they refer to. Resources that cannot be provided (a volume, a load balancer) are
rejected by name.

Stacks are data: they come from the record of the last deployment, change as the program pushes, and return to
the record. Only real actions are effects in the journal: a machine is claimed or released, a plan or script
runs on it. A program that is run again gets the same results and so computes the same stacks.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from sabir.languages.muranopl.worlds.effects import (
    Branch,
    EffectKind,
    EffectRequest,
    ProgramReport,
    World,
    WorldError,
)
from sabir.languages.muranopl.worlds.simulated.cloud import Networks, SimulatedDirectory

Machine = Mapping[str, Any]
"""What the pool tells of a machine: `id`, `address`, `hostname`."""

_SERVERS: Final = ("OS::Nova::Server", "AWS::EC2::Instance")
_ACCEPTED: Final = (
    "OS::Neutron::",
    "OS::Nova::KeyPair",
    "OS::Nova::ServerGroup",
    "OS::Nova::FloatingIP",
    "OS::Nova::FloatingIPAssociation",
    "OS::Heat::CloudConfig",
    "OS::Heat::MultipartMime",
    "OS::Heat::SoftwareConfig",
    "OS::Heat::None",
    "AWS::EC2::SecurityGroup",
)
_REFUSED_TYPES: Final = ("OS::Neutron::LBaaS", "OS::Neutron::VPNService", "OS::Neutron::FirewallPolicy")
_SCRIPTS: Final = ("OS::Heat::SoftwareConfig", "OS::Heat::CloudConfig")
_AGENT: Final = ("muranoagent", "murano-agent")
"""User data that names one of these installs an agent, which nobody needs here."""


class PoolTemplate:
    """A template with the machines of its servers, by resource name."""

    def __init__(
        self,
        template: Mapping[str, Any],
        machines: Mapping[str, Machine],
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        self.resources: Mapping[str, Any] = template.get("resources") or template.get("Resources") or {}
        self._outputs: Mapping[str, Any] = template.get("outputs") or template.get("Outputs") or {}
        declared = template.get("parameters") or {}
        defaults = {name: entry.get("default") for name, entry in declared.items()}
        self.parameters = {**defaults, **(parameters or {})}
        self.machines = machines

    def servers(self) -> dict[str, Mapping[str, Any]]:
        """Properties of the servers by resource name, in the order of the template."""
        return {
            name: resource.get("properties") or {}
            for name, resource in self.resources.items()
            if resource.get("type") in _SERVERS
        }

    def outputs(self) -> dict[str, Any]:
        return {
            name: self.value(output.get("value", output.get("Value")))
            for name, output in self._outputs.items()
        }

    def boot_script(self, server: str) -> str | None:
        """Return the script in the user data of a server; None if there is none, or only the setup of an agent."""
        texts = [*self._scripts((self.servers()[server]).get("user_data"))]
        chosen = [
            text for text in texts if text.startswith("#!") and not any(word in text for word in _AGENT)
        ]
        return "\n".join(chosen) or None

    def _scripts(self, data: Any) -> Iterator[str]:
        if isinstance(data, str):
            yield data
        elif isinstance(data, Mapping) and "get_resource" in data:
            resource = self.resources.get(data["get_resource"]) or {}
            properties = resource.get("properties") or {}
            if resource.get("type") in _SCRIPTS:
                yield from self._scripts(properties.get("config"))
            for part in properties.get("parts") or ():
                yield from self._scripts(part.get("config"))
        elif data is not None:
            value = self.value(data)
            if isinstance(value, str):
                yield value

    # -- functions of templates -----------------------------------------------------------------------------------------

    def value(self, value: Any) -> Any:
        """Return a value with its template functions evaluated."""
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if not isinstance(value, Mapping):
            return value
        if len(value) == 1:
            name, argument = next(iter(value.items()))
            function = _FUNCTIONS.get(name)
            if function is not None:
                return function(self, argument)
        return {key: self.value(item) for key, item in value.items()}

    def attribute(self, path: list[Any]) -> Any:
        name, *rest = path
        machine = self._machine_of(str(name))
        if machine is None:
            return None
        value: Any = _server_attributes(machine).get(str(rest[0]) if rest else "show")
        for step in rest[1:]:
            if isinstance(value, Mapping):
                # A machine has one network, whatever its name in the template.
                value = value.get(step, next(iter(value.values()), None))
            elif isinstance(value, list) and str(step).isdigit():
                value = value[int(step)] if int(step) < len(value) else None
            else:
                return None
        return value

    def reference(self, name: str) -> str:
        machine = self.machines.get(name)
        return name if machine is None else str(machine["id"])

    def _machine_of(self, name: str) -> Machine | None:
        """Return the machine of a server, of the server of a port, or of the port of a floating address."""
        if name in self.machines:
            return self.machines[name]
        properties = (self.resources.get(name) or {}).get("properties") or {}
        port = _resource_named(properties.get("port_id") or properties.get("fixed_port_id")) or name
        for server, wanted in self.servers().items():
            networks = wanted.get("networks") or ()
            if any(_resource_named(network.get("port")) == port for network in networks):
                return self.machines.get(server)
        return next((self.machines.get(server) for server in self._find_associated_servers(name)), None)

    def _find_associated_servers(self, address: str) -> Iterator[str]:
        """Return the servers that a floating address of the old network service is associated with."""
        for resource in self.resources.values():
            properties = resource.get("properties") or {}
            if _resource_named(properties.get("floating_ip")) == address:
                server = _resource_named(properties.get("server_id"))
                if server is not None:
                    yield server


def find_unsupported_types(template: Mapping[str, Any]) -> list[str]:
    """Return the types of resources that a pool of machines cannot provide, sorted."""
    resources = template.get("resources") or template.get("Resources") or {}
    types = {str(resource.get("type")) for resource in resources.values()}
    return sorted(
        type_
        for type_ in types
        if type_ not in _SERVERS and (not type_.startswith(_ACCEPTED) or type_.startswith(_REFUSED_TYPES))
    )


def _resource_named(value: Any) -> str | None:
    return str(value["get_resource"]) if isinstance(value, Mapping) and "get_resource" in value else None


def _server_attributes(machine: Machine) -> dict[str, Any]:
    address = machine["address"]
    entry = {"addr": address, "version": 4, "OS-EXT-IPS:type": "fixed"}
    return {
        "show": dict(machine),
        "name": machine.get("hostname"),
        "instance_name": machine.get("hostname"),
        "first_address": address,
        "accessIPv4": address,
        "addresses": {"pool": [entry]},
        "networks": {"pool": [address]},
        "fixed_ips": [{"ip_address": address}],
        "floating_ip_address": address,
        "ip": address,
    }


def _join_items(template: PoolTemplate, argument: Any) -> str:
    separator, items = argument
    return str(separator).join(str(template.value(item)) for item in template.value(items))


def _replace_parameters(template: PoolTemplate, argument: Any) -> str:
    text = str(template.value(argument["template"]))
    for name, value in template.value(argument["params"]).items():
        text = text.replace(str(name), str(value))
    return text


_FUNCTIONS: Final = {
    "get_attr": lambda template, argument: template.attribute(list(argument)),
    "Fn::GetAtt": lambda template, argument: template.attribute(list(argument)),
    "get_resource": lambda template, argument: template.reference(str(argument)),
    "Ref": lambda template, argument: template.parameters.get(argument, template.reference(str(argument))),
    "get_param": lambda template, argument: template.parameters.get(
        argument[0] if isinstance(argument, list) else argument
    ),
    "list_join": _join_items,
    "str_replace": _replace_parameters,
}


_NO_ANSWER: Final = "murano.common.exceptions.TimeoutException"
_BAD_REQUEST: Final = "heatclient.exc.HTTPBadRequest"
_NOT_THERE: Final = "heatclient.exc.HTTPNotFound"
_UNHEARD: Final = (EffectKind.TRACK, EffectKind.UNTRACK)

Stacks = dict[str, dict[str, Any]]


class MachineCloud:
    """Performs effects with machines of a pool.

    `world` performs the effects on machines; `stacks` are those of the last deployment, by region and name.
    """

    def __init__(self, world: World, stacks: Mapping[str, Any] | None = None) -> None:
        self._world = world
        self.stacks: Stacks = copy.deepcopy(dict(stacks or {}))
        self._sent: list[Callable[[], Any]] = []
        directory = SimulatedDirectory(None, None)
        self._answers: dict[EffectKind, Callable[[EffectRequest], Any]] = {
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

    def perform(self, effect: EffectRequest) -> Any:
        if effect.kind in _UNHEARD:
            return None
        answer = self._answers.get(effect.kind)
        return self._world.perform(effect) if answer is None else answer(effect)

    def begin(self, effect: EffectRequest) -> Callable[[], Any]:
        if effect.kind is EffectKind.AGENT_CALL:
            return self._begin_plan(effect)
        if effect.kind in self._answers or effect.kind in _UNHEARD:
            answer = self.perform(effect)
            return lambda: answer
        return self._world.begin(effect)

    def open_branches(self, parent: Branch, group: int, size: int) -> None:
        self._world.open_branches(parent, group, size)

    def report(self, report: ProgramReport) -> None:
        self._world.report(report)

    def finish(self) -> None:
        """Wait for plans whose results the program did not wait for."""
        while self._sent:
            self._sent.pop(0)()

    # -- stacks ---------------------------------------------------------------------------------------------------------

    def _read(self, effect: EffectRequest) -> dict[str, Any] | None:
        stack = self.stacks.get(_stack_key(effect))
        if stack is None:
            return None
        return copy.deepcopy({name: value for name, value in stack.items() if name != "machines"})

    def _push(self, verb: str, effect: EffectRequest) -> dict[str, Any] | None:
        arguments = effect.arguments
        refused = find_unsupported_types(arguments["template"])
        if refused:
            raise WorldError(
                _BAD_REQUEST,
                f"machines of a pool cannot stand in for {', '.join(refused)}: the stack {arguments['stack']} needs a cloud",
            )
        stack = self.stacks.setdefault(_stack_key(effect), {"machines": {}})
        stack.update(
            template=copy.deepcopy(arguments["template"]),
            parameters=dict(arguments.get("parameters") or {}),
            status=f"{verb}_COMPLETE",
            reason=None,
        )
        try:
            self._place(stack, effect)
        except WorldError as failure:
            stack.update(status=f"{verb}_FAILED", reason=str(failure))
        stack["outputs"] = PoolTemplate(stack["template"], stack["machines"], stack["parameters"]).outputs()
        return self._read(effect)

    def _place(self, stack: dict[str, Any], effect: EffectRequest) -> None:
        """Assign machines to servers. Machines of removed servers are released first, so that others can use them."""
        machines: dict[str, Machine] = stack["machines"]
        template = PoolTemplate(stack["template"], machines, stack["parameters"])
        servers = template.servers()
        for name in [name for name in machines if name not in servers]:
            self._release(name, machines, effect)
        for name, properties in servers.items():
            if name not in machines:
                machines[name] = self._claim(name, properties, effect)
                script = template.boot_script(name)
                if script is not None:
                    self._boot(name, machines[name], script, effect)

    def _claim(self, name: str, properties: Mapping[str, Any], effect: EffectRequest) -> Machine:
        hostname = properties.get("name")
        machine: Machine = self._ask(
            EffectKind.MACHINE_CLAIM,
            effect,
            name=name,
            hostname=hostname if isinstance(hostname, str) else name,
            stack=effect.arguments["stack"],
        )
        return machine

    def _release(self, name: str, machines: dict[str, Machine], effect: EffectRequest) -> None:
        stack = effect.arguments["stack"]
        self._ask(EffectKind.MACHINE_RELEASE, effect, machine=machines[name]["id"], name=name, stack=stack)
        del machines[name]

    def _boot(self, name: str, machine: Machine, script: str, effect: EffectRequest) -> None:
        answer = self._ask(
            EffectKind.MACHINE_PLAN, effect, machine=machine["id"], plan=_boot_plan(name, script)
        )
        if answer is None or answer.get("ErrorCode"):
            raise WorldError(
                "OSError", f"the user data of {name} failed on {machine['id']}: {_response_text(answer)}"
            )

    def _delete(self, effect: EffectRequest) -> None:
        stack = self.stacks.get(_stack_key(effect))
        if stack is None:
            raise WorldError(_NOT_THERE, "The stack could not be found")
        for name in [*stack["machines"]]:
            self._release(name, stack["machines"], effect)
        del self.stacks[_stack_key(effect)]

    # -- plans ----------------------------------------------------------------------------------------------------------

    def _begin_plan(self, effect: EffectRequest) -> Callable[[], Any]:
        arguments = effect.arguments
        machine = self._machine(arguments.get("host"), arguments.get("stack"))
        if machine is None:
            raise WorldError(
                _NO_ANSWER,
                f"a plan is sent to {arguments.get('host') or arguments['queue']}, which has no machine (yet)",
            )
        more = {"timeout": arguments["timeout"]} if arguments.get("timeout") is not None else {}
        return self._world.begin(
            EffectRequest(
                kind=EffectKind.MACHINE_PLAN,
                arguments={"machine": machine["id"], "plan": arguments["plan"], **more},
                branch=effect.branch,
            )
        )

    def _send(self, effect: EffectRequest) -> None:
        self._sent.append(self._begin_plan(effect))

    def _machine(self, host: str | None, stack: str | None) -> Machine | None:
        for key, kept in self.stacks.items():
            if host in kept["machines"] and (stack is None or _stack_of(key) == stack):
                machine: Machine = kept["machines"][host]
                return machine
        return None

    def _ask(self, kind: EffectKind, effect: EffectRequest, **arguments: Any) -> Any:
        return self._world.perform(EffectRequest(kind=kind, arguments=arguments, branch=effect.branch))


def _stack_key(effect: EffectRequest) -> str:
    """Return the key of a stack as a string, so that stacks can be stored as JSON."""
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


def _response_text(answer: Any) -> str:
    body = (answer or {}).get("Body")
    return str(body.get("Message", body) if isinstance(body, Mapping) else body or "no answer")
