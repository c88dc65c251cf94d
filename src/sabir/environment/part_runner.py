"""Evaluation of one part with the values that the environment passes to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sabir.diagnostics.finding import Finding, Severity
from sabir.environment.examples import environment_rule
from sabir.environment.inputs import ResolvedValue, SensitiveInputs, request_for
from sabir.environment.merge import MovedPart, move_part
from sabir.environment.nodes import Environment
from sabir.environment.parts import LoadedPart
from sabir.environment.references import ValueReference
from sabir.errors import InputError, UsageError
from sabir.graph.graph import Graph
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.text import Span

UNUSABLE_INPUT: Final = environment_rule(
    "E009",
    "a part that cannot use what it is given",
    "The inputs, the model or the configuration of a part are not what its language takes.",
    run=True,
)

_NO_GRAPH: Final = Graph(())


class PartOutcome(Struct, frozen=True, eq=False):
    """The graph of a part as far as it could be evaluated, and the findings."""

    moved: MovedPart
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity is Severity.ERROR)


class PartRunner(Struct, frozen=True):
    """Evaluates parts; the same part may run several times with different values, as `cycles` requires."""

    environment: Environment
    parts: Mapping[str, LoadedPart]
    asked: Mapping[str | None, Sequence[ValueReference]]
    """The expressions of `sabir.yaml` by the part that receives them; None for the outputs."""
    request: EvaluationRequest

    def run(self, name: str, resolved: Mapping[Span, ResolvedValue]) -> PartOutcome:
        """Evaluate a part; `resolved` has a value for every expression in its inputs."""
        loaded = self.parts[name]
        if self.request.on_progress is not None:
            self.request.on_progress(f"{name} ({loaded.language.name})")
        request, sensitive = self.request_for(name, resolved)
        if sensitive is not None:
            # The origins of the values decide which of them are sensitive, so they must be complete.
            request = replace(request, full_provenance=True)
        evaluation = self._evaluation(loaded, request)
        origins = {span: value.origin for span, value in resolved.items()}
        moved = move_part(name, evaluation, loaded.places, origins)
        findings = tuple(loaded.places.finding(finding) for finding in evaluation.findings)
        if sensitive is None:
            return PartOutcome(moved, findings)
        composed = tuple(sensitive.composed_in(moved))
        return PartOutcome(sensitive.mark_part(moved), (*map(sensitive.finding, findings), *composed))

    def request_for(
        self, name: str, resolved: Mapping[Span, ResolvedValue]
    ) -> tuple[EvaluationRequest, SensitiveInputs | None]:
        """Return the request that evaluates a part, and its sensitive inputs."""
        request = request_for(self.environment, self.parts[name], self.request, resolved)
        values = (resolved.get(reference.span) for reference in self.asked.get(name, ()))
        place = self.environment.place(self.parts[name].part.span)
        return request, SensitiveInputs.of((value for value in values if value is not None), place)

    def _evaluation(self, loaded: LoadedPart, request: EvaluationRequest) -> Evaluation:
        """Evaluate a part; report unusable input as a finding in `sabir.yaml`.

        On the command line the same error would be a usage error, but here `sabir.yaml` contains it.
        """
        try:
            return loaded.language.evaluate(loaded.package, request)
        except (UsageError, InputError) as error:
            if request.overrides:
                # Evaluated again without --set, to tell whether the override or `sabir.yaml` is wrong.
                plain = self._evaluation(loaded, replace(request, overrides={}))
                if not any(finding.code == UNUSABLE_INPUT.code for finding in plain.findings):
                    said = str(error).removeprefix("--set ")
                    raise UsageError(f"--set in part {loaded.part.name!r}: {said}") from error
                return plain
            return Evaluation(graph=_NO_GRAPH, findings=(self._unusable(loaded, error),))

    def _unusable(self, loaded: LoadedPart, error: Exception) -> Finding:
        part = loaded.part
        node = part.inputs or part.model or part.config
        return UNUSABLE_INPUT.at(
            self.environment.place(part.span if node is None else node.span),
            f"part {part.name!r} cannot use what it is given: {error}",
        )
