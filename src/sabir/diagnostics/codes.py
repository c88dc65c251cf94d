"""Codes and their documentation: one text for `--explain`, the docs page and SARIF."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal

from sabir.dataclasses import dataclass, field
from sabir.diagnostics.finding import Severity
from sabir.namedtuples import NamedTuple
from sabir.patterns import late_pattern

__all__ = ["Code", "CodeParts", "CodeRegistry", "Example", "parse_code"]

_CODE: Final = late_pattern(r"(?:(?P<prefix>[A-Z]+):)?(?P<kind>[EW])(?P<number>[0-9]{3})")

Example = Mapping[str, str]
"""Files of a small package by path; a byte that is no UTF-8 is written as `surrogateescape` has it. The tests check (or evaluate) it and look for the code."""


class CodeParts(NamedTuple):
    prefix: str
    kind: str
    number: int


def parse_code(code: str) -> CodeParts:
    """The parts of `[PREFIX:]E000` (spec 001, "Errors"); ValueError for anything else."""
    match = _CODE.fullmatch(code)
    if match is None:
        raise ValueError(f"{code!r} is no code: it must be [PREFIX:]E or W and three digits, as in MPL:E042")
    return CodeParts(match["prefix"] or "", match["kind"], int(match["number"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """One thing sabir can report.

    `title` is what is wrong, in a few words; `why` says why it matters and what to do; `bad` and `good` are examples
    that the tests run: `bad` must be reported with this code, `good` must not.
    """

    code: str
    title: str
    why: str
    bad: Example
    good: Example
    fixable: bool = False
    off_by_default: bool = False
    language: str | None = None
    """How the examples are read; None: found from the files."""
    trust: tuple[str, ...] = ()
    """What the examples must be trusted with to show it, in the words of `--trust`."""
    when: Literal["check", "evaluate", "render"] = "check"
    """`check`: reported without running anything; `evaluate`: only an evaluation can tell; `render`: only rendering."""

    def __post_init__(self) -> None:
        parse_code(self.code)

    @property
    def severity(self) -> Severity:
        return Severity.WARNING if parse_code(self.code).kind == "W" else Severity.ERROR


@dataclass(slots=True)
class CodeRegistry:
    """All codes of a run by name. A code is registered once and never reused."""

    _codes: dict[str, Code] = field(default_factory=dict[str, Code])

    def register(self, codes: Iterable[Code]) -> None:
        for code in codes:
            known = self._codes.setdefault(code.code, code)
            if known is not code and known != code:
                raise ValueError(
                    f"code {code.code} is registered twice, for {known.title!r} and {code.title!r}"
                )

    def __iter__(self) -> Iterator[Code]:
        return iter(sorted(self._codes.values(), key=lambda code: parse_code(code.code)))

    def __len__(self) -> int:
        return len(self._codes)

    def __contains__(self, code: object) -> bool:
        return code in self._codes

    def get(self, code: str) -> Code | None:
        """The code of this exact name; a bare one (`E042`) is also found when only one prefix has it."""
        known = self._codes.get(code.upper())
        if known is not None or ":" in code:
            return known
        matches = [one for name, one in self._codes.items() if name.endswith(":" + code.upper())]
        return matches[0] if len(matches) == 1 else None

    def names(self) -> tuple[str, ...]:
        return tuple(code.code for code in self)
