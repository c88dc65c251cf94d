"""Imports: the forms they have had, and the files and profiles that they lead to."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.files import DocumentFiles
from sabir.languages.tosca.syntax.nodes import Repository
from sabir.languages.tosca.syntax.reader import WRONG_SHAPE, Reader
from sabir.source.packages import PackageFile
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence
from sabir.text import Span

MISSING_IMPORT: Final = tosca_rule(
    code="TOSCA:E004",
    title="an import that is not there",
    why="The file is not in the package, or the path leads out of it. What it defines is missing, so further checks of unknown "
    "names are left out until it can be read.",
)

REMOTE_IMPORT: Final = tosca_rule(
    code="TOSCA:E005",
    title="an import from the network",
    why="sabir does not fetch what a template names while it reads it. Without it nothing can be computed: name a copy with "
    "--import URL=PATH, or a folder of copies with --search-path.",
    when="evaluate",
    withheld=True,
)

UNFETCHED_IMPORT: Final = tosca_rule(
    code="TOSCA:W040",
    title="an import from the network is not checked",
    why="sabir does not fetch what a template names. Whether names exist that the import may define cannot be said without it: "
    "name a copy with --import URL=PATH, or a folder of copies with --search-path.",
)

PYTHON_IMPORT: Final = tosca_rule(
    code="TOSCA:W069",
    title="types that are written in Python are not read",
    why="Unfurl lets types and templates be written as Python classes. sabir does not run them: whether names exist that they may define "
    "cannot be said. `unfurl export` writes them as YAML.",
)

_IMPORT_KEYS: Final = frozenset(
    {
        "file",
        "repository",
        "namespace_prefix",
        "namespace_uri",
        "url",
        "profile",
        "namespace",
        "when",
        "namespace_prefixes",
    }
)
_REMOTE: Final = ("http://", "https://", "git://", "git@", "ssh://", "csar:")
# Shipped types by a word in the name of a profile or file.
_PROFILES: Final = ("simple", "nfv")
_HEAD: Final = 4096
_MOST_FILES: Final = 400


class ImportEntry(Struct, frozen=True):
    """What is imported: a file, or a profile by its name; and the namespace it goes into."""

    target: str
    namespace: str
    span: Span
    is_profile: bool = False
    repository: str | None = None
    repository_span: Span | None = None


def read_imports(reader: Reader, node: YamlNode | None) -> Iterator[ImportEntry]:
    """Every import, in all the forms they have had."""
    items = node.items if isinstance(node, YamlSequence) else () if node is None else (node,)
    for item in items:
        if isinstance(item, YamlScalar):
            if item.value is not None:
                yield ImportEntry(item.text, "", item.span)
        elif not isinstance(item, YamlMapping):
            reader.report(WRONG_SHAPE, "an import must be a file name or a map", item.span)
        elif any(item.get(key) is not None for key in ("file", "url", "profile")):
            yield from _read_import(reader, item)
        else:
            yield from _read_named_imports(reader, item)


def _read_named_imports(reader: Reader, node: YamlMapping) -> Iterator[ImportEntry]:
    """Up to 1.2: a map of names, each with a file or the keys of an import."""
    for _, span, value in reader.entries(node, "imports"):
        if isinstance(value, YamlMapping):
            yield from _read_import(reader, value)
        elif (text := reader.text(value, "an import")) is not None:
            yield ImportEntry(text, "", span)


def _read_import(reader: Reader, node: YamlMapping) -> Iterator[ImportEntry]:
    fields = reader.fields(node, "an import", _IMPORT_KEYS)
    namespace = (
        reader.text(fields.get("namespace_prefix") or fields.get("namespace"), "namespace_prefix") or ""
    )
    profile = reader.text(fields.get("profile"), "profile of an import")
    if profile is not None:
        if fields.get("url") is not None or fields.get("file") is not None:
            reader.report(WRONG_SHAPE, "an import names a profile or a file, not both", node.span)
        yield ImportEntry(profile, namespace, fields["profile"].span, is_profile=True)
        return
    target = fields.get("file") or fields.get("url")
    name = reader.text(target, "file of an import")
    if name is None or target is None:
        return
    repository = fields.get("repository")
    if repository is not None and reader.origin.second and re.match(r"[a-z][a-z0-9+.-]*:", name):
        message = "an import by an address with a scheme cannot name a repository, too"
        reader.report(WRONG_SHAPE, message, repository.span)
    yield ImportEntry(
        name,
        namespace,
        target.span,
        repository=reader.text(repository, "repository of an import"),
        repository_span=None if repository is None else repository.span,
    )


def is_remote(target: str) -> bool:
    return target.startswith(_REMOTE)


def in_repository(target: str, repository: Repository) -> str:
    """Where a file of a repository is: a path for one on this machine, else an address."""
    return posixpath.join(_without_scheme(repository.url), target)


def _without_scheme(target: str) -> str:
    """`file:lib` and `file:///lib` as paths."""
    if not target.startswith("file:"):
        return target
    path = target.removeprefix("file:")
    return path.removeprefix("//") if path.startswith("//") else path


def find_file(files: DocumentFiles, importer: str, target: str) -> PackageFile | None:
    """Beside the file that imports it, or from the root of the package."""
    target = _without_scheme(target)
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(importer), target))
    for name in (beside, posixpath.normpath(target.lstrip("/"))):
        # The paths of a catalogue are whole ones; whoever is in it may name what is beside it.
        if posixpath.isabs(name) == posixpath.isabs(importer) and (file := files.read(name)) is not None:
            return file
    return None


def find_profile(files: DocumentFiles, importer: str, name: str) -> PackageFile | None:
    """The file that says it is the profile of this name: in the folder of the importer, or on the search path.

    Without a version in the name any version will do, the last in the order of their names.
    """
    wanted = re.escape(name) + ("" if ":" in name else r"(?::\S+)?")
    pattern = re.compile(rb"(?m)^profile\s*:\s*[\"']?(" + wanted.encode() + rb")[\"']?\s*(?:#.*)?$")
    matches: list[tuple[str, PackageFile]] = []
    for path in list(files.beside(importer))[:_MOST_FILES]:
        file = files.read(path)
        match = None if file is None else pattern.search(file.raw()[:_HEAD])
        if file is not None and match is not None:
            matches.append((match[1].decode("utf-8", errors="replace"), file))
    return max(matches, key=lambda pair: pair[0])[1] if matches else None


def find_shipped_profile(name: str) -> str | None:
    return next((profile for profile in _PROFILES if profile in name), None)


def find_profile_for_file(target: str) -> str | None:
    """Files of normative types that templates import although every engine brings them."""
    name = posixpath.basename(target).lower()
    if "nfv" in name or "etsi" in name:
        return "nfv"
    if name in ("tosca_definition_1_0.yaml", "tosca-normative-types.yaml", "normative-types.yaml"):
        return "simple"
    return None
