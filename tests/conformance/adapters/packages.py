"""Package-check cases on `sabir check`."""

from __future__ import annotations

from pathlib import Path

from sabir.checks.options import CheckOptions
from sabir.operations.check import check_paths
from tests.conformance.runner.packages import PackageCase, PackageOutcome, Reported

__all__ = ["run"]


def run(case: PackageCase, target: Path) -> PackageOutcome:
    options = CheckOptions(
        select=case.options.select,
        ignore=case.options.ignore,
        scope=case.options.scope,
        strict=case.options.strict,
        language="muranopl",
    )
    result = check_paths([target], options)
    found = [finding for _, finding in result.report.findings()]
    return PackageOutcome(
        findings=tuple(
            Reported(
                code=finding.code,
                severity=finding.severity.value,
                file=case.input_path if case.input_path is not None else finding.filename,
                line=finding.location.line or None,
            )
            for finding in found
        ),
        exit=result.exit_status(strict=case.options.strict),
        messages=tuple(f"{finding.location}: {finding.code} {finding.message}" for finding in found)
        + tuple(f"{path.name}: {reason}" for path, reason in result.refused),
    )
