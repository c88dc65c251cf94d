"""`+/a/b` in ensembles: what stands at that path of the same document is merged in, what is written there itself first."""

from __future__ import annotations

from typing import Final

from sabir.source.yaml.nodes import YamlEntry, YamlMapping, YamlNode, YamlSequence, text_of

_MARK: Final = "+/"
_MOST_MERGES: Final = 1000
_MOST_ENTRIES: Final = 200_000
_DEEPEST: Final = 60


def find_fragment(root: YamlMapping, pointer: str) -> YamlNode | None:
    """The part of a document that a path leads to: `/spec/service_template`."""
    here: YamlNode | None = root
    for key in filter(None, pointer.split("/")):
        here = here.get(key) if isinstance(here, YamlMapping) else None
    return here


def merge_pointers(root: YamlMapping, text: str) -> YamlMapping:
    """The document with its pointers followed; those that lead nowhere, or to themselves, stay."""
    return _PointerMerger(root).mapping(root, 0) if _MARK in text else root


class _PointerMerger:
    def __init__(self, root: YamlMapping) -> None:
        self._root = root
        self._open: list[str] = []
        self._merges = 0
        self._entries = 0
        """How many were copied: documents are not to grow beyond all bounds."""

    def mapping(self, node: YamlMapping, depth: int) -> YamlMapping:
        self._entries += len(node.entries)
        if depth > _DEEPEST:
            return node
        entries: list[YamlEntry] = []
        sources: list[YamlMapping] = []
        for entry in node.entries:
            source = self._source(text_of(entry.key) or "", depth)
            if source is not None:
                sources.append(source)
            else:
                entries.append(YamlEntry(entry.key, self._value(entry.value, depth), entry.merged))
        merged = YamlMapping(node.span, tuple(entries), node.tag)
        for source in sources:
            merged = _merge_mappings(merged, source)
        return merged

    def _value(self, node: YamlNode, depth: int) -> YamlNode:
        if isinstance(node, YamlMapping):
            return self.mapping(node, depth + 1)
        if isinstance(node, YamlSequence) and depth < _DEEPEST:
            return YamlSequence(
                node.span, tuple(self._value(item, depth + 1) for item in node.items), node.tag
            )
        return node

    def _source(self, key: str, depth: int) -> YamlMapping | None:
        self._merges += key.startswith(_MARK)
        is_enough = self._merges > _MOST_MERGES or self._entries > _MOST_ENTRIES
        if not key.startswith(_MARK) or key in self._open or is_enough:
            return None
        target = find_fragment(self._root, key[1:])
        if not isinstance(target, YamlMapping):
            return None
        self._open.append(key)
        try:
            return self.mapping(target, depth + 1)
        finally:
            self._open.pop()


def _merge_mappings(first: YamlMapping, second: YamlMapping) -> YamlMapping:
    """Maps are merged key by key; any other value of the first one counts."""
    entries = {text_of(entry.key) or str(number): entry for number, entry in enumerate(first.entries)}
    for number, entry in enumerate(second.entries, len(entries)):
        key = text_of(entry.key) or str(number)
        there = entries.get(key)
        if there is None:
            entries[key] = entry
        elif isinstance(there.value, YamlMapping) and isinstance(entry.value, YamlMapping):
            entries[key] = YamlEntry(there.key, _merge_mappings(there.value, entry.value), there.merged)
    return YamlMapping(first.span, tuple(entries.values()), first.tag)
