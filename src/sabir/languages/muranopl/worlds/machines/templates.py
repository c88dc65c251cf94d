"""What a Heat template means for machines that are there already.

A server is a machine of the pool. What the network of these machines is has been decided by whoever set them up: networks, ports,
routers, security groups and floating addresses of a template are accepted, and their attributes are those of the machine they lead
to. What would need something that is not there (a volume, a load balancer) is refused by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

__all__ = ["Machine", "Template", "refused_types"]

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


class Template:
    """A template with the machines that its servers have, by the names of their resources."""

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
        """Properties of the servers by the names of their resources, in the order of the template."""
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
        """The script of a server's user data; None when there is none, or none but the set-up of an agent."""
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
        """A value with its functions computed."""
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
        value: Any = _attributes(machine).get(str(rest[0]) if rest else "show")
        for step in rest[1:]:
            if isinstance(value, Mapping):
                # A machine has one network, whatever the template calls it.
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
        """The machine of a server, of the server that a port belongs to, or of the port that a floating address leads to."""
        if name in self.machines:
            return self.machines[name]
        properties = (self.resources.get(name) or {}).get("properties") or {}
        port = _resource_named(properties.get("port_id") or properties.get("fixed_port_id")) or name
        for server, wanted in self.servers().items():
            networks = wanted.get("networks") or ()
            if any(_resource_named(network.get("port")) == port for network in networks):
                return self.machines.get(server)
        return next((self.machines.get(server) for server in self._associated(name)), None)

    def _associated(self, address: str) -> Iterator[str]:
        """Servers that a floating address of the old network service is associated with."""
        for resource in self.resources.values():
            properties = resource.get("properties") or {}
            if _resource_named(properties.get("floating_ip")) == address:
                server = _resource_named(properties.get("server_id"))
                if server is not None:
                    yield server


def refused_types(template: Mapping[str, Any]) -> list[str]:
    """Types of resources that no machine of a pool can stand in for, sorted."""
    resources = template.get("resources") or template.get("Resources") or {}
    types = {str(resource.get("type")) for resource in resources.values()}
    return sorted(
        type_
        for type_ in types
        if type_ not in _SERVERS and (not type_.startswith(_ACCEPTED) or type_.startswith(_REFUSED_TYPES))
    )


def _resource_named(value: Any) -> str | None:
    return str(value["get_resource"]) if isinstance(value, Mapping) and "get_resource" in value else None


def _attributes(machine: Machine) -> dict[str, Any]:
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


def _join(template: Template, argument: Any) -> str:
    separator, items = argument
    return str(separator).join(str(template.value(item)) for item in template.value(items))


def _replace(template: Template, argument: Any) -> str:
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
    "list_join": _join,
    "str_replace": _replace,
}
