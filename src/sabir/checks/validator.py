"""What a validator is (spec 001, "Validator classes")."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Set
from functools import partial
from typing import ClassVar

from sabir.checks.options import CheckOptions
from sabir.checks.prepared import PreparedCheck
from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule
from sabir.session import Session
from sabir.source.packages import LoadedPackage

__all__ = ["BaseValidator"]


class BaseValidator(ABC):
    """A set of checks of one subject of a package.

    `short_name` is the prefix of its own codes and its name for `--scope`; `long_name` is accepted there as well.
    """

    short_name: ClassVar[str]
    long_name: ClassVar[str] = ""
    languages: ClassVar[tuple[str, ...]] = ()
    """The languages whose packages a plug-in's validator looks at; none named: all."""

    def __init__(self, loaded_package: LoadedPackage) -> None:
        self.package = loaded_package
        self.options = CheckOptions()
        """How to check; the application puts its own here before it asks for the checks."""

    @property
    def session(self) -> Session:
        """What surrounds the check."""
        return self.options.session

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """The codes this validator can report."""
        return ()

    @classmethod
    def off_by_default(cls) -> Set[str]:
        """Those of its codes that are only reported when they are selected. One that can tell without loading the
        documentation of its codes makes checks start sooner."""
        return {code.code for code in cls.rules() if code.off_by_default}

    @classmethod
    def own_code(cls, number: str) -> str:
        """`E001` with the validator's prefix: `ABC:E001`."""
        return f"{cls.short_name}:{number}"

    @abstractmethod
    def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
        """The findings of the package, or only of the given files."""

    def prepared(self, files: Iterable[str] | None = None) -> Iterator[PreparedCheck]:
        """Its checks, ready to be called. One by default; a validator of many checks may hand them out one by one,
        so that one that fails leaves the others alone."""
        yield PreparedCheck(
            validator=self.short_name,
            name=type(self).__name__,
            call=partial(self.run, files),
        )
