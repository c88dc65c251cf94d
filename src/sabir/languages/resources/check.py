"""The validator of resource files: their form. Drivers check the fields of kinds when planning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from sabir.checks.selection import FileSelection
from sabir.checks.validator import BaseValidator
from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule, collect_rules
from sabir.languages.resources.syntax import load_description


class ResourcesValidator(BaseValidator):
    short_name: ClassVar[str] = "RES"
    long_name: ClassVar[str] = "resources"

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        return collect_rules("sabir.languages.resources")

    def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
        _, findings = load_description(self.package)
        yield from FileSelection.of(files).only(findings)
