"""Checks of the file hashes in the manifest of a SOL004 archive."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.manifests import ManifestEntry, ManifestField, entries_of
from sabir.languages.tosca.syntax.recognition import META_NAMES
from sabir.source.packages import LoadedPackage, PackageFile

WRONG_HASH: Final = tosca_rule(
    code="TOSCA:E062",
    title="a file is not the one that the manifest describes",
    why="The manifest gives each file of the archive with its hash. A file with another hash was changed, or damaged, after the "
    "manifest was made; one that is missing was left out.",
)

UNSIGNED: Final = tosca_rule(
    code="TOSCA:W063",
    title="a part of the archive that nobody vouches for",
    why="The manifest has no signature, or files are not in it with a hash: whether they are as their maker left them cannot be "
    "said.",
)

VERIFIED: Final = tosca_rule(
    code="TOSCA:W065",
    title="the hashes of the manifest are right",
    why="Every file that the manifest gives a hash for has been read and has it. Select this code to have that written down.",
    off_by_default=True,
)

_MOST_NEAR: Final = 300
_ALGORITHMS: Final = frozenset({"sha224", "sha256", "sha384", "sha512"})
_SIGNATURES: Final = (".cert", ".cms", ".crt", ".pem", ".p7s", ".sig")


def check_hashes(package: LoadedPackage, manifest: PackageFile) -> Iterator[Finding]:
    """Check each hash of the manifest against the file that it names.

    Missing files and unsupported hash algorithms are findings as well. A note confirms that all hashes match,
    another one lists files that the manifest does not cover.
    """
    entries = [*entries_of(manifest)]
    contents = _Contents(package)
    defects = [defect for entry in entries for defect in _check_entry(contents, entry)]
    yield from defects
    hashed = {entry.source.value for entry in entries if entry.hash is not None}
    if hashed and not defects:
        yield VERIFIED.about_file(manifest.source, f"{len(hashed)} hashes are right")
    signed = {entry.source.value for entry in entries if entry.signature is not None}
    yield from _without_hash(package, manifest, hashed | signed)


class _Contents:
    """The files of an archive; each is hashed once, even if the manifest names it repeatedly."""

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


def _check_entry(contents: _Contents, entry: ManifestEntry) -> Iterator[Finding]:
    name = entry.source.value
    file = contents.package.get_file(name)
    if file is None:
        if "://" not in name and not contents.has(name):
            message = f"the manifest names {name!r}, which is not in the archive"
            yield WRONG_HASH.at(entry.source.place, message, hint=did_you_mean(name, contents.near_names))
    elif not file.raw() and file.defect is not None:
        yield file.defect
    elif entry.hash is not None:
        yield from _check_hash(contents, file, entry, entry.hash)


def _check_hash(
    contents: _Contents, file: PackageFile, entry: ManifestEntry, written: ManifestField
) -> Iterator[Finding]:
    algorithm = _find_algorithm(entry)
    if algorithm is None:
        place = (entry.algorithm or written).place
        hint = "SOL004 has SHA-224, SHA-256, SHA-384 and SHA-512"
        yield WRONG_HASH.at(place, f"the hash of {file.name!r} cannot be computed", hint=hint)
        return
    computed = contents.digest(file, algorithm)
    if computed != written.value.lower():
        message = f"{file.name!r} has another hash than the manifest says"
        yield WRONG_HASH.at(written.place, message, hint=f"its {algorithm} is {computed}")


def _find_algorithm(entry: ManifestEntry) -> str | None:
    if entry.algorithm is None:
        return None
    name = re.sub(r"[^a-z0-9]", "", entry.algorithm.value.lower())
    return name if name in _ALGORITHMS else None


def _without_hash(package: LoadedPackage, manifest: PackageFile, hashed: set[str]) -> Iterator[Finding]:
    if not hashed:
        return
    apart = {*hashed, manifest.name, *META_NAMES}
    rest = [name for name in package.list() if name not in apart and not name.lower().endswith(_SIGNATURES)]
    if rest:
        shown = ", ".join(rest[:5]) + (" …" if len(rest) > 5 else "")
        yield UNSIGNED.about_file(manifest.source, f"without a hash in the manifest: {shown}")
