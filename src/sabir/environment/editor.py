"""Editor support for `sabir.yaml`: names of parts and targets, expressions that use them, completion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sabir.checks.policy_editor import policy_candidates, policy_symbols
from sabir.environment import FILE_NAME
from sabir.environment.read import ENVIRONMENT_KEYS, PART_KEYS
from sabir.expressions.vocabulary import absolute_path, typed_path
from sabir.plugins import DRIVERS, LANGUAGES, plugin_names
from sabir.source.packages import LoadedPackage, PackageFile
from sabir.source.symbols import Candidate, FileNames, Mention, Symbol, SymbolKind
from sabir.source.yaml.access import all_entries, sequence_items, text_entries, value_at
from sabir.source.yaml.cursor import key_symbol, locate_cursor
from sabir.source.yaml.nodes import YamlNode, text_of
from sabir.text import Source, Span


def libraries(package: LoadedPackage) -> Sequence[LoadedPackage]:  # noqa: ARG001  an explorer's
    """Return no packages: an environment does not build on libraries."""
    return ()


def file_names(package: LoadedPackage, file: PackageFile) -> FileNames:  # noqa: ARG001  an explorer's
    """Return the names that a file defines and mentions: parts and targets in `sabir.yaml`, rules in
    policy files.
    """
    if not file.yaml.documents:
        return FileNames()
    if file.name != FILE_NAME:
        rules = policy_symbols(file)
        return FileNames(rules, tuple(_parts_used(file.source)) if rules else ())
    root = file.yaml.documents[0]
    symbols = (
        *_list_section_symbols(root, "parts", "part"),
        *_list_section_symbols(root, "targets", "target"),
    )
    return FileNames(symbols, (*_parts_used(file.source), *_targets_used(root), *_policies_used(root)))


def _list_section_symbols(root: YamlNode | None, section: str, word: str) -> Iterator[Symbol]:
    for name, entry in text_entries(value_at(root, section)):
        about = value_at(entry.value, "language") or value_at(entry.value, "driver")
        detail = text_of(about) or text_of(value_at(entry.value, "path"))
        yield key_symbol(f"{word} ", name, entry, SymbolKind.MODULE, detail=detail)


def _parts_used(source: Source) -> Iterator[Mention]:
    for match in absolute_path().finditer(source.text):
        if match["name"] is not None:
            yield Mention(Span(*match.span("name")), (f"part {match['name']}",))


def _targets_used(root: YamlNode | None) -> Iterator[Mention]:
    for name, entry in all_entries(value_at(root, "parts")):
        written = text_of(entry.value)
        if name == "target" and written is not None:
            yield Mention(entry.value.span, (f"target {written}",))


def _policies_used(root: YamlNode | None) -> Iterator[Mention]:
    listed = value_at(root, "rules")
    for node in sequence_items(listed) or ((listed,) if listed is not None else ()):
        written = text_of(node)
        if written is not None:
            yield Mention(node.span, (f"policy {written}",))


def candidates(package: LoadedPackage, file: PackageFile, offset: int) -> Sequence[Candidate]:
    """Return completions at an offset: keys, languages, paths, and the keys of policy rules."""
    if file.name != FILE_NAME:
        return policy_candidates(file, offset)
    place = locate_cursor(file.source, offset)
    match place.path, place.key:
        case (), None:
            return [Candidate(text=key, kind=SymbolKind.KEYWORD) for key in ENVIRONMENT_KEYS]
        case ("parts", _), None:
            return [Candidate(text=key, kind=SymbolKind.KEYWORD) for key in PART_KEYS]
        case ("parts", _), "language":
            return [Candidate(text=name, kind=SymbolKind.VALUE) for name in plugin_names(LANGUAGES)]
        case ("parts", _), ("path" | "model" | "config"):
            return [Candidate(text=name, kind=SymbolKind.FILE) for name in _list_sibling_paths(package)]
        case (), "rules":
            names = (
                name for name in package.list() if name.endswith((".yaml", ".yml")) and name != FILE_NAME
            )
            return [Candidate(text=name, kind=SymbolKind.FILE) for name in names]
        case ("targets", _), "driver":
            return [Candidate(text=name, kind=SymbolKind.VALUE) for name in plugin_names(DRIVERS)]
        case _:
            return ()


def _list_sibling_paths(package: LoadedPackage) -> list[str]:
    """Return the directories and files next to `sabir.yaml`."""
    return sorted({name.partition("/")[0] for name in package.list()})


def completion_keys(file: PackageFile, offset: int) -> Sequence[str]:
    """Return the prefixes of index keys whose definitions can complete the text at an offset."""
    place = locate_cursor(file.source, offset)
    if place.key == "target":
        return ("target ",)
    return ("part ",) if typed_path().search(file.source.text, 0, offset) else ()
