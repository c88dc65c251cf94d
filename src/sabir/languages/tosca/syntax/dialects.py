"""The versions of TOSCA that are read, by the names that files give them."""

from __future__ import annotations

from typing import Final

from sabir.dataclasses import dataclass
from sabir.patterns import late_pattern

__all__ = ["DIALECTS", "Dialect", "dialect_of"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a file is read: `grammar` 1 or 2, and the sets of types that are there without an import."""

    name: str
    grammar: int
    profiles: tuple[str, ...] = ("simple",)


# Working drafts as 1_0_0_wd03 name what became 1.0.
_SIMPLE: Final = late_pattern(r"tosca_simple_yaml_1_[0-3](?:_[0-9])?(?:_wd[0-9]+)?")
_NFV: Final = late_pattern(r"tosca_simple_profile_for_nfv_1_0(?:_[0-9])?")
_OASIS: Final = late_pattern(r"https?://docs\.oasis-open\.org/tosca/ns/simple/yaml/1\.[0-3](?:\.[0-9])?")
_UNFURL: Final = late_pattern(r"tosca_simple_unfurl_1_[0-9](?:_[0-9])?|unfurl/v[0-9a-z.]+")
_MEC: Final = late_pattern(r"tosca_simple_profile_for_mec_1_0(?:_[0-9])?")
_TWO: Final = late_pattern(r"tosca_2_0(?:_[0-9])?")

DIALECTS: Final = (
    "tosca_simple_yaml_1_0",
    "tosca_simple_yaml_1_1",
    "tosca_simple_yaml_1_2",
    "tosca_simple_yaml_1_3",
    "tosca_simple_profile_for_nfv_1_0",
    "tosca_simple_unfurl_1_0_0",
    "tosca_2_0",
)


def dialect_of(version: str) -> Dialect | None:
    """The dialect of a `tosca_definitions_version`; None when it is not known."""
    if _SIMPLE.fullmatch(version) or _OASIS.fullmatch(version):
        return Dialect(version, 1)
    if _NFV.fullmatch(version):
        return Dialect(version, 1, ("simple", "nfv"))
    if _MEC.fullmatch(version):
        return Dialect(version, 1)
    if _UNFURL.fullmatch(version):
        return Dialect(version, 1, ("simple", "unfurl"))
    if _TWO.fullmatch(version):
        return Dialect(version, 2, ())
    return None
