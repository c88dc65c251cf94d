"""Declarations inside a class: properties, methods and their arguments."""

from __future__ import annotations

import re
from typing import Final

from sabir.languages.muranopl.syntax.defects import Defects
from sabir.languages.muranopl.syntax.nodes import ArgumentNode, Constant, MethodNode, PropertyNode, Value
from sabir.languages.muranopl.syntax.statements import read_block
from sabir.languages.muranopl.syntax.values import read_value
from sabir.source.yaml import YamlEntry, YamlMapping, YamlNode, YamlScalar, YamlSequence
from sabir.text import EMPTY_SPAN, Place, Span

__all__ = [
    "ARGUMENT_USAGES",
    "METHOD_USAGES",
    "PROPERTY_USAGES",
    "SCOPES",
    "read_methods",
    "read_properties",
]

PROPERTY_USAGES: Final = ("In", "Out", "InOut", "Const", "Runtime", "Static", "Config")
METHOD_USAGES: Final = ("Runtime", "Static", "Extension", "Action")
ARGUMENT_USAGES: Final = ("Standard", "VarArgs", "KwArgs")
SCOPES: Final = ("Session", "Public")
_MEMBER_NAME: Final = re.compile(r"\.?[a-zA-Z_]\w*")


def read_properties(entry: YamlEntry | None, defects: Defects) -> tuple[PropertyNode, ...]:
    if entry is None or _is_null(entry.value):
        return ()
    if not isinstance(entry.value, YamlMapping):
        defects.add("Properties must be a mapping of names to declarations", entry.value.span)
        return ()
    found = (_property(key, value, defects) for key, value in entry.value.items())
    return tuple(one for one in found if one is not None)


def _property(key: YamlNode, value: YamlNode, defects: Defects) -> PropertyNode | None:
    name = _member_name(key, "property", defects)
    if name is None:
        return None
    contract = _contract(name, "property", key, value, defects)
    if contract is None or not isinstance(value, YamlMapping):
        return None
    usage, usage_span = _choice(value, "Usage", PROPERTY_USAGES, f"property {name!r}", defects)
    return PropertyNode(
        span=key.span,
        name=name,
        contract=contract,
        usage=usage or "In",
        usage_span=usage_span,
        default=_optional(value, "Default"),
        meta=_optional(value, "Meta"),
    )


def _contract(name: str, what: str, key: YamlNode, value: YamlNode, defects: Defects) -> Value | None:
    if not isinstance(value, YamlMapping):
        defects.add(f"{what} {name!r} must be a mapping with a Contract", key.span)
        return None
    contract = value.get("Contract")
    if contract is None:
        defects.add(f"{what} {name!r} has no Contract", key.span, hint="`Contract: $` accepts anything")
        return None
    return read_value(contract)


def read_methods(document: YamlMapping, defects: Defects) -> tuple[MethodNode, ...]:
    """The section `Methods`, or `Workflow`, its old name; both together are an error (S-03)."""
    methods, workflow = document.entry("Methods"), document.entry("Workflow")
    if methods is not None and workflow is not None:
        defects.add(
            "the class has both Methods and Workflow, which is the old name of Methods",
            workflow.key.span,
            hint="move the methods of Workflow into Methods",
        )
    entry = methods or workflow
    if entry is None or _is_null(entry.value):
        return ()
    if not isinstance(entry.value, YamlMapping):
        defects.add("Methods must be a mapping of names to declarations", entry.value.span)
        return ()
    found = (_method(key, value, defects) for key, value in entry.value.items())
    return tuple(one for one in found if one is not None)


def _method(key: YamlNode, value: YamlNode, defects: Defects) -> MethodNode | None:
    name = _member_name(key, "method", defects)
    if name is None:
        return None
    if _is_null(value):
        return MethodNode(span=key.span, name=name)
    if not isinstance(value, YamlMapping):
        defects.add(f"method {name!r} must be a mapping with Arguments and Body", value.span)
        return None
    usage, usage_span = _choice(value, "Usage", METHOD_USAGES, f"method {name!r}", defects)
    scope, scope_span = _choice(value, "Scope", SCOPES, f"method {name!r}", defects)
    if usage == "Action" and scope == "Session":
        defects.add(
            f"method {name!r} is an Action, which is called from outside, and of Scope Session, which is not",
            scope_span,
            hint="`Scope: Public` alone is enough",
        )
    return MethodNode(
        span=key.span,
        name=name,
        usage=usage or "Runtime",
        usage_span=usage_span,
        scope=scope,
        scope_span=scope_span,
        arguments=_arguments(name, value.get("Arguments"), defects),
        body=read_block(value.get("Body"), defects),
        meta=_optional(value, "Meta"),
    )


def _arguments(method: str, node: YamlNode | None, defects: Defects) -> tuple[ArgumentNode, ...]:
    if node is None or _is_null(node):
        return ()
    pairs: list[tuple[YamlNode, YamlNode]] = []
    if isinstance(node, YamlMapping):
        pairs.extend(node.items())
    elif isinstance(node, YamlSequence):
        for item in node.items:
            if isinstance(item, YamlMapping) and len(item.entries) == 1:
                pairs.extend(item.items())
            else:
                defects.add(
                    f"an argument of method {method!r} is a mapping with one key, its name", item.span
                )
    else:
        defects.add(f"Arguments of method {method!r} must be a list", node.span)
    found = [one for key, value in pairs if (one := _argument(method, key, value, defects)) is not None]
    _check_order(method, found, defects)
    return tuple(found)


def _argument(method: str, key: YamlNode, value: YamlNode, defects: Defects) -> ArgumentNode | None:
    name = _member_name(key, "argument", defects)
    if name is None:
        return None
    contract = _contract(name, f"in method {method!r} argument", key, value, defects)
    if contract is None or not isinstance(value, YamlMapping):
        return None
    usage, usage_span = _choice(value, "Usage", ARGUMENT_USAGES, f"argument {name!r}", defects)
    return ArgumentNode(
        span=key.span,
        name=name,
        contract=contract,
        usage=usage or "Standard",
        usage_span=usage_span,
        default=_optional(value, "Default"),
        meta=_optional(value, "Meta"),
    )


def _check_order(method: str, arguments: list[ArgumentNode], defects: Defects) -> None:
    """Standard arguments first, then at most one VarArgs, then at most one KwArgs."""
    seen: dict[str, ArgumentNode] = {}
    for argument in arguments:
        if (first := seen.setdefault("name " + argument.name, argument)) is not argument:
            place = Place(defects.source, first.span)
            defects.duplicate(f"method {method!r} has two arguments {argument.name!r}", argument.span, place)
        late = ARGUMENT_USAGES[ARGUMENT_USAGES.index(argument.usage) + (argument.usage == "Standard") :]
        before = next((usage for usage in late if usage in seen), None)
        if before is not None:
            defects.add(
                f"argument {argument.name!r} of method {method!r} stands after the {before} argument "
                f"{seen[before].name!r}",
                argument.span,
                hint="order: Standard arguments, then one VarArgs, then one KwArgs",
            )
        seen.setdefault(argument.usage, argument)


def _member_name(key: YamlNode, what: str, defects: Defects) -> str | None:
    name = key.value if isinstance(key, YamlScalar) else None
    if isinstance(name, bool) and isinstance(key, YamlScalar):
        name = key.text  # YAML 1.1 reads `on`, `yes` … as booleans; as a name they are what was written
    if not isinstance(name, str) or not _MEMBER_NAME.fullmatch(name):
        shown = repr(key.text) if isinstance(key, YamlScalar) else "a structure"
        defects.add(f"{shown} is no name of a {what}", key.span)
        return None
    return name


def _choice(
    node: YamlMapping, key: str, known: tuple[str, ...], owner: str, defects: Defects
) -> tuple[str | None, Span]:
    value = node.get(key)
    if value is None or _is_null(value):
        return None, EMPTY_SPAN
    text = value.value if isinstance(value, YamlScalar) else None
    if isinstance(text, str) and text in known:
        return text, value.span
    shown = repr(value.text) if isinstance(value, YamlScalar) else "a structure"
    defects.misspelt(f"{key} of {owner} is {shown}", value.span, str(text), known)
    return None, value.span


def _optional(node: YamlMapping, key: str) -> Value | None:
    """The value under a key; a key without a value is the value null, not a missing one."""
    value = node.get(key)
    if value is None:
        return None
    return read_value(value) if not _is_null(value) else Constant(span=value.span, value=None, node=value)


def _is_null(node: YamlNode) -> bool:
    return isinstance(node, YamlScalar) and node.value is None
