"""What a run of the checker found, for formatters and callers."""

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
    """As it was given; empty for a package that lives in memory."""
    language: str | None = None
    single_file: bool = False
    findings: tuple[Finding, ...] = ()
    suppressed: int = 0
    """Findings that comments took away."""
    baselined: int = 0
    """Findings that the baseline knows."""
    not_evaluated: str | None = None
    """Why the package was only read, when its language could have evaluated it, too."""

    def display_path(self, file: str) -> str:
        """The path under which a person finds a file of the package from where the path was given."""
        if self.single_file or file.startswith("<"):
            if file.startswith("<"):
                return file
            # A file that the given one imports lies beside it.
            beside = PurePath(self.path).parent / file
            is_other = beside != PurePath(self.path) and os.path.exists(beside)
            return beside.as_posix() if is_other else self.path
        if (
            not self.path or self.path == "." or PurePath(file).is_absolute()
        ):  # an object model lies elsewhere
            return file
        return f"{PurePath(self.path).as_posix()}/{file}"


class Report(Struct, frozen=True, kw_only=True):
    """The findings of a run over any number of packages."""

    packages: tuple[PackageReport, ...] = ()
    general: tuple[Finding, ...] = ()
    """Findings that belong to no package: plug-ins that failed to load."""
    registry: Callable[[], Iterable[Rule]] = tuple
    """Everything that can be reported. Only who writes documentation asks: it imports all of every language."""

    def findings(self) -> Iterator[tuple[PackageReport, Finding]]:
        """Every finding with its package, in the order of reports."""
        nowhere = PackageReport(path="")
        yield from ((nowhere, finding) for finding in self.general)
        for package in self.packages:
            yield from ((package, finding) for finding in package.findings)

    def rules(self) -> dict[str, Rule]:
        """The rules of the codes that were found, as far as they are registered."""
        codes = {finding.code for _, finding in self.findings()}
        return {rule.code: rule for rule in self.registry() if rule.code in codes} if codes else {}

    def count(self, severity: Severity) -> int:
        return sum(finding.severity is severity for _, finding in self.findings())

    @property
    def errors(self) -> int:
        return self.count(Severity.ERROR)

    @property
    def warnings(self) -> int:
        return self.count(Severity.WARNING)

    @property
    def not_evaluated(self) -> tuple[str, ...]:
        """Why packages were only read, each reason once, in the order of the packages."""
        reasons = (package.not_evaluated for package in self.packages)
        return tuple(dict.fromkeys(reason for reason in reasons if reason is not None))

    @property
    def suppressed(self) -> int:
        return sum(package.suppressed for package in self.packages)

    @property
    def baselined(self) -> int:
        return sum(package.baselined for package in self.packages)

    def fixable(self, *, unsafe: bool = False) -> int:
        return sum(finding.fix is not None and (finding.fix.safe or unsafe) for _, finding in self.findings())

    def statistics(self) -> list[tuple[str, int]]:
        """How often each code was found, the most frequent first."""
        counts = Counter(finding.code for _, finding in self.findings())
        return sorted(counts.items(), key=lambda item: (-item[1], item[0]))

    def exit_status(self, *, strict: bool = False) -> int:
        """0 fine, 1 errors; with `strict` any finding fails."""
        return int(bool(self.errors or (strict and self.warnings)))


def sort_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings sorted by place, each once: two checks that see the same defect are one finding."""
    seen: set[tuple[object, ...]] = set()
    result: list[Finding] = []
    for finding in sorted(findings, key=lambda finding: finding.sort_key):
        key = (*finding.sort_key, finding.place.span.end)
        if key not in seen:
            seen.add(key)
            result.append(finding)
    return tuple(result)
