"""Facts: values that deployment steps returned, with their step and time, and how to mark them as stale."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from sabir.deployments.store.records import Fact
from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import UsageError
from sabir.graph.values import Value
from sabir.operations.deployment.environment import EnvironmentRequest, open_state
from sabir.operations.deployment.state import open_journal


class ObservedFact(Struct, frozen=True, eq=False):
    """A recorded fact with its decoded value."""

    fact: Fact
    value: Value


def facts_path(request: EnvironmentRequest, words: tuple[str, ...] = ()) -> list[ObservedFact]:
    """Return the selected facts, or all; `words` are names of facts, resources or instances."""
    with open_state(request, create=False) as store:
        facts = store.facts()
        return [
            ObservedFact(facts[name], store.fact_value(facts[name])) for name in _select_facts(words, facts)
        ]


def expire_facts(request: EnvironmentRequest, words: tuple[str, ...]) -> list[str]:
    """Mark facts as stale and return their names; the next deployment reads them again."""
    with open_journal(request) as journal:
        facts = journal.store.facts()
        names = _select_facts(words, facts)
        journal.now_all([journal.fact(replace(facts[name], expired=True)) for name in names], moves=True)
        return names


def _select_facts(words: tuple[str, ...], facts: dict[str, Fact]) -> list[str]:
    """Return the names of facts, or of all facts of the given resources and instances; all without words."""
    if not words:
        return [*facts]
    meant: dict[str, None] = {}
    for word in words:
        matching = [
            name
            for name, fact in facts.items()
            if word in (name, name.replace("|", "."), name.partition("|")[0], fact.address)
        ]
        if not matching:
            hint = did_you_mean(word, facts)
            raise UsageError(f"nothing is known as {word!r}" + (f": {hint}" if hint else ""))
        meant |= dict.fromkeys(matching)
    return [*meant]
