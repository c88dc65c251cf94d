"""What a validator is (spec 001, "Validator classes").

Checkers and the filters that wrap them (spec 001, "Checkers").

A checker is a plain function: it is given data, yields findings, and prepares nothing itself. A filter keeps it from being
called where it does not apply:

    check_scope = only_for(checked_scope, format_between("1.4"))
    yield from check_scope(package)(method)
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Set
from functools import partial
from typing import ClassVar, Generic, ParamSpec

from msgspec import Struct

from sabir.checks.check_task import CheckTask
from sabir.checks.options import CheckOptions
from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule
from sabir.session import Session
from sabir.source.packages import LoadedPackage


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

    def prepare_checks(self, files: Iterable[str] | None = None) -> Iterator[CheckTask]:
        """Its checks, ready to be called. One by default; a validator of many checks may hand them out one by one,
        so that one that fails leaves the others alone."""
        yield CheckTask(
            validator=self.short_name,
            name=type(self).__name__,
            call=partial(self.run, files),
        )


P = ParamSpec("P")
Condition = Callable[[LoadedPackage], bool]
"""Whether a checker applies to a package."""


class FilteredChecker(Struct, Generic[P], frozen=True):
    """A checker and the conditions on which it is called; called with a package, it gives the checker to use there."""

    checker: Callable[P, Iterator[Finding]]
    conditions: tuple[Condition, ...]

    def __call__(self, package: LoadedPackage) -> Callable[P, Iterator[Finding]]:
        return self.checker if all(holds(package) for holds in self.conditions) else self._silent

    def _silent(self, *_args: P.args, **_kwargs: P.kwargs) -> Iterator[Finding]:
        return iter(())


def only_for(checker: Callable[P, Iterator[Finding]], *conditions: Condition) -> FilteredChecker[P]:
    """Wrap a checker, so that it is called only where all conditions hold."""
    return FilteredChecker(checker, conditions)


def format_between(
    since: str | None = None, until: str | None = None, *, name: str = "MuranoPL"
) -> Condition:
    """Packages of this format whose version is not below `since` and not above `until`."""
    lowest = None if since is None else format_version(since)
    highest = None if until is None else format_version(until)

    def holds(package: LoadedPackage) -> bool:
        written_name, written = package.format()
        version = format_version(written)
        return (
            written_name == name
            and (lowest is None or version >= lowest)
            and (highest is None or version <= highest)
        )

    return holds


def package_type(*types: str) -> Condition:
    """Packages whose manifest has one of these as `Type`."""

    def holds(package: LoadedPackage) -> bool:
        manifest = package.get_file("manifest.yaml")
        data = manifest.parsed() if manifest else None
        return isinstance(data, dict) and data.get("Type") in types

    return holds


def format_version(text: str) -> tuple[int, ...]:
    """`1.4` as numbers that compare; what is no number ends it."""
    parts = re.match(r"\d+(?:\.\d+)*", text)
    return tuple(int(part) for part in parts[0].split(".")) if parts else (0,)
