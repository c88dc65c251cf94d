"""The grammar of TOSCA 2.0, brought to the words of 1.3 before it is read: two grammars, one topology.

`service_template` is what `topology_template` was; functions carry a `$` (`$get_property`), and a text or key that begins with `$$`
stands for itself with one less; `validation` holds a function where `constraints` held a list.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from sabir.expressions.vocabulary import COMPARISONS
from sabir.source.yaml.nodes import Style, YamlEntry, YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of

_FUNCTIONS: Final = frozenset(
    {"get_input", "get_property", "get_attribute", "get_artifact", "get_operation_output", "join", "token"}
)
# A function without arguments may be written as a text. `$value` stays one: who tests a value puts it in there.
_BARE: Final = r"\$(?!value$)[A-Za-z_][A-Za-z0-9_.:-]*"
_SECTIONS: Final = {"service_template": "topology_template"}


def normalize_document(document: YamlMapping) -> YamlMapping:
    """A 2.0 document in the words of 1.3; nodes keep their places."""
    entries = []
    for entry in document.entries:
        key = entry.key
        if isinstance(key, YamlScalar) and key.value in _SECTIONS:
            key = YamlScalar.at(
                key.span, str(_SECTIONS[str(key.value)]), _SECTIONS[str(key.value)], key.style
            )
        entries.append(YamlEntry(key, _convert_node(entry.value), entry.merged))
    return YamlMapping(document.span, tuple(entries), document.tag)


def _convert_node(node: YamlNode) -> YamlNode:
    if isinstance(node, YamlScalar):
        if isinstance(node.value, str) and node.value[:1] == "$" and re.fullmatch(_BARE, node.value):
            key = YamlScalar.at(node.span, node.value, node.value, Style.PLAIN)
            return YamlMapping(node.span, (YamlEntry(key, YamlSequence(node.span, ())),))
        return _unescape_scalar(node)
    if isinstance(node, YamlSequence):
        return YamlSequence(node.span, tuple(_convert_node(item) for item in node.items), node.tag)
    mapping = YamlMapping(node.span, tuple(_convert_entry(entry) for entry in node.entries), node.tag)
    return _quote_mapping(mapping) if _is_escaped(node) else mapping


def _is_escaped(node: YamlMapping) -> bool:
    """Whether a map looks like a call and is none: `{$$concat: [a, b]}`."""
    return len(node) == 1 and (text_of(node.entries[0].key) or "").startswith("$$")


def _quote_mapping(node: YamlMapping) -> YamlMapping:
    return YamlMapping(node.span, (YamlEntry(YamlScalar.at(node.span, "q", "q"), node),))


def _convert_entry(entry: YamlEntry) -> YamlEntry:
    key, value = entry.key, entry.value
    word = key.value if isinstance(key, YamlScalar) and isinstance(key.value, str) else ""
    if word.startswith("$"):
        plain = word[1:] if word.startswith("$$") or word[1:] in _FUNCTIONS else word
        key = YamlScalar.at(key.span, plain, plain, Style.PLAIN)
    elif word == "validation":
        value = _simplify_validation(value)
    return YamlEntry(key, _convert_node(value), entry.merged)


def by_yaml_1_2(scalar: YamlScalar) -> YamlScalar:
    """2.0 is written in YAML 1.2, where `0o755` and `1e3` are numbers, and `yes`, `1:30`, `1_000` and dates are texts."""
    text, value = scalar.text, scalar.value
    new: str | float | None = None
    if isinstance(value, str):
        if re.fullmatch(r"0o[0-7]{1,30}", text):
            new = int(text, 8)
        elif re.fullmatch(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+", text):
            new = float(text)
    elif isinstance(value, bool):
        new = None if text in ("true", "false") else text
    elif isinstance(value, date) or (isinstance(value, int | float) and re.search("[:_]|^[-+]?0b", text)):
        new = text
    elif isinstance(value, int) and re.fullmatch(r"[-+]?0[0-9]{1,30}", text):
        new = int(text)
    return scalar if new is None else YamlScalar.at(scalar.span, text, new, scalar.style, scalar.tag)


def _simplify_validation(node: YamlNode) -> YamlNode:
    """`{$less_than: [$value, 4]}` is `{less_than: 4}`: the value under test is understood. Other clauses stay whole."""
    if not isinstance(node, YamlMapping) or len(node) != 1:
        return node
    (entry,) = node.entries
    arguments = entry.value
    name = text_of(entry.key) or ""
    if isinstance(arguments, YamlSequence) and len(arguments) == 2 and name[1:] in COMPARISONS:
        first, second = arguments.items
        if text_of(first) == "$value":
            key = YamlScalar.at(entry.key.span, name[1:], name[1:], Style.PLAIN)
            return YamlMapping(node.span, (YamlEntry(key, second),), node.tag)
    return node


def _unescape_scalar(scalar: YamlScalar) -> YamlScalar:
    if scalar.style is Style.PLAIN:
        scalar = by_yaml_1_2(scalar)
    if not isinstance(scalar.value, str) or not scalar.value.startswith("$$"):
        return scalar
    return YamlScalar.at(scalar.span, scalar.value[1:], scalar.value[1:], scalar.style, scalar.tag)
