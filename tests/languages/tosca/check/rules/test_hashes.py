"""Archives: what TOSCA.meta and the manifest say of their files, and what is not looked at."""

from __future__ import annotations

import hashlib
import io
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sabir.checks import Application
from sabir.diagnostics.finding import Finding
from sabir.languages.tosca import LANGUAGE
from sabir.languages.tosca.check.rules.signatures import UNVERIFIED
from sabir.languages.tosca.check.validator import check_archive
from sabir.operations.check import check_paths
from sabir.source.packages import LoadedPackage, MemoryPackage, ZipLoader

HEAD = "tosca_definitions_version: tosca_simple_yaml_1_3\n"
META = "TOSCA-Metadata/TOSCA.meta"
SCRIPT = "echo hello\n"
FILES = {
    META: "TOSCA-Meta-File-Version: 1.1\nCSAR-Version: 1.1\nEntry-Definitions: Definitions/main.yaml\n",
    "Definitions/main.yaml": HEAD
    + "topology_template:\n  node_templates:\n    app:\n      type: tosca.nodes.SoftwareComponent\n"
    + "      interfaces: {Standard: {operations: {create: ../Scripts/create.sh}}}\n"
    + "    vm: {type: tosca.nodes.Compute}\n",
    "Scripts/create.sh": SCRIPT,
}
DIGEST = hashlib.sha512(SCRIPT.encode()).hexdigest()
NOW = datetime(2026, 11, 1, tzinfo=UTC)
CMS = UNVERIFIED.bad["template.mf"].partition("Hash: ")[2].partition("\n")[2]
MANIFEST = (
    "metadata:\n  vnf_product_name: Example\n  vnf_release_date_time: 2026-01-01T10:00:00Z\n\n"
    f"Source: Scripts/create.sh\nAlgorithm: SHA-512\nHash: {DIGEST.upper()}\n\n"
    "Source: Definitions/main.yaml\nAlgorithm: sha256\n"
    f"Hash: {hashlib.sha256(FILES['Definitions/main.yaml'].encode()).hexdigest()}\n\n"
)
SIGNED = {**FILES, "Definitions/main.mf": MANIFEST + CMS}


def packed(files: dict[str, str]) -> LoadedPackage:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    package = ZipLoader.from_bytes(buffer.getvalue())
    assert package is not None
    return package


def findings(files: dict[str, str]) -> list[Finding]:
    return [*Application().run(packed(files), LANGUAGE.validators())]


def said(files: dict[str, str]) -> list[tuple[str, str, int]]:
    """Codes with the files and lines they are said of."""
    return [
        (finding.code, finding.filename, finding.place.location.line if not finding.whole_file else 0)
        for finding in findings(files)
    ]


@pytest.mark.parametrize("files", [FILES, {**FILES, "Tests/broken.yaml": HEAD + "node_types: ["}])
def test_archives_that_are_well(files: dict[str, str]) -> None:
    assert said(files) == []


def test_the_meta_file_may_stand_at_the_root() -> None:
    files = {"TOSCA.meta" if name == META else name: text for name, text in FILES.items()}
    assert said(files) == []
    files["TOSCA.meta"] = "CSAR-Version: 2.0\nEntry-Definitions: main.yaml\n"
    assert said(files) == [("TOSCA:E028", "TOSCA.meta", 2)]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (META, "Entry-Definitions: Definitions/mian.yaml\r\n", ("TOSCA:E028", META, 1)),
        (META, FILES[META] + "no field\n", ("TOSCA:E060", META, 4)),
        (META, FILES[META] + "\nName: a\n  continued line\n# note\n", None),
        (META, FILES[META] + "ETSI-Entry-Manifest: a.mf\n", ("TOSCA:W061", META, 4)),
        (META, FILES[META] + "ETSI-Entry-Licenses: Scripts\n", None),
        (
            META,
            FILES[META] + 'Other-Definitions: "a b.yaml" Definitions/main.yaml\n',
            ("TOSCA:W061", META, 4),
        ),
        ("Files/inner.csar", "PK", ("TOSCA:W064", "Files/inner.csar", 0)),
        ("Files/inner.zip", f"PK {META}", ("TOSCA:W064", "Files/inner.zip", 0)),
        ("Files/image.zip", "PK", None),
    ],
)
def test_the_meta_file(name: str, text: str, expected: tuple[str, str, int] | None) -> None:
    assert said({**FILES, name: text}) == ([] if expected is None else [expected])


def test_a_script_that_is_not_in_the_archive() -> None:
    files = {name: text for name, text in FILES.items() if not name.startswith("Scripts")}
    assert said(files) == [("TOSCA:E042", "Definitions/main.yaml", 6)]


def test_a_meta_file_that_is_no_text() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(META, b"\xff\xfeE\x00")
        archive.writestr("main.yaml", HEAD)
    package = ZipLoader.from_bytes(buffer.getvalue())
    assert package is not None
    codes = [finding.code for finding in Application().run(package, LANGUAGE.validators())]
    assert "E003" in codes


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (DIGEST.upper(), "0" * 128, ("TOSCA:E062", 7)),
        ("SHA-512", "SHA-256", ("TOSCA:E062", 7)),
        ("SHA-512", "MD5", ("TOSCA:E062", 6)),
        ("Scripts/create.sh", "Scripts/craete.sh", ("TOSCA:E062", 5)),
        (CMS, "", ("TOSCA:W063", 0)),
        (f"Algorithm: SHA-512\nHash: {DIGEST.upper()}\n", "", ("TOSCA:W063", 0)),
    ],
)
def test_the_manifest(old: str, new: str, expected: tuple[str, int]) -> None:
    manifest = (MANIFEST + CMS).replace(old, new, 1)
    code, line = expected
    assert (code, "Definitions/main.mf", line) in said({**FILES, "Definitions/main.mf": manifest})


def test_hashes_that_are_right_are_a_note_and_so_is_the_signature() -> None:
    note, signature = check_archive(packed(SIGNED), NOW)
    assert (note.code, note.message) == ("TOSCA:W065", "2 hashes are right")
    assert said(SIGNED) == [("TOSCA:W066", "Definitions/main.mf", 13)]
    assert signature.code == "TOSCA:W066"


def test_a_file_is_hashed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    algorithms: list[str] = []
    new = hashlib.new

    def counted(name: str, content: bytes) -> object:
        algorithms.append(name)
        return new(name, content)

    monkeypatch.setattr(hashlib, "new", counted)
    files = {**FILES, "Definitions/main.mf": MANIFEST * 50 + CMS}
    assert [finding.code for finding in check_archive(packed(files), NOW)] == ["TOSCA:W065", "TOSCA:W066"]
    assert algorithms == ["sha512", "sha256"]


def test_an_archive_without_a_meta_file_begins_at_its_root(tmp_path: Path) -> None:
    path = tmp_path / "a.csar"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("main.yaml", HEAD + "topology_template: {}\n")
        archive.writestr("tests/other.yaml", HEAD + "topology_template: {node_templates: {a: {type: No}}}\n")
    assert [*check_paths([path]).report.findings()] == []


def test_what_is_said_twice_or_over_lines() -> None:
    meta = (
        FILES[META]
        + "Other-Definitions: Definitions/main.yaml\n Definitions/absent.yaml\nEntry-Definitions: x.yaml\n"
    )
    package = MemoryPackage({**FILES, META: meta})
    assert [(finding.code, finding.message) for finding in check_archive(package, NOW)] == [
        ("TOSCA:E060", "Entry-Definitions is given twice: 'Definitions/main.yaml' counts, and this does not"),
        ("TOSCA:W061", "Other-Definitions names 'Definitions/absent.yaml', which is not in the archive"),
    ]
