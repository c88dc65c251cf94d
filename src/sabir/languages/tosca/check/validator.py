"""The validator of TOSCA packages: every document that no other imports, with what it imports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from sabir.checks.selection import FileSelection
from sabir.checks.validator import BaseValidator
from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule, collect_rules

__all__ = ["ToscaValidator"]


class ToscaValidator(BaseValidator):
    """Service templates, types and archives: names, values, requirements, functions."""

    short_name: ClassVar[str] = "TOSCA"
    long_name: ClassVar[str] = "tosca"

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        return collect_rules("sabir.languages.tosca")

    def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
        from sabir.languages.tosca.check.models import CheckedModels, check_topology
        from sabir.languages.tosca.check.rules.archives import check_archive
        from sabir.languages.tosca.syntax.package import Reading, load_entries
        from sabir.source.catalogue import Catalogue

        selection = FileSelection.of(files)
        seen: set[object] = set()
        yield from selection.only(check_archive(self.package, self.session.clock()))
        reading = Reading(self.session, Catalogue.of(self.options.imports, self.options.search_path))
        for loaded in load_entries(self.package, reading):
            findings = [*loaded.findings]
            if loaded.topology is not None and not loaded.broken:
                findings += check_topology(self.package.attached(CheckedModels).of(loaded.topology))
            for finding in selection.only(findings):
                if finding.sort_key not in seen:
                    seen.add(finding.sort_key)
                    yield finding
