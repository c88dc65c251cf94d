"""What has operations: a node, or a relationship."""

from __future__ import annotations

from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.evaluate.parts import RelationshipInstance

__all__ = ["Subject", "node_of"]

Subject = NodeInstance | RelationshipInstance


def node_of(subject: Subject) -> NodeInstance:
    """The node itself, or the one that a relationship belongs to."""
    return subject if isinstance(subject, NodeInstance) else subject.source
