"""What a TOSCA document says: definitions, templates, assignments. Nodes hold what was written, never what it means.

A node is itself and nothing else: two that say the same at different places are different, so none has an equality of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from sabir.languages.tosca.syntax.scopes import TypeKind, TypeScope
from sabir.source.yaml.nodes import YamlNode, plain_data, text_of
from sabir.text import Place, Source, Span

UNBOUNDED: Final = -1


class DocumentOrigin(Struct, frozen=True):
    """The file a definition stands in: its text, and the directory its paths are relative to."""

    source: Source
    directory: Path | None
    prefix: str = ""
    """Prepended to the names of types that the file defines."""
    shipped: bool = False
    """True for the types that sabir brings."""
    second: bool = False
    """True for a file in the grammar of 2.0, whose rules of refinement are stricter."""


class SourceValue(Struct, frozen=True, eq=False):
    """A value with its place."""

    node: YamlNode
    origin: DocumentOrigin
    through: Span | None = None
    """Where it was put in by an alias or a merge key, when it is written elsewhere."""
    key: Span | None = None
    """Where its name stands."""

    @property
    def key_place(self) -> Place:
        return Place(self.origin.source, self.key or self.node.span)

    @property
    def place(self) -> Place:
        return Place(self.origin.source, self.node.span)

    @property
    def data(self) -> Any:
        return plain_data(self.node)


class _NamedNode(Struct, frozen=True, kw_only=True, eq=False):
    name: str
    span: Span
    origin: DocumentOrigin

    @property
    def place(self) -> Place:
        return Place(self.origin.source, self.span)


class Constraint(_NamedNode, frozen=True, kw_only=True, eq=False):
    """`in_range: [1, 4]`: the name is the operator."""

    argument: SourceValue


class Schema(_NamedNode, frozen=True, kw_only=True, eq=False):
    """The type of a value; the name is that of the type."""

    constraints: tuple[Constraint, ...] = ()
    entry_schema: Schema | None = None
    key_schema: Schema | None = None


class PropertyDefinition(_NamedNode, frozen=True, kw_only=True, eq=False):
    """Of a property, an attribute or an input; without a schema only a value or a default was written."""

    schema: Schema | None
    required: bool = True
    default: SourceValue | None = None
    value: SourceValue | None = None
    metadata: Mapping[str, Any] = {}
    is_attribute: bool = False
    is_short: bool = False
    """Only a value was written, in the place of the whole definition."""
    says_required: bool = False
    """Whether `required` was written, and not left to its default."""
    refined_schema: Schema | None = None
    """2.0: what is said of the schema without its type, which is inherited; it has no name."""

    @property
    def value_text(self) -> str | None:
        """The value, where it is a text."""
        return None if self.value is None else text_of(self.value.node)

    @property
    def sensitive(self) -> bool:
        return self.metadata.get("sensitive") in (True, "true", "yes")

    @property
    def needs_value(self) -> bool:
        """Whether an assignment has to give it one."""
        return self.required and self.default is None and self.value is None


InputDefinition = PropertyDefinition


def list_defined_values(definitions: Mapping[str, PropertyDefinition]) -> Iterator[SourceValue]:
    """What definitions give: a value, or else a default."""
    for definition in definitions.values():
        written = definition.value or definition.default
        if written is not None:
            yield written


class CapabilityDefinition(_NamedNode, frozen=True, kw_only=True, eq=False):
    type: str
    valid_source_types: tuple[str, ...] = ()
    valid_relationship_types: tuple[str, ...] = ()
    """2.0."""
    occurrences: tuple[int, int] | None = None
    properties: Mapping[str, PropertyDefinition] = {}
    attributes: Mapping[str, PropertyDefinition] = {}


class RelationshipDefinition(_NamedNode, frozen=True, kw_only=True, eq=False):
    """2.0: the relationship of a requirement, with what it refines of its type."""

    properties: Mapping[str, PropertyDefinition] = {}
    attributes: Mapping[str, PropertyDefinition] = {}
    interfaces: Mapping[str, InterfaceDefinition] = {}


class RequirementDefinition(_NamedNode, frozen=True, kw_only=True, eq=False):
    capability: str | None = None
    node: str | None = None
    relationship: str | None = None
    occurrences: tuple[int, int] = (1, 1)
    says_occurrences: bool = False
    """Whether they were written, and not left to the default."""
    node_filter: SourceValue | None = None
    refinement: RelationshipDefinition | None = None
    """2.0: what it says of the relationship beside its type."""
    type_spans: Mapping[str, Span] = {}
    """Where the types stand that it names, by the key."""

    def place_of(self, key: str) -> Place:
        return Place(self.origin.source, self.type_spans.get(key, self.span))


class ArtifactDefinition(_NamedNode, frozen=True, kw_only=True, eq=False):
    end: int
    """Where what is written for it ends."""
    type: str | None = None
    file: str | None = None
    repository: str | None = None
    keys: Mapping[str, Any] = {}
    properties: Mapping[str, SourceValue] = {}

    @property
    def whole_place(self) -> Place:
        return Place(self.origin.source, Span(self.span.start, max(self.span.end, self.end)))


class Implementation(_NamedNode, frozen=True, kw_only=True, eq=False):
    """What carries out an operation; the name is that of an artifact or file, empty when the artifact is written in place."""

    artifact: ArtifactDefinition | None = None
    dependencies: tuple[tuple[str, Span], ...] = ()
    timeout: SourceValue | None = None
    operation_host: str | None = None


class OutputMapping(_NamedNode, frozen=True, kw_only=True, eq=False):
    """Where an output of an operation goes: the way to an attribute, as `[SELF, url]`; empty when it goes nowhere."""

    target: tuple[str, ...] = ()
    definition: PropertyDefinition | None = None
    """What is said of the value, where that is more than its target."""


class OperationDefinition(_NamedNode, frozen=True, kw_only=True, eq=False):
    """Also a notification. Inputs are definitions, values, or both."""

    implementation: Implementation | None = None
    inputs: Mapping[str, PropertyDefinition] = {}
    outputs: Mapping[str, OutputMapping] = {}


class InterfaceDefinition(_NamedNode, frozen=True, kw_only=True, eq=False):
    type: str | None = None
    type_span: Span | None = None
    operations: Mapping[str, OperationDefinition] = {}
    notifications: Mapping[str, OperationDefinition] = {}
    inputs: Mapping[str, PropertyDefinition] = {}


class ActivityKind(Enum):
    """What a step of a workflow or the action of a trigger does; the value is its keyname."""

    DELEGATE = "delegate"
    SET_STATE = "set_state"
    CALL_OPERATION = "call_operation"
    INLINE = "inline"


class Activity(_NamedNode, frozen=True, kw_only=True, eq=False):
    """The name is that of the operation, workflow or state."""

    kind: ActivityKind
    inputs: Mapping[str, SourceValue] = {}


class Step(_NamedNode, frozen=True, kw_only=True, eq=False):
    """A step of a workflow, with the steps that follow."""

    target: str | None = None
    target_span: Span | None = None
    target_relationship: str | None = None
    operation_host: str | None = None
    filter: SourceValue | None = None
    activities: tuple[Activity, ...] = ()
    on_success: tuple[tuple[str, Span], ...] = ()
    on_failure: tuple[tuple[str, Span], ...] = ()


class Trigger(_NamedNode, frozen=True, kw_only=True, eq=False):
    """What a policy does when something happens."""

    event: str | None = None
    target: str | None = None
    condition: SourceValue | None = None
    schedule: SourceValue | None = None
    action: tuple[Activity, ...] = ()


class ScalarDefinition(Struct, frozen=True, kw_only=True, eq=False):
    """Of a scalar type of 2.0: its units and prefixes with their multipliers, as far as this type itself says them."""

    units: SourceValue | None = None
    prefixes: SourceValue | None = None
    canonical_unit: SourceValue | None = None
    data_type: Schema | None = None

    @property
    def is_empty(self) -> bool:
        return all(part is None for part in (self.units, self.prefixes, self.canonical_unit, self.data_type))


class TypeDefinition(_NamedNode, frozen=True, kw_only=True, eq=False):
    """A type of any kind; what a kind does not have is empty."""

    kind: TypeKind
    derived_from: str | None = None
    derived_from_span: Span | None = None
    properties: Mapping[str, PropertyDefinition] = {}
    attributes: Mapping[str, PropertyDefinition] = {}
    capabilities: Mapping[str, CapabilityDefinition] = {}
    requirements: tuple[RequirementDefinition, ...] = ()
    interfaces: Mapping[str, InterfaceDefinition] = {}
    artifacts: Mapping[str, ArtifactDefinition] = {}
    constraints: tuple[Constraint, ...] = ()
    valid_target_types: tuple[str, ...] = ()
    valid_source_types: tuple[str, ...] = ()
    valid_relationship_types: tuple[str, ...] = ()
    """2.0, of a capability type."""
    valid_target_node_types: tuple[str, ...] = ()
    """2.0, of a relationship type."""
    members: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    schema: Schema | None = None
    """Of a data type that derives from a primitive one, its entry schema."""
    key_schema: Schema | None = None
    """Of one that derives from map."""
    scalar: ScalarDefinition | None = None
    """Of a data type that derives from `scalar`."""
    behaviour: InterfaceDefinition | None = None
    """Of an interface type: its operations, notifications and inputs."""
    triggers: Mapping[str, Trigger] = {}
    """Of a policy type."""
    loses: bool = False
    """Whether something stands under a misspelt key, so that not all of it is known."""
    is_open: bool = False
    """Unfurl: whether its metadata say that there may be properties which are not declared."""


Assignment = Mapping[str, SourceValue]


class CapabilityAssignment(_NamedNode, frozen=True, kw_only=True, eq=False):
    properties: Assignment = {}
    attributes: Assignment = {}


class RelationshipTemplate(_NamedNode, frozen=True, kw_only=True, eq=False):
    """Also the relationship that an assignment writes in line; then its type may be left out."""

    type: str | None = None
    properties: Assignment = {}
    attributes: Assignment = {}
    interfaces: Mapping[str, InterfaceDefinition] = {}
    copy: str | None = None


class RequirementAssignment(_NamedNode, frozen=True, kw_only=True, eq=False):
    node: str | None = None
    node_span: Span | None = None
    capability: str | None = None
    relationship: str | RelationshipTemplate | None = None
    node_filter: SourceValue | None = None
    occurrences: tuple[int, int] | None = None
    node_index: SourceValue | None = None
    """2.0: which instance of the node it leads to; an expression, too."""
    count: SourceValue | None = None
    """2.0: how many relationships; an expression, too."""
    allocation: Assignment = {}
    """2.0: what it takes of the properties of the capability that it leads to."""
    optional: bool = False
    directives: tuple[str, ...] = ()


class NodeTemplate(_NamedNode, frozen=True, kw_only=True, eq=False):
    type: str
    type_span: Span
    properties: Assignment = {}
    attributes: Assignment = {}
    capabilities: Mapping[str, CapabilityAssignment] = {}
    requirements: tuple[RequirementAssignment, ...] = ()
    interfaces: Mapping[str, InterfaceDefinition] = {}
    artifacts: Mapping[str, ArtifactDefinition] = {}
    directives: tuple[str, ...] = ()
    node_filter: SourceValue | None = None
    copy: str | None = None
    count: SourceValue | None = None
    """How many instances there are; an expression, too."""
    loses: bool = False
    """Whether something stands under a misspelt key."""
    is_open: bool = False
    """Unfurl: whether its metadata say that it may have properties which its type does not declare."""
    instance_of: str | None = None
    """The template that this one was written out from, when that has several instances."""
    index: int = 0
    """Which of its instances this is."""

    @property
    def symbolic_name(self) -> str:
        """What the description calls it; its name tells the instance, too."""
        return self.instance_of or self.name

    @property
    def key(self) -> str:
        """What it is known by in the graph and in the state. The first instance keeps it whether there are others or not."""
        return self.name if self.instance_of is None or self.index else self.instance_of


class GroupTemplate(_NamedNode, frozen=True, kw_only=True, eq=False):
    type: str | None
    type_span: Span
    properties: Assignment = {}
    attributes: Assignment = {}
    members: tuple[tuple[str, Span], ...] = ()


class PolicyTemplate(_NamedNode, frozen=True, kw_only=True, eq=False):
    type: str | None
    type_span: Span
    properties: Assignment = {}
    targets: tuple[tuple[str, Span], ...] = ()
    triggers: Mapping[str, Trigger] = {}


class OutputDefinition(_NamedNode, frozen=True, kw_only=True, eq=False):
    value: SourceValue | None
    schema: Schema | None = None


class Workflow(_NamedNode, frozen=True, kw_only=True, eq=False):
    inputs: Mapping[str, PropertyDefinition] = {}
    steps: Mapping[str, Step] = {}
    precondition: SourceValue | None = None
    implementation: Implementation | None = None
    outputs: Mapping[str, OutputMapping] = {}


class MappedEntry(_NamedNode, frozen=True, kw_only=True, eq=False):
    """One mapping of a substitution. The name is that of the property, attribute, capability, requirement or interface."""

    section: str
    part: tuple[str, ...] = ()
    """2.0: the capability or relationship that the property or attribute belongs to, as `(CAPABILITY, host)`."""
    count: str | None = None
    """2.0: how many assignments of a requirement it is for."""
    targets: tuple[tuple[str, ...], ...] = ()
    """What it stands for: an input, an output, a template, or a template and one of its entries."""
    value: SourceValue | None = None
    """1.3: a value that is given in the place of a target; of an interface: workflows by operation."""

    @property
    def template_and_entry(self) -> tuple[str, str] | None:
        """Of a mapping to one entry of a template."""
        if len(self.targets) != 1 or len(self.targets[0]) != 2:
            return None
        return self.targets[0][0], self.targets[0][1]


class SubstitutionMapping(_NamedNode, frozen=True, kw_only=True, eq=False):
    """The name is that of the node type that the topology can stand for."""

    entries: tuple[MappedEntry, ...] = ()
    filter: SourceValue | None = None

    def of(self, section: str) -> tuple[MappedEntry, ...]:
        return tuple(entry for entry in self.entries if entry.section == section)


class Repository(_NamedNode, frozen=True, kw_only=True, eq=False):
    url: str


class Signature(Struct, frozen=True, kw_only=True, eq=False):
    """2.0: the arguments that a function of one's own takes, and what it gives."""

    arguments: tuple[Schema, ...] = ()
    optional_arguments: tuple[Schema, ...] = ()
    variadic: bool = False
    result: Schema | None = None
    implementation: Implementation | None = None

    def argument(self, position: int) -> Schema | None:
        """What stands at a position; a variadic signature repeats its last argument."""
        schemas = (*self.arguments, *self.optional_arguments)
        if position < len(schemas):
            return schemas[position]
        return schemas[-1] if self.variadic and schemas else None

    def takes(self, count: int) -> bool:
        most = len(self.arguments) + len(self.optional_arguments)
        return len(self.arguments) <= count and (count <= most or self.variadic)


class FunctionDefinition(_NamedNode, frozen=True, kw_only=True, eq=False):
    """2.0: a function of one's own."""

    signatures: tuple[Signature, ...] = ()


class Topology(Struct, frozen=True, kw_only=True):
    """Everything a service template says, with what its imports say taken in."""

    origin: DocumentOrigin
    version: str
    types: Mapping[TypeKind, Mapping[str, TypeDefinition]]
    inputs: Mapping[str, InputDefinition]
    node_templates: Mapping[str, NodeTemplate]
    relationship_templates: Mapping[str, RelationshipTemplate]
    groups: Mapping[str, GroupTemplate]
    policies: tuple[PolicyTemplate, ...]
    workflows: Mapping[str, Workflow]
    outputs: Mapping[str, OutputDefinition]
    repositories: Mapping[str, Repository]
    substitution: SubstitutionMapping | None
    profiles: tuple[str, ...] = ()
    """Shipped sets of types that are in scope."""
    complete: bool = True
    """False when an import could not be read: then a name that is not known may well exist."""
    imported: bool = False
    """Of a topology that stands in the place of a node: whether the one that has the node imports it."""
    substitutes: Callable[[], tuple[Topology, ...]] = lambda: ()
    """The topologies at hand that can stand in the place of a node."""
    selected: Mapping[str, str] = {}
    """Names of templates whose nodes were selected, with the nodes that stand for them."""
    has_topology: bool = True
    has_file: Callable[[str], bool] | None = None
    """Whether the package has a file of this name; None when nothing can be said."""
    has_folder: Callable[[str], bool] = lambda _name: True
    """Whether the package has files other than documents of TOSCA in a folder."""
    functions: Mapping[str, FunctionDefinition] = {}
    """The functions of one's own that 2.0 lets files define."""
    scopes: tuple[TypeScope, ...] = ()
    """The files, by what their names of types mean."""

    @property
    def second(self) -> bool:
        """Whether the main document is written in 2.0."""
        return self.version == "tosca_2_0"

    def is_elsewhere(self, name: str) -> bool:
        """Whether a prefixed name leads into a file that only stands in for what is not here."""
        return any(scope.leads_to_nothing(name) for scope in self.scopes)
