"""Declarations inside a class: properties and methods.

Every declaration becomes a node, even a malformed one: its mistakes are defects, and its readable parts tell
which members a class has.
"""

from __future__ import annotations

from typing import Final

from sabir.diagnostics.finding import Edit, Fix
from sabir.languages.muranopl.examples import package_rule
from sabir.languages.muranopl.syntax.declarations import (
    MEMBER_FORM,
    is_absent,
    keys_are_known,
    read_arguments,
    read_choice,
    read_meta,
    read_name,
    read_optional,
    without_value,
)
from sabir.languages.muranopl.syntax.defects import Defects
from sabir.languages.muranopl.syntax.nodes import MethodNode, PropertyNode, Value
from sabir.languages.muranopl.syntax.report import kind_of, quote_node, with_contract
from sabir.languages.muranopl.syntax.rules import ACTION_IN_SESSION, NULL_CONTRACT, WORKFLOW
from sabir.languages.muranopl.syntax.statements import read_block
from sabir.languages.muranopl.syntax.values import is_null, read_value
from sabir.source.yaml.nodes import YamlEntry, YamlMapping, YamlNode, YamlScalar
from sabir.text import Place

PROPERTY_USAGES: Final = ("In", "Out", "InOut", "Const", "Runtime", "Static", "Config")
METHOD_USAGES: Final = ("Runtime", "Static", "Extension", "Action")
SCOPES: Final = ("Session", "Public")
PROPERTY_KEYS: Final = frozenset({"Contract", "Usage", "Default", "Meta"})
METHOD_KEYS: Final = frozenset({"Scope", "Arguments", "Body", "Usage", "Meta"})
_SPECIAL_METHODS: Final = frozenset({".init", ".destroy"})

OLD_SECTION: Final = package_rule(
    "MPL:W013",
    "the old section Workflow",
    "Workflow is what Methods was called in old packages. It is still read, and its methods are checked.",
    fixable=True,
)
PROPERTIES_FORM: Final = package_rule(
    "MPL:E026",
    "Properties is no mapping",
    "Properties maps names to declarations.",
)
PROPERTY_USAGE: Final = package_rule(
    "MPL:E042",
    "an unknown Usage of a property",
    "In, Out, InOut, Const, Runtime, Config or Static says who may set a property and when.",
    fixable=True,
)
SCOPE_OR_NAMESPACES: Final = package_rule(
    "MPL:E044",
    "Namespaces or Scope is malformed",
    "Namespaces maps prefixes to namespaces. Scope is Public or Session and came with format 1.4.",
    fixable=True,
)
NO_CODE: Final = package_rule(
    "MPL:E045",
    "a Body that is no code",
    "The body of a method is an expression, a block construct or a list of these.",
)
METHOD_USAGE: Final = package_rule(
    "MPL:W045",
    "a Usage of a method that is unknown, too new or deprecated",
    "A method is Runtime, Static, Extension (both from format 1.3) or, up to format 1.3, Action; later Action is "
    "written Scope: Public.",
    fixable=True,
)
NO_CONTRACT: Final = package_rule(
    "MPL:E047",
    "a property without a contract",
    "The contract says which values a property takes. Contract: $ takes any.",
    fixable=True,
)


def read_properties(entry: YamlEntry | None, defects: Defects) -> tuple[PropertyNode, ...]:
    """Return the properties of the section `Properties`; none if it is absent or not a mapping."""
    if entry is None or is_absent(entry.value):
        return ()
    section = entry.value
    if not isinstance(section, YamlMapping):
        defects.at(section, PROPERTIES_FORM, f"Properties must be a mapping of names, not {kind_of(section)}")
        return ()
    return tuple(_read_property(key, value, defects) for key, value in section.items())


def _read_property(key: YamlNode, value: YamlNode, defects: Defects) -> PropertyNode:
    name = read_name(key, "property", defects, strict=False)
    if not isinstance(value, YamlMapping):
        message = f"property {quote_node(key)} must be a mapping with a Contract, not {kind_of(value)}"
        defects.at(key, NO_CONTRACT, message)
        return PropertyNode(span=key.span, name=name, contract=without_value(key.span), is_doubtful=True)
    has_known_keys = keys_are_known(value, PROPERTY_KEYS, f"property {quote_node(key)}", defects)
    contract = _read_contract(key, value, defects)
    usage, usage_span = read_choice(
        value, "Usage", PROPERTY_USAGES, code=PROPERTY_USAGE, what="Usage of a property", defects=defects
    )
    return PropertyNode(
        span=key.span,
        name=name,
        contract=contract,
        usage=usage or "In",
        usage_span=usage_span,
        default=read_optional(value, "Default"),
        meta=read_meta(value, defects),
        is_doubtful=not has_known_keys or (usage is None and not is_absent(value.get("Usage"))),
    )


def _read_contract(key: YamlNode, declared: YamlMapping, defects: Defects) -> Value:
    contract = declared.get("Contract")
    if is_absent(contract):
        hint = "add a Contract; Contract: $ takes any value"
        fix = with_contract(defects.report, declared)
        difference = None if contract is None else NULL_CONTRACT
        message = f"property {quote_node(key)} has no Contract"
        defects.at(key, NO_CONTRACT, message, hint=hint, fix=fix, difference=difference)
    return without_value(key.span) if contract is None else read_value(contract)


def read_methods(
    document: YamlMapping, defects: Defects, *, with_bodies: bool = True
) -> tuple[MethodNode, ...]:
    """Return the methods of the section `Methods`, or `Workflow`, its old name; both together are an error
    (S-03).

    Without bodies the nodes still have their `code`: the members of a class are needed far more often than
    their bodies.
    """
    methods, workflow = document.entry("Methods"), document.entry("Workflow")
    if workflow is not None:
        _old_section(workflow, defects, is_second=methods is not None)
    nodes: list[MethodNode] = []
    for entry in (methods, workflow):
        if entry is None or is_null(entry.value):
            continue
        section = entry.value
        if isinstance(section, YamlMapping):
            nodes += (
                _read_method(key, value, defects, with_bodies=with_bodies) for key, value in section.items()
            )
        else:
            defects.at(section, MEMBER_FORM, f"Methods must be a mapping of names, not {kind_of(section)}")
    return tuple(nodes)


def _old_section(entry: YamlEntry, defects: Defects, *, is_second: bool) -> None:
    message = "Workflow is the old name of the section Methods"
    if is_second:
        hint = "move its methods to Methods; only one of the two is read"
        defects.at(entry.key, OLD_SECTION, message, hint=hint)
        return
    edit = Edit(place=Place(defects.source, entry.key.span), text="Methods")
    fix = Fix(title="rename it to Methods", edits=(edit,))
    defects.at(entry.key, OLD_SECTION, message, hint="rename it to Methods", fix=fix, difference=WORKFLOW)


def _read_method(key: YamlNode, value: YamlNode, defects: Defects, *, with_bodies: bool) -> MethodNode:
    name = read_name(key, "method", defects, special=_SPECIAL_METHODS)
    if not isinstance(value, YamlMapping):
        if not is_null(value):
            hint = "write its code below Body"
            message = f"method {quote_node(key)} must be a mapping with a Body, not {kind_of(value)}"
            defects.at(value, MEMBER_FORM, message, hint=hint)
        return MethodNode(span=key.span, name=name)
    keys_are_known(value, METHOD_KEYS, f"method {quote_node(key)}", defects)
    scope, scope_span = read_choice(
        value, "Scope", SCOPES, code=SCOPE_OR_NAMESPACES, what="Scope", defects=defects
    )
    usage, usage_span = read_choice(
        value, "Usage", METHOD_USAGES, code=METHOD_USAGE, what="Usage of a method", defects=defects
    )
    if usage == "Action" and scope == "Session":
        message = (
            f"method {name!r} is an Action, which is called from outside, and of Scope Session, which is not"
        )
        hint = "`Scope: Public` alone is enough"
        defects.at(scope_span, SCOPE_OR_NAMESPACES, message, hint=hint, difference=ACTION_IN_SESSION)
    meta = read_meta(value, defects)
    arguments, is_ordered = read_arguments(name, value.get("Arguments"), defects)
    code = _check_code(key, value.get("Body"), defects)
    return MethodNode(
        span=key.span,
        name=name,
        usage=usage or "Runtime",
        usage_span=usage_span,
        scope=scope,
        scope_span=scope_span,
        arguments=arguments,
        has_sure_arguments=is_ordered,
        body=read_block(code, defects) if with_bodies else (),
        code=code,
        meta=meta,
        node=value,
    )


def _check_code(name: YamlNode, body: YamlNode | None, defects: Defects) -> YamlNode | None:
    """Return the body of a method, if it can be code."""
    if isinstance(body, YamlScalar) and body.value is not None and not isinstance(body.value, str):
        kind = kind_of(body)
        message = f"the Body of {quote_node(name)} must be code: an expression, a block or a list, not {kind}"
        defects.at(body, NO_CODE, message)
        return None
    return body
