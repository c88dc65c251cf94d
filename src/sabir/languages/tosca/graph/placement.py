"""Where an operation runs, and what its surroundings tell it: the Compute below its node, the program, the names around it."""

from __future__ import annotations

from typing import Final

from sabir.expressions.query.errors import QueryError
from sabir.expressions.query.values import MISSING
from sabir.graph.address import Address
from sabir.graph.values import Unknown, Value, reveal
from sabir.languages.tosca.evaluate.artifacts import FileArtifact
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.evaluate.parts import RelationshipInstance
from sabir.languages.tosca.graph.addresses import id_of
from sabir.languages.tosca.graph.plain import plain_value
from sabir.languages.tosca.graph.subjects import Subject, node_of
from sabir.languages.tosca.model.behaviour import NodeOperation
from sabir.languages.tosca.syntax.nodes import Implementation
from sabir.languages.tosca.syntax.scopes import Kind

__all__ = [
    "address_of",
    "attribute_address",
    "host_of",
    "program_of",
    "surroundings",
    "target_of",
]

_COMPUTE: Final = "tosca.nodes.Compute"
_ORCHESTRATOR: Final = "ORCHESTRATOR"
_ADDRESSES: Final = ("public_address", "private_address")
_HERE: Final = frozenset({"", "localhost", "127.0.0.1", "::1"})


def program_of(subject: Subject, implementation: Implementation) -> tuple[str, str | None]:
    """The file of an implementation and the type of its artifact: written in place, an artifact of the node, or a file."""
    artifact = implementation.artifact
    node = node_of(subject)
    if artifact is None:
        artifact = node.artifact_definitions.get(implementation.name)
    if artifact is not None:
        return FileArtifact(artifact, node.ensemble).location or implementation.name, artifact.type
    directory = implementation.origin.directory
    name = implementation.name
    return (name if directory is None else str(directory / name)), None


def host_of(subject: Subject, operation: str, operation_host: str | None) -> NodeInstance | None:
    """The Compute that an operation runs on; None: where sabir runs."""
    if operation_host == _ORCHESTRATOR:
        return None
    node: object
    if isinstance(subject, NodeInstance):
        node = subject
    else:
        at_target = operation in ("add_source", "remove_source") or operation.endswith("configure_target")
        is_target = operation_host == "TARGET" or (operation_host != "SOURCE" and at_target)
        node = subject.target if is_target else subject.source
    types = subject.ensemble.model.types
    while isinstance(node, NodeInstance):
        if types.is_a(Kind.NODE, node.type, _COMPUTE):
            return node
        node = node.parent
    return None


def target_of(host: NodeInstance | None) -> str | None:
    """A Compute with an address of another machine is a target by the name of the node."""
    if host is None:
        return None
    address = reveal(address_of(host))
    if isinstance(address, Unknown):
        return host.name if _gives_address(host) else None
    return None if str(address) in _HERE else host.name


def _gives_address(host: NodeInstance) -> bool:
    """Whether one of its own operations says where it is, once it has run."""
    targets = {
        output.target
        for interface in host.interfaces.values()
        for operation in interface.operations.values()
        for output in operation.outputs.values()
    }
    return any(("SELF", key) in targets for key in _ADDRESSES)


def address_of(host: NodeInstance) -> Value:
    """The address of another machine, as far as it is known."""
    for key in _ADDRESSES:
        try:
            value = host.get(key)
        except QueryError:
            value = MISSING
        if value is not MISSING and value is not None and not isinstance(value, Unknown):
            return plain_value(value)
    return Unknown(of=f"{id_of(host)}|{_ADDRESSES[0]}", why="the machine has no address yet")


def attribute_address(subject: Subject, target: tuple[str, ...]) -> Address:
    """The attribute that an output goes to."""
    first, *path, attribute = target
    node: NodeInstance | None
    if isinstance(subject, NodeInstance):
        named = subject.ensemble.instances(first)
        node = subject if first == "SELF" else named[0] if named else None
    else:
        node = subject.target if first == "TARGET" else subject.source
    key = first if node is None else node.key
    return Address(".capabilities.".join([key, *path[:1]])).of(attribute)


def surroundings(subject: Subject, operation: NodeOperation, host: NodeInstance | None) -> dict[str, str]:
    """The variables that an operation is told beside its inputs."""
    node = node_of(subject)
    variables = {
        "SABIR_NODE": node.template_name,
        "SABIR_INSTANCE": node.name,
        "SABIR_INTERFACE": operation.interface,
        "SABIR_OPERATION": operation.name,
        "SABIR_HOST": _ORCHESTRATOR if host is None else host.name,
    }
    if isinstance(subject, RelationshipInstance) and subject.target is not None:
        target = subject.target
        capability = subject.target_capability
        incoming = [] if capability is None else capability.relationships
        sources = [
            link.source.name for link in incoming if link.name == subject.name and link.source is not None
        ]
        targets = [
            link.target.name
            for link in node.requirements
            if link.name == subject.name and link.target is not None
        ]
        variables |= {"SOURCE": node.name, "TARGET": target.name}
        variables |= {"SOURCES": ",".join(sources or [node.name]), "TARGETS": ",".join(targets)}
    return variables
