"""A TOSCA 2.0 document held against the grammar: every value has the shape that its keyname asks for, nothing mandatory is missing."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.syntax.dialects import is_strict_version
from sabir.languages.tosca.syntax.grammar import Collection, GrammarEntity, GrammarField, ValueShape, grammar
from sabir.languages.tosca.syntax.reader import WRONG_SHAPE, Reader, shape_of
from sabir.languages.tosca.syntax.tosca2 import by_yaml_1_2
from sabir.source.yaml.nodes import Style, YamlEntry, YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of

# Names that the specification itself gives a meaning to: a number is no name. All other metadata may be any YAML.
_NAMES: Final = frozenset({"template_name", "template_author"})
# What must not be left empty, although no key of it is mandatory. Types, interfaces and operations may be.
_VERSION: Final = "tosca_definitions_version"
_READERS: Final = frozenset(
    {"get_input", "get_property", "get_attribute", "get_artifact", "get_operation_output"}
)
# Where anything may be written.
_FREE: Final = frozenset({"metadata", "dsl_definitions"})
_WORDS: Final = {
    # Those of 1.3 are still in use.
    ValueShape.DIRECTIVES: frozenset({"create", "select", "substitute", "selectable", "substitutable"}),
    ValueShape.SCOPES: frozenset({"internal", "external"}),
}
_FILLED: Final = frozenset(
    {
        "property",
        "attribute",
        "parameter",
        "input",
        "output",
        "artifact",
        "mapping",
        "relationship template",
        "workflow",
    }
)


def check_shapes(reader: Reader, document: YamlMapping) -> None:
    """Report everything in a document whose shape is not that of the grammar."""
    checker = _Checker(reader)
    checker.entity("file", "the document", document, document)
    for entry in document.entries:
        checker.calls(entry)
    first = document.entries[0].key if document.entries else None
    if first is not None and text_of(first) != _VERSION and document.get(_VERSION) is not None:
        checker.wrong(first, f"{_VERSION} must be the first key of the document", "move it to the first line")


class _Checker:
    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    def wrong(self, node: YamlNode, message: str, hint: str | None = None) -> None:
        self.reader.report(WRONG_SHAPE, message, node.span, hint)

    def calls(self, entry: YamlEntry) -> None:
        """A call is the only key of its map, wherever a value may stand."""
        waiting = [entry.value] if text_of(entry.key) not in _FREE else []
        while waiting:
            node = waiting.pop()
            if isinstance(node, YamlSequence):
                waiting += node.items
            elif isinstance(node, YamlMapping):
                waiting += [inner.value for inner in node.entries if text_of(inner.key) not in _FREE]
                self._call(node)

    def _call(self, node: YamlMapping) -> None:
        for entry in node.entries:
            name = text_of(entry.key) or ""
            if len(node) == 1 and name in _READERS and not isinstance(entry.value, YamlMapping):
                message = f"{name!r} calls no function here: in 2.0 a function begins with $"
                self.wrong(entry.key, message, f"write ${name}")
            elif len(node) > 1 and re.match(r"\$[^$]", name):
                message = f"{name} calls a function, and must be the only key of its map"
                self.wrong(entry.key, message, f"write $${name[1:]} for a key that begins with $")

    def entity(self, name: str, subject: str, node: YamlNode, head: YamlNode) -> None:
        """`head` is what is pointed at when something is missing: the name of the entity."""
        entity = grammar()[name]
        if not isinstance(node, YamlMapping):
            self._short(entity, subject, node, head)
            return
        for entry in node.entries:
            key = text_of(entry.key)
            field = None if key is None else entity.fields.get(key)
            if field is not None:
                self.field(field, f"{key} of {subject}" if subject != "the document" else f"{key}", entry)
            elif key is not None and not _is_value(entity, node):
                self.reader.report_unknown_key(key, entity.fields, subject, entry.key.span)
        for key, field in entity.fields.items():
            if field.mandatory and node.get(key) is None:
                self.wrong(head, f"{subject} has no {key!r}", f"add '{key}:'")
        self._together(entity, subject, node, head)
        if (
            "checksum" in entity.fields
            and node.get("checksum") is not None
            and node.get("checksum_algorithm") is None
        ):
            self.wrong(
                head, f"{subject} has a 'checksum' and no 'checksum_algorithm'", "add 'checksum_algorithm:'"
            )

    def _together(self, entity: GrammarEntity, subject: str, node: YamlMapping, head: YamlNode) -> None:
        """Keys that exclude one another, and those of which one is needed."""
        keys = {text_of(entry.key): entry.key for entry in node.entries}
        present = [key for key in entity.exclusive if key in keys]
        if len(present) > 1:
            first, second = present[:2]
            self.wrong(
                keys[second], f"{subject} has {first!r} and {second!r}, of which only one may be there"
            )
        if entity.any_of and not any(key in keys for key in entity.any_of):
            self.wrong(head, f"{subject} has neither " + " nor ".join(map(repr, entity.any_of)))

    def _short(self, entity: GrammarEntity, subject: str, node: YamlNode, head: YamlNode) -> None:
        if isinstance(node, YamlScalar) and node.value is None:
            if entity.word in _FILLED or any(field.mandatory for field in entity.fields.values()):
                self.wrong(head, f"{subject} has nothing under it")
        elif entity.short is None:
            self.wrong(node, f"{subject} must be a map, not {shape_of(node)}")
        elif not _FITS[entity.short](node):
            self.wrong(node, f"{subject} must be a map or {entity.short.value}, not {shape_of(node)}")

    def field(self, field: GrammarField, subject: str, entry: YamlEntry) -> None:
        node = entry.value
        if isinstance(node, YamlScalar) and node.value is None and field.shape is not ValueShape.ANY:
            self.wrong(
                entry.key, f"{subject} has nothing under it", "leave the key out, or write what belongs there"
            )
        elif field.shape is not None:
            self.shape(field.shape, subject, node)
        elif field.entity is not None:
            self.collection(field.collection, field.entity, subject, entry)

    def shape(self, shape: ValueShape, subject: str, node: YamlNode) -> None:
        words = _WORDS.get(shape)
        if words is not None and isinstance(node, YamlSequence):
            for item in node.items:
                if _scalar_value(item) not in words:
                    hint = did_you_mean(text_of(item) or "", words) or f"it must be {shape.value}"
                    self.wrong(item, f"{subject} cannot have {shape_of(item)}", hint)
        elif not _FITS[shape](node):
            self.wrong(node, f"{subject} must be {shape.value}, not {shape_of(node)}")
        elif shape is ValueShape.METADATA and isinstance(node, YamlMapping):
            for entry in node.entries:
                name, value = text_of(entry.key), entry.value
                if name in _NAMES and isinstance(value, YamlScalar) and text_of(value) is None:
                    self.wrong(value, f"{name!r} of {subject} must be text, not {shape_of(value)}")
        elif shape is ValueShape.ANCHORS and isinstance(node, YamlMapping):
            for entry in node.entries:
                self._anchor(subject, entry)

    def _anchor(self, subject: str, entry: YamlEntry) -> None:
        """What stands there for others to repeat needs an anchor to be repeated by."""
        text = self.reader.origin.source.text
        between = text[entry.key.span.start : entry.value.span.end]
        if isinstance(entry.value, YamlScalar) and "&" not in between:
            self.wrong(
                entry.key, f"{text_of(entry.key)!r} in {subject} has no anchor, so nothing can repeat it"
            )

    def collection(self, collection: Collection, entity: str, subject: str, entry: YamlEntry) -> None:
        node = entry.value
        if collection is Collection.ALONE:
            self.entity(
                entity, subject.partition(" of ")[0] if entity == "schema" else subject, node, entry.key
            )
        elif collection is Collection.NAMED:
            if isinstance(node, YamlMapping):
                self.check_named_entities(entity, node)
            else:
                self.wrong(node, f"{subject} must be a map, not {shape_of(node)}")
        elif not isinstance(node, YamlSequence):
            self.wrong(node, f"{subject} must be a list, not {shape_of(node)}")
        elif collection is Collection.LISTED:
            for item in node.items:
                if isinstance(item, YamlMapping) and len(item) == 1:
                    self.check_named_entities(entity, item)
                else:
                    self.wrong(item, f"an entry of {subject} must be a map with one name")
        else:
            if entity == "signature" and not node.items:
                self.wrong(node, f"{subject} must have one at least")
            for item in node.items:
                if isinstance(item, YamlScalar) and item.value is None:
                    self.wrong(item, f"an entry of {subject} has nothing under it")
                else:
                    self.entity(entity, grammar()[entity].word, item, item)

    def check_named_entities(self, entity: str, node: YamlMapping) -> None:
        word = grammar()[entity].word
        for entry in node.entries:
            name = self.reader.name(entry.key)
            if name is None:
                continue
            if name == "node_filter" and entity == "node_template":
                continue
            if not name.strip():
                self.wrong(entry.key, f"a {word} needs a name")
            self.entity(entity, f"{word} {name!r}", entry.value, entry.key)


def _is_value(entity: GrammarEntity, node: YamlMapping) -> bool:
    """Whether a map is the value that the short form gives, and not the keys of a definition."""
    return entity.short is ValueShape.ANY and not any(
        text_of(entry.key) in entity.fields for entry in node.entries
    )


def _is_texts(node: YamlNode) -> bool:
    return isinstance(node, YamlSequence) and all(_is_word(item) for item in node.items)


def _scalar_value(node: YamlNode) -> object:
    """The value of a scalar in YAML 1.2, where `On` is a text."""
    if not isinstance(node, YamlScalar):
        return None
    return by_yaml_1_2(node).value if node.style is Style.PLAIN else node.value


def _is_call(node: YamlNode) -> bool:
    return (
        isinstance(node, YamlMapping) and len(node) == 1 and (text_of(node.entries[0].key) or "")[:1] == "$"
    )


def _is_count(value: object) -> bool:
    if isinstance(value, str):
        return value.startswith("$")
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_indexed(node: YamlNode) -> bool:
    """A name and an index, which may be computed."""
    if not isinstance(node, YamlSequence) or len(node.items) != 2:
        return False
    name, index = node.items
    return isinstance(_scalar_value(name), str) and (_is_count(_scalar_value(index)) or _is_call(index))


def _is_range(node: YamlNode) -> bool:
    if not isinstance(node, YamlSequence) or len(node.items) != 2:
        return False
    low, high = (_scalar_value(item) for item in node.items)
    if type(low) is not int or low < 0:
        return False
    return high == "UNBOUNDED" or (type(high) is int and high >= low)


def _is_word(node: YamlNode) -> bool:
    """Text, or what YAML took for a number although a name was meant."""
    return isinstance(node, YamlScalar) and node.value is not None


_FITS: Final[Mapping[ValueShape, Callable[[YamlNode], bool]]] = {
    ValueShape.TEXT: lambda node: isinstance(_scalar_value(node), str),
    ValueShape.FLAG: lambda node: (
        isinstance(node, YamlScalar) and node.style is Style.PLAIN and node.text.lower() in ("true", "false")
    ),
    ValueShape.TEXTS: _is_texts,
    ValueShape.MAP: lambda node: isinstance(node, YamlMapping),
    ValueShape.LIST: lambda node: isinstance(node, YamlSequence),
    ValueShape.VERSION: lambda node: isinstance(node, YamlScalar) and is_strict_version(node.text),
    ValueShape.METADATA: lambda node: isinstance(node, YamlMapping),
    ValueShape.ANCHORS: lambda node: isinstance(node, YamlMapping),
    ValueShape.ANY: lambda _node: True,
    ValueShape.CONDITION: lambda node: _is_call(node),
    ValueShape.CONDITIONS: lambda node: isinstance(node, YamlSequence) and all(map(_is_call, node.items)),
    ValueShape.COUNT: lambda node: _is_count(_scalar_value(node)) or _is_call(node),
    ValueShape.NODE: lambda node: isinstance(_scalar_value(node), str) or _is_indexed(node),
    ValueShape.NAMES: lambda node: isinstance(_scalar_value(node), str) or _is_texts(node),
    ValueShape.RANGE: _is_range,
    ValueShape.DIRECTIVES: lambda node: isinstance(node, YamlSequence),
    ValueShape.SCOPES: lambda node: isinstance(node, YamlSequence),
    ValueShape.PAIR: lambda node: _is_texts(node) and isinstance(node, YamlSequence) and len(node.items) == 2,
}
