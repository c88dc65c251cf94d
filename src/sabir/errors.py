"""The exceptions of sabir.

    SabirError                  the root: catch this to catch everything that sabir raises on purpose
    ├── InputError              the input cannot be used at all: no such path, neither a directory nor an archive (exit code 2)
    │   ├── PackageReadError    a file of a package cannot be read                          (sabir.source.packages)
    │   └── YamlError           the rest of a YAML text cannot be used                      (sabir.source.yaml)
    ├── UsageError              the request makes no sense: an unknown language, format or option value (exit code 2)
    ├── PluginError             a plugin could not be loaded or broke its contract
    │   └── AnnotationError     an annotation of an Inmanta plugin is missing or invalid    (sabir.languages.inmanta)
    ├── FindingError            work stopped on something the author wrote; carries the findings (exit code 1)
    │   └── QueryError          an expression could not be evaluated                        (sabir.expressions.query)
    ├── ExpressionError         the expression languages: YaqlError, PatternError, RenderError … (sabir.expressions)
    ├── MuranoError             what a MuranoPL program raises or violates                  (sabir.languages.muranopl)
    ├── DeployError             a deployment is refused or cannot continue: a lock, the state, a target (exit code 1)
    │   ├── UnreachableError    a target does not respond now; nothing was requested of it
    │   └── DivergedError       a program that runs again differs from its record           (sabir.resources)
    └── ServerError             the service: AlreadyExistsError, ProcessEndedError          (sabir.server)

Everything else that derives from `SabirError` is caught inside its package. What an author wrote wrong is a `Finding` (a value),
collected so that one run reports all of them; `FindingError` only carries findings across code that cannot continue. Control
flow is not an error: `Overrun` derives from `BaseException`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sabir.diagnostics.finding import Finding


class SabirError(Exception):
    """Base class of everything that sabir raises on purpose."""


class InputError(SabirError):
    """The input cannot be read at all; the command line prints one line and exits with code 2."""


class UsageError(SabirError):
    """The request is invalid; the command line prints the message and its hint and exits with code 2."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class PluginError(SabirError):
    """A plugin could not be loaded or broke its contract."""


class ExpressionError(SabirError):
    """An expression, pattern or template is invalid, or its evaluation failed."""


class ServerError(SabirError):
    """The service could not do what was requested."""


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
