"""The `csar` output format of `sabir render`: a template and all its files in one archive.

The same files give the same bytes: members are sorted, and their time is the earliest that a zip archive can
hold.
"""

from __future__ import annotations

import io
import os
import posixpath
import re
import stat
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding, Severity
from sabir.errors import UsageError
from sabir.languages.language import EvaluationRequest, RenderOutput, RenderRequest
from sabir.languages.tosca.check.models import CheckedModels, check_topology
from sabir.languages.tosca.syntax.documents import LoadedTopology
from sabir.languages.tosca.syntax.ensembles import is_ensemble
from sabir.languages.tosca.syntax.files import DocumentFiles, files_named, files_of
from sabir.languages.tosca.syntax.manifests import meta_file
from sabir.languages.tosca.syntax.nodes import Topology
from sabir.languages.tosca.syntax.package import LoadContext, load_entry
from sabir.languages.tosca.syntax.recognition import META
from sabir.source.catalogue import ImportCatalog
from sabir.source.packages import LoadedPackage

_EARLIEST: Final = (1980, 1, 1, 0, 0, 0)


class _Member(Struct, frozen=True):
    name: str
    content: bytes
    executable: bool = False


def render_csar(package: LoadedPackage, request: EvaluationRequest, render: RenderRequest) -> RenderOutput:
    """Return the archive; without one if the findings contain an error."""
    reading = LoadContext(request.session, ImportCatalog.of(request.imports, request.search_path))
    loaded = load_entry(package, reading)
    findings = _collect_findings(package, loaded)
    topology = loaded.topology
    if topology is None or any(finding.severity is Severity.ERROR for finding in findings):
        return RenderOutput(files={}, findings=findings)
    files = files_of(package, request.session.trust, reading.catalogue)
    entry = topology.origin.source.name
    file = files.read(entry)
    if file is not None and is_ensemble(file):
        raise UsageError(f"{entry} is an ensemble: a CSAR holds a service template; name that one")
    name = (
        render.options.get("name") or posixpath.splitext(posixpath.basename(_archive_name(package, entry)))[0]
    )
    return RenderOutput(
        files={},
        findings=findings,
        archives={f"{name}.csar": _write_archive(_list_members(package, files, loaded, topology, render))},
    )


def _collect_findings(package: LoadedPackage, loaded: LoadedTopology) -> tuple[Finding, ...]:
    if loaded.topology is None or loaded.broken:
        return loaded.findings
    checked = package.attached(CheckedModels).of(loaded.topology)
    return (*loaded.findings, *check_topology(checked))


def _archive_name(package: LoadedPackage, entry: str) -> str:
    return entry if package.path is None or package.single_file else Path(os.path.abspath(package.path)).name


def _list_members(
    package: LoadedPackage,
    files: DocumentFiles,
    loaded: LoadedTopology,
    topology: Topology,
    render: RenderRequest,
) -> list[_Member]:
    others = [other for other in topology.substitutes() if not other.imported]
    names = _list_referenced_files(loaded, [topology, *others]) if package.single_file else package.list()
    places = _map_archive_paths(names, files.directory(META.rpartition("/")[2]))
    members = [_read_member(files, name, place) for name, place in places.items()]
    if package.single_file or meta_file(package) is None:
        entry = places[posixpath.normpath(topology.origin.source.name)]
        definitions = [
            places[other.origin.source.name] for other in others if other.origin.source.name in places
        ]
        members.append(_build_meta(topology.version, entry, definitions, render.options.get("meta")))
    return members


def _list_referenced_files(loaded: LoadedTopology, topologies: Iterable[Topology]) -> list[str]:
    """Return the documents and the files that they name, without copies of remote files."""
    named = {*loaded.files}
    for topology in topologies:
        named |= {topology.origin.source.name, *files_named(topology)}
    return sorted({posixpath.normpath(name) for name in named if not posixpath.isabs(name)})


def _map_archive_paths(names: list[str], base: Path | None) -> dict[str, str]:
    """Return the names in the archive.

    A file above the directory of the template moves the root of the archive up.
    """
    climb = max((name.split("/").count("..") for name in names), default=0)
    above = "/".join(Path(os.path.abspath(base)).parts[-climb:]) if climb and base is not None else ""
    return {name: posixpath.normpath(posixpath.join(above, name)) for name in names}


def _read_member(files: DocumentFiles, name: str, place: str) -> _Member:
    file = files.read(name)
    content = b"" if file is None else file.raw()
    directory = files.directory(name)
    path = None if directory is None else directory / posixpath.basename(name)
    try:
        is_executable = path is not None and bool(path.stat().st_mode & stat.S_IXUSR)
    except OSError:
        is_executable = False
    return _Member(place, content, is_executable or content.startswith(b"#!"))


def _build_meta(version: str, entry: str, others: list[str], asked: str | None) -> _Member:
    """Build TOSCA.meta.

    2.0 has only the version of the archive format. Before 1.3 the version of the file itself was 1.0.
    """
    second = version.startswith("tosca_2")
    form = asked or ("1.1" if "1_3" in version or "1.3" in version else "1.0")
    if form not in ("1.0", "1.1"):
        raise UsageError(f"--option meta={form}: TOSCA.meta has the versions 1.0 and 1.1")
    lines = ["CSAR-Version: 2.0"] if second else [f"TOSCA-Meta-File-Version: {form}", "CSAR-Version: 1.1"]
    lines += ["Created-By: sabir", f"Entry-Definitions: {entry}"]
    if others:
        lines.append(
            "Other-Definitions: "
            + " ".join(f'"{name}"' if re.search(r"\s", name) else name for name in others)
        )
    return _Member("TOSCA.meta" if second else META, "".join(f"{line}\n" for line in lines).encode())


def _write_archive(members: list[_Member]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for member in sorted(
            members, key=lambda member: (not member.name.endswith("TOSCA.meta"), member.name)
        ):
            info = zipfile.ZipInfo(member.name, _EARLIEST)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3  # Unix: the mode bits below have its meaning
            info.external_attr = (stat.S_IFREG | (0o755 if member.executable else 0o644)) << 16
            archive.writestr(info, member.content)
    return buffer.getvalue()
