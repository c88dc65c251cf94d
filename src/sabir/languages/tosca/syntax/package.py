"""Which files of a package are TOSCA, and which of them is the one to begin with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.near import did_you_mean
from sabir.diagnostics.rules import Rule
from sabir.languages.tosca.syntax.documents import Loaded, load
from sabir.languages.tosca.syntax.ensembles import NO_SINGLE_TEMPLATE, is_ensemble, load_ensemble
from sabir.languages.tosca.syntax.examples import example
from sabir.languages.tosca.syntax.files import files_of
from sabir.languages.tosca.syntax.recognition import META, candidates
from sabir.session import Trust
from sabir.source.packages import LoadedPackage

__all__ = ["load_entries", "load_entry"]

MISSING_ENTRY: Final = Rule(
    code="TOSCA:E028",
    title="the archive names an entry that it does not hold",
    why="TOSCA-Metadata/TOSCA.meta says with Entry-Definitions which template to begin with, and that file is missing.",
    bad={
        **example(""),
        "TOSCA-Metadata/TOSCA.meta": "TOSCA-Meta-File-Version: 1.0\nEntry-Definitions: templ.yaml\n",
    },
    good={
        **example(""),
        "TOSCA-Metadata/TOSCA.meta": "TOSCA-Meta-File-Version: 1.0\nEntry-Definitions: template.yaml\n",
    },
    language="tosca",
)


_TOPOLOGY: Final = rb"(?m)^(topology_template|service_template)\s*:"
_ENTRY: Final = r"(?m)^Entry-Definitions\s*:\s*(\S.*?)\s*$"
_USUAL: Final = (
    "ensemble.yaml",
    "service-template.yaml",
    "service_template.yaml",
    "service.yaml",
    "main.yaml",
    "template.yaml",
)


def _load(package: LoadedPackage, name: str, trust: Trust) -> Loaded:
    file = package.get_file(name)
    if file is not None and is_ensemble(file):
        return load_ensemble(files_of(package, trust), file)
    return load(files_of(package, trust), name)


def load_entry(package: LoadedPackage, trust: Trust) -> Loaded:
    """The one service template to evaluate; a finding when there is none, or more than one to choose from."""
    names, problem = _entry(package, trust)
    if problem is not None:
        return Loaded(topology=None, findings=(problem,))
    if len(names) == 1:
        return _load(package, names[0], trust)
    message = (
        "there are several service templates: " + ", ".join(names[:8]) + (" …" if len(names) > 8 else "")
    )
    where = names[0] if names else package.name
    hint = "name the one to begin with: its path instead of the folder's"
    if not names:
        message, hint = "there is no service template here", "a service template has a 'topology_template'"
    return Loaded(topology=None, findings=(NO_SINGLE_TEMPLATE.about_file(where, message, hint=hint),))


def load_entries(package: LoadedPackage, trust: Trust) -> Iterator[Loaded]:
    """Every document of the package that no other imports, each with what it imports."""
    names, problem = _entry(package, trust)
    if problem is not None:
        yield Loaded(topology=None, findings=(problem,))
    imported: set[str] = set()
    # What the entry of an archive does not reach belongs to somebody else: other profiles, tests, what was left there.
    is_archive = package.get_file(META) is not None and bool(names)
    rest = [] if is_archive else [name for name in candidates(package) if name not in names]
    for name in [*names, *rest]:
        if name in imported:
            continue
        loaded = _load(package, name, trust)
        imported.update(loaded.files)
        yield loaded


def _entry(package: LoadedPackage, trust: Trust) -> tuple[list[str], Finding | None]:
    meta = package.get_file(META)
    if meta is not None:
        match = re.search(_ENTRY, meta.source.text)
        if match is not None and package.exists(match[1]):
            return [match[1]], None
        if match is not None:
            hint = did_you_mean(match[1], package.list())
            message = f"Entry-Definitions names {match[1]!r}, which is not in the archive"
            return [], MISSING_ENTRY.about_file(META, message, hint=hint)
        hint = "add a line 'Entry-Definitions: ' with the path of the service template"
        return [], MISSING_ENTRY.about_file(META, "TOSCA.meta has no Entry-Definitions", hint=hint)
    names = list(candidates(package))
    if len(names) <= 1:
        return names, None
    for usual in _USUAL:
        if usual in names:
            return [usual], None
    top = [name for name in names if "/" not in name]
    if len(top) == 1:
        return top, None
    with_topology = [name for name in names if _has_topology(package, name)]
    imported = {file for name in with_topology for file in _load(package, name, trust).files if file != name}
    chosen = [name for name in with_topology if name not in imported]
    return (chosen or with_topology), None


def _has_topology(package: LoadedPackage, name: str) -> bool:
    file = package.get_file(name)
    return file is not None and re.search(_TOPOLOGY, file.raw()) is not None
