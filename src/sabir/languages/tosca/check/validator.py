"""The validator of TOSCA packages and archives.

Checks each document that no other document imports, together with its imports. In an archive it also checks
TOSCA.meta, the files that it names, and nested archives.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import ClassVar, Final

from sabir.checks.selection import FileSelection
from sabir.checks.validator import BaseValidator
from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule, collect_rules
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.check.rules.hashes import check_hashes
from sabir.languages.tosca.check.rules.signatures import check_archive_signature, check_signatures
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.manifests import (
    ManifestField,
    fields_of,
    find_malformed_lines,
    manifest_of,
    meta_file,
)
from sabir.languages.tosca.syntax.recognition import META
from sabir.source.packages import LoadedPackage
from sabir.text import Source


class ToscaValidator(BaseValidator):
    """Checks of service templates, types and archives: names, values, requirements, functions."""

    short_name: ClassVar[str] = "TOSCA"
    long_name: ClassVar[str] = "tosca"

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        return collect_rules("sabir.languages.tosca")

    def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
        """Check the package; with `files`, report findings about these files only."""
        from sabir.languages.tosca.check.models import CheckedModels, check_topology
        from sabir.languages.tosca.syntax.package import LoadContext, load_entries
        from sabir.source.catalogue import ImportCatalog

        selection = FileSelection.of(files)
        seen: set[object] = set()
        yield from selection.only(check_archive(self.package, self.session.clock()))
        reading = LoadContext(self.session, ImportCatalog.of(self.options.imports, self.options.search_path))
        for loaded in load_entries(self.package, reading):
            findings = [*loaded.findings]
            if loaded.topology is not None and not loaded.broken:
                findings += check_topology(self.package.attached(CheckedModels).of(loaded.topology))
            for finding in selection.only(findings):
                if finding.sort_key not in seen:
                    seen.add(finding.sort_key)
                    yield finding


BROKEN_META: Final = tosca_rule(
    code="TOSCA:E060",
    title="a line of TOSCA.meta that cannot be read",
    why="TOSCA.meta has lines 'Name: value', and empty ones between its blocks. What another line says is lost.",
)

MISSING_PART: Final = tosca_rule(
    code="TOSCA:W061",
    title="TOSCA.meta names a file that is not in the archive",
    why="Whoever takes the archive looks there for its manifest, its licences or its change log, and refuses it or does without.",
)

NESTED: Final = tosca_rule(
    code="TOSCA:W064",
    title="an archive in the archive",
    why="What is in it is not looked at: unpack it, and check it by itself.",
)

_PARTS: Final = re.compile(r"(?:ETSI-)?Entry-(?!Definitions$)\w[\w-]*|Other-Definitions")
_ONCE: Final = frozenset({"TOSCA-Meta-File-Version", "CSAR-Version", "Created-By", "Entry-Definitions"})
_SEVERAL: Final = re.compile(r'"([^"]+)"|(\S+)')


def check_archive(package: LoadedPackage, now: datetime) -> Iterator[Finding]:
    """Check the metadata, manifest, hashes and signatures of an archive.

    `now` is the time at which certificates must be valid. A package without TOSCA.meta gets only the check of
    a signature of the archive as a whole.
    """
    yield from check_archive_signature(package, now)
    meta = meta_file(package)
    if meta is None:
        return
    if meta.defect is not None:
        yield meta.defect
        return
    for place in find_malformed_lines(meta.source):
        yield BROKEN_META.at(place, "this line is no 'Name: value'", hint="write a name, a colon and a value")
    yield from _check_duplicate_fields(meta.source)
    for field in fields_of(meta.source):
        if _PARTS.fullmatch(field.name):
            yield from _check_referenced_files(package, field)
    yield from _check_nested_archives(package)
    manifest = manifest_of(package)
    if manifest is None:
        return
    if manifest.defect is not None:
        yield manifest.defect
        return
    yield from check_hashes(package, manifest)
    yield from check_signatures(package, manifest, now)


def _check_duplicate_fields(source: Source) -> Iterator[Finding]:
    """Report duplicate fields in the block about the archive itself.

    Later blocks describe single files, so their fields repeat.
    """
    seen: dict[str, ManifestField] = {}
    for field in fields_of(source):
        first = seen.setdefault(field.name, field)
        if field.name in _ONCE and first is not field:
            message = f"{field.name} is given twice: {first.value!r} counts, and this does not"
            yield BROKEN_META.at(field.place, message, hint="leave one of them")


def _check_referenced_files(package: LoadedPackage, field: ManifestField) -> Iterator[Finding]:
    names = [field.value]
    if field.name == "Other-Definitions":
        names = [quoted or bare for quoted, bare in _SEVERAL.findall(field.value)]
    for name in filter(None, names):
        if not package.exists(name) and not package.list(name):
            hint = did_you_mean(name, package.list())
            message = f"{field.name} names {name!r}, which is not in the archive"
            yield MISSING_PART.at(field.place, message, hint=hint)


def _check_nested_archives(package: LoadedPackage) -> Iterator[Finding]:
    for name in package.list():
        if name.lower().endswith(".csar") or (name.lower().endswith(".zip") and _is_csar(package, name)):
            yield NESTED.about_file(name, "an archive in the archive, which is not looked into")


def _is_csar(package: LoadedPackage, name: str) -> bool:
    file = package.get_file(name)
    # Member names are stored uncompressed in a zip archive.
    return file is not None and META.encode() in file.raw()
