"""Checks of the form of files: readable, UTF-8, valid YAML, no duplicate keys.

Every language runs these checks before it reads its files. Two defects of YAML have a fix: a duplicate key with an equal value,
and tabs in the indentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import ClassVar, Final

from msgspec.structs import replace

from sabir.checks.selection import FileSelection
from sabir.checks.validator import BaseValidator
from sabir.diagnostics.finding import Edit, Finding, Fix
from sabir.diagnostics.rules import Rule, collect_rules
from sabir.source.packages import LoadedPackage, PackageFile
from sabir.source.yaml import YamlMapping, YamlNode, YamlScalar, YamlSequence
from sabir.source.yaml.defects import DUPLICATE_KEY, NOT_YAML
from sabir.text import Place, Source, Span


def container_findings(package: LoadedPackage) -> Iterator[Finding]:
    """Return the findings about the package as a container.

    These are unsafe names, duplicate entries and exceeded limits, found while the package was opened.
    """
    return iter(package.findings)


def text_findings(file: PackageFile) -> Iterator[Finding]:
    """Yield the defect that prevents a file from being read as text, if there is one."""
    if file.defect is not None:
        yield file.defect


def yaml_findings(file: PackageFile) -> Iterator[Finding]:
    """Yield the findings about the YAML form of a file, with their fixes.

    A file with findings may still be usable; `file.yaml.broken` is true if it is not.
    """
    if not file.yaml.findings:
        return

    repairs = YamlRepairs(file)
    yield from map(repairs.add_fix, file.yaml.findings)


class FormValidator(BaseValidator):
    """Validator of the form of YAML files.

    A language without checks of its own can use it directly.
    """

    short_name: ClassVar[str] = "FORM"
    long_name: ClassVar[str] = "form"
    suffixes: ClassVar[tuple[str, ...]] = (".yaml", ".yml")

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        return collect_rules("sabir.source")

    def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
        selection = FileSelection.of(files)
        for name in self.package.list():
            if name.endswith(self.suffixes) and name in selection:
                file = self.package.get_file(name)
                if file is not None:
                    yield from yaml_findings(file)


_TABBED: Final = re.compile(r"^ *\t[ \t]*", re.MULTILINE)
_REST_OF_LINE: Final = re.compile(r"[ \t]*:?[ \t]*(?:\r?\n|$)")
_BETWEEN_ENTRIES: Final = re.compile(r"\s*,\s*")
_WIDTHS: Final = (2, 4, 8)
_MOST_LINES: Final = 10_000


class YamlRepairs:
    """Fixes for the YAML findings of one file."""

    def __init__(self, file: PackageFile) -> None:
        self._file = file

    def add_fix(self, finding: Finding) -> Finding:
        """Return the finding with its fix and hint, or unchanged if no safe fix exists."""
        if finding.code == DUPLICATE_KEY.code:
            return self._with_one_key(finding)
        if finding.code == NOT_YAML.code:
            fix = _without_tabs(self._file)
            return replace(finding, fix=fix, hint="indent with blanks, never with tabs") if fix else finding
        return finding

    @cached_property
    def _keys(self) -> dict[int, tuple[YamlMapping, int]]:
        """Map the offset of each key to its mapping and the index of its entry there."""
        return {
            entry.key.span.start: (mapping, position)
            for mapping in _walk_mappings(self._file)
            for position, entry in enumerate(mapping.entries)
            if not entry.merged
        }

    def _with_one_key(self, finding: Finding) -> Finding:
        place = self._keys.get(finding.place.span.start)
        first = self._keys.get(finding.related[0].place.span.start) if finding.related else None
        if place is None or first is None:
            return finding
        mapping, position = place
        if not _is_same_node(mapping.entries[first[1]].value, mapping.entries[position].value):
            return replace(finding, hint="the two values differ: keep the one that is meant")
        hint = "both say the same: remove one of them"
        span = _entry_span(self._file.source.text, mapping, position)
        if span is None:
            return replace(finding, hint=hint)
        edit = Edit(place=Place(self._file.source, span), text="")
        return replace(finding, hint=hint, fix=Fix(title="remove the second", edits=(edit,)))


def _walk_mappings(file: PackageFile) -> Iterator[YamlMapping]:
    waiting: list[YamlNode] = [document for document in file.yaml.documents if document is not None]
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen or isinstance(node, YamlScalar):
            continue
        seen.add(id(node))
        if isinstance(node, YamlSequence):
            waiting.extend(node.items)
        else:
            yield node
            waiting.extend(node.values())


def _is_same_node(left: YamlNode, right: YamlNode) -> bool:
    """Return whether two nodes are equal.

    Quotes count: languages distinguish expressions from strings by them.
    """
    if left is right:
        return True
    if isinstance(left, YamlScalar) and isinstance(right, YamlScalar):
        alike = type(left.value) is type(right.value) and left.value == right.value
        return alike and left.style is right.style and left.tag == right.tag
    if isinstance(left, YamlSequence) and isinstance(right, YamlSequence):
        return len(left) == len(right) and all(map(_is_same_node, left.items, right.items))
    if isinstance(left, YamlMapping) and isinstance(right, YamlMapping):
        return (
            len(left) == len(right)
            and all(map(_is_same_node, left, right))
            and all(map(_is_same_node, left.values(), right.values()))
        )
    return False


def _entry_span(text: str, mapping: YamlMapping, position: int) -> Span | None:
    """Return the text to delete to remove an entry, or None if that would affect other text.

    This is the entry's lines or, between braces, the entry with the comma in front of it.
    """
    entry = mapping.entries[position]
    start, end = entry.key.span.start, max(entry.key.span.end, entry.value.span.end)
    if text[mapping.span.start : mapping.span.start + 1] == "{":
        before = mapping.entries[position - 1].value.span.end
        return Span(before, end) if _BETWEEN_ENTRIES.fullmatch(text, before, start) else None
    line = text.rfind("\n", 0, start) + 1
    rest = _REST_OF_LINE.match(text, end)
    if text[line:start].strip(" ") or (rest is None and text[end - 1 : end] != "\n"):
        return None
    end = rest.end() if rest is not None and text[end - 1 : end] != "\n" else end
    # An alias elsewhere may need an anchor, and a comment may be about more than this entry.
    return None if re.search("[&#]", text[start:end]) else Span(line, end)


def _without_tabs(file: PackageFile) -> Fix | None:
    """Return the fix that replaces tabs by spaces, or None if it depends on the tab width.

    The file is parsed once for each usual width. The fix is safe only if all of them give the same documents.
    """
    text = file.source.text
    tabs = [*_TABBED.finditer(text)]
    if not tabs or len(tabs) > _MOST_LINES:
        return None
    repaired = [_with_blanks(text, width) for width in _WIDTHS]
    read = [PackageFile(file.name, text.encode("utf-8")).yaml for text in repaired]
    if any(stream.findings for stream in read):
        return None
    first = read[0].documents
    for stream in read[1:]:
        alike = len(stream.documents) == len(first) and all(
            (left is None and right is None)
            or (left is not None and right is not None and _is_same_node(left, right))
            for left, right in zip(first, stream.documents, strict=False)
        )
        if not alike:
            return None
    return Fix(title="write blanks for tabs", edits=tuple(_build_tab_edits(file.source, tabs)))


def _build_tab_edits(source: Source, tabs: list[re.Match[str]]) -> Iterator[Edit]:
    for match in tabs:
        yield Edit(
            place=Place(source, Span(match.start(), match.end())), text=_expand_tabs(match[0], _WIDTHS[0])
        )


def _with_blanks(text: str, width: int) -> str:
    return _TABBED.sub(lambda match: _expand_tabs(match[0], width), text)


def _expand_tabs(indent: str, width: int) -> str:
    return indent.replace("\t", " " * width)
