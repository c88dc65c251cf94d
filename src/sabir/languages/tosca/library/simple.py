"""The normative types of TOSCA Simple Profile in YAML 1.0 to 1.3, as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["TYPES"]


def _p(type_: str, **more: Any) -> dict[str, Any]:
    """A property that must have a value."""
    return {"type": type_, **more}


def _o(type_: str, **more: Any) -> dict[str, Any]:
    """A property that may be left out."""
    return {"type": type_, "required": False, **more}


def _list(type_: str = "string", **more: Any) -> dict[str, Any]:
    return {"type": "list", "required": False, "entry_schema": {"type": type_}, **more}


def _map(type_: str = "string", **more: Any) -> dict[str, Any]:
    return {"type": "map", "required": False, "entry_schema": {"type": type_}, **more}


def _at_least(low: Any) -> list[Any]:
    return [{"greater_or_equal": low}]


def _requires(capability: str, node: str, relationship: str, low: int = 1, high: Any = 1) -> dict[str, Any]:
    return {
        "capability": f"tosca.capabilities.{capability}",
        "node": f"tosca.nodes.{node}",
        "relationship": f"tosca.relationships.{relationship}",
        "occurrences": [low, high],
    }


def _cap(type_: str, **more: Any) -> dict[str, Any]:
    return {"type": f"tosca.capabilities.{type_}", **more}


_MANY = "UNBOUNDED"
_STANDARD = {"Standard": {"type": "tosca.interfaces.node.lifecycle.Standard"}}

_DATA: Mapping[str, Any] = {
    "tosca.datatypes.Root": {},
    "tosca.datatypes.json": {"derived_from": "string"},
    "tosca.datatypes.xml": {"derived_from": "string"},
    "tosca.datatypes.Credential": {
        "derived_from": "tosca.datatypes.Root",
        "properties": {
            "protocol": _o("string"),
            "token_type": _p("string", default="password"),
            "token": _p("string"),
            "keys": _map(),
            "user": _o("string"),
        },
    },
    "tosca.datatypes.TimeInterval": {
        "derived_from": "tosca.datatypes.Root",
        "properties": {"start_time": _p("timestamp"), "end_time": _p("timestamp")},
    },
    "tosca.datatypes.network.NetworkInfo": {
        "derived_from": "tosca.datatypes.Root",
        "properties": {"network_name": _o("string"), "network_id": _o("string"), "addresses": _list()},
    },
    "tosca.datatypes.network.PortInfo": {
        "derived_from": "tosca.datatypes.Root",
        "properties": {
            "port_name": _o("string"),
            "port_id": _o("string"),
            "network_id": _o("string"),
            "mac_address": _o("string"),
            "addresses": _list(),
        },
    },
    "tosca.datatypes.network.PortDef": {"derived_from": "integer", "constraints": [{"in_range": [1, 65535]}]},
    "tosca.datatypes.network.PortSpec": {
        "derived_from": "tosca.datatypes.Root",
        "properties": {
            "protocol": _p("string", default="tcp", constraints=[{"valid_values": ["udp", "tcp", "igmp"]}]),
            "source": _o("PortDef"),
            "source_range": _o("range", constraints=[{"in_range": [1, 65535]}]),
            "target": _o("PortDef"),
            "target_range": _o("range", constraints=[{"in_range": [1, 65535]}]),
        },
    },
}

_CAPABILITIES: Mapping[str, Any] = {
    "tosca.capabilities.Root": {},
    "tosca.capabilities.Node": {"derived_from": "tosca.capabilities.Root"},
    "tosca.capabilities.Container": {
        "derived_from": "tosca.capabilities.Root",
        "properties": {
            "num_cpus": _o("integer", constraints=_at_least(1)),
            "cpu_frequency": _o("scalar-unit.frequency", constraints=_at_least("0.1 GHz")),
            "disk_size": _o("scalar-unit.size", constraints=_at_least("0 MB")),
            "mem_size": _o("scalar-unit.size", constraints=_at_least("0 MB")),
        },
    },
    "tosca.capabilities.Compute": {
        "derived_from": "tosca.capabilities.Container",
        "properties": {"name": _o("string")},
    },
    "tosca.capabilities.Network": {
        "derived_from": "tosca.capabilities.Root",
        "properties": {"name": _o("string")},
    },
    "tosca.capabilities.Storage": {
        "derived_from": "tosca.capabilities.Root",
        "properties": {"name": _o("string")},
    },
    "tosca.capabilities.Attachment": {"derived_from": "tosca.capabilities.Root"},
    "tosca.capabilities.Endpoint": {
        "derived_from": "tosca.capabilities.Root",
        "properties": {
            "protocol": _p("string", default="tcp"),
            "port": _o("PortDef"),
            "secure": _o("boolean", default=False),
            "url_path": _o("string"),
            "port_name": _o("string"),
            "network_name": _o("string", default="PRIVATE"),
            "initiator": _o(
                "string", default="source", constraints=[{"valid_values": ["source", "target", "peer"]}]
            ),
            "ports": _map("PortSpec", constraints=[{"min_length": 1}]),
        },
        "attributes": {"ip_address": {"type": "string"}},
    },
    "tosca.capabilities.Endpoint.Public": {
        "derived_from": "tosca.capabilities.Endpoint",
        "properties": {
            "network_name": _o("string", default="PUBLIC"),
            "floating": _o("boolean", default=False, status="experimental"),
            "dns_name": _o("string", status="experimental"),
        },
    },
    "tosca.capabilities.Endpoint.Admin": {
        "derived_from": "tosca.capabilities.Endpoint",
        "properties": {"secure": _o("boolean", default=True)},
    },
    "tosca.capabilities.Endpoint.Database": {"derived_from": "tosca.capabilities.Endpoint"},
    "tosca.capabilities.OperatingSystem": {
        "derived_from": "tosca.capabilities.Root",
        "properties": {
            "architecture": _o("string"),
            "type": _o("string"),
            "distribution": _o("string"),
            "version": _o("version"),
        },
    },
    "tosca.capabilities.Scalable": {
        "derived_from": "tosca.capabilities.Root",
        "properties": {
            "min_instances": _p("integer", default=1),
            "max_instances": _p("integer", default=1),
            "default_instances": _o("integer"),
        },
    },
    "tosca.capabilities.network.Bindable": {"derived_from": "tosca.capabilities.Node"},
    "tosca.capabilities.network.Linkable": {"derived_from": "tosca.capabilities.Node"},
    "tosca.capabilities.Container.Docker": {
        "derived_from": "tosca.capabilities.Container",
        "properties": {
            "version": _list("version"),
            "publish_all": _o("boolean", default=False),
            "publish_ports": _list("PortSpec"),
            "expose_ports": _list("PortSpec"),
            "volumes": _list(),
            "host_id": _o("string"),
            "volume_id": _o("string"),
        },
    },
}

_RELATIONSHIPS: Mapping[str, Any] = {
    "tosca.relationships.Root": {
        "attributes": {
            "tosca_id": {"type": "string"},
            "tosca_name": {"type": "string"},
            "state": {"type": "string"},
        },
        "interfaces": {"Configure": {"type": "tosca.interfaces.relationship.Configure"}},
    },
    "tosca.relationships.DependsOn": {
        "derived_from": "tosca.relationships.Root",
        "valid_target_types": ["tosca.capabilities.Node"],
    },
    "tosca.relationships.HostedOn": {
        "derived_from": "tosca.relationships.Root",
        "valid_target_types": ["tosca.capabilities.Container", "tosca.capabilities.Compute"],
    },
    "tosca.relationships.ConnectsTo": {
        "derived_from": "tosca.relationships.Root",
        "valid_target_types": ["tosca.capabilities.Endpoint"],
        "properties": {"credential": _o("tosca.datatypes.Credential")},
    },
    "tosca.relationships.AttachesTo": {
        "derived_from": "tosca.relationships.Root",
        "valid_target_types": ["tosca.capabilities.Attachment"],
        "properties": {"location": _p("string", constraints=[{"min_length": 1}]), "device": _o("string")},
        "attributes": {"device": {"type": "string"}},
    },
    "tosca.relationships.RoutesTo": {
        "derived_from": "tosca.relationships.ConnectsTo",
        "valid_target_types": ["tosca.capabilities.Endpoint"],
    },
    "tosca.relationships.network.LinksTo": {
        "derived_from": "tosca.relationships.DependsOn",
        "valid_target_types": ["tosca.capabilities.network.Linkable"],
    },
    "tosca.relationships.network.BindsTo": {
        "derived_from": "tosca.relationships.DependsOn",
        "valid_target_types": ["tosca.capabilities.network.Bindable"],
    },
}

_INTERFACES: Mapping[str, Any] = {
    "tosca.interfaces.Root": {},
    "tosca.interfaces.node.lifecycle.Standard": {
        "derived_from": "tosca.interfaces.Root",
        "operations": {name: {} for name in ("create", "configure", "start", "stop", "delete")},
    },
    "tosca.interfaces.relationship.Configure": {
        "derived_from": "tosca.interfaces.Root",
        "operations": {
            name: {}
            for name in (
                "pre_configure_source",
                "pre_configure_target",
                "post_configure_source",
                "post_configure_target",
                "add_target",
                "add_source",
                "target_changed",
                "remove_target",
                "remove_source",
            )
        },
    },
}

_NODES: Mapping[str, Any] = {
    "tosca.nodes.Root": {
        "attributes": {
            "tosca_id": {"type": "string"},
            "tosca_name": {"type": "string"},
            "state": {"type": "string"},
        },
        "capabilities": {"feature": _cap("Node")},
        "requirements": [{"dependency": _requires("Node", "Root", "DependsOn", 0, _MANY)}],
        "interfaces": _STANDARD,
    },
    "tosca.nodes.Abstract.Compute": {
        "derived_from": "tosca.nodes.Root",
        "capabilities": {"host": _cap("Compute", valid_source_types=[])},
    },
    "tosca.nodes.Compute": {
        "derived_from": "tosca.nodes.Abstract.Compute",
        "attributes": {
            "private_address": {"type": "string"},
            "public_address": {"type": "string"},
            "networks": {"type": "map", "entry_schema": {"type": "tosca.datatypes.network.NetworkInfo"}},
            "ports": {"type": "map", "entry_schema": {"type": "tosca.datatypes.network.PortInfo"}},
        },
        "requirements": [
            {"local_storage": _requires("Attachment", "Storage.BlockStorage", "AttachesTo", 0, _MANY)}
        ],
        "capabilities": {
            "host": _cap("Compute", valid_source_types=["tosca.nodes.SoftwareComponent"]),
            "binding": _cap("network.Bindable"),
            "os": _cap("OperatingSystem"),
            "scalable": _cap("Scalable"),
            "endpoint": _cap("Endpoint.Admin"),
        },
    },
    "tosca.nodes.SoftwareComponent": {
        "derived_from": "tosca.nodes.Root",
        "properties": {
            "component_version": _o("version"),
            "admin_credential": _o("tosca.datatypes.Credential"),
        },
        # Not needed, as Unfurl has it: software without a host is somebody else's to run.
        "requirements": [{"host": _requires("Compute", "Compute", "HostedOn", 0, _MANY)}],
    },
    "tosca.nodes.WebServer": {
        "derived_from": "tosca.nodes.SoftwareComponent",
        "capabilities": {
            "data_endpoint": _cap("Endpoint"),
            "admin_endpoint": _cap("Endpoint.Admin"),
            "host": _cap("Compute", valid_source_types=["tosca.nodes.WebApplication"]),
        },
    },
    "tosca.nodes.WebApplication": {
        "derived_from": "tosca.nodes.Root",
        "properties": {"context_root": _o("string")},
        "capabilities": {"app_endpoint": _cap("Endpoint")},
        "requirements": [{"host": _requires("Compute", "WebServer", "HostedOn")}],
    },
    "tosca.nodes.DBMS": {
        "derived_from": "tosca.nodes.SoftwareComponent",
        "properties": {"root_password": _o("string"), "port": _o("integer")},
        "capabilities": {"host": _cap("Compute", valid_source_types=["tosca.nodes.Database"])},
    },
    "tosca.nodes.Database": {
        "derived_from": "tosca.nodes.Root",
        "properties": {
            # Required in the standard; the parsers in use do not, and published templates leave it out.
            "name": _o("string"),
            "port": _o("integer"),
            "user": _o("string"),
            "password": _o("string"),
        },
        "requirements": [{"host": _requires("Compute", "DBMS", "HostedOn")}],
        "capabilities": {"database_endpoint": _cap("Endpoint.Database")},
    },
    "tosca.nodes.Abstract.Storage": {
        "derived_from": "tosca.nodes.Root",
        "properties": {
            "name": _p("string"),
            "size": _p("scalar-unit.size", default="0 MB", constraints=_at_least("0 MB")),
        },
    },
    "tosca.nodes.Storage.ObjectStorage": {
        "derived_from": "tosca.nodes.Abstract.Storage",
        "properties": {"maxsize": _o("scalar-unit.size", constraints=_at_least("0 GB"))},
        "capabilities": {"storage_endpoint": _cap("Endpoint")},
    },
    "tosca.nodes.Storage.BlockStorage": {
        "derived_from": "tosca.nodes.Root",
        "properties": {
            "name": _o("string"),
            "size": _o("scalar-unit.size", constraints=_at_least("1 MB")),
            "volume_id": _o("string"),
            "snapshot_id": _o("string"),
        },
        "attributes": {"volume_id": {"type": "string"}},
        "capabilities": {"attachment": _cap("Attachment")},
    },
    # The names of 1.0 to 1.2 for the same.
    "tosca.nodes.ObjectStorage": {
        "derived_from": "tosca.nodes.Root",
        "properties": {
            "name": _p("string"),
            "size": _o("scalar-unit.size", constraints=_at_least("0 GB")),
            "maxsize": _o("scalar-unit.size", constraints=_at_least("0 GB")),
        },
        "capabilities": {"storage_endpoint": _cap("Endpoint")},
    },
    "tosca.nodes.BlockStorage": {"derived_from": "tosca.nodes.Storage.BlockStorage"},
    "tosca.nodes.Container.Runtime": {
        "derived_from": "tosca.nodes.SoftwareComponent",
        "capabilities": {
            "host": _cap("Compute", valid_source_types=["tosca.nodes.Container.Application"]),
            "scalable": _cap("Scalable"),
        },
    },
    "tosca.nodes.Container.Application": {
        "derived_from": "tosca.nodes.Root",
        "requirements": [
            {"host": _requires("Compute", "Container.Runtime", "HostedOn")},
            {
                "storage": {
                    "capability": "tosca.capabilities.Storage",
                    "occurrences": [0, _MANY],
                }
            },
            {
                "network": {
                    "capability": "tosca.capabilities.Endpoint",
                    "occurrences": [0, _MANY],
                }
            },
        ],
    },
    # Not in the standard, but both parsers in use ship the pair.
    "tosca.nodes.Container.Runtime.Docker": {
        "derived_from": "tosca.nodes.Container.Runtime",
        "capabilities": {
            "host": _cap("Container.Docker", valid_source_types=["tosca.nodes.Container.Application.Docker"])
        },
    },
    "tosca.nodes.Container.Application.Docker": {"derived_from": "tosca.nodes.Container.Application"},
    "tosca.nodes.LoadBalancer": {
        "derived_from": "tosca.nodes.Root",
        "properties": {"algorithm": _o("string", status="experimental")},
        "capabilities": {
            "client": _cap("Endpoint.Public", occurrences=[0, _MANY]),
        },
        "requirements": [
            {
                "application": {
                    "capability": "tosca.capabilities.Endpoint",
                    "relationship": "tosca.relationships.RoutesTo",
                    "occurrences": [0, _MANY],
                }
            }
        ],
    },
    "tosca.nodes.network.Network": {
        "derived_from": "tosca.nodes.Root",
        "properties": {
            "ip_version": _o("integer", default=4, constraints=[{"valid_values": [4, 6]}]),
            "cidr": _o("string"),
            "start_ip": _o("string"),
            "end_ip": _o("string"),
            "gateway_ip": _o("string"),
            "network_name": _o("string"),
            "network_id": _o("string"),
            "segmentation_id": _o("string"),
            "network_type": _o("string"),
            "physical_network": _o("string"),
            "dhcp_enabled": _o("boolean", default=True),
        },
        "attributes": {"segmentation_id": {"type": "string"}},
        "capabilities": {"link": _cap("network.Linkable")},
    },
    "tosca.nodes.network.Port": {
        "derived_from": "tosca.nodes.Root",
        "properties": {
            "ip_address": _o("string"),
            "order": _o("integer", default=0, constraints=_at_least(0)),
            "is_default": _o("boolean", default=False),
            "ip_range_start": _o("string"),
            "ip_range_end": _o("string"),
        },
        "attributes": {"ip_address": {"type": "string"}},
        "requirements": [
            {
                "binding": {
                    "capability": "tosca.capabilities.network.Bindable",
                    "relationship": "tosca.relationships.network.BindsTo",
                }
            },
            {
                "link": {
                    "capability": "tosca.capabilities.network.Linkable",
                    "relationship": "tosca.relationships.network.LinksTo",
                }
            },
        ],
    },
    "tosca.nodes.network.FloatingIP": {
        "derived_from": "tosca.nodes.Root",
        "properties": {
            "floating_network": _p("string"),
            "floating_ip_address": _o("string"),
            "port_id": _o("string"),
        },
        "requirements": [
            {
                "link": {
                    "capability": "tosca.capabilities.network.Linkable",
                    "relationship": "tosca.relationships.network.LinksTo",
                }
            }
        ],
    },
}


def _artifact(parent: str, *extensions: str, mime: str | None = None) -> dict[str, Any]:
    made: dict[str, Any] = {"derived_from": f"tosca.artifacts.{parent}"}
    if mime:
        made["mime_type"] = mime
    if extensions:
        made["file_ext"] = list(extensions)
    return made


_ARTIFACTS: Mapping[str, Any] = {
    "tosca.artifacts.Root": {},
    "tosca.artifacts.File": _artifact("Root"),
    "tosca.artifacts.Deployment": _artifact("Root"),
    "tosca.artifacts.Deployment.Image": _artifact("Deployment"),
    "tosca.artifacts.Deployment.Image.Container": _artifact("Deployment.Image"),
    "tosca.artifacts.Deployment.Image.Container.Docker": _artifact("Deployment.Image.Container"),
    "tosca.artifacts.Deployment.Image.VM": _artifact("Deployment.Image"),
    "tosca.artifacts.Deployment.Image.VM.ISO": _artifact(
        "Deployment.Image.VM", "iso", mime="application/octet-stream"
    ),
    "tosca.artifacts.Deployment.Image.VM.QCOW2": _artifact(
        "Deployment.Image.VM", "qcow2", mime="application/octet-stream"
    ),
    "tosca.artifacts.Implementation": _artifact("Root"),
    "tosca.artifacts.Implementation.Bash": _artifact("Implementation", "sh", mime="application/x-sh"),
    "tosca.artifacts.Implementation.Python": _artifact("Implementation", "py", mime="application/x-python"),
    "tosca.artifacts.Implementation.Ansible": _artifact("Implementation", "yml", "yaml"),
    "tosca.artifacts.template": _artifact("Root"),
    "tosca.artifacts.template.Jinja2": _artifact("template"),
    "tosca.artifacts.template.Twig": _artifact("template"),
}

_GROUPS: Mapping[str, Any] = {"tosca.groups.Root": {}}

_POLICIES: Mapping[str, Any] = {
    "tosca.policies.Root": {},
    **{
        f"tosca.policies.{name}": {"derived_from": "tosca.policies.Root"}
        for name in ("Placement", "Scaling", "Update", "Performance", "Monitoring", "Reservation")
    },
    "tosca.policies.Scaling.Cluster": {"derived_from": "tosca.policies.Scaling"},
}

TYPES: Final[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {
    "data_types": _DATA,
    "capability_types": _CAPABILITIES,
    "relationship_types": _RELATIONSHIPS,
    "interface_types": _INTERFACES,
    "node_types": _NODES,
    "artifact_types": _ARTIFACTS,
    "group_types": _GROUPS,
    "policy_types": _POLICIES,
}
