"""Versions and ranges of versions as manifests write them.

Missing parts of a range mean all versions that begin so: `1` is 1.0.0 up to, not including, 2.0.0; `>=1.2,<3` is what it
says. Pre-releases sort before their release; build metadata is ignored.
"""

from __future__ import annotations

from functools import total_ordering
from typing import Final

from sabir.namedtuples import NamedTuple
from sabir.patterns import late_pattern

__all__ = ["ANY_VERSION", "InvalidVersion", "Version", "VersionSpec"]

_VERSION: Final = late_pattern(
    r"(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?"
)
_CLAUSE: Final = late_pattern(r"(>=|<=|==|!=|>|<|=|\^|~)?\s*(\S+)")


class InvalidVersion(ValueError):
    pass


@total_ordering
class Version:
    """Major, minor, patch, pre-release."""

    __slots__ = ("major", "minor", "patch", "pre")

    def __init__(self, major: int, minor: int, patch: int, pre: str = "") -> None:
        self.major, self.minor, self.patch, self.pre = major, minor, patch, pre

    @staticmethod
    def parse(text: str) -> Version:
        match = _VERSION.fullmatch(text.strip())
        if match is None:
            raise InvalidVersion(f"{text!r} is no version: as in 1.2.3")
        return Version(int(match[1]), int(match[2] or 0), int(match[3] or 0), match[4] or "")

    @property
    def key(self) -> tuple[int, int, int, bool, tuple[tuple[int, int, str], ...]]:
        parts = tuple(
            (0, int(part), "") if part.isdigit() else (1, 0, part) for part in self.pre.split(".") if part
        )
        return self.major, self.minor, self.patch, not self.pre, parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self.key == other.key

    def __lt__(self, other: Version) -> bool:
        return self.key < other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}" + (f"-{self.pre}" if self.pre else "")

    def __repr__(self) -> str:
        return f"Version({self})"


class _Bound(NamedTuple):
    low: Version | None  # included
    high: Version | None  # excluded
    negated: bool = False

    def allows(self, version: Version) -> bool:
        inside = (self.low is None or version >= self.low) and (self.high is None or version < self.high)
        return inside is not self.negated


class VersionSpec:
    """A range: every clause must allow a version."""

    __slots__ = ("bounds", "text")

    def __init__(self, text: str, bounds: tuple[_Bound, ...]) -> None:
        self.text = text
        self.bounds = bounds

    @staticmethod
    def parse(text: str) -> VersionSpec:
        bounds: list[_Bound] = []
        for clause in text.split(","):
            match = _CLAUSE.fullmatch(clause.strip())
            if match is None:
                raise InvalidVersion(f"{text!r} is no range of versions: as in 1.2 or >=1.2,<2")
            if match[2] != "*":
                bounds.append(_bound(match[1] or "", match[2]))
        return VersionSpec(text.strip(), tuple(bounds))

    def allows(self, version: Version) -> bool:
        return all(bound.allows(version) for bound in self.bounds)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"VersionSpec({self.text!r})"


def _bound(operator: str, text: str) -> _Bound:
    low = Version.parse(text)
    after = _after(text, low)
    match operator:
        case ">=":
            return _Bound(low, None)
        case ">":
            return _Bound(after, None)
        case "<":
            return _Bound(None, _release_start(low))
        case "<=":
            return _Bound(None, after)
        case "!=":
            return _Bound(low, after, negated=True)
        case "^":
            return _Bound(low, Version(low.major + 1, 0, 0, "0"))
        case "~":
            return _Bound(low, Version(low.major, low.minor + 1, 0, "0"))
        case _:
            return _Bound(low, after)


def _release_start(version: Version) -> Version:
    """`<2` leaves out pre-releases of 2.0.0, too."""
    return version if version.pre else Version(version.major, version.minor, version.patch, "0")


def _after(text: str, low: Version) -> Version:
    """The first version past all those that a possibly short version stands for."""
    parts = text.strip().split("-")[0].split("+")[0].count(".") + 1
    if low.pre:
        return Version(low.major, low.minor, low.patch, low.pre + ".0")
    if parts == 1:
        return Version(low.major + 1, 0, 0, "0")
    if parts == 2:
        return Version(low.major, low.minor + 1, 0, "0")
    return Version(low.major, low.minor, low.patch + 1, "0")


ANY_VERSION: Final = VersionSpec("*", ())
