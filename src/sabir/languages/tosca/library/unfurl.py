"""The few types of Unfurl that ensembles name most, as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["TYPES"]

TYPES: Final[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {
    "relationship_types": {
        "unfurl.relationships.ConnectsTo.ComputeMachines": {"derived_from": "tosca.relationships.ConnectsTo"},
        "unfurl.relationships.Configures": {
            "derived_from": "tosca.relationships.Root",
            "valid_target_types": ["tosca.capabilities.Node"],
        },
        "unfurl.relationships.ConfiguringRequires": {"derived_from": "tosca.relationships.DependsOn"},
        "unfurl.relationships.ConnectsTo.K8sCluster": {"derived_from": "tosca.relationships.ConnectsTo"},
    },
    "capability_types": {
        "unfurl.capabilities.Installer": {"derived_from": "tosca.capabilities.Root"},
        "unfurl.capabilities.Endpoint.SSH": {
            "derived_from": "tosca.capabilities.Endpoint.Admin",
            "properties": {"port": {"type": "PortDef", "required": False, "default": 22}},
        },
    },
    "data_types": {
        "unfurl.datatypes.EnvVar": {"derived_from": "string"},
        "unfurl.datatypes.DownloadItem": {
            "properties": {"path": {"type": "string"}, "file": {"type": "string", "required": False}}
        },
    },
    "node_types": {
        "unfurl.nodes.Default": {"derived_from": "tosca.nodes.Root"},
        "unfurl.nodes.Generic": {"derived_from": "tosca.nodes.Root"},
        "unfurl.nodes.Repository": {"derived_from": "tosca.nodes.Root"},
        "unfurl.nodes.Installer": {"derived_from": "tosca.nodes.Root"},
        "unfurl.nodes.K8sCluster": {
            "derived_from": "tosca.nodes.Root",
            "capabilities": {
                "host": {"type": "tosca.capabilities.Container"},
                "endpoint": {"type": "tosca.capabilities.Endpoint.Admin"},
            },
            "attributes": {"api_server": {"type": "string"}},
        },
        "unfurl.nodes.K8sRawResource": {
            "derived_from": "tosca.nodes.Root",
            "properties": {"definition": {"type": "any", "required": False}},
            "attributes": {"apiResource": {"type": "map"}},
            "requirements": [
                {
                    "host": {
                        "node": "unfurl.nodes.K8sCluster",
                        "relationship": "tosca.relationships.HostedOn",
                        "occurrences": [0, 1],
                    }
                }
            ],
        },
        "unfurl.nodes.K8sResource": {
            "derived_from": "unfurl.nodes.K8sRawResource",
            "properties": {"namespace": {"type": "string", "required": False}},
        },
        "unfurl.nodes.K8sNamespace": {"derived_from": "unfurl.nodes.K8sRawResource"},
        "unfurl.nodes.HelmRelease": {
            "derived_from": "tosca.nodes.Root",
            "properties": {
                "release_name": {"type": "string", "required": False},
                "chart": {"type": "string", "required": False},
                "chart_values": {"type": "map", "required": False},
            },
        },
    },
    "artifact_types": {
        "unfurl.artifacts.HasConfigurator": {"derived_from": "tosca.artifacts.Root"},
        "unfurl.artifacts.TerraformModule": {"derived_from": "tosca.artifacts.Root"},
    },
    "group_types": {"unfurl.groups.AbstractMixinGroup": {"derived_from": "tosca.groups.Root"}},
}
