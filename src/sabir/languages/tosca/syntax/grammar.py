"""The grammar of TOSCA 2.0 as data: the keynames of every kind of entity, and the shape of what stands under each.

A table of the specification is a row here. A key that ends in `!` is mandatory. A shape is a word of `Shape`, the name of an entity,
or a collection of one: `{entity}` is a map of names, `[entity]` a list of maps with one name each, `(entity)` a plain list.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import Final

from msgspec import Struct


class ValueShape(Enum):
    """What a value may be; the value of a member is how people call it."""

    TEXT = "text"
    FLAG = "true or false"
    TEXTS = "a list of texts"
    MAP = "a map"
    LIST = "a list"
    VERSION = "a version, as 1.2.3"
    METADATA = "a map of metadata"
    ANCHORS = "a map of anchors"
    CONDITION = "one function, as {$equal: [a, b]}"
    CONDITIONS = "a list of functions, as [{$equal: [a, b]}]"
    COUNT = "a whole number or a function"
    NODE = "a name, or a list of a name and an index"
    NAMES = "a name or a list of names"
    PAIR = "a list of two names"
    DIRECTIVES = "a list of create, select and substitute"
    SCOPES = "a list of internal and external"
    RANGE = "a range, as [0, 1] or [1, UNBOUNDED]"
    ANY = "anything"


class Collection(Enum):
    """How entities of one kind stand together."""

    ALONE = "alone"
    NAMED = "a map of names"
    LISTED = "a list of maps with one name each"
    PLAIN = "a list"


class GrammarField(Struct, frozen=True):
    shape: ValueShape | None = None
    entity: str | None = None
    collection: Collection = Collection.ALONE
    mandatory: bool = False


class GrammarEntity(Struct, frozen=True):
    """`short` is what may stand in place of the whole map: the single-line form."""

    word: str
    fields: Mapping[str, GrammarField]
    short: ValueShape | None = None
    exclusive: tuple[str, ...] = ()
    """Keys of which only one may be there."""
    any_of: tuple[str, ...] = ()
    """Keys of which one must be there."""


_COMMON: Final = {"description": "text", "metadata": "metadata"}
_TYPE: Final = {**_COMMON, "derived_from": "text", "version": "version"}
_VALUED: Final = {"properties": "{property}", "attributes": "{attribute}"}
_ASSIGNED: Final = {"properties": "map", "attributes": "map"}
_SCHEMA: Final = {
    "type": "text",
    "description": "text",
    "validation": "condition",
    "key_schema": "schema",
    "entry_schema": "schema",
}
_PARAMETER: Final = {
    **_COMMON,
    **_SCHEMA,
    "required": "flag",
    "default": "any",
    "value": "any",
}
_OPERATION: Final = {
    **_COMMON,
    "implementation": "implementation",
    "inputs": "{parameter}",
    "outputs": "{output}",
}
_ASSIGNED_OPERATION: Final = {
    **_COMMON,
    "implementation": "implementation",
    "inputs": "map",
    "outputs": "{output}",
}
_ARTIFACT: Final = {
    **_COMMON,
    "type": "text",
    "file": "text",
    "repository": "text",
    "artifact_version": "text",
    "checksum": "text",
    "checksum_algorithm": "text",
    "properties": "map",
}
_DEFINED: Final = {**_PARAMETER, "status": "text", "external-schema": "any", "external_schema": "any"}
# What comes in from outside may be kept in an attribute.
_INCOMING: Final = {**_DEFINED, "mapping": "any"}

# Entity: the word that messages use, its short form ("" for none), its keys.
_ENTITIES: Final[Mapping[str, tuple[str, str, Mapping[str, str]]]] = {
    "file": (
        "the document",
        "",
        {
            **_COMMON,
            "tosca_definitions_version!": "text",
            "dsl_definitions": "anchors",
            "artifact_types": "{artifact_type}",
            "data_types": "{data_type}",
            "capability_types": "{capability_type}",
            "interface_types": "{interface_type}",
            "relationship_types": "{relationship_type}",
            "node_types": "{node_type}",
            "group_types": "{group_type}",
            "policy_types": "{policy_type}",
            "repositories": "{repository}",
            "functions": "{function}",
            "profile": "text",
            "imports": "(import)",
            "service_template": "service_template",
        },
    ),
    "artifact_type": (
        "artifact type",
        "",
        {**_TYPE, "mime_type": "text", "file_ext": "texts", "properties": "{property}"},
    ),
    "data_type": (
        "data type",
        "",
        {
            **_TYPE,
            "validation": "condition",
            "properties": "{property}",
            "key_schema": "schema",
            "entry_schema": "schema",
            "data_type": "text",
            "units": "map",
            "prefixes": "map",
            "canonical_unit": "text",
        },
    ),
    "capability_type": (
        "capability type",
        "",
        {**_TYPE, **_VALUED, "valid_source_node_types": "texts", "valid_relationship_types": "texts"},
    ),
    "interface_type": (
        "interface type",
        "",
        {
            **_TYPE,
            "inputs": "{parameter}",
            "operations": "{operation}",
            "notifications": "{operation}",
        },
    ),
    "relationship_type": (
        "relationship type",
        "",
        {
            **_TYPE,
            **_VALUED,
            "interfaces": "{interface}",
            "valid_capability_types": "texts",
            "valid_target_node_types": "texts",
            "valid_source_node_types": "texts",
        },
    ),
    "node_type": (
        "node type",
        "",
        {
            **_TYPE,
            **_VALUED,
            "capabilities": "{capability}",
            "requirements": "[requirement]",
            "interfaces": "{interface}",
            "artifacts": "{artifact}",
        },
    ),
    "group_type": ("group type", "", {**_TYPE, **_VALUED, "members": "texts"}),
    "policy_type": (
        "policy type",
        "",
        {**_TYPE, "properties": "{property}", "targets": "texts", "triggers": "{trigger}"},
    ),
    "repository": ("repository", "text", {**_COMMON, "url!": "text", "credential": "any"}),
    "function": ("function", "", {**_COMMON, "signatures!": "(signature)"}),
    "signature": (
        "a signature",
        "",
        {
            "arguments": "(schema)",
            "optional_arguments": "(schema)",
            "variadic": "flag",
            "result": "schema",
            "implementation": "implementation",
            **_COMMON,
        },
    ),
    "import": (
        "an import",
        "text",
        {
            **_COMMON,
            "url": "text",
            "profile": "text",
            "repository": "text",
            "namespace": "text",
        },
    ),
    "schema": ("schema", "text", _SCHEMA),
    # A refinement may be the value itself, whatever that is; without one, the name of a type.
    "property": ("property", "any", _DEFINED),
    "attribute": (
        "attribute",
        "any",
        {**_COMMON, **_SCHEMA, "default": "any", "status": "text"},
    ),
    "parameter": ("parameter", "any", _DEFINED),
    "input": ("input", "", _INCOMING),
    "output": ("output", "texts", _INCOMING),
    "capability": (
        "capability",
        "text",
        {
            **_COMMON,
            **_VALUED,
            "type": "text",
            "valid_source_node_types": "texts",
            "valid_relationship_types": "texts",
        },
    ),
    "requirement": (
        "requirement",
        "text",
        {
            **_COMMON,
            "relationship": "relationship",
            "node": "text",
            "capability": "text",
            "node_filter": "condition",
            "count_range": "range",
            "directives": "scopes",
        },
    ),
    "relationship": (
        "relationship",
        "text",
        {**_COMMON, **_VALUED, "type": "text", "interfaces": "{interface}"},
    ),
    "interface": (
        "interface",
        "",
        {
            **_COMMON,
            "type": "text",
            "inputs": "{parameter}",
            "operations": "{operation}",
            "notifications": "{operation}",
        },
    ),
    "operation": ("operation", "text", _OPERATION),
    "artifact": (
        "artifact",
        "text",
        {f"{key}!" if key in ("type", "file") else key: shape for key, shape in _ARTIFACT.items()},
    ),
    "written_artifact": ("artifact", "text", _ARTIFACT),
    "implementation": (
        "implementation",
        "text",
        {
            **_ARTIFACT,
            "primary": "written_artifact",
            "dependencies": "(written_artifact)",
            "timeout": "count",
            "operation_host": "text",
        },
    ),
    "trigger": (
        "trigger",
        "",
        {**_COMMON, "event!": "text", "condition": "condition", "action!": "(activity)"},
    ),
    "activity": (
        "an activity",
        "",
        {"delegate": "any", "set_state": "text", "call_operation": "any", "inline": "any", "inputs": "map"},
    ),
    "service_template": (
        "the service template",
        "",
        {
            **_COMMON,
            "inputs": "{input}",
            "node_templates!": "{node_template}",
            "relationship_templates": "{relationship_template}",
            "groups": "{group}",
            "policies": "[policy]",
            "outputs": "{parameter}",
            "workflows": "{workflow}",
            "substitution_mappings": "substitution",
            "functions": "{function}",
        },
    ),
    "node_template": (
        "node template",
        "",
        {
            **_COMMON,
            **_ASSIGNED,
            "type": "text",
            "directives": "directives",
            "requirements": "[required]",
            "capabilities": "{capable}",
            "interfaces": "{assigned_interface}",
            "artifacts": "{artifact}",
            "count": "count",
            "node_filter": "condition",
            "copy": "text",
        },
    ),
    "relationship_template": (
        "relationship template",
        "",
        {
            **_COMMON,
            **_ASSIGNED,
            "type": "text",
            "interfaces": "{assigned_interface}",
            "copy": "text",
        },
    ),
    "capable": ("capability", "", {**_ASSIGNED, "directives": "scopes", "type": "text"}),
    "required": (
        "requirement",
        "node",
        {
            **_COMMON,
            "node": "node",
            "capability": "text",
            "relationship": "assigned_relationship",
            "allocation": "map",
            "count": "count",
            "node_filter": "condition",
            "directives": "scopes",
            "optional": "flag",
        },
    ),
    "assigned_relationship": (
        "relationship",
        "text",
        {**_COMMON, **_ASSIGNED, "type": "text", "interfaces": "{assigned_interface}"},
    ),
    "assigned_interface": (
        "interface",
        "",
        {
            **_COMMON,
            "type": "text",
            "inputs": "map",
            "operations": "{assigned_operation}",
            "notifications": "{assigned_operation}",
        },
    ),
    "assigned_operation": ("operation", "text", _ASSIGNED_OPERATION),
    "group": ("group", "", {**_COMMON, **_ASSIGNED, "type!": "text", "members": "texts"}),
    "policy": (
        "policy",
        "",
        {**_COMMON, "type!": "text", "properties": "map", "targets": "texts", "triggers": "{trigger}"},
    ),
    "workflow": (
        "workflow",
        "",
        {
            **_COMMON,
            "inputs": "{input}",
            "precondition": "condition",
            "steps": "{step}",
            "implementation": "implementation",
            "outputs": "map",
        },
    ),
    "step": (
        "step",
        "",
        {
            **_COMMON,
            "target!": "text",
            "target_relationship": "text",
            "filter": "conditions",
            "activities!": "(activity)",
            "on_success": "texts",
            "on_failure": "texts",
        },
    ),
    "substitution": (
        "substitution_mappings",
        "",
        {
            **_COMMON,
            "node_type!": "text",
            "substitution_filter": "condition",
            "properties": "{mapped}",
            "attributes": "{mapped}",
            "capabilities": "{mapped_capability}",
            "requirements": "list",
            "interfaces": "map",
        },
    ),
    "mapped": ("mapping", "names", {}),
    "mapped_capability": ("mapping", "pair", {}),
}
_EXCLUSIVE: Final[Mapping[str, tuple[str, ...]]] = {
    "activity": ("delegate", "set_state", "call_operation", "inline"),
    "file": ("profile", "service_template"),
    "import": ("url", "profile"),
    "workflow": ("steps", "implementation"),
    "input": ("value", "mapping"),
    "output": ("value", "mapping"),
}
_ANY_OF: Final = {"import": ("url", "profile")}
_SHAPES: Final = {shape.name.lower(): shape for shape in ValueShape}


@cache
def grammar() -> Mapping[str, GrammarEntity]:
    """The entities by name."""
    return {
        name: GrammarEntity(
            word,
            {
                key.rstrip("!"): _parse_field(value, mandatory=key.endswith("!"))
                for key, value in keys.items()
            },
            _SHAPES.get(short),
            _EXCLUSIVE.get(name, ()),
            _ANY_OF.get(name, ()),
        )
        for name, (word, short, keys) in _ENTITIES.items()
    }


def _parse_field(written: str, *, mandatory: bool) -> GrammarField:
    if written in _SHAPES:
        return GrammarField(_SHAPES[written], mandatory=mandatory)
    collections = {"{": Collection.NAMED, "[": Collection.LISTED, "(": Collection.PLAIN}
    collection = collections.get(written[0], Collection.ALONE)
    entity = written if collection is Collection.ALONE else written[1:-1]
    return GrammarField(entity=entity, collection=collection, mandatory=mandatory)
