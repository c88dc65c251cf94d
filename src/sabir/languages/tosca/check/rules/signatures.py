"""Checks of SOL004 signatures: of the manifest, of single files, and of the archive as a whole."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.check.rules.hashes import UNSIGNED
from sabir.languages.tosca.check.signatures import Outcome, Verdict, verify_signature
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.manifests import (
    ManifestEntry,
    entries_of,
    first_field,
    list_signed_forms,
    meta_file,
    signature_of,
)
from sabir.source.packages import LoadedPackage, PackageFile
from sabir.source.packages.file_access import read_named_file
from sabir.source.packages.limits import PackageReadError
from sabir.text import Place, Span

UNVERIFIED: Final = tosca_rule(
    code="TOSCA:W066",
    title="a signature that could not be verified",
    why="The certificate of the signer is neither in the archive nor beside it, its time is over, or the signature was made in a way "
    "that sabir does not know. Put the certificate of the maker beside the archive, with the same name and the ending '.cert'.",
)

BAD_SIGNATURE: Final = tosca_rule(
    code="TOSCA:E067",
    title="a signature that does not fit",
    why="What was signed has been changed since, or somebody else has signed it than the certificate beside the archive says. Do not "
    "use the archive: get it again from its maker.",
)

GOOD_SIGNATURE: Final = tosca_rule(
    code="TOSCA:W068",
    title="a signature that is good",
    why="It fits what was signed. Whose it is, only a certificate can show that came by another way than the archive: one beside it, "
    "with the same name and the ending '.cert'. Select this code to have that written down.",
    off_by_default=True,
)

_CERTIFICATES: Final = (".cert", ".crt", ".cer", ".pem")
_SIGNATURES: Final = (".cms", ".p7s", ".sig")


def check_signatures(package: LoadedPackage, manifest: PackageFile, now: datetime) -> Iterator[Finding]:
    """Check the signature of the manifest, and of the files that it lists with a signature."""
    anchors = _read_adjacent_files(package, _CERTIFICATES)
    certificates = _find_certificates(package, manifest)
    signature = signature_of(manifest)
    if signature is None:
        hint = "SOL004 has the signature (CMS) at its end"
        yield UNSIGNED.about_file(manifest.source, "the manifest is not signed", hint=hint)
    else:
        first_line = Span(signature.start(), signature.start() + len(signature[0].splitlines()[0]))
        verdict = verify_signature(
            signature[0].encode(),
            list_signed_forms(manifest),
            certificates=certificates,
            anchors=anchors,
            now=now,
        )
        yield _report_verdict(Place(manifest.source, first_line), "the manifest", verdict)
    for entry in entries_of(manifest):
        if entry.signature is not None:
            yield from _check_file_signature(package, entry, (certificates, anchors), now)


def check_archive_signature(package: LoadedPackage, now: datetime) -> Iterator[Finding]:
    """Check the signature of the archive in the file of the same name next to it."""
    if package.wrapping is not None:
        yield from _check_wrapper(package, package.wrapping, now)
    path = package.path
    if path is None or package.single_file or not path.is_file():
        return
    for name in (*(path.with_suffix(ending) for ending in _SIGNATURES), Path(f"{path}.cms")):
        signature = _read_optional_file(name)
        if signature is None:
            continue
        whole = _read_optional_file(path)
        verdict = (
            Verdict(Outcome.UNKNOWN, "the archive is too large to be read at once")
            if whole is None
            else verify_signature(
                signature, [whole], anchors=_read_adjacent_files(package, _CERTIFICATES), now=now
            )
        )
        yield _report_verdict(str(name), "the archive", verdict)
        return


def _check_wrapper(package: LoadedPackage, outer: LoadedPackage, now: datetime) -> Iterator[Finding]:
    """Check SOL004 option 2: an outer archive with the archive, its signature and a certificate."""
    names = outer.list()
    inner = next(name for name in names if name.lower().endswith(".csar"))
    whole = outer.get_file(inner)
    signatures = [name for name in names if name.lower().endswith(_SIGNATURES)]
    if not signatures:
        hint = "SOL004 has a file with the signature (CMS) beside it, as vendor.cms"
        yield UNSIGNED.about_file(inner, "the archive in the archive is not signed", hint=hint)
    certificates = [
        file.raw()
        for name in names
        if name.lower().endswith(_CERTIFICATES) and (file := outer.get_file(name))
    ]
    for name in signatures:
        signature = outer.get_file(name)
        if whole is not None and signature is not None:
            anchors = _read_adjacent_files(package, _CERTIFICATES)
            verdict = verify_signature(
                signature.raw(), [whole.raw()], certificates=certificates, anchors=anchors, now=now
            )
            yield _report_verdict(name, repr(inner), verdict)


def _check_file_signature(
    package: LoadedPackage, entry: ManifestEntry, certificates: tuple[list[bytes], list[bytes]], now: datetime
) -> Iterator[Finding]:
    field = entry.signature
    signed = package.get_file(entry.source.value)
    if field is None or signed is None:
        return
    signature = package.get_file(field.value)
    if signature is None:
        hint = did_you_mean(field.value, package.list())
        message = f"the signature of {signed.name!r} is to be in {field.value!r}, which is not in the archive"
        yield UNSIGNED.at(field.place, message, hint=hint)
        return
    named = None if entry.certificate is None else package.get_file(entry.certificate.value)
    in_archive, anchors = certificates
    in_archive = in_archive if named is None else [named.raw(), *in_archive]
    verdict = verify_signature(
        signature.raw(), [signed.raw()], certificates=in_archive, anchors=anchors, now=now
    )
    yield _report_verdict(field.place, repr(signed.name), verdict)


def _report_verdict(where: Place | str, subject: str, verdict: Verdict) -> Finding:
    if verdict.outcome is Outcome.GOOD:
        rule, message, hint = GOOD_SIGNATURE, f"the signature of {subject} is good: {verdict.reason}", None
    elif verdict.outcome is Outcome.BAD:
        rule, message = BAD_SIGNATURE, f"the signature of {subject} is bad: {verdict.reason}"
        hint = "get the archive again from its maker"
    else:
        rule, message = UNVERIFIED, f"the signature of {subject} is not verified: {verdict.reason}"
        hint = "put the certificate of its maker beside the archive: its name, ending in '.cert'"
    return (
        rule.about_file(where, message, hint=hint)
        if isinstance(where, str)
        else rule.at(where, message, hint=hint)
    )


def _find_certificates(package: LoadedPackage, manifest: PackageFile) -> list[bytes]:
    """Return the certificates of an archive.

    These are the one that TOSCA.meta names, and those with the name of the manifest, next to it or at the
    root.
    """
    meta = meta_file(package)
    field = None if meta is None else first_field(meta.source, "ETSI-Entry-Certificate", "Entry-Certificate")
    stem = posixpath.splitext(manifest.name)[0]
    names = [
        *([] if field is None else [field.value]),
        *(base + ending for base in (stem, posixpath.basename(stem)) for ending in _CERTIFICATES),
    ]
    files = (package.get_file(name) for name in dict.fromkeys(names))
    return [file.raw() for file in files if file is not None]


def _read_adjacent_files(package: LoadedPackage, endings: tuple[str, ...]) -> list[bytes]:
    if package.path is None or package.single_file:
        return []
    path = Path(os.path.abspath(package.path))
    if not path.name:
        return []
    files = (_read_optional_file(path.with_suffix(ending)) for ending in endings)
    return [file for file in files if file is not None]


def _read_optional_file(path: Path) -> bytes | None:
    try:
        return read_named_file(path)
    except PackageReadError:
        return None
