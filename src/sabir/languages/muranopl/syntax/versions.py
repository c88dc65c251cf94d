"""Versions of packages and ranges of them, as manifests write them: the one reader, for checks and for loading.

`semantic_version.SimpleSpec` (the library that spec 001 names) decides which ranges there are and which versions they
allow; blanks are removed first, and nothing written means any version. Importing the library costs more than checking a
small package, so the usual spellings are recognised without it; only comparing versions always needs it.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from sabir.lazy import lazy_pattern
from sabir.source.yaml.nodes import YamlNode, YamlScalar

if TYPE_CHECKING:
    from semantic_version import SimpleSpec  # type: ignore[import-untyped]  # ships no types
    from semantic_version import Version as SemanticVersion

__all__ = [
    "ANY_VERSION",
    "NO_VERSION",
    "InvalidVersion",
    "Version",
    "VersionSpec",
    "read_version",
    "read_version_spec",
]

_NUMBER: Final = r"(?:0|[1-9][0-9]{0,8})"
_LABEL: Final = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
# A pre-release or build metadata stands behind all three numbers only (V-057).
_version_pattern: Final = lazy_pattern(
    rf"([0-9]{{1,100}})(?:\.([0-9]{{1,100}})(?:\.([0-9]{{1,100}})(?:-({_LABEL}))?(?:\+({_LABEL}))?)?)?"
)


@cache
def _usual_range_pattern() -> re.Pattern[str]:
    """Ranges that SimpleSpec takes for sure."""
    clause = rf"(?:==?|>=?|<=?|!=|\^|~=?)?{_NUMBER}(?:\.{_NUMBER}){{0,2}}"
    return re.compile(rf"{clause}(?:,{clause})*")


class InvalidVersion(ValueError):
    pass


class Version(Struct, frozen=True):
    """Major, minor, patch, pre-release; `build` decides only where a range asks for it."""

    major: int
    minor: int
    patch: int
    pre: str = ""
    build: str = ""

    @staticmethod
    def parse(text: str) -> Version:
        """Short versions are completed: `1.2` is 1.2.0 (S-23)."""
        match = _version_pattern().fullmatch(text.strip())
        if match is None or _has_leading_zero(match[4] or ""):
            raise InvalidVersion(f"{text!r} is no version: as in 1.2.3")
        return Version(int(match[1]), int(match[2] or 0), int(match[3] or 0), match[4] or "", match[5] or "")

    @property
    def precedence(self) -> Any:
        """What versions are ordered by."""
        return self.semantic().precedence_key

    def semantic(self) -> SemanticVersion:
        from semantic_version import Version as SemanticVersion

        return SemanticVersion(f"{self}+{self.build}" if self.build else str(self))

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}" + (f"-{self.pre}" if self.pre else "")


def _has_leading_zero(labels: str) -> bool:
    return any(len(label) > 1 and label[0] == "0" and label.isdigit() for label in labels.split("."))


class VersionSpec(Struct, frozen=True):
    """A range of versions; the empty text allows every version."""

    text: str

    @staticmethod
    def parse(text: str) -> VersionSpec:
        compact = "".join(text.split())
        if not compact:
            return ANY_VERSION
        if not _usual_range_pattern().fullmatch(compact):
            _simple_spec(compact)
        return VersionSpec(compact)

    def allows(self, version: Version) -> bool:
        return not self.text or bool(_simple_spec(self.text).match(version.semantic()))

    def __str__(self) -> str:
        return self.text or "*"


@lru_cache(maxsize=1024)
def _simple_spec(text: str) -> SimpleSpec:
    from semantic_version import SimpleSpec

    try:
        return SimpleSpec(text)
    except ValueError:
        raise InvalidVersion(f"{text!r} is no range of versions: as in 1.2 or >=1.2,<2") from None


ANY_VERSION: Final = VersionSpec("")
NO_VERSION: Final = Version(0, 0, 0)


def read_version(node: YamlNode) -> Version:
    """The value of `Version`, a number as well; nothing is 0.0.0."""
    if not isinstance(node, YamlScalar):
        raise InvalidVersion("a version is a text: as in 1.2.3")
    return NO_VERSION if node.value is None else Version.parse(node.text)


def read_version_spec(node: YamlNode) -> VersionSpec:
    """A value of `Require`; nothing is any version."""
    if not isinstance(node, YamlScalar):
        raise InvalidVersion("a version or a range of versions is wanted")
    return ANY_VERSION if node.value is None else VersionSpec.parse(node.text)
