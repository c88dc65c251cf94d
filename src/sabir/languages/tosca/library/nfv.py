"""Types of the NFV profile (ETSI NFV-SOL 001 and the older OASIS draft), as data.

Names, hierarchy, capabilities, requirements and the properties that descriptors use; ETSI's own files, when they are in the
package, take their place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

__all__ = ["TYPES"]

_ANY: Final = {"type": "any", "required": False}
_MANY: Final = "UNBOUNDED"


def _fields(*names: str, **typed: str) -> dict[str, Any]:
    return {
        **dict.fromkeys(names, _ANY),
        **{name: {"type": type_, "required": False} for name, type_ in typed.items()},
    }


def _capability(name: str) -> dict[str, Any]:
    return {"type": f"tosca.capabilities.nfv.{name}"}


def _requirement(capability: str, relationship: str, low: int = 1, high: Any = 1) -> dict[str, Any]:
    return {
        "capability": f"tosca.capabilities.nfv.{capability}",
        "relationship": f"tosca.relationships.nfv.{relationship}",
        "occurrences": [low, high],
    }


_DESCRIPTOR: Final = _fields(
    descriptor_id="string",
    descriptor_version="string",
    provider="string",
    product_name="string",
    software_version="string",
    flavour_id="string",
    flavour_description="string",
)
_VNF_MORE: Final = _fields(
    "product_info_name",
    "product_info_description",
    "vnfm_info",
    "localization_languages",
    "default_localization_language",
    "configurable_properties",
    "modifiable_attributes",
    "lcm_operations_configuration",
    "monitoring_parameters",
    "vnf_profile",
)
_CP: Final = _fields(
    "layer_protocols", "role", "description", "protocol", "trunk_mode", "allowed_address_data"
)
_VDU_CP: Final = {
    **_CP,
    **_fields(
        "bitrate_requirement",
        "virtual_network_interface_requirements",
        "order",
        "vnic_type",
        "anti_spoofing_protection",
        "management",
        "ip_address",
        "type",
        "mac_address",
    ),
}

_NODES: Final[Mapping[str, Any]] = {
    "tosca.nodes.nfv.VNF": {
        "derived_from": "tosca.nodes.Root",
        "properties": {**_DESCRIPTOR, **_VNF_MORE},
        "capabilities": {"forwarder": _capability("Forwarder")},
        "requirements": [{"virtual_link": _requirement("VirtualLinkable", "VirtualLinksTo", 0, _MANY)}],
    },
    "tosca.nodes.nfv.Cp": {"derived_from": "tosca.nodes.Root", "properties": _CP},
    "tosca.nodes.nfv.VduCp": {
        "derived_from": "tosca.nodes.nfv.Cp",
        "properties": _VDU_CP,
        "capabilities": {"trunk_binding": _capability("TrunkBindable")},
        "requirements": [
            {"virtual_binding": _requirement("VirtualBindable", "VirtualBindsTo", 0)},
            {"virtual_link": _requirement("VirtualLinkable", "VirtualLinksTo", 0)},
            {"trunk_binding": _requirement("TrunkBindable", "TrunkBindsTo", 0)},
        ],
    },
    "tosca.nodes.nfv.VnfExtCp": {
        "derived_from": "tosca.nodes.nfv.Cp",
        "properties": {**_CP, **_fields("virtual_network_interface_requirements")},
        "requirements": [
            {"external_virtual_link": _requirement("VirtualLinkable", "VirtualLinksTo", 0)},
            {"internal_virtual_link": _requirement("VirtualLinkable", "VirtualLinksTo", 0)},
        ],
    },
    "tosca.nodes.nfv.Vdu.Compute": {
        "derived_from": "tosca.nodes.Root",
        "properties": _fields(
            "name",
            "description",
            "boot_order",
            "nfvi_constraints",
            "monitoring_parameters",
            "configurable_properties",
            "boot_data",
            "vdu_profile",
            "sw_image_data",
        ),
        "capabilities": {
            "virtual_compute": _capability("VirtualCompute"),
            "virtual_binding": _capability("VirtualBindable"),
        },
        "requirements": [{"virtual_storage": _requirement("VirtualStorage", "AttachesTo", 0, _MANY)}],
    },
    **{
        f"tosca.nodes.nfv.Vdu.Virtual{kind}Storage": {
            "derived_from": "tosca.nodes.Root",
            "properties": _fields(f"virtual_{kind.lower()}_storage_data", "sw_image_data", "type_of_storage"),
            "capabilities": {"virtual_storage": _capability("VirtualStorage")},
            "requirements": [{"virtual_link": _requirement("VirtualLinkable", "VirtualLinksTo", 0)}],
        }
        for kind in ("Block", "Object", "File")
    },
    "tosca.nodes.nfv.VnfVirtualLink": {
        "derived_from": "tosca.nodes.Root",
        "properties": _fields(
            "connectivity_type", "description", "test_access", "vl_profile", "monitoring_parameters"
        ),
        "capabilities": {"virtual_linkable": _capability("VirtualLinkable")},
    },
    "tosca.nodes.nfv.NS": {
        "derived_from": "tosca.nodes.Root",
        "properties": {
            **_DESCRIPTOR,
            **_fields(
                "designer", "version", "name", "invariant_id", "ns_profile", "service_availability_level"
            ),
        },
        "requirements": [{"virtual_link": _requirement("VirtualLinkable", "VirtualLinksTo", 0, _MANY)}],
    },
    "tosca.nodes.nfv.Sap": {
        "derived_from": "tosca.nodes.nfv.Cp",
        "properties": _CP,
        "requirements": [
            {"external_virtual_link": _requirement("VirtualLinkable", "VirtualLinksTo", 0)},
            {"internal_virtual_link": _requirement("VirtualLinkable", "VirtualLinksTo", 0)},
        ],
    },
    "tosca.nodes.nfv.NsVirtualLink": {
        "derived_from": "tosca.nodes.Root",
        "properties": _fields("vl_profile", "connectivity_type", "test_access", "description"),
        "capabilities": {"virtual_linkable": _capability("VirtualLinkable")},
    },
    "tosca.nodes.nfv.PNF": {
        "derived_from": "tosca.nodes.Root",
        "properties": {
            **_DESCRIPTOR,
            **_fields(
                "function_description", "descriptor_invariant_id", "name", "geographical_location_info"
            ),
        },
        "requirements": [{"virtual_link": _requirement("VirtualLinkable", "VirtualLinksTo", 0, _MANY)}],
    },
    "tosca.nodes.nfv.PnfExtCp": {"derived_from": "tosca.nodes.nfv.Cp", "properties": _CP},
    "tosca.nodes.nfv.Forwarding": {
        "derived_from": "tosca.nodes.Root",
        "requirements": [{"virtual_link": _requirement("VirtualLinkable", "VirtualLinksTo", 0, _MANY)}],
    },
    "tosca.nodes.nfv.NfpPositionElement": {
        "derived_from": "tosca.nodes.Root",
        "properties": _fields("ingress", "egress"),
    },
    "tosca.nodes.nfv.NfpPosition": {"derived_from": "tosca.nodes.Root", "properties": _fields("position")},
    "tosca.nodes.nfv.NFP": {"derived_from": "tosca.nodes.Root"},
    # The draft of the OASIS profile for NFV, which older descriptors use.
    "tosca.nodes.nfv.VDU": {
        "derived_from": "tosca.nodes.Compute",
        "capabilities": {
            "high_availability": _capability("HA"),
            "virtualbinding": _capability("VirtualBindable"),
            "monitoring_parameter": _capability("Metric"),
        },
        "requirements": [{"high_availability": _requirement("HA", "HA", 0)}],
    },
    "tosca.nodes.nfv.VDU.Tacker": {"derived_from": "tosca.nodes.nfv.VDU"},
    "tosca.nodes.nfv.CP": {
        "derived_from": "tosca.nodes.network.Port",
        "properties": _fields("type", "management", "anti_spoofing_protection"),
        "requirements": [
            {"virtualLink": _requirement("VirtualLinkable", "VirtualLinksTo", 0)},
            {"virtualBinding": _requirement("VirtualBindable", "VirtualBindsTo", 0)},
        ],
        "attributes": {"IP_address": {"type": "string"}},
    },
    "tosca.nodes.nfv.CP.Tacker": {"derived_from": "tosca.nodes.nfv.CP"},
    "tosca.nodes.nfv.VL": {
        "derived_from": "tosca.nodes.network.Network",
        "properties": _fields("vendor"),
        "capabilities": {"virtual_linkable": _capability("VirtualLinkable")},
    },
    **{
        f"tosca.nodes.nfv.VL.{kind}": {"derived_from": "tosca.nodes.nfv.VL"}
        for kind in ("ELine", "ELAN", "ETree")
    },
    "tosca.nodes.nfv.FP": {
        "derived_from": "tosca.nodes.Root",
        "properties": _fields("policy"),
        "requirements": [{"forwarder": _requirement("Forwarder", "ForwardsTo", 0, _MANY)}],
    },
}


def _plain(prefix: str, parent: str, names: Iterable[str]) -> dict[str, Any]:
    return {f"tosca.{prefix}.nfv.{name}": {"derived_from": f"tosca.{prefix}.{parent}"} for name in names}


TYPES: Final[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {
    "node_types": _NODES,
    "capability_types": {
        **_plain(
            "capabilities",
            "Node",
            ("VirtualBindable", "VirtualLinkable", "TrunkBindable", "AssociableVdu", "ExtVirtualLinkable"),
        ),
        **_plain(
            "capabilities",
            "Root",
            ("Forwarder", "HA", "HA.ActiveActive", "HA.ActivePassive", "VirtualStorage"),
        ),
        "tosca.capabilities.nfv.Metric": {"derived_from": "tosca.capabilities.Endpoint"},
        "tosca.capabilities.nfv.VirtualCompute": {
            "derived_from": "tosca.capabilities.Node",
            "properties": _fields(
                "logical_node",
                "requested_additional_capabilities",
                "compute_requirements",
                "virtual_memory",
                "virtual_cpu",
                "virtual_local_storage",
                "virtual_disks",
            ),
        },
    },
    "relationship_types": {
        **_plain(
            "relationships",
            "DependsOn",
            ("VirtualBindsTo", "VirtualLinksTo", "TrunkBindsTo", "VipVirtualLinksTo"),
        ),
        **_plain(
            "relationships", "Root", ("AttachesTo", "ForwardsTo", "HA", "Monitor", "DeploysTo", "FpToCp")
        ),
        "tosca.relationships.nfv.BindsTo": {"derived_from": "tosca.relationships.DependsOn"},
        "tosca.relationships.nfv.VirtualLinkTo": {"derived_from": "tosca.relationships.DependsOn"},
    },
    "policy_types": _plain(
        "policies",
        "Root",
        (
            "InstantiationLevels",
            "VduInstantiationLevels",
            "VirtualLinkInstantiationLevels",
            "ScalingAspects",
            "VduScalingAspectDeltas",
            "VirtualLinkBitrateScalingAspectDeltas",
            "VduInitialDelta",
            "VirtualLinkBitrateInitialDelta",
            "AffinityRule",
            "AntiAffinityRule",
            "SecurityGroupRule",
            "SupportedVnfInterface",
            "NsAutoScale",
            "VnfIndicator",
            "Abstract.SecurityGroupRule",
        ),
    ),
    "group_types": _plain("groups", "Root", ("PlacementGroup", "VNFFG", "NsPlacementGroup")),
    "interface_types": _plain("interfaces", "Root", ("Vnflcm", "Nslcm", "VnfIndicator")),
    "artifact_types": {
        "tosca.artifacts.nfv.SwImage": {"derived_from": "tosca.artifacts.Deployment.Image"},
        "tosca.artifacts.nfv.HelmChart": {"derived_from": "tosca.artifacts.Deployment"},
    },
}
