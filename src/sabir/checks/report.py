"""Results of a run of the checker, for formatters and callers."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePath

from msgspec import Struct

from sabir.diagnostics.finding import Finding, Severity
from sabir.diagnostics.rules import Rule


class PackageReport(Struct, frozen=True, kw_only=True):
    """The findings of one package."""

    path: str
    """The path as the caller passed it; empty for a package in memory."""
    language: str | None = None
    single_file: bool = False
    findings: tuple[Finding, ...] = ()
    suppressed: int = 0
    """Number of findings that suppression comments removed."""
    baselined: int = 0
    """Number of findings that the baseline lists."""
    not_evaluated: str | None = None
    """Why the package was checked without evaluation although its language supports it; None otherwise."""

    def display_path(self, file: str) -> str:
        """Return the path of a file of the package relative to where the package path was given."""
        if self.single_file or file.startswith("<"):
            if file.startswith("<"):
                return file
            # A file that the checked one imports is in the same directory.
            beside = PurePath(self.path).parent / file
            is_other = beside != PurePath(self.path) and os.path.exists(beside)
            return beside.as_posix() if is_other else self.path
        if (
            not self.path or self.path == "." or PurePath(file).is_absolute()
        ):  # an object model is stored outside the package
            return file
        return f"{PurePath(self.path).as_posix()}/{file}"


class Report(Struct, frozen=True, kw_only=True):
    """The findings of a run over any number of packages."""

    packages: tuple[PackageReport, ...] = ()
    general: tuple[Finding, ...] = ()
    """Findings without a package: plugins that failed to load."""
    registry: Callable[[], Iterable[Rule]] = tuple
    """Returns all rules. Call it only for their documentation: it imports every language completely."""

    def findings(self) -> Iterator[tuple[PackageReport, Finding]]:
        """Yield every finding with its package, in report order."""
        nowhere = PackageReport(path="")
        yield from ((nowhere, finding) for finding in self.general)
        for package in self.packages:
            yield from ((package, finding) for finding in package.findings)

    def rules(self) -> dict[str, Rule]:
        """Return the registered rules of the codes that were found, by code."""
        codes = {finding.code for _, finding in self.findings()}
        return {rule.code: rule for rule in self.registry() if rule.code in codes} if codes else {}

    def count(self, severity: Severity) -> int:
        """Return the number of findings of a severity."""
        return sum(finding.severity is severity for _, finding in self.findings())

    @property
    def errors(self) -> int:
        return self.count(Severity.ERROR)

    @property
    def warnings(self) -> int:
        return self.count(Severity.WARNING)

    @property
    def not_evaluated(self) -> tuple[str, ...]:
        """The distinct reasons why packages were not evaluated, in the order of the packages."""
        reasons = (package.not_evaluated for package in self.packages)
        return tuple(dict.fromkeys(reason for reason in reasons if reason is not None))

    @property
    def suppressed(self) -> int:
        return sum(package.suppressed for package in self.packages)

    @property
    def baselined(self) -> int:
        return sum(package.baselined for package in self.packages)

    def fixable(self, *, unsafe: bool = False) -> int:
        """Return the number of findings with a fix; unsafe fixes count only with `unsafe`."""
        return sum(finding.fix is not None and (finding.fix.safe or unsafe) for _, finding in self.findings())

    def statistics(self) -> list[tuple[str, int]]:
        """Return how often each code was found, the most frequent first."""
        counts = Counter(finding.code for _, finding in self.findings())
        return sorted(counts.items(), key=lambda item: (-item[1], item[0]))

    def exit_status(self, *, strict: bool = False) -> int:
        """Return the exit code: 1 if there are errors, or with `strict` any findings, else 0."""
        return int(bool(self.errors or (strict and self.warnings)))


def sort_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings sorted by location, without duplicates.

    Two checks that report the same defect at the same span result in one finding.
    """
    seen: set[tuple[object, ...]] = set()
    result: list[Finding] = []
    for finding in sorted(findings, key=lambda finding: finding.sort_key):
        key = (*finding.sort_key, finding.place.span.end)
        if key not in seen:
            seen.add(key)
            result.append(finding)
    return tuple(result)
