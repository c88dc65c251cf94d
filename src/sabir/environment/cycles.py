"""Evaluation of parts that refer to each other.

Parts may refer to each other in both directions as long as no value depends on itself. The solver finds out
which values are known before which, without knowing how a language computes them:

1. Every value that is not known yet is replaced by a guess. The parts are evaluated twice, with different
guesses. 2. A value that is the same in both evaluations does not depend on a guess. It is final and replaces
its guess. 3. If a part rejects a guess (it expects an integer, found a string), a guess of another type is
tried.

The rounds end when every value is final. If a round neither settles a value nor changes a guess, the
remaining values depend on each other, which is reported as a cycle. `GUESSES` has two values of each type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding, RelatedLocation
from sabir.environment.examples import environment_rule
from sabir.environment.inputs import ABSENT, ResolvedValue
from sabir.environment.merge import MovedPart
from sabir.environment.nodes import Environment
from sabir.environment.part_runner import PartOutcome
from sabir.environment.references import ValueReference
from sabir.graph.order import strongly_connected
from sabir.graph.origin import How, Origin
from sabir.graph.values import Unknown, reveal_value, same_value
from sabir.text import Span

# In the order in which they are tried: first the types, then formats that constraints often require.
GUESSES: Final[tuple[tuple[Any, Any], ...]] = (
    ("unknown-9f1c27d4", "not-known-yet-5b"),
    (7, 12),
    (True, False),
    (["unknown-9f1c27d4"], ["not-known-yet-5b", "not-known-yet-5c"]),
    ({"unknown": "unknown-9f1c27d4"}, {"not-known": "not-known-yet-5b"}),
    ([7], [12, 13]),
    ({"unknown": 7}, {"not-known": 12}),
    (30007, 30012),
    ("192.0.2.7", "198.51.100.12"),
    ("192.0.2.0/24", "198.51.100.0/25"),
    ("7 GB", "12 GB"),
    ("7 s", "12 s"),
    ("http://unknown.invalid/9f1c27d4", "http://not-known.invalid/5b"),
    ([], []),
    ({}, {}),
    (None, None),
    (ABSENT, ABSENT),
)


WAITING_VALUES: Final = environment_rule(
    "E007",
    "values that wait for each other",
    "Each of these values is computed from the next, and the last one from the first. Parts may refer to each other "
    "in both directions, but no value may need itself.",
    run=True,
)

_MOST_TRACED: Final = 30
"""Above this number of values, finding the members of the cycle would take too long: all are reported."""

Run = Callable[[str, Mapping[Span, ResolvedValue]], PartOutcome]
Resolve = Callable[[Mapping[str, MovedPart], Sequence[ValueReference]], Sequence[ResolvedValue | Finding]]


class CycleSolution(Struct, frozen=True, eq=False):
    """The outcome of every part in the cycle, evaluated with the final values of the others.

    `whole` is false if a part has errors or if some values depend on themselves.
    """

    outcomes: Mapping[str, PartOutcome]
    values: Mapping[Span, ResolvedValue]
    findings: tuple[Finding, ...]
    whole: bool


class _Attempt(Struct, frozen=True, eq=False):
    """The outcomes of all parts for one set of guesses, and the values of the references in them."""

    outcomes: Mapping[str, PartOutcome]
    values: Mapping[Span, ResolvedValue | Finding]


class CycleSolver:
    """Solves one group of parts that refer to each other; see the module docstring for the method."""

    def __init__(
        self,
        environment: Environment,
        names: Sequence[str],
        references: Sequence[ValueReference],
        known: Mapping[Span, ResolvedValue],
        run: Run,
        resolve: Resolve,
    ) -> None:
        """Take the parts `names` of one cycle.

        `references` are the values that these parts take from each other; `known` has the values from other
        parts.
        """
        self.environment = environment
        self.names = names
        self.references = references
        self.known = known
        self.run = run
        self.resolve = resolve
        self._settled: dict[Span, ResolvedValue] = {}
        self._guesses: dict[Span, int] = {}
        self._tried: set[tuple[Span, int]] = set()
        """Guesses already used. Each is used once, so that errors that come and go cannot prolong the search."""
        self._cache: dict[tuple[Any, ...], PartOutcome] = {}

    def solve(self) -> CycleSolution:
        """Return the solution; a cycle of values is reported as a finding in it, not raised."""
        self._guesses = {reference.span: 0 for reference in self.references}
        while waiting := self._list_unsettled():
            first, second = self._attempt(), self._attempt(frozenset(reference.span for reference in waiting))
            agreed = {
                reference.span: value
                for reference in waiting
                if (value := self._find_agreed_value(reference, first, second))
            }
            self._settled.update(agreed)
            # Terminates: each round settles a value or uses a new guess, and there are finitely many of both.
            if not agreed and not self._guess_better(waiting):
                return self._report_deadlock(waiting, first, second)
        return self._verify_solution()

    def _list_unsettled(self) -> list[ValueReference]:
        return [reference for reference in self.references if reference.span not in self._settled]

    # Rounds

    def _attempt(self, second: frozenset[Span] = frozenset()) -> _Attempt:
        """Evaluate all parts, with the second guess of the pair for the values in `second`."""
        outcomes = {name: self._outcome(name, self._guesses, second) for name in self.names}
        return _Attempt(outcomes, self._values(outcomes))

    def _values(self, outcomes: Mapping[str, PartOutcome]) -> dict[Span, ResolvedValue | Finding]:
        resolved = self.resolve({name: part.moved for name, part in outcomes.items()}, self.references)
        return {reference.span: value for reference, value in zip(self.references, resolved, strict=True)}

    def _outcome(self, name: str, guesses: Mapping[Span, int], second: frozenset[Span]) -> PartOutcome:
        taken = [reference for reference in self.references if reference.part == name]
        # Settled values do not change any more, so the guesses alone identify an evaluation of a part.
        key = (
            name,
            *(
                None
                if reference.span in self._settled
                else (guesses[reference.span], reference.span in second)
                for reference in taken
            ),
        )
        if key not in self._cache:
            guessed = {
                reference.span: ResolvedValue(
                    GUESSES[guesses[reference.span]][reference.span in second], self._origin(reference)
                )
                for reference in taken
            }
            self._cache[key] = self.run(name, {**self.known, **guessed, **self._settled})
        return self._cache[key]

    def _origin(self, reference: ValueReference) -> Origin:
        return Origin(self.environment.place(reference.span), How.REFERENCE, note=reference.key)

    def _find_agreed_value(
        self, reference: ValueReference, first: _Attempt, second: _Attempt
    ) -> ResolvedValue | None:
        """Return the value of a reference if both attempts agree on it, so that it cannot depend on a
        guess.
        """
        value, other = first.values[reference.span], second.values[reference.span]
        if (
            not isinstance(value, ResolvedValue)
            or not isinstance(other, ResolvedValue)
            or not same_value(value.value, other.value)
        ):
            return None
        failed = any(name in reference.parts and outcome.errors for name, outcome in first.outcomes.items())
        # A value that a part could not compute because of the guesses is unknown in both attempts: no agreement.
        return None if failed and isinstance(reveal_value(value.value), Unknown) else value

    def _guess_better(self, waiting: Sequence[ValueReference]) -> bool:
        """Try guesses of other types where a part rejects the current ones; return False if no guess
        helps.
        """
        better = False
        for name in self.names:
            errors = _error_keys(self._outcome(name, self._guesses, frozenset()))
            for reference in (reference for reference in waiting if reference.part == name):
                for kind in range(len(GUESSES)):
                    if not errors:
                        break
                    if (reference.span, kind) in self._tried:
                        continue
                    tried = {**self._guesses, reference.span: kind}
                    remaining = _error_keys(self._outcome(name, tried, frozenset()))
                    # A language that stops at its first error shows the next error only after the first is gone.
                    if len(remaining) < len(errors) or (
                        len(remaining) == len(errors) and not remaining & errors
                    ):
                        self._guesses, errors, better = tried, remaining, True
                        self._tried.add((reference.span, kind))
        return better

    # Ends

    def _verify_solution(self) -> CycleSolution:
        """Evaluate all parts once more with only final values.

        A guess can hide what a value depends on, for example if only the guess selects a branch. Then the
        values differ here, and the evaluation is repeated with the corrected ones, a bounded number of times.
        """
        wrong = [*self.references]
        for _ in range(len(self.references) + 2):
            inputs = {**self.known, **self._settled}
            outcomes = {name: self.run(name, inputs) for name in self.names}
            resolved = self._values(outcomes)
            wrong = [
                reference
                for reference in self.references
                if not self._is_settled(reference, resolved[reference.span])
            ]
            failed = any(outcome.errors for outcome in outcomes.values())
            if failed or not wrong:
                # The values with their final origins.
                values = {
                    reference.span: value
                    for reference in self.references
                    if isinstance(value := resolved[reference.span], ResolvedValue)
                }
                findings = tuple(finding for outcome in outcomes.values() for finding in outcome.findings)
                return CycleSolution(outcomes, {**self._settled, **values}, findings, whole=not failed)
            self._settled.update(
                {
                    reference.span: value
                    for reference in wrong
                    if isinstance(value := resolved[reference.span], ResolvedValue)
                }
            )
        return CycleSolution({}, self._settled, (self._wait_finding(wrong),), whole=False)

    def _is_settled(self, reference: ValueReference, value: ResolvedValue | Finding) -> bool:
        return isinstance(value, ResolvedValue) and same_value(
            value.value, self._settled[reference.span].value
        )

    def _report_deadlock(
        self, waiting: Sequence[ValueReference], first: _Attempt, second: _Attempt
    ) -> CycleSolution:
        """Report why no further value becomes final.

        The cause is either an error that does not depend on the guesses, or a cycle of values.
        """
        findings: list[Finding] = []
        # An error that occurs with both guesses does not come from a guess: it is in the project.
        for name in self.names:
            there = {_finding_key(error) for error in second.outcomes[name].errors}
            findings += [error for error in first.outcomes[name].errors if _finding_key(error) in there]
        failed = {name for name, outcome in first.outcomes.items() if outcome.errors}
        for reference in waiting:
            value, other = first.values[reference.span], second.values[reference.span]
            if isinstance(value, Finding) and isinstance(other, Finding) and not reference.parts & failed:
                findings.append(value)
        return CycleSolution(
            {}, {}, tuple(findings) or (self._wait_finding(self._find_cycle_members(waiting)),), whole=False
        )

    def _find_cycle_members(self, waiting: Sequence[ValueReference]) -> Sequence[ValueReference]:
        """Return the values that depend on themselves, without those that merely depend on the cycle.

        They are found by changing one guess at a time and comparing the results.
        """
        if len(waiting) > _MOST_TRACED:
            return waiting
        plain = self._attempt()
        rests: list[list[int]] = [[] for _ in waiting]
        # A value that changes when one guess changes depends on it; values that depend on one another are the cycle.
        for number, changed in enumerate(waiting):
            other = self._attempt(frozenset((changed.span,)))
            for position, reference in enumerate(waiting):
                if not same_value(
                    _comparable_value(plain.values[reference.span]),
                    _comparable_value(other.values[reference.span]),
                ):
                    rests[position].append(number)
        circles = [
            group for group in strongly_connected(rests) if len(group) > 1 or group[0] in rests[group[0]]
        ]
        return [waiting[position] for group in circles for position in group] or waiting

    def _wait_finding(self, waiting: Sequence[ValueReference]) -> Finding:
        first, *others = waiting
        names = ", ".join(f"{reference.part}.{reference.key}" for reference in waiting)
        message = (
            f"these values wait for each other: {names}"
            if others
            else f"this value waits for itself: {names}"
        )
        return WAITING_VALUES.at(
            self.environment.place(first.span),
            message,
            hint="give one of them a value that does not come from the other parts",
            related=tuple(
                RelatedLocation(
                    place=self.environment.place(reference.span),
                    message=f"{reference.part}.{reference.key} waits, too",
                )
                for reference in others
            ),
        )


def _error_keys(outcome: PartOutcome) -> set[tuple[str, str]]:
    return {(error.code, str(error.location)) for error in outcome.errors}


def _finding_key(finding: Finding) -> tuple[str, str, str]:
    return finding.code, str(finding.location), finding.message


def _comparable_value(value: ResolvedValue | Finding) -> Any:
    return value.value if isinstance(value, ResolvedValue) else (value.code, value.message)
