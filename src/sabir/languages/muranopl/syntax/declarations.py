"""The common parts of declarations (name, Contract, Usage, Meta, keys), and the arguments of methods.

Arguments are a list whose items are mappings of one name to its declaration.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from sabir.diagnostics.rules import Rule
from sabir.languages.muranopl.examples import package_rule
from sabir.languages.muranopl.syntax.defects import DUPLICATE, Defects
from sabir.languages.muranopl.syntax.names import is_short_name
from sabir.languages.muranopl.syntax.nodes import ArgumentNode, Constant, Value
from sabir.languages.muranopl.syntax.report import as_list, kind_of, quote_node
from sabir.languages.muranopl.syntax.rules import (
    ARGUMENT_CONTRACT,
    ARGUMENTS_MAPPING,
    IGNORED_KEY,
    LOOSE_NAME,
    META_BY_NAME,
)
from sabir.languages.muranopl.syntax.values import (
    UNKNOWN_KEY,
    is_null,
    meta_shape,
    read_value,
    report_unknown_keys,
)
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of
from sabir.text import EMPTY_SPAN, Span

META_FORM: Final = package_rule(
    "MPL:E049",
    "Meta is malformed",
    "Meta is a mapping, or a list of mappings, of meta-classes to their properties.",
)
MEMBER_NAME: Final = package_rule(
    "MPL:E054",
    "a malformed property, method or argument name",
    "Names are letters, digits and underscores. Only .init and .destroy begin with a dot.",
)


def read_name(
    key: YamlNode, kind: str, defects: Defects, *, strict: bool = True, special: Collection[str] = ()
) -> str:
    """Return the name of a member as written, even if it is malformed; `strict` names follow spec 001."""
    written = text_of(key)
    if written is None and isinstance(key, YamlScalar):
        written = key.text
    name = written or ""
    well_formed = text_of(key) is not None and ((name.isascii() and name.isidentifier()) or name in special)
    if well_formed:
        return name
    # YAML 1.1 reads `on`, `yes` … as booleans; a name is what was written.
    is_word = isinstance(key, YamlScalar) and isinstance(key.value, str | bool)
    # What the engine accepts as a name: also with a leading dot, as in `.init`.
    is_loose = is_word and is_short_name(name.removeprefix("."))
    if strict or not is_loose:
        article = "an" if kind[0] in "aeiou" else "a"
        message = f"{article} {kind} cannot be called {quote_node(key)}"
        defects.at(key, MEMBER_NAME, message, difference=LOOSE_NAME if is_loose else None)
    return name


def is_absent(value: YamlNode | None) -> bool:
    """Tell whether a key is missing or has no value."""
    return value is None or is_null(value)


def keys_are_known(declared: YamlMapping, keys: Collection[str], owner: str, defects: Defects) -> bool:
    """Report the keys that a declaration cannot have; return False if there are some."""
    unknown = list(report_unknown_keys(defects.report, declared, keys, code=UNKNOWN_KEY, what=owner))
    for finding in unknown:
        defects.add_finding(finding, IGNORED_KEY)
    return not unknown


def read_choice(
    declared: YamlMapping, key: str, allowed: Collection[str], *, code: Rule, what: str, defects: Defects
) -> tuple[str | None, Span]:
    """Return a word of a closed set with its span; None if it is absent or unknown."""
    value = declared.get(key)
    if value is None or is_null(value):
        return None, EMPTY_SPAN
    text = text_of(value)
    if text is not None and text in allowed:
        return text, value.span
    message = f"{what} cannot be {quote_node(value)}"
    defects.add_finding(defects.report.report_unknown(value, code, message, allowed, refused=True))
    return None, EMPTY_SPAN


def read_meta(declared: YamlMapping, defects: Defects) -> Value | None:
    """Return the value of `Meta` if present; report a malformed one."""
    for finding in meta_shape(defects.report, declared, code=META_FORM):
        defects.add_finding(finding, META_BY_NAME if _names_classes(declared.get("Meta")) else None)
    return read_optional(declared, "Meta")


def _names_classes(meta: YamlNode | None) -> bool:
    """Tell whether Meta consists of names (`Meta: m:Title`) and mappings."""
    items = meta.items if isinstance(meta, YamlSequence) else (meta,)
    return all(isinstance(item, YamlMapping) or text_of(item) is not None for item in items)


def read_optional(declared: YamlMapping, key: str) -> Value | None:
    """Return the value under a key; a key without a value is the value null, not a missing one."""
    value = declared.get(key)
    if value is None:
        return None
    return Constant(span=value.span, value=None, node=value) if is_null(value) else read_value(value)


def without_value(span: Span) -> Constant:
    """Return a placeholder for a missing value, so that the surrounding node can be used."""
    return Constant(span=span, value=None, node=YamlScalar.at(span, "", None))


ARGUMENT_USAGES: Final = ("Standard", "VarArgs", "KwArgs")
ARGUMENT_KEYS: Final = frozenset({"Contract", "Default", "Usage", "Meta"})

MEMBER_FORM: Final = package_rule(
    "MPL:E046",
    "methods or arguments of the wrong shape",
    "Methods maps names to declarations; Arguments is a list with one name and its declaration an item. Each name "
    "stands once; one VarArgs and then one KwArgs may follow the Standard arguments.",
)
ARGUMENTS_AS_MAPPING: Final = package_rule(
    "MPL:E048",
    "Arguments as one mapping with several keys",
    "A mapping has no order that could be relied on, and calls pass arguments by position.",
    fixable=True,
)
ARGUMENT_USAGE: Final = package_rule(
    "MPL:E053",
    "an unknown Usage of an argument",
    "An argument is Standard, VarArgs (a list of all further values) or KwArgs (a mapping of all further names).",
    fixable=True,
)


def read_arguments(
    method: str, node: YamlNode | None, defects: Defects
) -> tuple[tuple[ArgumentNode, ...], bool]:
    """Return the arguments of a method, and whether these are complete and in order."""
    if node is None or is_null(node):
        return (), True
    if isinstance(node, YamlMapping):
        is_ordered = len(node) == 1
        if not is_ordered:
            _report_mapping(node, defects)
        items: tuple[YamlMapping, ...] = (node,)
    elif isinstance(node, YamlSequence):
        items, is_ordered = _check_items(node, defects)
    else:
        defects.at(node, MEMBER_FORM, f"Arguments must be a list, not {kind_of(node)}")
        return (), False
    arguments = [_read_argument(method, key, value, defects) for item in items for key, value in item.items()]
    _check_order(method, arguments, defects)
    return tuple(arguments), is_ordered


def _report_mapping(node: YamlMapping, defects: Defects) -> None:
    if not len(node):
        message = "an argument is one name with its declaration, not a mapping of 0 names"
        defects.at(node, MEMBER_FORM, message, difference=ARGUMENTS_MAPPING)
        return
    hint = "write a list with one argument an item; a mapping has no order"
    fix = as_list(defects.report, node)
    message = "Arguments is one mapping with several keys"
    defects.at(node, ARGUMENTS_AS_MAPPING, message, hint=hint, fix=fix, difference=ARGUMENTS_MAPPING)


def _check_items(node: YamlSequence, defects: Defects) -> tuple[tuple[YamlMapping, ...], bool]:
    malformed = [item for item in node.items if not isinstance(item, YamlMapping) or len(item) != 1]
    for item in malformed:
        kind = f"a mapping of {len(item)} names" if isinstance(item, YamlMapping) else kind_of(item)
        defects.at(item, MEMBER_FORM, f"an argument is one name with its declaration, not {kind}")
    return tuple(item for item in node.items if isinstance(item, YamlMapping)), not malformed


def _read_argument(method: str, key: YamlNode, value: YamlNode, defects: Defects) -> ArgumentNode:
    name = read_name(key, "argument", defects)
    absent = without_value(key.span)
    if not isinstance(value, YamlMapping):
        message = f"argument {quote_node(key)} must be a mapping with a Contract, not {kind_of(value)}"
        if is_null(value):
            defects.at(key, MEMBER_FORM, message, difference=ARGUMENT_CONTRACT)
        else:
            defects.at(value, MEMBER_FORM, message)
        return ArgumentNode(span=key.span, name=name, contract=absent)
    keys_are_known(value, ARGUMENT_KEYS, f"argument {quote_node(key)}", defects)
    contract = value.get("Contract")
    if contract is None:
        message = f"in method {method!r} argument {name!r} has no Contract"
        hint = "`Contract: $` accepts anything"
        defects.at(key, MEMBER_FORM, message, hint=hint, difference=ARGUMENT_CONTRACT)
    usage, usage_span = read_choice(
        value, "Usage", ARGUMENT_USAGES, code=ARGUMENT_USAGE, what="Usage of an argument", defects=defects
    )
    return ArgumentNode(
        span=key.span,
        name=name,
        contract=absent if contract is None else read_value(contract),
        usage=usage or "Standard",
        usage_span=usage_span,
        default=read_optional(value, "Default"),
        meta=read_meta(value, defects),
    )


def _check_order(method: str, arguments: list[ArgumentNode], defects: Defects) -> None:
    """Check the order: standard arguments, then at most one VarArgs, then at most one KwArgs; names are unique."""
    by_name: dict[str, ArgumentNode] = {}
    by_usage: dict[str, ArgumentNode] = {}
    for argument in arguments:
        first = by_name.setdefault(argument.name, argument)
        if first is not argument:
            defects.at(
                argument.span,
                MEMBER_FORM,
                f"method {method!r} has two arguments {argument.name!r}",
                related=((first.span, "first declared here"),),
                refusal=DUPLICATE,
            )
        late = ARGUMENT_USAGES[ARGUMENT_USAGES.index(argument.usage) + (argument.usage == "Standard") :]
        before = next((usage for usage in late if usage in by_usage), None)
        if before is not None:
            defects.at(
                argument.span,
                MEMBER_FORM,
                f"argument {argument.name!r} of method {method!r} stands after the {before} argument "
                f"{by_usage[before].name!r}",
                hint="order: Standard arguments, then one VarArgs, then one KwArgs",
            )
        by_usage.setdefault(argument.usage, argument)
