"""Parts that refer to each other: which value can be known before which.

Parts may refer to each other in both directions as long as no value waits for itself. What is not known yet is guessed,
twice and differently: a value that comes out the same does not rest on a guess, so it is known, and takes the place of its
guess in the next round. Where a part refuses a guess (an integer is wanted, not a text) another kind is tried. The rounds end
when everything is known, or when nothing new becomes known: then the values that are left wait for each other.

Values that stand for what is not known yet, two of each kind: what is the same with both does not rest on them.
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

# The first is tried first, the others where a part refuses it: types, and forms that constraints often ask for.
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
"""Beyond so many values it would take too long to find out which of them are the circle itself."""

Run = Callable[[str, Mapping[Span, ResolvedValue]], PartOutcome]
Resolve = Callable[[Mapping[str, MovedPart], Sequence[ValueReference]], Sequence[ResolvedValue | Finding]]


class CycleSolution(Struct, frozen=True, eq=False):
    """Every part of the circle with the values of the others; `whole` unless something is wrong or waits for itself."""

    outcomes: Mapping[str, PartOutcome]
    values: Mapping[Span, ResolvedValue]
    findings: tuple[Finding, ...]
    whole: bool


class _Attempt(Struct, frozen=True, eq=False):
    """All parts with one set of guesses, and what the references give then."""

    outcomes: Mapping[str, PartOutcome]
    values: Mapping[Span, ResolvedValue | Finding]


class CycleSolver:
    def __init__(
        self,
        environment: Environment,
        names: Sequence[str],
        references: Sequence[ValueReference],
        known: Mapping[Span, ResolvedValue],
        run: Run,
        resolve: Resolve,
    ) -> None:
        """`references` are what the parts of the circle take from each other, `known` what they are given from elsewhere."""
        self.environment = environment
        self.names = names
        self.references = references
        self.known = known
        self.run = run
        self.resolve = resolve
        self._settled: dict[Span, ResolvedValue] = {}
        self._guesses: dict[Span, int] = {}
        self._tried: set[tuple[Span, int]] = set()
        """Guesses that were changed to, each once: errors that come and go must not keep it going."""
        self._cache: dict[tuple[Any, ...], PartOutcome] = {}

    def solve(self) -> CycleSolution:
        self._guesses = {reference.span: 0 for reference in self.references}
        while waiting := self._list_unsettled():
            first, second = self._attempt(), self._attempt(frozenset(reference.span for reference in waiting))
            agreed = {
                reference.span: value
                for reference in waiting
                if (value := self._find_agreed_value(reference, first, second))
            }
            self._settled.update(agreed)
            # Each round settles a value or changes a guess that was not tried: there are finitely many of both.
            if not agreed and not self._guess_better(waiting):
                return self._report_deadlock(waiting, first, second)
        return self._verify_solution()

    def _list_unsettled(self) -> list[ValueReference]:
        return [reference for reference in self.references if reference.span not in self._settled]

    # Rounds

    def _attempt(self, second: frozenset[Span] = frozenset()) -> _Attempt:
        """Evaluate all parts; the second guess of their kind stands for the values named."""
        outcomes = {name: self._outcome(name, self._guesses, second) for name in self.names}
        return _Attempt(outcomes, self._values(outcomes))

    def _values(self, outcomes: Mapping[str, PartOutcome]) -> dict[Span, ResolvedValue | Finding]:
        resolved = self.resolve({name: part.moved for name, part in outcomes.items()}, self.references)
        return {reference.span: value for reference, value in zip(self.references, resolved, strict=True)}

    def _outcome(self, name: str, guesses: Mapping[Span, int], second: frozenset[Span]) -> PartOutcome:
        taken = [reference for reference in self.references if reference.part == name]
        # What is settled does not change any more, so the guesses tell the runs of a part apart.
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
        """The value of a reference when no guess has to do with it."""
        value, other = first.values[reference.span], second.values[reference.span]
        if (
            not isinstance(value, ResolvedValue)
            or not isinstance(other, ResolvedValue)
            or not same_value(value.value, other.value)
        ):
            return None
        failed = any(name in reference.parts and outcome.errors for name, outcome in first.outcomes.items())
        # What a part could not compute because of a guess is unknown with both of them.
        return None if failed and isinstance(reveal_value(value.value), Unknown) else value

    def _guess_better(self, waiting: Sequence[ValueReference]) -> bool:
        """Try other kinds of guesses for the parts that refuse those of now; False when none gets further."""
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
                    # A language that stops at its first error shows the next one only when that is gone.
                    if len(remaining) < len(errors) or (
                        len(remaining) == len(errors) and not remaining & errors
                    ):
                        self._guesses, errors, better = tried, remaining, True
                        self._tried.add((reference.span, kind))
        return better

    # Ends

    def _verify_solution(self) -> CycleSolution:
        """All parts with everything known. A guess can have hidden what a value rests on: then it goes on from there."""
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
                # The values with the origins that they have in the end.
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
        """Nothing new becomes known: because something is wrong whatever is guessed, or because values wait."""
        findings: list[Finding] = []
        # An error that both guesses bring has nothing to do with either: it is the user's, not ours.
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
        """Those that wait for themselves, without those that only wait for them: found by changing one guess at a time."""
        if len(waiting) > _MOST_TRACED:
            return waiting
        plain = self._attempt()
        rests: list[list[int]] = [[] for _ in waiting]
        # A value that changes with one guess alone rests on it; those that rest on one another are the circle.
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
