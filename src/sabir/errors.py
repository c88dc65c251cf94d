"""All exceptions that sabir raises on purpose.

    SabirError                  the root: catch it to catch everything raised on purpose
    ├── UnusableInput           the input cannot be read at all: path not found, neither directory nor archive …
    ├── UsageError              the request is invalid: an unknown language, format or option value
    ├── PluginError             a plugin could not be loaded or broke its contract
    ├── DeployError             a deployment is rejected or cannot continue: a lock, a state, a target
    │   ├── UnreachableError    a target is unreachable at the moment
    │   └── DivergedError       a program that runs again differs from its record (`sabir.resources`)
    └── FindingError            work stopped because of the user's files; carries the findings

A mistake in the user's files is a `Finding`, which is a value: findings are collected so that one run shows all of
them. `FindingError` only transports findings through code that cannot continue.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sabir.diagnostics.finding import Finding


class SabirError(Exception):
    """Base class of everything that sabir raises on purpose."""


class UnusableInput(SabirError):
    """The input cannot be read at all; the command line prints one line and exits with code 2."""


class UsageError(SabirError):
    """The request is invalid; the command line prints the message and its hint and exits with code 2."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class PluginError(SabirError):
    """A plugin could not be loaded or broke its contract."""


class DeployError(SabirError):
    """A deployment is rejected or cannot continue; the command line prints one line and exits with code 1."""


class UnreachableError(DeployError):
    """A target is unreachable at the moment.

    No request reached it, so nothing changed and the caller may try again.
    """


class FindingError(SabirError):
    """Work stopped because of a mistake in the user's files; `findings` state what and where."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings: tuple[Finding, ...] = tuple(findings)
        super().__init__("; ".join(f"{finding.code} {finding.message}" for finding in self.findings))


class Overrun(BaseException):
    """A limit was exceeded.

    It derives from `BaseException`, so that `except Exception` around user code does not mistake it for an error of
    that code and continue.
    """

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding
