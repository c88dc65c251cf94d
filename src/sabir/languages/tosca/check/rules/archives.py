"""Archives: TOSCA.meta, the manifest of SOL004 with its hashes, archives in the archive."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.near import did_you_mean
from sabir.diagnostics.rules import Rule
from sabir.languages.tosca.syntax.examples import example
from sabir.languages.tosca.syntax.manifests import Entry, entries_of, manifest_of, signature_of
from sabir.languages.tosca.syntax.meta import Field, broken_lines, fields_of, meta_file
from sabir.languages.tosca.syntax.recognition import META, META_NAMES
from sabir.source.packages import LoadedPackage, PackageFile
from sabir.text import Place, Span

__all__ = ["check_archive"]

_META: Final = "TOSCA-Meta-File-Version: 1.1\nEntry-Definitions: template.yaml\n"
_ARCHIVE: Final = {**example(""), META: _META}
# Of the template above.
_HASH: Final = "34c30138abbad10f9091dd81c2d1c7dca3e031187c74de101c397b45384fd1d1"
_MANIFEST: Final = f"Source: template.yaml\nAlgorithm: SHA-256\nHash: {_HASH}\n"
_SIGNATURE: Final = "-----BEGIN CMS-----\nMIIB\n-----END CMS-----\n"

BROKEN_META: Final = Rule(
    code="TOSCA:E060",
    title="a line of TOSCA.meta that cannot be read",
    why="TOSCA.meta has lines 'Name: value', and empty ones between its blocks. What another line says is lost.",
    bad={**_ARCHIVE, META: _META + "Created-By\n"},
    good={**_ARCHIVE, META: _META + "Created-By: Example\n"},
    language="tosca",
)

MISSING_PART: Final = Rule(
    code="TOSCA:W061",
    title="TOSCA.meta names a file that is not in the archive",
    why="Whoever takes the archive looks there for its manifest, its licences or its change log, and refuses it or does without.",
    bad={**_ARCHIVE, META: _META + "ETSI-Entry-Change-Log: ChangeLog.txt\n"},
    good={**_ARCHIVE, META: _META + "ETSI-Entry-Change-Log: ChangeLog.txt\n", "ChangeLog.txt": "1.0\n"},
    language="tosca",
)

WRONG_HASH: Final = Rule(
    code="TOSCA:E062",
    title="a file is not the one that the manifest describes",
    why="The manifest gives each file of the archive with its hash. A file with another hash was changed, or damaged, after the "
    "manifest was made; one that is missing was left out.",
    bad={**_ARCHIVE, "template.mf": _MANIFEST.replace("34c3", "34c4") + _SIGNATURE},
    good={**_ARCHIVE, "template.mf": _MANIFEST + _SIGNATURE},
    language="tosca",
)

UNSIGNED: Final = Rule(
    code="TOSCA:W063",
    title="a part of the archive that nobody vouches for",
    why="The manifest has no signature, or files are not in it with a hash: whether they are as their maker left them cannot be "
    "said.",
    bad={**_ARCHIVE, "template.mf": _MANIFEST},
    good={**_ARCHIVE, "template.mf": _MANIFEST + _SIGNATURE},
    language="tosca",
)

NESTED: Final = Rule(
    code="TOSCA:W064",
    title="an archive in the archive",
    why="What is in it is not looked at: unpack it, and check it by itself.",
    bad={**_ARCHIVE, "Files/inner.csar": "PK"},
    good={**_ARCHIVE, "Files/inner.txt": "PK"},
    language="tosca",
)

VERIFIED: Final = Rule(
    code="TOSCA:W065",
    title="the hashes of the manifest are right",
    why="Every file that the manifest gives a hash for has been read and has it. Select this code to have that written down.",
    bad={**_ARCHIVE, "template.mf": _MANIFEST + _SIGNATURE},
    good=_ARCHIVE,
    language="tosca",
    off_by_default=True,
)

UNVERIFIED: Final = Rule(
    code="TOSCA:W066",
    title="a signature that is not verified",
    why="The hashes show that the files are those of the manifest; only the signature can show whose manifest it is, and sabir does "
    "not verify it: use the certificate of its maker.",
    bad={**_ARCHIVE, "template.mf": _MANIFEST + _SIGNATURE},
    good={**_ARCHIVE, "template.mf": _MANIFEST},
    language="tosca",
)

_MOST_NEAR: Final = 300
_PARTS: Final = re.compile(r"(?:ETSI-)?Entry-(?!Definitions$)\w[\w-]*|Other-Definitions")
_SEVERAL: Final = re.compile(r'"([^"]+)"|(\S+)')
_ALGORITHMS: Final = frozenset({"sha224", "sha256", "sha384", "sha512"})
_SIGNATURES: Final = (".cert", ".cms", ".crt", ".pem", ".p7s", ".sig")


def check_archive(package: LoadedPackage) -> Iterator[Finding]:
    meta = meta_file(package)
    if meta is None:
        return
    if meta.defect is not None:
        yield meta.defect
        return
    for place in broken_lines(meta.source):
        yield BROKEN_META.at(place, "this line is no 'Name: value'", hint="write a name, a colon and a value")
    for field in fields_of(meta.source):
        if _PARTS.fullmatch(field.name):
            yield from _parts(package, field)
    yield from _nested(package)
    manifest = manifest_of(package)
    if manifest is not None:
        yield from _manifest(package, manifest)


def _parts(package: LoadedPackage, field: Field) -> Iterator[Finding]:
    names = [field.value]
    if field.name == "Other-Definitions":
        names = [quoted or bare for quoted, bare in _SEVERAL.findall(field.value)]
    for name in filter(None, names):
        if not package.exists(name) and not package.list(name):
            hint = did_you_mean(name, package.list())
            message = f"{field.name} names {name!r}, which is not in the archive"
            yield MISSING_PART.at(field.place, message, hint=hint)


def _nested(package: LoadedPackage) -> Iterator[Finding]:
    for name in package.list():
        if name.lower().endswith(".csar") or (name.lower().endswith(".zip") and _is_csar(package, name)):
            yield NESTED.about_file(name, "an archive in the archive, which is not looked into")


def _is_csar(package: LoadedPackage, name: str) -> bool:
    file = package.get_file(name)
    # The names of members stand as they are in a zip archive.
    return file is not None and META.encode() in file.raw()


def _manifest(package: LoadedPackage, manifest: PackageFile) -> Iterator[Finding]:
    if manifest.defect is not None:
        yield manifest.defect
        return
    entries = [*entries_of(manifest)]
    contents = _Contents(package)
    defects = [defect for entry in entries for defect in _entry(contents, entry)]
    yield from defects
    hashed = {entry.source.value for entry in entries if entry.hash is not None}
    if hashed and not defects:
        yield VERIFIED.about_file(manifest.source, f"{len(hashed)} hashes are right")
    yield from _signature(manifest)
    yield from _without_hash(package, manifest, hashed)


class _Contents:
    """The files of an archive; each is hashed once, however often a manifest names it."""

    def __init__(self, package: LoadedPackage) -> None:
        self.package = package
        names = package.list()
        self.near_names = names if len(names) <= _MOST_NEAR else []
        self._folders = {name[:at] for name in names for at, letter in enumerate(name) if letter == "/"}
        self._digests: dict[tuple[str, str], str] = {}

    def has(self, name: str) -> bool:
        return self.package.exists(name) or name.strip("/") in self._folders

    def digest(self, file: PackageFile, algorithm: str) -> str:
        key = file.name, algorithm
        if key not in self._digests:
            self._digests[key] = hashlib.new(algorithm, file.raw()).hexdigest()
        return self._digests[key]


def _entry(contents: _Contents, entry: Entry) -> Iterator[Finding]:
    name = entry.source.value
    file = contents.package.get_file(name)
    if file is None:
        if "://" not in name and not contents.has(name):
            message = f"the manifest names {name!r}, which is not in the archive"
            yield WRONG_HASH.at(entry.source.place, message, hint=did_you_mean(name, contents.near_names))
    elif not file.raw() and file.defect is not None:
        yield file.defect
    elif entry.hash is not None:
        yield from _hash(contents, file, entry, entry.hash)


def _hash(contents: _Contents, file: PackageFile, entry: Entry, written: Field) -> Iterator[Finding]:
    algorithm = _algorithm(entry)
    if algorithm is None:
        place = (entry.algorithm or written).place
        hint = "SOL004 has SHA-224, SHA-256, SHA-384 and SHA-512"
        yield WRONG_HASH.at(place, f"the hash of {file.name!r} cannot be computed", hint=hint)
        return
    computed = contents.digest(file, algorithm)
    if computed != written.value.lower():
        message = f"{file.name!r} has another hash than the manifest says"
        yield WRONG_HASH.at(written.place, message, hint=f"its {algorithm} is {computed}")


def _algorithm(entry: Entry) -> str | None:
    if entry.algorithm is None:
        return None
    name = re.sub(r"[^a-z0-9]", "", entry.algorithm.value.lower())
    return name if name in _ALGORITHMS else None


def _signature(manifest: PackageFile) -> Iterator[Finding]:
    signature = signature_of(manifest)
    if signature is None:
        hint = "SOL004 has the signature (CMS) at its end"
        yield UNSIGNED.about_file(manifest.source, "the manifest is not signed", hint=hint)
        return
    first_line = Span(signature.start(), signature.start() + len(signature[0].splitlines()[0]))
    message = "the manifest is signed, and the signature is not verified"
    hint = "verify it with the certificate of the maker: openssl cms -verify"
    yield UNVERIFIED.at(Place(manifest.source, first_line), message, hint=hint)


def _without_hash(package: LoadedPackage, manifest: PackageFile, hashed: set[str]) -> Iterator[Finding]:
    if not hashed:
        return
    apart = {*hashed, manifest.name, *META_NAMES}
    rest = [name for name in package.list() if name not in apart and not name.lower().endswith(_SIGNATURES)]
    if rest:
        shown = ", ".join(rest[:5]) + (" …" if len(rest) > 5 else "")
        yield UNSIGNED.about_file(manifest.source, f"without a hash in the manifest: {shown}")
