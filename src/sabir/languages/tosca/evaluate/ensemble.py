"""The instances of one topology: nodes, inputs and outputs.

A node is a child of its host, or of the root if it has none. The root owns the inputs and outputs. Nodes are
created when they are first accessed, because an operation that is about to run needs only a few of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule
from sabir.diagnostics.suggestions import did_you_mean
from sabir.expressions.query.live import AssignedValue
from sabir.expressions.query.resource import QueryResource
from sabir.expressions.query.session import EnsembleProject, QuerySession
from sabir.expressions.query.values import MISSING
from sabir.languages.tosca.evaluate.instances import NodeInstance, RootInstance
from sabir.languages.tosca.evaluate.observations import InstanceObservations, convert_value
from sabir.languages.tosca.evaluate.request import Request
from sabir.languages.tosca.model.model import UNKNOWN_INPUT, TopologyModel
from sabir.languages.tosca.model.types import FlatType
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import PropertyDefinition, SourceValue
from sabir.languages.tosca.syntax.scopes import TypeKind
from sabir.source.yaml.nodes import YamlScalar
from sabir.text import Place, Span

if TYPE_CHECKING:
    from sabir.languages.tosca.evaluate.substitution import Substitution


Inner = Mapping[str, Callable[[NodeInstance], None]]
"""By node name: a function that puts a topology in the place of the node."""
_NO_INNER: Final[Inner] = {}

MISSING_INPUT: Final = tosca_rule(
    code="TOSCA:E026",
    title="an input without a value",
    why="The input is required and has no default: give it one with --input NAME=VALUE, or a file of inputs with --config.",
    withheld=True,
    when="evaluate",
)


class Nodes(Mapping[str, NodeInstance]):
    """Node instances by name, created on first access."""

    def __init__(self, ensemble: Ensemble) -> None:
        self._ensemble = ensemble
        self._ready: dict[str, NodeInstance] = {}
        self._names: Collection[str] = ensemble.model.nodes

    def __getitem__(self, name: str) -> NodeInstance:
        node = self._ready.get(name)
        if node is None:
            ensemble = self._ensemble
            if name not in self._names:
                raise KeyError(name)
            template = ensemble.model.nodes[name]
            node = self._ready[name] = NodeInstance(ensemble, template, ensemble.model.flat[name])
            put_in = ensemble.inner.get(name)
            if put_in is not None:
                put_in(node)
        return node

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def leave_out(self, name: str) -> None:
        """Remove a node that another node replaces."""
        self._names = dict.fromkeys(other for other in self._names if other != name)


class Ensemble:
    """The instances of one topology and the state that they share."""

    def __init__(
        self,
        model: TopologyModel,
        request: Request,
        *,
        outer: Substitution | None = None,
        inner: Inner = _NO_INNER,
    ) -> None:
        """Create the ensemble of a model.

        `outer` is the node that this topology substitutes. `inner` maps names of nodes to the function that
        puts a topology in their place.
        """
        self.model = model
        self.inner = inner
        self.request = request
        self.outer = outer
        self.prefix = "" if outer is None else f"{outer.node.key}.nodes."
        """The prefix of the keys of its nodes."""
        self.findings: list[Finding] = []
        self.session = QuerySession(
            project=_with_repositories(request.project, model),
            work=request.session,
            externals=request.externals,
            input=self.input,
            input_names=lambda: tuple(model.topology.inputs),
            named=self.find_relationship,
            instances=self.instances,
            counts_from_first=model.topology.second,
            scalar_units=model.types.scalar_units() if model.topology.second else (),
            dependents=request.observed.dependents,
        )
        self.root = RootInstance(self)
        self._assignments: dict[int, AssignedValue] = {}
        self._defaults: dict[int, AssignedValue | None] = {}
        self._relationships: dict[tuple[str, str], list[QueryResource]] | None = None
        self.nodes = Nodes(self)

    def with_observed(self, observed: InstanceObservations) -> Ensemble:
        """Return a new ensemble of the same model that reads these observed values."""
        return Ensemble(self.model, replace(self.request, observed=observed), inner=self.inner)

    def at(self, path: Sequence[str]) -> NodeInstance:
        """Return the node at the end of a path through substituting topologies."""
        node = self.nodes[path[0]]
        if len(path) == 1:
            return node
        assert node.substitution is not None
        return node.substitution.ensemble.at(path[1:])

    # Types

    def capability_type(self, name: str) -> FlatType | None:
        return self.model.types.find(TypeKind.CAPABILITY, name)

    def relationship_type(self, name: str) -> FlatType | None:
        return self.model.types.find(TypeKind.RELATIONSHIP, name)

    # Values

    def assignment(self, written: SourceValue, definition: PropertyDefinition | None) -> AssignedValue:
        assigned = self._assignments.get(id(written))
        if assigned is None:
            assigned = self._assignments[id(written)] = self._build_assignment(written, definition)
        return assigned

    def default(self, definition: PropertyDefinition) -> AssignedValue | None:
        key = id(definition)
        if key not in self._defaults:
            written = definition.value or definition.default
            self._defaults[key] = None if written is None else self._build_assignment(written, definition)
        return self._defaults[key]

    def _build_assignment(self, written: SourceValue, definition: PropertyDefinition | None) -> AssignedValue:
        data = written.data
        if definition is not None and definition.schema is not None:
            node = written.node
            text = node.text if isinstance(node, YamlScalar) else None
            data = convert_value(data, definition.schema, self.model.types, text)
        sensitive = definition is not None and definition.sensitive
        return AssignedValue(
            data, place=written.place, directory=written.origin.directory, sensitive=sensitive
        )

    # Inputs and outputs

    def input(self, name: str) -> Any:
        return self.root.get("inputs")[name] if name in self.model.topology.inputs else MISSING

    def inputs(self) -> dict[str, Callable[[], Any]]:
        """Return, by input name, the function that computes its value."""
        return {
            name: self._input_thunk(definition) for name, definition in self.model.topology.inputs.items()
        }

    def _input_thunk(self, definition: PropertyDefinition) -> Callable[[], Any]:
        def value() -> Any:
            if self.outer is not None and (mapped := self.outer.input(definition.name)) is not MISSING:
                return mapped
            given_value = self.request.inputs.get(definition.name, MISSING)
            if given_value is not MISSING:
                return AssignedValue(given_value, sensitive=definition.sensitive).value(self.root)
            default = self.default(definition)
            return None if default is None else default.value(self.root)

        return value

    def outputs(self) -> dict[str, Callable[[], Any]]:
        thunks: dict[str, Callable[[], Any]] = {}
        for name, output in self.model.topology.outputs.items():
            written = output.value
            thunks[name] = (lambda: None) if written is None else self._output_thunk(written)
        return thunks

    def _output_thunk(self, written: SourceValue) -> Callable[[], Any]:
        assigned = self.assignment(written, None)
        return lambda: assigned.value(self.root)

    def check_inputs(self) -> None:
        handed_in = self.request.inputs
        declared = self.model.topology.inputs
        for name, definition in declared.items():
            if name in handed_in:
                for misfit in self.model.values.misfits(definition, handed_in[name]):
                    where = "".join(f"[{key!r}]" for key in misfit.path)
                    self._report(
                        misfit.rule, f"input {name}{where}: {misfit.message}", definition.place, misfit.hint
                    )
            elif self._is_needed(definition):
                self._report(
                    MISSING_INPUT,
                    f"the input {name!r} has no value",
                    definition.place,
                    f"give one: --input {name}=…",
                )
        for name in handed_in:
            if name not in declared:
                place = Place(self.model.topology.origin.source, Span(0, 0))
                self._report(
                    UNKNOWN_INPUT, f"there is no input {name!r}", place, did_you_mean(name, declared)
                )

    def _is_needed(self, definition: PropertyDefinition) -> bool:
        has_value = definition.default is not None or definition.value is not None or not definition.required
        return not has_value and (self.outer is None or not self.outer.maps_input(definition.name))

    def _report(self, rule: Rule, message: str, place: Place, hint: str | None) -> None:
        self.findings.append(rule.at(place, message, hint=hint))

    # Relationships

    def everything(self) -> Iterator[NodeInstance]:
        """Return all nodes; nodes of a substituting topology follow the nodes of their ensemble."""
        for node in self.nodes.values():
            yield node
            if node.substitution is not None:
                yield from node.substitution.ensemble.everything()

    def relationships_to(self, node: str, capability: str) -> list[QueryResource]:
        """Return the relationships to a capability of the node with this key."""
        if self.outer is not None:
            return self.outer.node.ensemble.relationships_to(node, capability)
        if self._relationships is None:
            self._relationships = {}
            for source in self.everything():
                for relationship in source.requirements:
                    target = relationship.target
                    if target is not None and relationship.capability is not None:
                        key = (target.key, relationship.capability)
                        self._relationships.setdefault(key, []).append(relationship)
        return self._relationships.get((node, capability), [])

    def instances(self, name: str) -> list[NodeInstance]:
        """Return the instances of a node template; empty if the template does not exist."""
        node = self.nodes.get(self.model.topology.selected.get(name, name))
        return [node] if node is not None else [self.nodes[each] for each in self.model.several.get(name, ())]

    def find_relationship(self, name: str) -> QueryResource | None:
        """Return the relationship that uses this relationship template, or None."""
        if name not in self.model.topology.relationship_templates:
            return None
        for source in self.nodes.values():
            for relationship in source.requirements:
                if relationship.template_name == name:
                    return relationship
        return None


def _with_repositories(project: EnsembleProject, model: TopologyModel) -> EnsembleProject:
    """Add the repositories of the template that are local directories to those of the project."""
    local: dict[str, Path] = {}
    for name, repository in model.topology.repositories.items():
        base = repository.origin.directory
        scheme, _, rest = repository.url.rpartition("file:")
        path = rest if scheme == "" else repository.url
        if base is not None and "://" not in path:
            local[name] = Path(os.path.normpath(base / path.removeprefix("//")))
    return replace(project, repositories={**local, **project.repositories}) if local else project
