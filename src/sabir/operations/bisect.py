"""Bisect: find the deployment in which an expression became true, and the steps and lines behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from sabir.deployments.store.records import DeploymentRecord, StepRecord
from sabir.errors import DeployError, FindingError, UsageError
from sabir.operations.deployment.environment import EnvironmentRequest, open_state
from sabir.operations.deployment.stored_request import restore_request
from sabir.operations.query import QueryAnswer, QueryRequest, query_path
from sabir.operations.why import Explanation
from sabir.text import Location


class BisectResult(Struct, frozen=True, kw_only=True):
    """The first deployment in which the expression is true."""

    deployment: DeploymentRecord
    steps: tuple[StepRecord, ...] = ()
    """The steps of that deployment for the values that were read, or for values that depend on them."""
    places: tuple[tuple[str, Location], ...] = ()
    """The values that the expression read, each with its location."""
    asked: int = 0
    """How many deployments were evaluated."""


def bisect_path(
    request: EnvironmentRequest, expression: str, variables: Mapping[str, Any] | None = None
) -> BisectResult:
    """Find the first deployment from which on the expression is true.

    Raise `UsageError` unless it is true in the last deployment and false in an earlier one. The search halves
    the history, so it assumes that the expression stayed true once it was.
    """
    with open_state(request, create=False) as store:
        deployments = [each for each in store.deployments() if each.verb == "deploy"]
        if not deployments:
            raise UsageError("nothing was deployed yet: there is no past to ask")
    answers: dict[int, QueryAnswer] = {}

    def holds(position: int) -> bool:
        answer = answers[position] = _query_deployment(
            request, expression, variables or {}, deployments[position].number
        )
        return _is_true(answer)

    last = len(deployments) - 1
    if not holds(last):
        raise DeployError(f"it is not true in the last deployment ({deployments[last].number})")
    first = _first_true(holds, last)
    with open_state(request, create=False) as store:
        steps = store.steps(deployments[first].number)
    places = _collect_locations(answers[first].chains)
    instances = {name for name, _ in places}
    return BisectResult(
        deployment=deployments[first],
        steps=tuple(step for step in steps if any(_is_about(step.address, name) for name in instances)),
        places=tuple((name, place) for name, place in places),
        asked=len(answers),
    )


def _first_true(holds: Any, last: int) -> int:
    """Return the first position for which `holds`, by binary search."""
    low, high = -1, last
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high


def _query_deployment(
    request: EnvironmentRequest, expression: str, variables: Mapping[str, Any], number: int
) -> QueryAnswer:
    with restore_request(request, number) as wished:
        answer = query_path(
            QueryRequest(
                path=wished.path,
                expression=expression,
                variables=variables,
                language=wished.language,
                evaluation=wished.evaluation,
                why=True,
            )
        )
    if answer.failed and not answer.values:
        raise FindingError(answer.findings)
    return answer


def _is_true(answer: QueryAnswer) -> bool:
    return any(answer.values)


def _collect_locations(chains: Sequence[Explanation]) -> list[tuple[str, Location]]:
    places: dict[str, Location] = {}
    for chain in chains:
        for step in chain.steps:
            if step.subject is not None and step.location is not None:
                places.setdefault(step.subject, step.location)
    return [*places.items()]


def _is_about(address: str, subject: str) -> bool:
    name = subject.rpartition(".")[0] or subject
    return address == name or address.rpartition("/")[2] == name.rpartition("/")[2]
