"""The versions of TOSCA that are read, by the names that files give them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from msgspec import Struct

from sabir.diagnostics.suggestions import did_you_mean

__all__ = ["DIALECTS", "Dialect", "dialect_hint", "dialect_of"]


class Dialect(Struct, frozen=True):
    """How a file is read: `grammar` 1 or 2, and the sets of types that are there without an import."""

    name: str
    grammar: int
    profiles: tuple[str, ...] = ("simple",)


DIALECTS: Final = (
    "tosca_simple_yaml_1_0",
    "tosca_simple_yaml_1_1",
    "tosca_simple_yaml_1_2",
    "tosca_simple_yaml_1_3",
    "tosca_simple_profile_for_nfv_1_0",
    "tosca_simple_unfurl_1_0_0",
    "tosca_2_0",
)
# Version, grammar, profiles; the usual ones first. Working drafts as 1_0_0_wd03 name what became 1.0.
_FAMILIES: Final[tuple[tuple[str, int, tuple[str, ...]], ...]] = (
    (r"tosca_simple_yaml_1_[0-3](?:_[0-9])?(?:_wd[0-9]+)?", 1, ("simple",)),
    (r"tosca_simple_unfurl_1_[0-9](?:_[0-9])?|unfurl/v[0-9a-z.]+", 1, ("simple", "unfurl")),
    (r"tosca_2_0(?:_[0-9])?", 2, ()),
    (r"tosca_simple_profile_for_nfv_1_0(?:_[0-9])?", 1, ("simple", "nfv")),
    (r"https?://docs\.oasis-open\.org/tosca/ns/simple/yaml/1\.[0-3](?:\.[0-9])?", 1, ("simple",)),
    (r"tosca_simple_profile_for_mec_1_0(?:_[0-9])?", 1, ("simple",)),
)


@lru_cache(maxsize=64)
def dialect_of(version: str) -> Dialect | None:
    """The dialect of a `tosca_definitions_version`; None when it is not known."""
    for pattern, grammar, profiles in _FAMILIES:
        if re.fullmatch(pattern, version):
            return Dialect(version, grammar, profiles)
    return None


def dialect_hint(version: str) -> str:
    """What to write instead. Of a version that is no version all of its family are said: the nearest number means nothing."""
    family = [name for name in DIALECTS if _stem(name) == _stem(version)]
    if family:
        return f"known are {', '.join(family)}"
    return did_you_mean(version, DIALECTS) or f"known are {', '.join(DIALECTS)}"


def _stem(version: str) -> str:
    return version.rstrip("0123456789_.")
