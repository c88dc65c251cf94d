"""The exceptions of sabir, all of them.

    SabirError                  the root: catch this to catch everything raised on purpose
    ├── UnusableInput           what was given cannot be taken at all: no such path, neither folder nor archive …
    ├── UsageError              the request itself makes no sense: an unknown language, format or option value
    ├── PluginError             a plug-in could not be loaded or broke its contract
    ├── DeployError             a deployment is refused or cannot go on: a lock, a state, a target
    │   └── Diverged            a program that is run again differs from its record (`sabir.resources`)
    └── FindingError            work stopped on something the user wrote; carries the findings that say what

What a user wrote wrong is a `Finding` (a value), collected so that one run shows all of them. `FindingError` is only the
vehicle for findings across code that cannot go on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sabir.diagnostics.finding import Finding


class SabirError(Exception):
    """Root of everything sabir raises on purpose."""


class UnusableInput(SabirError):
    """The input cannot be taken at all; the command line answers with one line and exit status 2."""


class UsageError(SabirError):
    """The request makes no sense; the command line prints it with its hint and exits with code 2."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class PluginError(SabirError):
    """A plug-in could not be loaded or broke its contract."""


class DeployError(SabirError):
    """A deployment is refused or cannot go on; the command line answers with one line and exit status 1."""


class UnreachableError(DeployError):
    """A target does not answer now; nothing was asked of it. It may be worth another try."""


class FindingError(SabirError):
    """Work stopped because of what the user wrote; `findings` say what and where."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings: tuple[Finding, ...] = tuple(findings)
        super().__init__("; ".join(f"{finding.code} {finding.message}" for finding in self.findings))


class Overrun(BaseException):
    """More was spent than the limits allow. No error of the work: nothing on the way out may take it for one."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding
