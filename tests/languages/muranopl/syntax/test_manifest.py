"""Versions and ranges: the check, the loader and the library that spec 001 names agree on every one."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import pytest
from semantic_version import SimpleSpec  # type: ignore[import-untyped]  # ships no types
from semantic_version import Version as SemanticVersion

from sabir.languages.muranopl.evaluate.packages import MuranoPackage, PackageRegistry
from sabir.languages.muranopl.syntax.manifest import (
    ANY_VERSION,
    Manifest,
    Version,
    VersionError,
    VersionSpec,
    read_manifest,
)
from sabir.source.packages import MemoryPackage
from tests.languages.muranopl.check.test_codes import findings

MANIFEST = "Format: MuranoPL/1.4\nType: Library\nFullName: demo\nRequire:\n  demo.lib: '{spec}'\n"

SPECS = [
    "1",
    "1.2",
    "1.2.3",
    "0",
    "0.1",
    "*",
    "1.*",
    "1.2.*",
    "1.*.*",
    "==1",
    "==1.2",
    "==1.2.3",
    "=1.2",
    "=1.2.3",
    ">1",
    ">1.2",
    ">1.2.3",
    ">=1",
    ">=1.2",
    ">=1.2.3",
    ">=*",
    "<2",
    "<1.2",
    "<1.2.3",
    "<=1",
    "<=1.2",
    "<=1.2.3",
    "!=1",
    "!=1.2",
    "!=1.2.3",
    "^1",
    "^1.2",
    "^1.2.3",
    "^0.1",
    "^0.0.1",
    "~1",
    "~1.2",
    "~1.2.3",
    "~=1",
    "~=1.2",
    "~=1.2.3",
    "~=1.4.5",
    ">=1.2,<2",
    ">=1.2,<2,!=1.5.0",
    ">0.1,<=1.2.3",
    "1.2.3-rc.1",
    "==1.2.3-rc.1",
    ">=1.2.3-rc.1",
    "<1.2.3-rc.1",
    "<1.2.3-",
    "!=1.2.3-",
    "1.2.3+b1",
    "==1.2.3+b1",
    "!=1.2.3+b1",
    "^1.2.3-rc.1",
    "12345678901.0.0",
    ">>1",
    "~*",
    "^*",
    "<*",
    "!=",
    ">=",
    ",",
    "1,,",
    "one",
    "1.2.3.4",
    "1..2",
    "01",
    "01.2",
    "1.02",
    "1.2.3-rc..1",
    "1-rc",
    "1.*-rc",
    ">=1.2.3+b1",
    "v1.2",
    "1.x",
    "=>1",
    "~>1.2",
    "1;2",
    "1|2",
    "1-2",
    "latest",
    ">=1.2<2",
    "1.2.3-01",
]
BLANKS = (">= 1.2, < 2", " 1.2 ", "~ 1", ">=1.2 ,<2", "1 .2", "^ 0.1.2")
VERSIONS = [
    "0.0.0",
    "0.0.1",
    "0.1.0",
    "0.1.9",
    "0.2.0",
    "1.0.0",
    "1.2.0",
    "1.2.2",
    "1.2.3-rc.1",
    "1.2.3",
    "1.2.3+b1",
    "1.2.9",
    "1.3.0",
    "1.4.9",
    "1.5.0",
    "1.9.9",
    "2.0.0-beta",
    "2.0.0",
    "2.0.1",
    "12345678901.0.0",
]


def expected(spec: str) -> SimpleSpec | None:
    try:
        return SimpleSpec("".join(spec.split()))
    except ValueError:
        return None


@pytest.mark.parametrize("spec", [*SPECS, *BLANKS])
def test_check_and_load_agree_with_the_library(spec: str) -> None:
    wanted = expected(spec)
    text = MANIFEST.format(spec=spec)
    reported = [finding.code for finding in findings({"manifest.yaml": text, "LICENSE": "none\n"})]
    manifest, defects = read_manifest(MemoryPackage({"manifest.yaml": text}))
    assert manifest is not None
    if wanted is None:
        assert (reported, [defect.code for defect in defects]) == (["MAN:E076"], ["MRUN:E001"])
        return
    assert (reported, defects) == ([], ())
    for text in VERSIONS:
        installed = MuranoPackage(Manifest(name="demo.lib", version=Version.parse(text)), MemoryPackage({}))
        chosen = PackageRegistry([installed]).find("demo.lib", manifest.require["demo.lib"])
        assert (chosen is installed) is wanted.match(SemanticVersion(text)), text


@pytest.mark.parametrize("written", ["", "~", "null", "''", "'  '"])
def test_nothing_is_any_version(written: str) -> None:
    text = MANIFEST.replace("'{spec}'", written)
    assert not list(findings({"manifest.yaml": text, "LICENSE": "none\n"}))
    manifest, _ = read_manifest(MemoryPackage({"manifest.yaml": text}))
    assert manifest is not None
    assert manifest.require["demo.lib"] == ANY_VERSION
    assert ANY_VERSION.allows(Version.parse("0.0.1-alpha"))


@pytest.mark.parametrize("written", ["1", "2.3", "1.10", "4.5.6"])
def test_a_number_is_read_as_it_is_written(written: str) -> None:
    manifest, defects = read_manifest(
        MemoryPackage({"manifest.yaml": MANIFEST.replace("'{spec}'", written) + f"Version: {written}\n"})
    )
    assert manifest is not None
    assert not defects
    assert manifest.require["demo.lib"] == VersionSpec(written)
    assert manifest.version == Version.parse(written)


@pytest.mark.parametrize(
    ("written", "version"),
    [("", "0.0.0"), ("1", "1.0.0"), ("1.2", "1.2.0"), ("1.2.3-rc.1", "1.2.3-rc.1"), ("1.2.3+b", "1.2.3")]
    + [(text, None) for text in ("one", "1.2.3.4", "1.2-rc1", "1.2.3-01", "true", "[1]", "{a: 1}", "''")],
)
def test_the_version_of_a_package(written: str, version: str | None) -> None:
    text = MANIFEST.format(spec="1") + f"Version: {written}\n"
    reported = [finding.code for finding in findings({"manifest.yaml": text, "LICENSE": "none\n"})]
    manifest, defects = read_manifest(MemoryPackage({"manifest.yaml": text}))
    assert manifest is not None
    assert (reported == ["MAN:E071"], bool(defects)) == (version is None, version is None)
    assert str(manifest.version) == (version or "0.0.0")


def test_order() -> None:
    texts = ["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-beta", "1.0.0", "1.0.1", "1.1", "2"]
    versions = [Version.parse(text) for text in texts]
    assert all(older.precedence < newer.precedence for older, newer in pairwise(versions))


@pytest.mark.parametrize("text", ["one", "1.2.3.4", ">=", "1..2"])
def test_what_is_no_range(text: str) -> None:
    with pytest.raises(VersionError):
        VersionSpec.parse(text)


def test_usual_ranges_are_read_without_the_library() -> None:
    """The library takes longer to import than a small package to check."""
    code = (
        "import sys; from sabir.languages.muranopl.syntax.manifest import Version, VersionSpec;"
        "[VersionSpec.parse(text) for text in ('1', '2.3', '4.5.6', '>=1.2, <2', '~=1.4', '^2', '')]; Version.parse('1.2');"
        "assert 'semantic_version' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
