"""What has operations: a node, or a relationship."""

from __future__ import annotations

from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.evaluate.parts import RelationshipInstance
from sabir.languages.tosca.model.behaviour import Interface, interfaces_of

__all__ = ["Subject", "interfaces_of_subject", "node_of"]

Subject = NodeInstance | RelationshipInstance


def node_of(subject: Subject) -> NodeInstance:
    """The node itself, or the one that a relationship belongs to."""
    return subject if isinstance(subject, NodeInstance) else subject.source


def interfaces_of_subject(subject: Subject) -> dict[str, Interface]:
    types = subject.ensemble.model.types
    if isinstance(subject, NodeInstance):
        return interfaces_of(types, subject.flat, subject.template.interfaces)
    template = subject.link.relationship
    return interfaces_of(types, subject.flat, {} if template is None else template.interfaces)
