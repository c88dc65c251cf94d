"""Rules: what sabir can report, with the documentation for `explain`, docs and SARIF.

A rule is defined next to the function that reports it. `collect_rules` finds all rules of a package, so that none is
listed twice, and a rule that is never reported cannot hide in a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Literal, NamedTuple, TypedDict

from msgspec import Struct

from sabir.diagnostics.finding import Finding, Fix, Frame, RelatedLocation, Severity
from sabir.text import Place, Source

Example = Mapping[str, str]
"""Files of a small package by path; a byte that is no UTF-8 is written as `surrogateescape` has it. The tests check (or evaluate) it and look for the code."""


class Examples(NamedTuple):
    """A package that a rule reports, and one that it does not."""

    bad: Example
    good: Example


When = Literal["check", "evaluate", "render", "plan", "look"]


class CodeParts(NamedTuple):
    """The parts of a rule code: prefix, letter and number."""

    prefix: str
    kind: str
    number: int


def parse_code(code: str) -> CodeParts:
    """The parts of `[PREFIX:]E000` (spec 001, "Errors"); ValueError for anything else."""
    prefix, colon, name = code.rpartition(":")
    well_formed = (
        len(name) == 4
        and name[0] in "EW"
        and name.isascii()
        and name[1:].isdigit()
        and (not colon or (prefix.isascii() and prefix.isalpha() and prefix.isupper()))
    )
    if not well_formed:
        raise ValueError(f"{code!r} is no code: it must be [PREFIX:]E or W and three digits, as in MPL:E042")
    return CodeParts(prefix, name[0], int(name[1:]))


class Rule(Struct, frozen=True, kw_only=True):
    """One thing sabir can report.

    `title` is what is wrong, in a few words; `why` says why it matters and what to do.
    """

    code: str
    title: str
    why: str
    examples: Examples | str | None = None
    """A bad and a good example, or the package whose `examples.yaml` has them (`sabir.diagnostics.examples`)."""
    fixable: bool = False
    off_by_default: bool = False
    language: str | None = None
    """How the examples are read; None: found from the files."""
    trust: tuple[str, ...] = ()
    """What the examples must be trusted with to show it, in the words of `--trust`."""
    withheld: bool = False
    """Reported because leave or an input was not given: the text itself may be right, so `check` does not count it."""
    when: When = "check"
    """`check`: reported without running anything; `evaluate`: only an evaluation can tell; `render`: only rendering; `plan`: only
    when it is to be deployed, or when its targets are looked at."""

    def __post_init__(self) -> None:
        parse_code(self.code)

    @property
    def severity(self) -> Severity:
        return Severity.WARNING if parse_code(self.code).kind == "W" else Severity.ERROR

    @property
    def bad(self) -> Example:
        """A package that is reported with this code, as the tests show."""
        return self._load_examples().bad

    @property
    def good(self) -> Example:
        """A package that is not reported with this code."""
        return self._load_examples().good

    def _load_examples(self) -> Examples:
        if isinstance(self.examples, str):
            from sabir.diagnostics.examples import load_examples  # a check pays nothing for examples

            return load_examples(self.examples, self.code)
        return self.examples or Examples({}, {})

    def at(
        self,
        place: Place,
        message: str,
        *,
        hint: str | None = None,
        related: tuple[RelatedLocation, ...] = (),
        frames: tuple[Frame, ...] = (),
        fix: Fix | None = None,
    ) -> Finding:
        """A finding of this rule at a place; a source without text has no place but itself."""
        return Finding(
            code=self.code,
            message=message,
            place=place,
            whole_file=not place.source.text,
            hint=hint,
            related=related,
            frames=frames,
            fix=fix,
        )

    def about_file(self, file: str | Source, message: str, *, hint: str | None = None) -> Finding:
        """A finding about a whole file, which need not exist or be readable."""
        return Finding.about_file(self.code, message, file, hint=hint)


class RuleOptions(TypedDict, total=False):
    """What a language lets its rules say beside their texts; `Rule` tells what each means."""

    fixable: bool
    off_by_default: bool
    trust: tuple[str, ...]
    withheld: bool
    when: When


class RuleRegistry:
    """All rules of a run by code. A code is registered once and never reused."""

    def __init__(self) -> None:
        self._rules: dict[str, Rule] = {}

    def register(self, rules: Iterable[Rule]) -> None:
        for rule in rules:
            registered = self._rules.setdefault(rule.code, rule)
            if registered is not rule and registered != rule:
                raise ValueError(
                    f"code {rule.code} is registered twice, for {registered.title!r} and {rule.title!r}"
                )

    def __iter__(self) -> Iterator[Rule]:
        return iter(sorted(self._rules.values(), key=lambda rule: parse_code(rule.code)))

    def __len__(self) -> int:
        return len(self._rules)

    def __contains__(self, code: object) -> bool:
        return code in self._rules

    def get(self, code: str) -> Rule | None:
        """The rule of this exact code; a bare one (`E042`) is also found when only one prefix has it."""
        rule = self._rules.get(code.upper())
        if rule is not None or ":" in code:
            return rule
        matches = [rule for name, rule in self._rules.items() if name.endswith(":" + code.upper())]
        return matches[0] if len(matches) == 1 else None

    def names(self) -> tuple[str, ...]:
        return tuple(rule.code for rule in self)


@cache
def collect_rules(package: str) -> tuple[Rule, ...]:
    """Every rule that a module of the package (or the module of that name) defines, by code.

    All modules are imported for that, so only what lists or explains rules asks; a check that reports has its rules already.
    """
    import pkgutil  # only what lists rules pays for it

    root = import_module(package)
    names = [package]
    names += (module.name for module in pkgutil.walk_packages(getattr(root, "__path__", ()), f"{package}."))
    collected = RuleRegistry()
    for name in names:
        if not name.endswith("__main__"):
            values = vars(import_module(name)).values()
            collected.register(value for value in values if isinstance(value, Rule))
    return tuple(collected)


def list_withheld_codes(rules: Iterable[Rule]) -> frozenset[str]:
    """Return the codes of findings caused by a missing permission or input: they concern the run, not the text."""
    return frozenset(rule.code for rule in rules if rule.withheld)
