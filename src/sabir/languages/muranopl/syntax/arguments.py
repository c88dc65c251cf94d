"""Arguments of methods: a list with one name and its declaration an item."""

from __future__ import annotations

from typing import Final

from sabir.languages.muranopl.examples.packages import package_rule
from sabir.languages.muranopl.syntax.declarations import (
    keys_are_known,
    read_choice,
    read_meta,
    read_name,
    read_optional,
    without_value,
)
from sabir.languages.muranopl.syntax.defects import DUPLICATE, Defects
from sabir.languages.muranopl.syntax.differences import ARGUMENT_CONTRACT, ARGUMENTS_MAPPING
from sabir.languages.muranopl.syntax.nodes import ArgumentNode
from sabir.languages.muranopl.syntax.repairs import as_list
from sabir.languages.muranopl.syntax.report import kind_of, shown
from sabir.languages.muranopl.syntax.shapes import is_null
from sabir.languages.muranopl.syntax.values import read_value
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlSequence

__all__ = ["ARGUMENT_KEYS", "ARGUMENT_USAGES", "read_arguments"]

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
    """The arguments of a method, and whether these are all of them, in their order."""
    if node is None or is_null(node):
        return (), True
    if isinstance(node, YamlMapping):
        is_ordered = len(node) == 1
        if not is_ordered:
            _mapping(node, defects)
        items: tuple[YamlMapping, ...] = (node,)
    elif isinstance(node, YamlSequence):
        items, is_ordered = _items(node, defects)
    else:
        defects.at(node, MEMBER_FORM, f"Arguments must be a list, not {kind_of(node)}")
        return (), False
    arguments = [_argument(method, key, value, defects) for item in items for key, value in item.items()]
    _check_order(method, arguments, defects)
    return tuple(arguments), is_ordered


def _mapping(node: YamlMapping, defects: Defects) -> None:
    if not len(node):
        message = "an argument is one name with its declaration, not a mapping of 0 names"
        defects.at(node, MEMBER_FORM, message, difference=ARGUMENTS_MAPPING)
        return
    hint = "write a list with one argument an item; a mapping has no order"
    fix = as_list(defects.report, node)
    message = "Arguments is one mapping with several keys"
    defects.at(node, ARGUMENTS_AS_MAPPING, message, hint=hint, fix=fix, difference=ARGUMENTS_MAPPING)


def _items(node: YamlSequence, defects: Defects) -> tuple[tuple[YamlMapping, ...], bool]:
    malformed = [item for item in node.items if not isinstance(item, YamlMapping) or len(item) != 1]
    for item in malformed:
        kind = f"a mapping of {len(item)} names" if isinstance(item, YamlMapping) else kind_of(item)
        defects.at(item, MEMBER_FORM, f"an argument is one name with its declaration, not {kind}")
    return tuple(item for item in node.items if isinstance(item, YamlMapping)), not malformed


def _argument(method: str, key: YamlNode, value: YamlNode, defects: Defects) -> ArgumentNode:
    name = read_name(key, "argument", defects)
    absent = without_value(key.span)
    if not isinstance(value, YamlMapping):
        message = f"argument {shown(key)} must be a mapping with a Contract, not {kind_of(value)}"
        if is_null(value):
            defects.at(key, MEMBER_FORM, message, difference=ARGUMENT_CONTRACT)
        else:
            defects.at(value, MEMBER_FORM, message)
        return ArgumentNode(span=key.span, name=name, contract=absent)
    keys_are_known(value, ARGUMENT_KEYS, f"argument {shown(key)}", defects)
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
    """Standard arguments first, then at most one VarArgs, then at most one KwArgs; each name once."""
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
