"""Waves: when the steps of a plan have given values back, everything is evaluated again, and what can be foreseen by then is done
in the same deployment.

Who agreed to a plan agreed to what it said it could not foresee yet. Anything else that comes up is asked for; what would be
deleted or replaced is, too.
"""

from __future__ import annotations

from msgspec import Struct

from sabir.deployments.deployment import Wave
from sabir.deployments.engine.recover import Recovered
from sabir.deployments.plan.guards import guarded
from sabir.deployments.plan.steps import Plan
from sabir.deployments.store.store import Store
from sabir.diagnostics.finding import Finding, Severity
from sabir.operations.deploying import EnvironmentRequest, Prepared, prepare
from sabir.operations.doing import Doing, Question
from sabir.resources.step import Action

__all__ = ["WaveLimits", "Waves"]


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
        self._observed = store.observed()
        self.findings: tuple[Finding, ...] | None = None
        """Of the last evaluation; None: there was none after the first."""

    def following(self, limits: WaveLimits) -> Wave | None:
        """The next plan; None when nothing is left to do."""
        observed = self._store.observed()
        if observed == self._observed:
            return self._stuck()
        self._observed = observed
        prepared = prepare(self._environment, self._store)
        self.findings = prepared.findings
        if prepared.failed:
            words = "with the values that came back the description has errors; nothing more is done"
            return Wave(plan=self._plan, refusal=words)
        announced = [address for address, _ in self._plan.later]
        self._plan = prepared.plan(self._store, only=limits.only)
        if not self._plan.steps:
            return self._stuck()
        return Wave(
            plan=self._plan, targets=prepared.targets, refusal=self._refusal(prepared, announced, limits)
        )

    def _stuck(self) -> Wave | None:
        """What still cannot be foreseen, although nothing more comes back."""
        if not self._plan.later:
            return None
        words = "; ".join(f"{address}: {reason}" for address, reason in self._plan.later)
        return Wave(plan=self._plan, refusal=f"this is still not known: {words}")

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


def _is_announced(address: str, announced: list[str]) -> bool:
    return any(address == each or address.startswith(f"{each}/") for each in announced)


def _words(plan: Plan) -> str:
    names = ", ".join(step.address for step in plan.steps[:5])
    more = f" and {len(plan.steps) - 5} more" if len(plan.steps) > 5 else ""
    return f"now it can be foreseen: {names}{more}"
