"""Waves: when the steps of a plan have given values back, everything is evaluated again, and what can be foreseen by then is done
in the same deployment. What runs does so once in a deployment: a value that changes after it ran is for the next one.

Who agreed to a plan agreed to what it said it could not foresee yet. Anything else that comes up is asked for; what would be
deleted or replaced is, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from sabir.deployments.deployment import Wave
from sabir.deployments.engine.recover import Recovered
from sabir.deployments.plan.guards import guarded
from sabir.deployments.plan.steps import Plan
from sabir.deployments.store.records import Fact
from sabir.deployments.store.store import Store
from sabir.diagnostics.finding import Finding, Severity
from sabir.graph.values import Value
from sabir.operations.deploying import EnvironmentRequest, Prepared, prepare
from sabir.operations.doing import Doing, Question
from sabir.resources.step import Action

__all__ = ["WaveLimits", "Waves", "notice_postponed"]


class WaveLimits(Struct, frozen=True, kw_only=True):
    """What later waves may do, as the operator said it for the first plan."""

    only: tuple[str, ...] = ()
    exact: bool = False
    """Nothing that the first plan did not announce."""
    allow_delete: int | None = None


class Waves:
    """What follows the first plan of a deployment."""

    def __init__(self, environment: EnvironmentRequest, doing: Doing, store: Store, first: Plan) -> None:
        self._environment = environment
        self._doing = doing
        self._store = store
        self._plan = first
        self._facts: Mapping[str, Fact] = store.facts()
        self._observed: Mapping[str, Value] = store.observed(self._facts)
        self._spent: set[str] = set()
        """Addresses that get no further step in this deployment."""
        self.findings: tuple[Finding, ...] | None = None
        """Of the last evaluation; None: there was none after the first."""

    def following(self, limits: WaveLimits, deployment: int) -> Wave | None:
        """The next plan; None when nothing is left to do."""
        facts = self._store.facts()
        observed = self._store.observed(facts)
        if observed == self._observed:
            return self._stuck()
        self._note_givers(facts, observed)
        prepared = prepare(self._environment, self._store)
        self._note_runs(prepared, deployment)
        self.findings = prepared.findings
        if prepared.failed:
            words = "with the values that came back the description has errors; nothing more is done"
            return Wave(plan=self._plan, refusal=words)
        announced = [address for address, _ in self._plan.later]
        self._plan = prepared.plan(self._store, only=limits.only, spent=self._spent)
        if not self._plan.steps:
            return self._stuck()
        return Wave(
            plan=self._plan, targets=prepared.targets, refusal=self._refusal(prepared, announced, limits)
        )

    def _stuck(self) -> Wave | None:
        """What still cannot be foreseen, although nothing more comes back."""
        if not self._plan.later:
            notice_postponed(self._plan, self._doing)
            return None
        words = "; ".join(f"{address}: {reason}" for address, reason in self._plan.later)
        return Wave(plan=self._plan, refusal=f"this is still not known: {words}")

    def _note_givers(self, facts: Mapping[str, Fact], observed: Mapping[str, Value]) -> None:
        """A resource that gave new values has had its step: else values that depend on each other would never settle."""
        for name in {*observed, *self._observed}:
            if name not in observed or name not in self._observed or observed[name] != self._observed[name]:
                self._spent.add((facts.get(name) or self._facts[name]).address)
        self._facts, self._observed = facts, observed

    def _note_runs(self, prepared: Prepared, deployment: int) -> None:
        """What runs does so once in a deployment, whatever it gives."""
        for address, record in prepared.snapshot.records.items():
            placed = prepared.placed.get(address)
            if record.deployment == deployment and placed is not None and placed.kind.runs:
                self._spent.add(address)

    def _refusal(self, prepared: Prepared, announced: list[str], limits: WaveLimits) -> str | None:
        plan = self._plan
        broken = [each for each in prepared.broken_rules(plan) if each.severity is Severity.ERROR]
        if broken:
            self.findings = (*prepared.findings, *broken)
            return f"{broken[0].code}: {broken[0].message}: nothing more is done"
        if prepared.refused_deletions(plan):
            return "what is to be deleted now needs --trust scripts: nothing more is done"
        taken_away = any(step.action is Action.DELETE for step in plan.steps)
        foreseen = all(_is_announced(step.address, announced) for step in plan.steps)
        if foreseen and not taken_away:
            self._doing.notice(_words(plan))
            return None
        if limits.exact:
            return f"{_words(plan)}, which the plan did not say: plan again"
        guard = guarded(plan, allowed=limits.allow_delete)
        question = Question(plan=plan, recovered=Recovered(), guard=guard, wave=True)
        return None if self._doing.consent(question) else "no consent to what came up: nothing more is done"


def notice_postponed(plan: Plan, doing: Doing) -> None:
    if plan.postponed:
        doing.notice(f"changed after they ran, left for the next deployment: {_names(plan.postponed)}")


def _is_announced(address: str, announced: list[str]) -> bool:
    return any(address == each or address.startswith(f"{each}/") for each in announced)


def _words(plan: Plan) -> str:
    return f"now it can be foreseen: {_names([step.address for step in plan.steps])}"


def _names(addresses: Sequence[str]) -> str:
    more = f" and {len(addresses) - 5} more" if len(addresses) > 5 else ""
    return ", ".join(addresses[:5]) + more
