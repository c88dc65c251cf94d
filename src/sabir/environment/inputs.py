"""Inputs of a part: values of `sabir.yaml` with their expressions evaluated, and their sensitivity.

Languages other than TOSCA do not know sensitive values. A part therefore receives its sensitive inputs in
plain text. `SensitiveInputs` marks the results afterwards: values whose origins include a sensitive input,
and values that contain its text. Findings are redacted the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from sabir.diagnostics.finding import Finding
from sabir.environment.examples import environment_rule
from sabir.environment.merge import MovedPart
from sabir.environment.nodes import Environment
from sabir.environment.parts import LoadedPart
from sabir.environment.references import is_expression
from sabir.graph.graph import Graph, Instance
from sabir.graph.observations import Sightings
from sabir.graph.origin import How, Origin
from sabir.graph.record import Record
from sabir.graph.secrets import Secrets, holds_sensitive, secret_texts
from sabir.graph.values import Ref, Sensitive, Unknown, Value, reveal_all, with_inner
from sabir.languages.language import Document, EvaluationRequest
from sabir.resources.resource import DesiredResources
from sabir.resources.secrets import COMPOSED_HINT, ComposedSecrets, composed_message, find_secret_names
from sabir.source.yaml.nodes import YamlEntry, YamlMapping, YamlNode, YamlScalar, YamlSequence, node_of
from sabir.text import Place, Span

ABSENT: Final = object()
"""Instead of a value: the input is not passed, as if the key were missing."""

COMPOSED_SECRET: Final = environment_rule(
    "E011",
    "secret inside a string",
    "A secret is read only when a step needs it, so no string can be computed from it. Use the secret as a whole value, such as an input "
    "or a field.",
    run=True,
)


class ResolvedValue(Struct, frozen=True, eq=False):
    """The value of an expression, and its origin."""

    value: Any
    origin: Origin


def request_for(
    environment: Environment,
    loaded: LoadedPart,
    request: EvaluationRequest,
    resolved: Mapping[Span, ResolvedValue],
) -> EvaluationRequest:
    """Build the request that evaluates a part; `resolved` has the value of every expression by its span."""
    part = loaded.part
    inputs: dict[str, Value] = {}
    origins: dict[str, Origin] = {}
    for key, node in part.inputs.items() if part.inputs is not None else ():
        name = key.text if isinstance(key, YamlScalar) else ""
        replacement = resolved.get(node.span)
        if replacement is not None and replacement.value is ABSENT:
            continue
        inputs[name] = qualify_unknown_names(value_of(node, resolved))
        origins[name] = origin_of(environment, node, resolved, How.INPUT, name)
    documents: dict[Literal["model", "config"], Document] = {}
    files: dict[str, Path | None] = {"model": None, "config": None}
    names: tuple[Literal["model"], Literal["config"]] = ("model", "config")
    for name in names:
        document = part.model if name == "model" else part.config
        if (
            isinstance(document, YamlScalar)
            and isinstance(document.value, str)
            and not is_expression(document)
        ):
            files[name] = _resolve_path(loaded, document.value)
        elif document is not None:
            documents[name] = Document(environment.source, _replace_expressions(document, resolved))
    overrides = {
        key.removeprefix(f"{part.name}/"): value
        for key, value in request.overrides.items()
        if key.startswith(f"{part.name}/")
    }
    prefix = f"{part.name}/"
    observed = {
        name.removeprefix(prefix): value
        for name, value in request.observed.items()
        if name.startswith(prefix)
    }
    return replace(
        request,
        observed=observed,
        targets=environment.targets,
        sightings=_select_sightings(prefix, request.sightings),
        inputs=inputs,
        input_origins=origins,
        documents=documents,
        model=files["model"],
        config=files["config"],
        overrides=overrides,
        search_path=(*(_resolve_path(loaded, path) for path in part.search_path), *request.search_path),
    )


def _select_sightings(prefix: str, sightings: Sightings) -> Sightings:
    """Return the observations about the instances of one part, by the names that the part has for them."""

    def ours(told: Mapping[str, str]) -> dict[str, str]:
        return {name.removeprefix(prefix): words for name, words in told.items() if name.startswith(prefix)}

    return (
        Sightings(notes=ours(sightings.notes), statuses=ours(sightings.statuses)) if sightings else sightings
    )


def _resolve_path(loaded: LoadedPart, name: str) -> Path:
    """Return a file or directory that `sabir.yaml` names, relative to its own directory."""
    return (loaded.folder or Path()) / name


def value_of(node: YamlNode, resolved: Mapping[Span, ResolvedValue]) -> Value:
    """Return a value of `sabir.yaml` as plain data, with every expression replaced by its value."""
    replacement = resolved.get(node.span)
    if replacement is not None and is_expression(node):
        value: Value = replacement.value
        return value
    if isinstance(node, YamlMapping):
        return {
            key.text if isinstance(key, YamlScalar) else "?": value_of(value, resolved)
            for key, value in node.items()
        }
    if isinstance(node, YamlSequence):
        return [value_of(item, resolved) for item in node.items]
    return node.value


def qualify_unknown_names(value: Any) -> Any:
    """Mark the names of unknown values as names of the environment, so that the part does not take them
    for its own.
    """
    if isinstance(value, Unknown) and value.of is not None and not value.of.startswith("/"):
        return replace(value, of=f"/{value.of}")
    return with_inner(value, qualify_unknown_names)


def origin_of(
    environment: Environment,
    node: YamlNode,
    resolved: Mapping[Span, ResolvedValue],
    how: How,
    note: str | None = None,
) -> Origin:
    """Return the origin of a value of `sabir.yaml`: that of its expression, or its location and the
    expressions in it.
    """
    replacement = resolved.get(node.span)
    if replacement is not None and is_expression(node):
        return replacement.origin
    return Origin(environment.place(node.span), how, tuple(_origins_in(node, resolved)), note)


def _origins_in(node: YamlNode, resolved: Mapping[Span, ResolvedValue]) -> Iterator[Origin]:
    if is_expression(node):
        if node.span in resolved:
            yield resolved[node.span].origin
    elif isinstance(node, YamlMapping | YamlSequence):
        for item in node.values() if isinstance(node, YamlMapping) else node.items:
            yield from _origins_in(item, resolved)


def _replace_expressions(node: YamlNode, resolved: Mapping[Span, ResolvedValue]) -> YamlNode:
    """Return the tree with every expression replaced by its value, at the same span."""
    if is_expression(node):
        replacement = resolved.get(node.span)
        if replacement is None:
            return node
        return node_of(qualify_unknown_names(reveal_all(replacement.value)), node.span)
    if isinstance(node, YamlMapping):
        entries = (
            YamlEntry(entry.key, _replace_expressions(entry.value, resolved), entry.merged)
            for entry in node.entries
            if not _is_absent(entry.value, resolved)
        )
        return YamlMapping(node.span, tuple(entries), node.tag)
    if isinstance(node, YamlSequence):
        items = (
            _replace_expressions(item, resolved) for item in node.items if not _is_absent(item, resolved)
        )
        return YamlSequence(node.span, tuple(items), node.tag)
    return node


def _is_absent(node: YamlNode, resolved: Mapping[Span, ResolvedValue]) -> bool:
    replacement = resolved.get(node.span)
    return replacement is not None and replacement.value is ABSENT


class SensitiveInputs(Struct, frozen=True, eq=False):
    """The sensitive values among the inputs of a part."""

    secrets: Secrets
    origins: tuple[Origin, ...]
    composed: ComposedSecrets
    """Finds references to secrets that the part's language has inserted into a string."""
    place: Place
    """The part in `sabir.yaml`."""

    @staticmethod
    def of(values: Iterable[ResolvedValue], place: Place) -> SensitiveInputs | None:
        """Return None if no value is sensitive, which is the usual case."""
        sensitive = [value for value in values if holds_sensitive(value.value)]
        if not sensitive:
            return None
        secrets = Secrets(text for value in sensitive for text in secret_texts(value.value) or ())
        names = set[str]().union(*(find_secret_names(value.value) for value in sensitive))
        origins = tuple(value.origin for value in sensitive)
        return SensitiveInputs(secrets, origins, ComposedSecrets(names), place)

    def mark_part(self, moved: MovedPart) -> MovedPart:
        """Return the part with every value marked that depends on a sensitive input or contains its text."""
        graph = Graph(moved.instances, outputs=moved.outputs, output_origins=moved.output_origins)
        resting = graph.dependence.find_dependents(self.origins)
        instances = tuple(self._instance(instance, resting) for instance in moved.instances)
        outputs = {
            name: self._value(value, rests=(None, name) in resting) for name, value in moved.outputs.items()
        }
        return replace(
            moved, instances=instances, outputs=outputs, wanted=lambda: self._mark_resources(moved.wanted())
        )

    def composed_in(self, moved: MovedPart) -> Iterator[Finding]:
        """A finding for each value of the part in which a secret became part of a string."""
        values = [
            (value, instance.origins.get(name, instance.origin))
            for instance in moved.instances
            for name, value in instance.attributes.items()
        ]
        values += [(value, moved.output_origins.get(name)) for name, value in moved.outputs.items()]
        return self._composed(values)

    def _composed(self, values: Iterable[tuple[Value, Origin | None]]) -> Iterator[Finding]:
        found = {
            (origin.place if origin is not None and isinstance(origin.place, Place) else self.place, name)
            for value, origin in values
            if (name := self.composed.find(value)) is not None
        }
        for place, name in sorted(found, key=lambda each: (each[0].source.name, each[0].span.start)):
            yield COMPOSED_SECRET.at(place, composed_message(name), hint=COMPOSED_HINT)

    def _mark_resources(self, wanted: DesiredResources) -> DesiredResources:
        """Mark fields that contain the text of a secret.

        Values that depend on a secret in another way are already marked in the graph from which the resources
        are built.
        """
        values = (
            (value, resource.origins.get(name, resource.origin))
            for resource in wanted.resources
            for name, value in resource.desired.items()
        )
        return replace(
            wanted,
            findings=(*wanted.findings, *self._composed(values)),
            resources=tuple(
                replace(
                    resource,
                    desired={
                        name: self.secrets.mark_sensitive(value) for name, value in resource.desired.items()
                    },
                )
                for resource in wanted.resources
            ),
        )

    def _instance(
        self, instance: Instance, resting: Mapping[tuple[str | None, str | None], object]
    ) -> Instance:
        row = tuple(
            self._value(value, rests=(instance.id, name) in resting)
            for name, value in zip(instance.attributes.layout.keys, instance.attributes.row, strict=True)
        )
        if all(new is old for new, old in zip(row, instance.attributes.row, strict=True)):
            return instance
        return replace(instance, attributes=Record(instance.attributes.layout, row))

    def _value(self, value: Value, *, rests: bool) -> Value:
        marked = self.secrets.mark_sensitive(value)
        if not rests or marked is not value or value is None or isinstance(value, Sensitive | Unknown | Ref):
            return marked
        # Computed from a sensitive value, whose text cannot be recognized in it.
        return value if holds_sensitive(value) else Sensitive(value)

    def finding(self, finding: Finding) -> Finding:
        """Return the finding without the texts of sensitive values."""
        scrubbed = self.secrets.redact
        return replace(
            finding,
            message=scrubbed(finding.message),
            hint=None if finding.hint is None else scrubbed(finding.hint),
            related=tuple(replace(note, message=scrubbed(note.message)) for note in finding.related),
        )
