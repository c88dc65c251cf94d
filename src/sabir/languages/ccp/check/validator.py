"""The validator of CCP packages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from sabir.checks.selection import FileSelection
from sabir.checks.validator import BaseValidator
from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule, collect_rules

__all__ = ["CcpValidator"]


class CcpValidator(BaseValidator):
    """Definitions and configuration of a component or a deployment, in the phases of the contract."""

    short_name: ClassVar[str] = "CCP"
    long_name: ClassVar[str] = "ccp"

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        return (*collect_rules("sabir.languages.ccp.syntax"), *collect_rules("sabir.languages.ccp.check"))

    def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
        from sabir.interpreter import collector_paused
        from sabir.languages.ccp.check.addresses import check_addresses
        from sabir.languages.ccp.check.beside import about_package
        from sabir.languages.ccp.check.file_templates import check_file_templates
        from sabir.languages.ccp.check.images import check_images
        from sabir.languages.ccp.check.phases import check_deployment
        from sabir.languages.ccp.model.loading import load_deployment
        from sabir.languages.language import EvaluationRequest

        with collector_paused():
            checked = check_deployment(
                load_deployment(self.package, EvaluationRequest.of_check(self.options))
            )
            findings = [*checked.findings, *check_images(checked.deployment)]
            if checked.resolved is not None:
                findings += check_file_templates(checked.resolved)
                findings += check_addresses(checked.resolved)
            about = about_package(findings, self.package, checked.deployment)
        yield from FileSelection.of(files).only(about)
