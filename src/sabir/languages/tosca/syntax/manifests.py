"""The manifest of a package of SOL004: the files of the archive with their hashes, and a signature over them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from sabir.languages.tosca.syntax.meta import Field, fields_of, first_field, meta_file
from sabir.source.packages import LoadedPackage, PackageFile

__all__ = ["Entry", "entries_of", "manifest_of", "signature_of", "signed_forms"]

_CMS: Final = re.compile(r"(?ms)^-----BEGIN (CMS|PKCS7)-----\s*?$.*?^-----END \1-----")


class Entry(Struct, frozen=True):
    """A file that the manifest names."""

    source: Field
    algorithm: Field | None = None
    hash: Field | None = None
    signature: Field | None = None
    """The file with the signature of this one."""
    certificate: Field | None = None


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


def entries_of(manifest: PackageFile) -> Iterator[Entry]:
    """Each `Source` with the `Algorithm` and `Hash` that follow it."""
    source: Field | None = None
    details: dict[str, Field] = {}
    for field in fields_of(manifest.source):
        if field.name == "Source":
            if source is not None:
                yield _entry(source, details)
            source, details = field, {}
        elif source is not None:
            details.setdefault(field.name, field)
    if source is not None:
        yield _entry(source, details)


def _entry(source: Field, details: dict[str, Field]) -> Entry:
    return Entry(source, *(details.get(name) for name in ("Algorithm", "Hash", "Signature", "Certificate")))


def signature_of(manifest: PackageFile) -> re.Match[str] | None:
    """The CMS block at the end of the manifest; what stands before it is what is signed."""
    return _CMS.search(manifest.source.text)


def signed_forms(manifest: PackageFile) -> list[bytes]:
    """What may have been signed of a manifest with a signature.

    SOL004 does not say which ends the lines have then, nor whether the last one has any: as it is, as mail has them
    (what `openssl cms` does without `-binary`), as Unix has them.
    """
    text, _, _ = manifest.raw().partition(b"-----BEGIN ")
    unix = text.replace(b"\r\n", b"\n")
    forms = (text, unix.replace(b"\n", b"\r\n"), unix)
    return [*dict.fromkeys((*forms, *(form.rstrip(b"\r\n") for form in forms)))]
