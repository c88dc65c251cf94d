"""The sections of a class (spec 001, "Class structure" and "MetaClass structure")."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.languages.muranopl.check.class_view import ClassDocument
from sabir.languages.muranopl.check.names import (
    is_camel_case,
    is_class_name,
    is_dotted_name,
    is_identifier,
    is_lower_camel,
    is_type_reference,
)
from sabir.languages.muranopl.syntax.declarations import META_FORM
from sabir.languages.muranopl.syntax.members import SCOPE_OR_NAMESPACES
from sabir.languages.muranopl.syntax.report import Report, kind_of, shown
from sabir.languages.muranopl.syntax.shapes import is_null, meta_shape, one_of, unknown_keys
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of

__all__ = ["check_class_structure", "check_namespaces"]

_META_KEYS: Final = ("Cardinality", "Applies", "Inherited")
_KEYS: Final = frozenset(
    [
        "Name",
        "Namespaces",
        "Extends",
        "Import",
        "Properties",
        "Methods",
        "Workflow",
        "Usage",
        "Meta",
        *_META_KEYS,
    ]
)
_TARGETS: Final = ("Package", "Type", "Method", "Property", "Argument", "All")


def check_class_structure(report: Report, document: ClassDocument) -> Iterator[Finding]:
    """Everything about a class but its members."""
    node = document.node
    yield from unknown_keys(report, node, _KEYS, code="W010", what="a class")
    yield from check_name(report, node.get("Name"))
    yield from check_namespaces(report, node.get("Namespaces"))
    for key in ("Extends", "Import"):
        yield from check_type_list(report, key, node.get(key))
    yield from one_of(report, node.get("Usage"), ("Class", "Meta"), code="MPL:E029", what="Usage of a class")
    yield from meta_shape(report, node, code=META_FORM)
    yield from check_meta_class(report, node)


def check_name(report: Report, value: YamlNode | None) -> Iterator[Finding]:
    if value is None:
        return
    name = text_of(value)
    bare = name.removeprefix("=").removeprefix(":") if name is not None else ""
    if not is_class_name(bare):
        reserved = bare.rpartition(".")[2].startswith("__")
        hint = (
            "names that begin with two underscores are reserved" if reserved else "letters, digits and _ only"
        )
        yield report.at(value, "MPL:E011", f"a class cannot be called {shown(value)}", hint=hint)
        return
    last = bare.rpartition(".")[2]
    if not is_camel_case(last):
        better = "".join(part[:1].upper() + part[1:] for part in last.split("_"))
        hint = f"call it {better!r}" if is_camel_case(better) else "capitals begin the words, no underscores"
        yield report.at(value, "MPL:W011", f"the class name {last!r} is not CamelCase", hint=hint)


def check_namespaces(report: Report, value: YamlNode | None) -> Iterator[Finding]:
    if value is None or is_null(value):
        return
    if not isinstance(value, YamlMapping):
        yield report.at(
            value, SCOPE_OR_NAMESPACES, f"Namespaces must be a mapping of prefixes, not {kind_of(value)}"
        )
        return
    for key, namespace in value.items():
        alias, name = text_of(key), text_of(namespace)
        if alias != "=" and (alias is None or not is_identifier(alias)):
            yield report.at(
                key, "MPL:E060", f"a namespace prefix cannot be {shown(key)}", hint="a name, or ="
            )
        if is_null(namespace) or name == "":
            continue  # the namespace of names without one
        if name is None or not is_dotted_name(name):
            hint = "write names separated by dots, as in com.example.web"
            yield report.at(namespace, "MPL:W060", f"{shown(namespace)} is no namespace", hint=hint)
        else:
            yield from _namespace_style(report, namespace, name, own=alias == "=")


def _namespace_style(report: Report, node: YamlNode, name: str, *, own: bool) -> Iterator[Finding]:
    """Recommendations of the documents; hints that are off by default."""
    if not is_lower_camel(name):
        hint = "begin every part with a small letter"
        yield report.at(node, "MPL:W061", f"the namespace {name!r} is not in lowerCamelCase", hint=hint)
    if own and "." not in name:
        hint = "begin it with a domain of your own, as in com.example.web"
        yield report.at(node, "MPL:W062", f"the namespace {name!r} has a single part", hint=hint)


def check_type_list(report: Report, key: str, value: YamlNode | None) -> Iterator[Finding]:
    """`Extends` and `Import`: one class name or a list of them."""
    if value is None or is_null(value):
        return
    for item in value.items if isinstance(value, YamlSequence) else (value,):
        name = text_of(item)
        if name is None or not is_type_reference(name):
            meant = _without_blank(item)
            hint, fix = "write Name, prefix:Name or a.b.Name", None
            if meant is not None:
                hint = f"write {meant} without the blank; with it, YAML reads a mapping"
                fix = report.replacing(item, meant, safe=True)
            message = f"{key} needs class names, not {_quoted(item)}"
            yield report.at(item, "MPL:E025", message, hint=hint, fix=fix)


def _without_blank(item: YamlNode) -> str | None:
    """`srv:Something` for `srv: Something`, which is a mapping in YAML (S-10)."""
    if isinstance(item, YamlMapping) and len(item) == 1:
        (key, value), *_ = item.items()
        prefix, name = text_of(key), text_of(value)
        if prefix is not None and name is not None and is_identifier(prefix) and is_dotted_name(name):
            return f"{prefix}:{name}"
    return None


def _quoted(node: YamlNode) -> str:
    return shown(node) if text_of(node) is not None else kind_of(node)


def check_meta_class(report: Report, node: YamlMapping) -> Iterator[Finding]:
    """Cardinality, Applies and Inherited, which only a meta-class has."""
    usage = node.get("Usage")
    if text_of(usage) != "Meta":
        if usage is not None and not is_null(usage) and text_of(usage) != "Class":
            return  # a usage that does not exist may have been meant as Meta
        for key in _META_KEYS:
            entry = node.entry(key)
            if entry is not None:
                hint = "add Usage: Meta, or remove the key"
                yield report.at(entry.key, "MPL:W029", f"{key} has a meaning on meta-classes only", hint=hint)
        return
    yield from one_of(
        report, node.get("Cardinality"), ("One", "Many"), code="MPL:E027", what="Cardinality", required=True
    )
    inherited = node.get("Inherited")
    if inherited is not None and not (
        isinstance(inherited, YamlScalar) and isinstance(inherited.value, bool)
    ):
        yield report.at(inherited, "MPL:E027", f"Inherited must be true or false, not {_quoted(inherited)}")
    applies = node.get("Applies")
    if applies is not None:
        for item in applies.items if isinstance(applies, YamlSequence) else (applies,):
            if text_of(item) not in _TARGETS:
                yield report.unknown(
                    item, "MPL:E028", f"Applies cannot name {shown(item)}", _TARGETS, refused=True
                )
