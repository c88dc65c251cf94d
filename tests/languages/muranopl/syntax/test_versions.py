from __future__ import annotations

from itertools import pairwise

import pytest

from sabir.languages.muranopl.syntax.versions import InvalidVersion, Version, VersionSpec


@pytest.mark.parametrize(
    ("spec", "version", "allowed"),
    [
        ("1", "1.9.3", True),
        ("1", "2.0.0", False),
        ("1", "2.0.0-alpha", False),
        ("1.2", "1.2.9", True),
        ("1.2", "1.3.0", False),
        ("1.2.3", "1.2.3", True),
        ("1.2.3", "1.2.4", False),
        (">=1.2, <3", "2.9", True),
        (">=1.2,<3", "3.0.0-beta", False),
        (">1", "1.5", False),
        (">1", "2", True),
        ("<=1.2", "1.2.7", True),
        ("!=1.2", "1.2.7", False),
        ("^1.2", "1.9", True),
        ("~1.2", "1.3", False),
        ("*", "9.9.9", True),
    ],
)
def test_ranges(spec: str, version: str, allowed: bool) -> None:
    assert VersionSpec.parse(spec).allows(Version.parse(version)) is allowed


def test_order() -> None:
    texts = ["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-beta", "1.0.0", "1.0.1", "1.1", "2"]
    versions = [Version.parse(text) for text in texts]
    assert all(one < other for one, other in pairwise(versions))


@pytest.mark.parametrize("text", ["", "one", "1.2.3.4", ">=", "1..2"])
def test_what_is_no_version(text: str) -> None:
    with pytest.raises(InvalidVersion):
        VersionSpec.parse(text)
