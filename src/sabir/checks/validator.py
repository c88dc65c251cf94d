"""Validators and checkers (spec 001, "Validator classes" and "Checkers").

A validator is a class that checks one subject of a package. A checker is a plain function that takes data and yields findings.
A filter prevents it from being called where it does not apply:

    check_scope = only_for(check_scope_keys, format_between("1.4"))
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
    """The languages whose packages a plugin's validator checks; empty for all."""

    def __init__(self, loaded_package: LoadedPackage) -> None:
        self.package = loaded_package
        self.options = CheckOptions()
        """The options of the check; the application replaces them before it prepares the checks."""

    @property
    def session(self) -> Session:
        """The session of the check."""
        return self.options.session

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        """Return the rules that this validator can report."""
        return ()

    @classmethod
    def off_by_default(cls) -> Set[str]:
        """Return the codes that are only reported when they are selected.

        A validator that knows them without loading the documentation of its rules should override this: checks start faster.
        """
        return {code.code for code in cls.rules() if code.off_by_default}

    @classmethod
    def own_code(cls, number: str) -> str:
        """Return `E001` with the validator's prefix: `ABC:E001`."""
        return f"{cls.short_name}:{number}"

    @abstractmethod
    def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
        """Yield the findings of the package, or only of the given files."""

    def prepare_checks(self, files: Iterable[str] | None = None) -> Iterator[CheckTask]:
        """Yield the checks, ready to be called.

        There is one by default. A validator with many checks may yield them separately: one that fails does not affect the others.
        """
        yield CheckTask(
            validator=self.short_name,
            name=type(self).__name__,
            call=partial(self.run, files),
        )


P = ParamSpec("P")
Condition = Callable[[LoadedPackage], bool]
"""Whether a checker applies to a package."""


class FilteredChecker(Struct, Generic[P], frozen=True):
    """A checker with the conditions under which it is called.

    Call it with a package to get the checker to use.
    """

    checker: Callable[P, Iterator[Finding]]
    conditions: tuple[Condition, ...]

    def __call__(self, package: LoadedPackage) -> Callable[P, Iterator[Finding]]:
        return self.checker if all(holds(package) for holds in self.conditions) else self._silent

    def _silent(self, *_args: P.args, **_kwargs: P.kwargs) -> Iterator[Finding]:
        return iter(())


def only_for(checker: Callable[P, Iterator[Finding]], *conditions: Condition) -> FilteredChecker[P]:
    """Wrap a checker, so that it is called only for packages that meet all conditions."""
    return FilteredChecker(checker, conditions)


def format_between(
    since: str | None = None, until: str | None = None, *, name: str = "MuranoPL"
) -> Condition:
    """Return the condition that a package has this format, in a version of the given range.

    Both `since` and `until` are inclusive.
    """
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
    """Return the condition that `Type` of the package's manifest is one of these."""

    def holds(package: LoadedPackage) -> bool:
        manifest = package.get_file("manifest.yaml")
        data = manifest.parsed() if manifest else None
        return isinstance(data, dict) and data.get("Type") in types

    return holds


def format_version(text: str) -> tuple[int, ...]:
    """Convert `1.4` to a comparable tuple of integers.

    Text after the number is ignored, `(0,)` if there is none.
    """
    parts = re.match(r"\d+(?:\.\d+)*", text)
    return tuple(int(part) for part in parts[0].split(".")) if parts else (0,)
