"""Checks of a topology, one subject per module. All of them run, so that one check reports everything."""

from __future__ import annotations

from sabir.diagnostics.finding import Finding
from sabir.languages.tosca.check.rules.assignments import check_assignments
from sabir.languages.tosca.check.rules.functions import check_functions
from sabir.languages.tosca.check.rules.links import check_counts, check_links
from sabir.languages.tosca.check.rules.members import check_members
from sabir.languages.tosca.check.rules.refinements import check_refinements
from sabir.languages.tosca.check.rules.schemas import check_scalar_types, check_schemas
from sabir.languages.tosca.check.rules.substitution import check_substitution
from sabir.languages.tosca.check.rules.type_names import check_type_names
from sabir.languages.tosca.model.model import TopologyModel

__all__ = [
    "check_assignments",
    "check_functions",
    "check_members",
    "check_model",
    "check_type_names",
    "sort_unique_findings",
]


def check_model(model: TopologyModel) -> list[Finding]:
    """Return all findings about what a topology describes, sorted by location."""
    return sort_unique_findings(
        [
            *model.findings,
            *check_type_names(model),
            *check_scalar_types(model),
            *check_refinements(model),
            *check_schemas(model),
            *check_assignments(model),
            *check_counts(model),
            *check_functions(model),
            *check_members(model),
            *check_substitution(model),
            *check_links(model),
        ]
    )


def sort_unique_findings(findings: list[Finding]) -> list[Finding]:
    """Return the findings sorted by location, without duplicates."""
    unique = {finding.sort_key: finding for finding in findings}
    return [unique[key] for key in sorted(unique)]
