"""The manifest of a package of SOL004: the files of the archive with their hashes, and a signature over them.

The text files that describe an archive, TOSCA.meta and the manifest of SOL004: lines `Name: value`, with places.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from sabir.languages.tosca.syntax.recognition import META_NAMES
from sabir.source.packages import LoadedPackage, PackageFile
from sabir.text import Place, Source, Span

_FIELD: Final = re.compile(r"(?m)^[ \t]*([A-Za-z][\w.-]*)[ \t]*:([^\n]*)$")
# Lines that begin with a space go on with the value of the line before.
_MORE: Final = re.compile(r"(?:\n[ \t]+(?![A-Za-z][\w.-]*[ \t]*:)[^\s][^\n]*)+")
_LINE: Final = re.compile(r"(?m)^[^\s#][^\n]*$")


class ManifestField(Struct, frozen=True):
    name: str
    value: str
    place: Place
    """Of the value; of the name where it has none."""


def meta_file(package: LoadedPackage) -> PackageFile | None:
    """TOSCA.meta: in its folder, or (TOSCA 2.0) at the root."""
    return next((file for name in META_NAMES if (file := package.get_file(name)) is not None), None)


def fields_of(source: Source) -> Iterator[ManifestField]:
    for match in _FIELD.finditer(source.text):
        value = match[2].strip()
        start = match.end() - len(match[2].lstrip())
        span = Span(start, start + len(value)) if value else Span(*match.span(1))
        more = _MORE.match(source.text, match.end())
        words = " ".join((value, *more[0].split())).strip() if more is not None else value
        yield ManifestField(match[1], words, Place(source, span))


def first_field(source: Source, *names: str) -> ManifestField | None:
    """The first field that has one of these names, and a value."""
    return next((field for field in fields_of(source) if field.name in names and field.value), None)


def find_malformed_lines(source: Source) -> Iterator[Place]:
    """Lines that are no fields; an indented one belongs to the line before it."""
    for match in _LINE.finditer(source.text):
        if _FIELD.match(source.text, match.start()) is None:
            yield Place(source, Span(match.start(), match.start() + len(match[0].rstrip())))


_CMS: Final = re.compile(r"(?ms)^-----BEGIN (CMS|PKCS7)-----\s*?$.*?^-----END \1-----")


class ManifestEntry(Struct, frozen=True):
    """A file that the manifest names."""

    source: ManifestField
    algorithm: ManifestField | None = None
    hash: ManifestField | None = None
    signature: ManifestField | None = None
    """The file with the signature of this one."""
    certificate: ManifestField | None = None


def manifest_of(package: LoadedPackage) -> PackageFile | None:
    """The one that TOSCA.meta names, else the one that is called as the entry is."""
    meta = meta_file(package)
    if meta is None:
        return None
    named = first_field(meta.source, "ETSI-Entry-Manifest", "Entry-Manifest")
    if named is not None:
        return package.get_file(named.value)
    entry = first_field(meta.source, "Entry-Definitions")
    return None if entry is None else package.get_file(posixpath.splitext(entry.value)[0] + ".mf")


def entries_of(manifest: PackageFile) -> Iterator[ManifestEntry]:
    """Each `Source` with the `Algorithm` and `Hash` that follow it."""
    source: ManifestField | None = None
    details: dict[str, ManifestField] = {}
    for field in fields_of(manifest.source):
        if field.name == "Source":
            if source is not None:
                yield _build_entry(source, details)
            source, details = field, {}
        elif source is not None:
            details.setdefault(field.name, field)
    if source is not None:
        yield _build_entry(source, details)


def _build_entry(source: ManifestField, details: dict[str, ManifestField]) -> ManifestEntry:
    return ManifestEntry(
        source, *(details.get(name) for name in ("Algorithm", "Hash", "Signature", "Certificate"))
    )


def signature_of(manifest: PackageFile) -> re.Match[str] | None:
    """The CMS block at the end of the manifest; what stands before it is what is signed."""
    return _CMS.search(manifest.source.text)


def list_signed_forms(manifest: PackageFile) -> list[bytes]:
    """What may have been signed of a manifest with a signature.

    SOL004 does not say which ends the lines have then, nor whether the last one has any: as it is, as mail has them
    (what `openssl cms` does without `-binary`), as Unix has them.
    """
    text, _, _ = manifest.raw().partition(b"-----BEGIN ")
    unix = text.replace(b"\r\n", b"\n")
    forms = (text, unix.replace(b"\n", b"\r\n"), unix)
    return [*dict.fromkeys((*forms, *(form.rstrip(b"\r\n") for form in forms)))]
