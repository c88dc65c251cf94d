"""What a validator is (spec 001, "Validator classes")."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import ClassVar

from sabir.diagnostics.codes import Code
from sabir.diagnostics.finding import Finding
from sabir.source.packages import LoadedPackage

__all__ = ["BaseValidator"]


class BaseValidator(ABC):
    """A set of checks of one subject of a package.

    `short_name` is the prefix of its own codes and its name for `--scope`; `long_name` is accepted there as well.
    """

    short_name: ClassVar[str]
    long_name: ClassVar[str] = ""

    def __init__(self, loaded_package: LoadedPackage) -> None:
        self.package = loaded_package

    @classmethod
    def codes(cls) -> tuple[Code, ...]:
        """The codes this validator can report."""
        return ()

    @abstractmethod
    def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
        """The findings of the package, or only of the given files."""
