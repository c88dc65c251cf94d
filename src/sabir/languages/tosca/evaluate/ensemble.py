"""From a topology to live instances: hosts give the parents, the root owns inputs and outputs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.near import did_you_mean
from sabir.diagnostics.rules import Rule
from sabir.expressions.query.live import Assigned
from sabir.expressions.query.project import Project
from sabir.expressions.query.resource import Resource
from sabir.expressions.query.session import Session
from sabir.expressions.query.values import MISSING, LazyMap
from sabir.languages.tosca.evaluate.instances import NodeInstance, RootInstance
from sabir.languages.tosca.evaluate.request import Request
from sabir.languages.tosca.evaluate.typed import typed
from sabir.languages.tosca.model.inputs import UNKNOWN_INPUT
from sabir.languages.tosca.model.model import Model
from sabir.languages.tosca.model.types import FlatType
from sabir.languages.tosca.syntax.examples import example
from sabir.languages.tosca.syntax.nodes import Kind, PropertyDefinition, Written
from sabir.source.yaml.nodes import YamlScalar
from sabir.text import Place, Span

__all__ = ["Ensemble"]

MISSING_INPUT: Final = Rule(
    code="TOSCA:E026",
    title="an input without a value",
    why="The input is required and has no default: give it one with --input NAME=VALUE, or a file of inputs with --config.",
    bad=example("topology_template:\n  inputs: {zone: {type: string}}\n"),
    good=example("topology_template:\n  inputs: {zone: {type: string, default: a}}\n"),
    language="tosca",
    withheld=True,
    when="evaluate",
)


class Ensemble:
    """The instances of one topology and what they share."""

    def __init__(self, model: Model, request: Request) -> None:
        self.model = model
        self.request = request
        self.findings: list[Finding] = []
        self.session = Session(
            project=_with_repositories(request.project, model),
            work=request.session,
            externals=request.externals,
            input=self.input,
            input_names=lambda: tuple(model.topology.inputs),
            named=self.named,
        )
        self.root = RootInstance(self)
        self._assignments: dict[int, Assigned] = {}
        self._defaults: dict[int, Assigned | None] = {}
        self._relationships: dict[tuple[str, str], list[Resource]] | None = None
        self.nodes: dict[str, NodeInstance] = {}
        for name, template in model.nodes.items():
            self.nodes[name] = NodeInstance(self, template, model.flat[name])
        for name, node in self.nodes.items():
            host = self.nodes.get(model.hosts.get(name, ""))
            if host is None:
                self.root.add_child(node)
            else:
                node.stand_on(host)
        self._check_inputs()

    # Types

    def capability_type(self, name: str) -> FlatType | None:
        return self.model.types.find(Kind.CAPABILITY, name)

    def relationship_type(self, name: str) -> FlatType | None:
        return self.model.types.find(Kind.RELATIONSHIP, name)

    # Values

    def assignment(self, written: Written, definition: PropertyDefinition | None) -> Assigned:
        assigned = self._assignments.get(id(written))
        if assigned is None:
            assigned = self._assignments[id(written)] = self._assigned(written, definition)
        return assigned

    def default(self, definition: PropertyDefinition) -> Assigned | None:
        key = id(definition)
        if key not in self._defaults:
            written = definition.value or definition.default
            self._defaults[key] = None if written is None else self._assigned(written, definition)
        return self._defaults[key]

    def _assigned(self, written: Written, definition: PropertyDefinition | None) -> Assigned:
        data = written.data
        if definition is not None and definition.schema is not None:
            node = written.node
            text = node.text if isinstance(node, YamlScalar) else None
            data = typed(data, definition.schema, self.model.types, text)
        sensitive = definition is not None and definition.sensitive
        return Assigned(data, place=written.place, directory=written.origin.directory, sensitive=sensitive)

    # Inputs and outputs

    def input(self, name: str) -> Any:
        return self.root.get("inputs")[name] if name in self.model.topology.inputs else MISSING

    def inputs_map(self) -> LazyMap:
        thunks = {
            name: self._input_thunk(definition) for name, definition in self.model.topology.inputs.items()
        }
        return LazyMap(thunks, {})

    def _input_thunk(self, definition: PropertyDefinition) -> Any:
        def value() -> Any:
            given_value = self.request.inputs.get(definition.name, MISSING)
            if given_value is not MISSING:
                return Assigned(given_value, sensitive=definition.sensitive).value(self.root)
            default = self.default(definition)
            return None if default is None else default.value(self.root)

        return value

    def outputs_map(self) -> LazyMap:
        thunks: dict[str, Any] = {}
        for name, output in self.model.topology.outputs.items():
            written = output.value
            thunks[name] = (lambda: None) if written is None else self._output_thunk(written)
        return LazyMap(thunks, {})

    def _output_thunk(self, written: Written) -> Any:
        assigned = self.assignment(written, None)
        return lambda: assigned.value(self.root)

    def _check_inputs(self) -> None:
        handed_in = self.request.inputs
        declared = self.model.topology.inputs
        for name, definition in declared.items():
            if name in handed_in:
                for misfit in self.model.values.misfits(definition, handed_in[name]):
                    where = "".join(f"[{key!r}]" for key in misfit.path)
                    self._report(
                        misfit.rule, f"input {name}{where}: {misfit.message}", definition.place, misfit.hint
                    )
            elif definition.required and definition.default is None and definition.value is None:
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

    def _report(self, rule: Rule, message: str, place: Place, hint: str | None) -> None:
        self.findings.append(rule.at(place, message, hint=hint))

    # Relationships

    def relationships_to(self, node: str, capability: str) -> list[Resource]:
        if self._relationships is None:
            self._relationships = {}
            for source in self.nodes.values():
                for relationship in source.requirements:
                    if relationship.link.target is not None and relationship.link.capability is not None:
                        self._relationships.setdefault(
                            (relationship.link.target, relationship.link.capability), []
                        ).append(relationship)
        return self._relationships.get((node, capability), [])

    def named(self, name: str) -> Resource | None:
        """The relationship that uses the relationship template of this name."""
        if name not in self.model.topology.relationship_templates:
            return None
        for source in self.nodes.values():
            for relationship in source.requirements:
                if relationship.template_name == name:
                    return relationship
        return None


def _with_repositories(project: Project, model: Model) -> Project:
    """The repositories of the template that lie in the file system, beside those of the project."""
    local: dict[str, Path] = {}
    for name, repository in model.topology.repositories.items():
        base = repository.origin.directory
        scheme, _, rest = repository.url.rpartition("file:")
        path = rest if scheme == "" else repository.url
        if base is not None and "://" not in path:
            local[name] = Path(os.path.normpath(base / path.removeprefix("//")))
    return replace(project, repositories={**local, **project.repositories}) if local else project
