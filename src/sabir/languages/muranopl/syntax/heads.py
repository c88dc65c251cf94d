"""Heads of classes: the name, namespaces, parents and meta-class keys; everything but the members.

A document with only `Namespaces` is not a class: it sets the prefixes for the classes after it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from sabir.languages.muranopl.examples import package_rule
from sabir.languages.muranopl.syntax.declarations import is_absent, read_choice, read_meta
from sabir.languages.muranopl.syntax.defects import Defect, Defects
from sabir.languages.muranopl.syntax.members import SCOPE_OR_NAMESPACES
from sabir.languages.muranopl.syntax.names import (
    NO_NAMESPACES,
    Namespaces,
    UnknownPrefixError,
    is_class_name,
    is_prefix,
    is_qualified_name,
    is_short_name,
    is_type_reference,
)
from sabir.languages.muranopl.syntax.nodes import NameNode, Value
from sabir.languages.muranopl.syntax.report import kind_of, quote_node
from sabir.languages.muranopl.syntax.rules import (
    IGNORED_KEY,
    LOOSE_CLASS_NAME,
    META_KEY_ON_CLASS,
    NULL_META_KEY,
)
from sabir.languages.muranopl.syntax.values import MISSING_KEY, UNKNOWN_SECTION, is_null, report_unknown_keys
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of
from sabir.text import Span

_META_KEYS: Final = ("Cardinality", "Applies", "Inherited")
CLASS_KEYS: Final = frozenset(
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


CLASS_NAME: Final = package_rule(
    "MPL:E011",
    "a malformed class name",
    "A class name is written like a Python class: letters, digits and underscores, not beginning with a digit or with "
    "two underscores.",
)
PARENT_FORM: Final = package_rule(
    "MPL:E025",
    "Extends or Import names no class",
    "Parents and imports are class names: Name, prefix:Name or a.b.Name. With a blank after the colon YAML reads a "
    "mapping.",
    fixable=True,
)
META_CLASS_FORM: Final = package_rule(
    "MPL:E027",
    "Cardinality or Inherited has no valid value",
    "Cardinality is One or Many; Inherited is true or false.",
    fixable=True,
)
TARGET: Final = package_rule(
    "MPL:E028",
    "Applies names an unknown target",
    "A meta-class applies to Package, Type, Method, Property, Argument or All, or to a list of these.",
    fixable=True,
)
CLASS_USAGE: Final = package_rule(
    "MPL:E029",
    "an unknown Usage of a class",
    "A class is a Class or, to describe others, a Meta.",
    fixable=True,
)
META_KEY: Final = package_rule(
    "MPL:W029",
    "a key of meta-classes on an ordinary class",
    "Cardinality, Applies and Inherited mean something only on a class with Usage: Meta.",
)
PREFIX_FORM: Final = package_rule(
    "MPL:E060",
    "a malformed namespace prefix",
    "A prefix is a name, or = for the namespace of the class itself.",
)
NAMESPACE_FORM: Final = package_rule(
    "MPL:W060",
    "a malformed namespace",
    "A namespace is names separated by dots.",
)


class TypeReference(Struct, frozen=True, eq=False):
    """A class named by `Extends` or `Import`; `name` is qualified, None if its prefix is not declared."""

    span: Span
    written: str
    name: str | None


class ClassHead(Struct, frozen=True, kw_only=True, eq=False):
    """The head of one class, as far as it could be read. Malformed parts are None and reported as defects."""

    node: YamlMapping
    span: Span
    """The value of `Name`, or the beginning of the document."""
    name: str | None
    """Qualified; None when it is missing or malformed."""
    written_name: str | None
    is_well_named: bool
    """False where spec 001 does not allow the name, whatever the engine makes of it."""
    is_alone: bool
    """True for the only class of its file."""
    namespaces: Namespaces
    has_sure_namespaces: bool
    extends: tuple[TypeReference, ...]
    has_sure_parents: bool
    """False when a parent is malformed."""
    imports: tuple[TypeReference, ...]
    usage: str
    cardinality: str
    applies: tuple[str, ...]
    inherited: bool
    meta: Value | None


class ClassHeads(Struct, frozen=True, eq=False):
    """The heads of a file in order, with the namespaces that its documents declare."""

    heads: tuple[ClassHead, ...]
    namespaces: tuple[tuple[str, NameNode], ...]
    defects: tuple[Defect, ...]


class _Prefixes(Struct, frozen=True):
    table: Namespaces
    is_sure: bool = True


def is_preamble(node: YamlMapping) -> bool:
    """Tell whether a document has only `Namespaces`."""
    return len(node) == 1 and node.get("Namespaces") is not None


def read_heads(documents: Iterable[YamlMapping], promised: str | None, defects: Defects) -> ClassHeads:
    """Read the heads of a file.

    `promised` is the name in the manifest for the only class of a file, which then needs no `Name` (S-08).
    """
    documents = tuple(documents)
    is_alone = len(documents) - sum(map(is_preamble, documents)) <= 1
    prefixes = _Prefixes(NO_NAMESPACES)
    declared: list[tuple[str, NameNode]] = []
    heads: list[ClassHead] = []
    for document in documents:
        prefixes = _read_namespaces(document.get("Namespaces"), prefixes, declared, defects)
        if not is_preamble(document) or len(documents) == 1:
            heads.append(
                _read_head(document, prefixes, promised if is_alone else None, defects, is_alone=is_alone)
            )
    return ClassHeads(tuple(heads), tuple(declared), tuple(defects.noted))


def _read_head(
    document: YamlMapping, prefixes: _Prefixes, promised: str | None, defects: Defects, *, is_alone: bool
) -> ClassHead:
    for finding in report_unknown_keys(
        defects.report, document, CLASS_KEYS, code=UNKNOWN_SECTION, what="a class"
    ):
        defects.add_finding(finding, IGNORED_KEY)
    name_node = document.get("Name")
    start = Span(document.span.start, document.span.start)
    if name_node is None:
        name, is_well_named = promised, promised is not None
        if promised is None:
            _report_missing_name(start, defects, is_alone=is_alone)
    else:
        name, is_well_named = _class_name(name_node, prefixes.table, defects)
    usage, _ = read_choice(
        document, "Usage", ("Class", "Meta"), code=CLASS_USAGE, what="Usage of a class", defects=defects
    )
    cardinality, applies, inherited = _meta_keys(document, usage, defects)
    extends, has_sure_parents = _type_names(document, "Extends", prefixes.table, defects)
    imports, _ = _type_names(document, "Import", prefixes.table, defects)
    return ClassHead(
        node=document,
        span=start if name_node is None else name_node.span,
        name=name,
        written_name=text_of(name_node),
        is_well_named=is_well_named,
        is_alone=is_alone,
        namespaces=prefixes.table,
        has_sure_namespaces=prefixes.is_sure,
        extends=extends,
        has_sure_parents=has_sure_parents,
        imports=imports,
        usage=usage or "Class",
        cardinality=cardinality,
        applies=applies,
        inherited=inherited,
        meta=read_meta(document, defects),
    )


def _report_missing_name(start: Span, defects: Defects, *, is_alone: bool) -> None:
    defects.add("the class has no Name", start)
    if not is_alone:
        message = "a class lacks its Name; in a file with several classes each needs one"
        defects.noted.append(Defect(defects.report.whole(MISSING_KEY, message)))


def _read_namespaces(
    node: YamlNode | None, inherited: _Prefixes, declared: list[tuple[str, NameNode]], defects: Defects
) -> _Prefixes:
    if node is None or is_null(node):
        return inherited
    if not isinstance(node, YamlMapping):
        message = f"Namespaces must be a mapping of prefixes, not {kind_of(node)}"
        defects.at(node, SCOPE_OR_NAMESPACES, message)
        return _Prefixes(inherited.table, is_sure=False)
    table: dict[str, str] = {}
    for key, value in node.items():
        prefix, space = text_of(key), "" if is_null(value) else text_of(value)
        if prefix is None or not is_prefix(prefix):
            defects.at(
                key, PREFIX_FORM, f"a namespace prefix cannot be {quote_node(key)}", hint="a name, or ="
            )
        if space is None or (space and not is_qualified_name(space)):
            hint = "write names separated by dots, as in com.example.web"
            defects.at(value, NAMESPACE_FORM, f"{quote_node(value)} is no namespace", hint=hint)
        elif space:
            declared.append((prefix or "", NameNode(span=value.span, text=space)))
        if prefix is not None and space is not None:
            table[prefix] = space  # a malformed one as well: it is certainly declared
    space = table.get("=", "")
    return _Prefixes(Namespaces(table), is_sure=not space or is_qualified_name(space))


def _class_name(node: YamlNode, namespaces: Namespaces, defects: Defects) -> tuple[str | None, bool]:
    """Return the qualified name for the engine, and whether spec 001 allows it."""
    written = text_of(node) or ""
    bare = written.removeprefix("=").removeprefix(":")
    name = _try_resolve(written, namespaces) if written else None
    if name is not None and not is_qualified_name(name):
        space = namespaces.default
        if is_class_name(bare) and space and not is_qualified_name(space):
            return None, False  # the namespace is malformed, which is reported elsewhere
        name = None
    if name is not None and is_class_name(bare):
        return name, True
    is_reserved = bare.rpartition(".")[2].startswith("__")
    hint = (
        "names that begin with two underscores are reserved" if is_reserved else "letters, digits and _ only"
    )
    difference = None if name is None else LOOSE_CLASS_NAME
    defects.at(
        node, CLASS_NAME, f"a class cannot be called {quote_node(node)}", hint=hint, difference=difference
    )
    return name, False


def _try_resolve(written: str, namespaces: Namespaces) -> str | None:
    try:
        return namespaces.resolve(written)
    except UnknownPrefixError:
        return None


def _type_names(
    document: YamlMapping, key: str, namespaces: Namespaces, defects: Defects
) -> tuple[tuple[TypeReference, ...], bool]:
    """Read `Extends` or `Import`: one class name or a list; return whether all are well-formed."""
    node = document.get(key)
    if node is None or is_null(node):
        return (), True
    references: list[TypeReference] = []
    items = node.items if isinstance(node, YamlSequence) else (node,)
    for item in items:
        written = text_of(item)
        if written is not None and is_type_reference(written):
            references.append(TypeReference(item.span, written, _try_resolve(written, namespaces)))
            continue
        meant = _without_blank(item)
        hint, fix = "write Name, prefix:Name or a.b.Name", None
        if meant is not None:
            hint = f"write {meant} without the blank; with it, YAML reads a mapping"
            fix = defects.report.build_replace_fix(item, meant, safe=True)
        defects.at(
            item, PARENT_FORM, f"{key} needs class names, not {_quote_or_kind(item)}", hint=hint, fix=fix
        )
    return tuple(references), len(references) == len(items)


def _without_blank(item: YamlNode) -> str | None:
    """Return `srv:Something` for `srv: Something`, which is a mapping in YAML (S-10)."""
    if isinstance(item, YamlMapping) and len(item) == 1:
        (key, value), *_ = item.items()
        prefix, name = text_of(key), text_of(value)
        if prefix is not None and name is not None and is_short_name(prefix) and is_qualified_name(name):
            return f"{prefix}:{name}"
    return None


def _quote_or_kind(node: YamlNode) -> str:
    return quote_node(node) if text_of(node) is not None else kind_of(node)


def _meta_keys(
    document: YamlMapping, usage: str | None, defects: Defects
) -> tuple[str, tuple[str, ...], bool]:
    """Read Cardinality, Applies and Inherited, which only a meta-class has."""
    cardinality, applies, inherited = (document.get(key) for key in _META_KEYS)
    values = applies.items if isinstance(applies, YamlSequence) else (applies,)
    targets = tuple(text for item in values if (text := text_of(item)) in _TARGETS and text is not None)
    malformed = {
        "Cardinality": not is_absent(cardinality) and text_of(cardinality) not in ("One", "Many"),
        "Applies": not is_absent(applies) and len(targets) < len(values),
        "Inherited": not is_absent(inherited) and not _is_flag(inherited),
    }
    if usage == "Meta":
        _meta_class(document, malformed, defects)
    elif usage == "Class" or is_absent(document.get("Usage")):
        # An unknown Usage may have been meant as Meta.
        _plain_class(document, malformed, defects)
    return (
        text_of(cardinality) or "One",
        ("All",) if is_absent(applies) else targets,
        isinstance(inherited, YamlScalar) and inherited.value is True,
    )


def _plain_class(document: YamlMapping, malformed: dict[str, bool], defects: Defects) -> None:
    for key in _META_KEYS:
        entry = document.entry(key)
        if entry is not None:
            hint = "add Usage: Meta, or remove the key"
            difference = None if malformed[key] else META_KEY_ON_CLASS
            message = f"{key} has a meaning on meta-classes only"
            defects.at(entry.key, META_KEY, message, hint=hint, difference=difference)


def _meta_class(document: YamlMapping, malformed: dict[str, bool], defects: Defects) -> None:
    for key in _META_KEYS:
        value = document.get(key)
        if value is None or not (is_null(value) or malformed[key]):
            continue
        difference = None if malformed[key] else NULL_META_KEY
        report = defects.report
        if key == "Inherited":
            message = f"Inherited must be true or false, not {_quote_or_kind(value)}"
            defects.at(value, META_CLASS_FORM, message, difference=difference)
        elif key == "Cardinality":
            message = f"Cardinality cannot be {quote_node(value)}"
            finding = report.report_unknown(value, META_CLASS_FORM, message, ("One", "Many"), refused=True)
            defects.add_finding(finding, difference)
        else:
            for item in value.items if isinstance(value, YamlSequence) else (value,):
                if text_of(item) not in _TARGETS:
                    message = f"Applies cannot name {quote_node(item)}"
                    finding = report.report_unknown(item, TARGET, message, _TARGETS, refused=True)
                    defects.add_finding(finding, difference)


def _is_flag(node: YamlNode | None) -> bool:
    return isinstance(node, YamlScalar) and isinstance(node.value, bool)
