"""What can be said about a model without evaluating it or running its Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar

from sabir.checks.selection import FileSelection
from sabir.checks.validator import BaseValidator
from sabir.diagnostics.finding import Finding, Severity
from sabir.diagnostics.rules import Rule
from sabir.languages.inmanta.check.values import check_values
from sabir.languages.inmanta.check.variables import check_variables
from sabir.languages.inmanta.model.functions import function_names
from sabir.languages.inmanta.model.names import check_names
from sabir.languages.inmanta.model.resolving import resolve_definitions
from sabir.languages.inmanta.syntax.cache import cache_directory
from sabir.languages.inmanta.syntax.project import load_project

__all__ = ["InmantaValidator"]


class InmantaValidator(BaseValidator):
    """Syntax, modules, types, entities, relations, implementations, functions and variables."""

    short_name: ClassVar[str] = "INM"
    long_name: ClassVar[str] = "Inmanta"

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        from sabir.diagnostics.rules import collect_rules

        return collect_rules("sabir.languages.inmanta")

    def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
        findings = sorted(self._findings(), key=lambda finding: finding.sort_key)
        yield from FileSelection.of(files).only(findings)

    def _findings(self) -> list[Finding]:
        search_path = tuple(map(Path, self.options.search_path))
        project = load_project(self.package, search_path, cache=cache_directory(self.session.environment))
        findings = project.findings
        if any(finding.severity is Severity.ERROR for finding in findings):
            return findings
        definitions = resolve_definitions(project)
        findings += definitions.findings
        findings += check_names(definitions, function_names(project))
        return findings + check_variables(definitions) + check_values(definitions)
